"""The rules of a game, from the text that comes with it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from arena.game import AnyGame, GameInfo
from arena.web.example import example_position
from arena.web.links import file_of
from arena.web.rendering import Page


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game, beside those of the others."""

    info: GameInfo
    games: Sequence[GameInfo]
    text: Markup


def rules_page(game: AnyGame, games: Sequence[GameInfo]) -> Page:
    info = game.info
    rules = Rules(info, games, html_of(game.rules()))
    title, path = f"{info.title}: rules", file_of("rules", info.name)
    return Page(path, "rules.html", title, info.summary, rules, part="rules", example=example_position(game))


@cache
def html_of(markdown: str) -> Markup:
    """Markdown as HTML without its title, which the page has already; HTML inside of it is shown as text."""
    text = re.sub(r"\A# .*\n", "", markdown)
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    # What scrolls must be reached by the keyboard too.
    return Markup(html.replace("<pre>", '<pre tabindex="0">'))  # noqa: S704  (made of escaped text)
