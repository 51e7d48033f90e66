"""The pages of the repository on the site: where they are, and where their links lead there."""

import posixpath
import re
from pathlib import Path

from tools.docs.markdown import LINK

ROOT = Path(__file__).parents[2]
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    **{f"engines/{game}/RULES.md": f"rules/{game}.md" for game in ("assassins", "claim", "kingdoms", "rrr")},
}
"""Pages of the site that are not in docs/: where they are in the repository, and on the site."""
WHOLE_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]*)[^)]*\)")


def moved_links(markdown: str, place: str, here: str) -> str:
    """The page with links as they are on the site; a file that is not on the site is named without a link."""

    def to_text(found: re.Match[str]) -> str:
        path = repository_path(place, found[2])
        if not found[2] or site_path(path) or not (ROOT / path).exists():
            return found[0]
        return f"`{path}`" if path.endswith(found[1].strip("`")) else f"{found[1]} (`{path}`)"

    def to_site(found: re.Match[str]) -> str:
        path = site_path(repository_path(place, found[1])) if found[1] else None
        if not path:
            return found[0]  # within this page; or leading nowhere, as mkdocs will say
        moved = posixpath.relpath(path, posixpath.dirname(here) or ".")
        return f"{moved}#{found[2]}" if found[2] else moved

    return LINK.sub(to_site, WHOLE_LINK.sub(to_text, markdown))


def repository_path(place: str, target: str) -> str:
    """Where a link of the page at this place leads in the repository."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), target))


def site_path(path: str) -> str | None:
    """Where the site has a file of the repository; None if it has not."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return "reference/protocol.md" if path.startswith("proto/") else OUTSIDE.get(path)


def github_flavoured(markdown: str) -> str:
    """The page with lists inside of lists and files before blocks as mkdocs understands them."""
    markdown = re.sub(r"^ {2,3}(?=[-*] )", "    ", markdown, flags=re.MULTILINE)
    return re.sub(r"^```(\w+) (\S+)$", r'```\1 title="\2"', markdown, flags=re.MULTILINE)
