"""A contestant's main program: `serve(MyBot, game="claim")` answers the referee until it is told to stop."""

import os
import queue
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from arena.errors import UsageError
from arena.sdk.bot import Bot

BotFactory = Callable[[], Bot[Any, Any]]
"""A bot's class, or any function that makes a new bot for one match."""


_collected: ContextVar[dict[str, BotFactory] | None] = ContextVar("_collected", default=None)


@contextmanager
def collect_bots() -> Iterator[Mapping[str, BotFactory]]:
    """Within this context `serve` does nothing but add its bots to the mapping: so a bot's program can be loaded."""
    served: dict[str, BotFactory] = {}
    token = _collected.set(served)
    try:
        yield served
    finally:
        _collected.reset(token)


def serve(bot: BotFactory | Mapping[str, BotFactory], game: str | None = None) -> None:
    """Play the matches that come in over ARENA_SOCKET (or `--port`, ARENA_PORT), until SIGTERM or Ctrl-C.

    Give one bot and its game, or a bot for each of several games: `serve({"claim": ClaimBot, "rrr": RrrBot})`.
    """
    if (collected := _collected.get()) is not None:
        collected.update(bots_by_game(bot, game))
        return
    from arena.sdk.server import make_server  # noqa: PLC0415  (who only borrows the classes of bots needs no gRPC)

    stop: queue.SimpleQueue[int] = queue.SimpleQueue()  # its `put` may be called from a signal handler
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda got, _frame: stop.put(got))
    try:
        server = make_server(bots_by_game(bot, game), address(sys.argv[1:], os.environ))
    except UsageError as error:
        sys.stderr.write(f"{sys.argv[0]}: {error}\n")
        sys.exit(2)
    server.start()
    stop.get()
    server.stop(grace=0).wait()
    sys.stdout.flush()
    sys.stderr.flush()
    # A thread that is deep in thought cannot be stopped, and would keep a normal exit waiting.
    os._exit(0)


def bots_by_game(bot: BotFactory | Mapping[str, BotFactory], game: str | None) -> Mapping[str, BotFactory]:
    """The bot for each game, however it was given."""
    if isinstance(bot, Mapping):
        return bot
    if game is None:
        raise UsageError('say which game the bot plays: serve(MyBot, game="claim")')
    return {game: bot}


def address(arguments: list[str], environment: Mapping[str, str]) -> str:
    """Where to listen, in the words of gRPC: ARENA_SOCKET, else the port of `--port` or ARENA_PORT."""
    if path := environment.get("ARENA_SOCKET"):
        return f"unix:{path}"
    import argparse  # noqa: PLC0415  (a referee's bot starts without it)

    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--port", default=environment.get("ARENA_PORT"), help="listen on this port, for development")
    port = parser.parse_known_args(arguments)[0].port
    if port is None:
        raise UsageError("where shall the bot listen? Give --port 5000, or set ARENA_SOCKET as the referee does")
    return f"127.0.0.1:{port}"
