"""What mkdocs does not do by itself: generated pages, pages from outside of docs/, and Markdown as GitHub reads it."""

from collections.abc import Callable
from functools import partial

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from arena import registry
from arena.contestant.game_page import game_page
from tools.docs.api import api_page
from tools.docs.cli import cli_page
from tools.docs.markdown import anchor
from tools.docs.protocol import protocol_page
from tools.docs.site_links import OUTSIDE, ROOT, github_flavoured, moved_links

GENERATED: dict[str, Callable[[], str]] = {
    "reference/cli.md": cli_page,
    "reference/api.md": api_page,
    "reference/protocol.md": protocol_page,
    **{f"bots/{name}.md": partial(game_page, game) for name, game in registry.games().items()},
}
PLACES = {site: place for place, site in OUTSIDE.items()}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name headings as GitHub does, so that the same links are right in both places."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = anchor
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for place, site in OUTSIDE.items():
        files.append(File.generated(config, site, content=(ROOT / place).read_text(encoding="utf-8")))
    for site, page in GENERATED.items():
        files.append(File.generated(config, site, content=page()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """The page for mkdocs: links lead to pages of the site, lists and blocks are written as it wants them."""
    here = page.file.src_uri
    if here in GENERATED:
        return github_flavoured(markdown)
    return github_flavoured(moved_links(markdown, PLACES.get(here, f"docs/{here}"), here))
