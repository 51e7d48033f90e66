"""The options that say where matches are played."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import option_group
from arena.cli.params import Whole

if TYPE_CHECKING:  # help pages need not wait for the executors
    from arena.workers.placement import Placement

concurrency_option = click.option(
    "--concurrency", type=Whole(1), help="Matches at once; what the processors allow if not given."
)
executor_option = click.option(
    "--executor",
    "place",
    metavar="local|ray|ray://HOST:PORT",
    default="local",
    show_default=True,
    help="Where matches are played: on this machine, on the Ray cluster that it belongs to, or on the one there.",
)
priority_option = click.option(
    "--priority",
    type=Whole(1, 1000),
    help="The weight of these matches beside those of others on a cluster, 10 if not given: with 20 they have twice as "
    "many tables.",
)
registry_option = click.option(
    "--registry",
    metavar="HOST[:PORT][/PATH]",
    help="Where the nodes of a cluster find images, by digest; without it they are sent from here.",
)
placement_options = option_group(concurrency_option, executor_option, priority_option, registry_option)


def read_placement(given: Mapping[str, Any]) -> "Placement":
    """What `placement_options` gave."""
    from arena.workers.placement import Placement  # noqa: PLC0415

    return Placement(given["place"], given["concurrency"], given["priority"], given["registry"])
