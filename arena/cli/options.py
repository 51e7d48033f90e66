"""Options that several commands share, as one decorator."""

from collections.abc import Callable
from typing import TypeAlias

import click

Command: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Command], Command]


def option_group(*options: Decorator) -> Decorator:
    """A decorator that adds these options, in this order on the help page."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON on standard output; messages go to standard error."
)
"""The option of every command whose result a program may want; `print_json` prints it."""

server_option = click.option("--server", metavar="URL", help="The contest there instead of the store here.")
"""The option of commands that a contest answers too; `arena login URL` says who asks."""
