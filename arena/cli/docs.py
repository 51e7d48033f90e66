"""`arena docs`: the pages for people who have Arena from a package and no checkout of it."""

from typing import ClassVar

import click
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown
from rich.text import Text

from arena import registry
from arena.bots.shipped import shipped
from arena.contestant.game_page import game_page
from arena.errors import UsageError


@click.command()
@click.argument("page", required=False)
@click.option("--plain", is_flag=True, help="Print the Markdown as it is.")
def docs(page: str | None, plain: bool) -> None:
    """Print PAGE of the documentation, or list the pages. Every game has a page for authors of bots.

    \b
    arena docs
    arena docs first-bot
    arena docs assassins
    """
    files = [*shipped("docs").glob("*.md"), *shipped("docs").parent.glob("*.md")]
    pages = {path.stem.lower().replace("_", "-"): path for path in sorted(files)}
    games, notebook = registry.games(), shipped("docs") / "notebook.ipynb"
    if page is None:
        for name, path in pages.items():
            click.echo(f"{name:<16}{path.read_text(encoding='utf-8').partition(chr(10))[0].removeprefix('# ')}")
        for name, game in games.items():
            click.echo(f"{name:<16}{game.info.title}: how a bot sees and plays it")
        click.echo(f"{'notebook':<16}Arena in a notebook, for Jupyter")
        click.echo(f"(arena docs PAGE prints one; the files are in {shipped('docs')})")
        return
    if page == "notebook":
        click.echo(f"the notebook is {notebook}: copy it into a folder of yours, and open it there with Jupyter")
        return
    if page not in pages and page not in games:
        raise UsageError(f"there is no page {page!r}: choose {', '.join([*pages, *games, 'notebook'])}")
    text = pages[page].read_text(encoding="utf-8") if page in pages else game_page(games[page])
    if plain:
        click.echo(text)
    else:
        Console().print(Page(text), crop=False)


class Code(CodeBlock):
    """Code as it is, neither wrapped nor indented: whoever copies it from a terminal has a program."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines of the code, however long."""
        yield from Text(str(self.text).rstrip(), "cyan").render(console, end="\n")


class Page(Markdown):
    """A page of the documentation for a terminal."""

    elements: ClassVar = {**Markdown.elements, "fence": Code, "code_block": Code}
