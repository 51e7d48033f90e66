"""`arena docs`: the pages for people who have Arena from a package and no checkout of it."""

import click
from rich.console import Console
from rich.markdown import Markdown

from arena.bots.shipped import shipped
from arena.errors import UsageError


@click.command()
@click.argument("page", required=False)
@click.option("--plain", is_flag=True, help="Print the Markdown as it is.")
def docs(page: str | None, plain: bool) -> None:
    """Print PAGE of the documentation, or list the pages.

    \b
    arena docs
    arena docs first-bot
    """
    pages = {path.stem: path for path in sorted(shipped("docs").glob("*.md"))}
    if page is None:
        for name, path in pages.items():
            click.echo(f"{name:<16}{path.read_text(encoding='utf-8').partition(chr(10))[0].removeprefix('# ')}")
        click.echo(f"(arena docs PAGE prints one; the files are in {shipped('docs')})")
        return
    if page not in pages:
        raise UsageError(f"there is no page {page!r}: choose {', '.join(pages)}")
    text = pages[page].read_text(encoding="utf-8")
    if plain:
        click.echo(text)
    else:
        Console().print(Markdown(text))
