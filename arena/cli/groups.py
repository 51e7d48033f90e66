"""A group of commands: its help page says each of them in a whole sentence, and a mistyped one is recognised."""

from collections.abc import Mapping
from importlib import import_module
from typing import ClassVar

import click

from arena.cli.loading import loading
from arena.errors import did_you_mean


class CommandGroup(click.Group):
    """A group that cuts no sentence short, and says what a wrong word may have meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the first word; UsageError with those that look like it if there is none."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"there is no command {args[0]!r}{did_you_mean(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands on the help page, each with its first sentence."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.line(ctx, name)) for name in self.list_commands(ctx)])

    def line(self, ctx: click.Context, name: str) -> str:
        """The first sentence about a command."""
        command = self.get_command(ctx, name)
        return command.get_short_help_str(limit=1000) if command else ""


class LazyGroup(CommandGroup):
    """A group that imports a command only when it is run."""

    places: ClassVar[Mapping[str, tuple[str, str]]]
    """Where each command is, as `module:attribute` of this package, and its line on the help page."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands in the order in which a user meets them."""
        return list(self.places)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in self.places:
            return None
        module, _, attribute = self.places[name][0].partition(":")
        with loading():
            command: click.Command = getattr(import_module(f"arena.cli.{module}"), attribute)
        return command

    def line(self, ctx: click.Context, name: str) -> str:  # noqa: ARG002
        """The sentence about a command, without importing it."""
        return self.places[name][1]
