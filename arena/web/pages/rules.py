"""The rules of a game, from the text that comes with it."""

from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from arena.game import AnyGame, GameInfo
from arena.web.links import file_of
from arena.web.rendering import Page


def rules_page(game: AnyGame, games: Sequence[GameInfo]) -> Page:
    """The page."""
    info = game.info
    data = {"info": info, "games": games, "text": html_of(game.rules())}
    return Page(file_of("rules", info.name), "rules.html", f"{info.title}: rules", info.summary, data, part="rules")


@cache
def html_of(markdown: str) -> Markup:
    """Markdown as HTML; HTML inside of it is shown as text."""
    return Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown))  # noqa: S704
