"""What is seen of a long build: its steps, and on a terminal the seconds that it has taken."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from arena.cli.output import marked, plain_console, warn


@contextmanager
def build_status(what: str, console: Console | None = None) -> Iterator[Callable[[str], None]]:
    """Say what is built and how long it takes, until the context ends; call the result with every step."""
    console = console or plain_console(stderr=True)
    if not console.is_terminal:
        warn(f"{what} …")
        yield warn
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(marked(what), total=None)

        def report(step: str) -> None:
            progress.update(task, description=f"{marked(what)}: {marked(step)}")

        yield report
