"""Options that several commands share, as one decorator."""

from collections.abc import Callable
from typing import TypeAlias

Command: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Command], Command]


def option_group(*options: Decorator) -> Decorator:
    """A decorator that adds these options, in this order on the help page."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
