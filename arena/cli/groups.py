"""A group of commands: its help page says each of them in a whole sentence, and a mistyped one is recognised."""

import click

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
