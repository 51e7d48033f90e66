"""A referee and tournament framework for game-playing bots.

import arena
arena.play("claim", [my_function, "greedy"], seed=7)     # a match in this process, without a sandbox
arena.tournament("claim", [my_function, "greedy"], rounds=20)
arena.games()["claim"].info                              # what there is to play
"""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.notebook import play, tournament
    from arena.registry import games

__all__ = ["games", "play", "tournament"]

# gRPC reads this when it is loaded, which the SDK does in a bot and the rules service beside it. Its core would print
# warnings of its own into the output of the bot.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

if not TYPE_CHECKING:  # to a type checker every name would exist

    def __getattr__(name: str) -> object:
        """The public functions, imported when they are first asked for: `import arena` must stay cheap for bots."""
        from importlib import import_module  # noqa: PLC0415

        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module("arena.registry" if name == "games" else "arena.notebook")
        globals()[name] = found = getattr(module, name)
        return found
