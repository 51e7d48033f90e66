"""The options that say how bots are held, and what a user calls a bot."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import option_group
from arena.cli.params import Size

if TYPE_CHECKING:  # help pages need not wait for the sandboxes
    from arena.bots.launch import SandboxOptions
    from arena.bots.running import RunningBot
    from arena.game import AnyGame

SANDBOXES = ("auto", "bubblewrap", "docker", "gvisor", "process")
sandbox_options = option_group(
    click.option(
        "--sandbox",
        type=click.Choice(SANDBOXES),
        default="auto",
        show_default=True,
        help="What holds the bots: auto takes bubblewrap for folders and docker for images; "
        "gvisor gives images a kernel of their own; process holds nothing and is for bots that you trust.",
    ),
    click.option("--memory", type=Size(), default="512m", show_default=True, help="Memory of each bot."),
    click.option(
        "--cpus",
        metavar="NUMBER",
        type=click.FloatRange(0.1),
        default=1.0,
        show_default=True,
        help="Processors of each bot.",
    ),
    click.option("--ponder", is_flag=True, help="Let bots think on the opponent's time instead of freezing them."),
)
"""The options that say how bots are held."""


def read_sandbox_options(given: Mapping[str, Any]) -> "SandboxOptions":
    """The values of the options that `sandbox_options` added."""
    from arena.bots.launch import SandboxOptions  # noqa: PLC0415
    from arena.sandboxes.base import Limits  # noqa: PLC0415

    limits = Limits(memory_bytes=given["memory"], cpus=given["cpus"])
    return SandboxOptions(given["sandbox"], limits, given["ponder"])


def named_bot(game: "AnyGame", text: str, seed: int, options: "SandboxOptions") -> "RunningBot":
    """The bot that the user means by this text, not started yet."""
    from arena.bots.builtin import BUILTIN  # noqa: PLC0415
    from arena.bots.launch import make_bot, plan_bot  # noqa: PLC0415
    from arena.bots.manifest import locate  # noqa: PLC0415

    return make_bot(game, plan_bot(game, text, locate(text, BUILTIN), options), seed)
