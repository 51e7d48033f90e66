"""A referee and tournament framework for game-playing bots.

import arena
arena.play("claim", [my_function, "greedy"], seed=7)     # a match in this process, without a sandbox
arena.tournament("claim", [my_function, "greedy"], rounds=20)
"""

import os
from types import ModuleType
from typing import Any

import arena.play

# gRPC reads this when it is loaded, which the SDK does in a bot and the rules service beside it. Its core would print
# warnings of its own into the output of the bot.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")


class _PlayPackage(ModuleType):
    """The package `arena.play`, which can be called like the function that it is named after."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Play one match: see `arena.notebook.play`."""
        from arena.notebook import play  # noqa: PLC0415  (`import arena` must stay cheap)

        return play(*args, **options)


arena.play.__class__ = _PlayPackage


def tournament(*args: Any, **options: Any) -> Any:
    """Play a tournament in this process: see `arena.notebook.tournament`."""
    from arena.notebook import tournament as played  # noqa: PLC0415  (see above)

    return played(*args, **options)
