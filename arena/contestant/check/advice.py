"""Advice to the author of a bot for each ending."""

import re
from collections.abc import Mapping

from arena.game import AnyGame
from arena.match import Ending, Verdict

ADVICE: Mapping[Ending, str] = {
    Ending.NO_START: "read its output; to see more, start it by hand in its folder, with the command of its bot.toml "
    "and `--port 5000`; it must listen on the Unix socket that ARENA_SOCKET names, and answer the gRPC health check",
    Ending.TIME: "look at the time that each turn says is left, and answer before it is gone; "
    "give the clock of your tournament with --clock",
    Ending.CRASH: "its process ended: the error is in its output; remember that it has no network, and no file but its "
    "own folder (read-only) and /tmp",
    Ending.OUT_OF_MEMORY: "keep less, or ask the organiser for more; --memory tries another limit",
    Ending.DISCONNECT: "it ended the stream of a match, as an error in its code does: read its output",
    Ending.PROTOCOL: "every reply must set `ready` or `moves`, echo the number of the turn, and hold at least one "
    "move; see proto/arena/wire/v1/match.proto",
    Ending.ILLEGAL: "answer with one of the legal moves; ask for their list with `wants_legal_moves` in `ready`",
    Ending.ABUSE: "it did what only an attack does, such as flooding the connection or replacing its own socket",
    Ending.VOID: "nothing: the referee's own machine failed; try again, and see `arena doctor`",
}


_NO_FAMILY = re.compile(r"address family not supported|EAFNOSUPPORT", re.IGNORECASE)
_BY_NETWORK = (Ending.NO_START, Ending.CRASH, Ending.DISCONNECT, Ending.TIME)
"""What a missing network can lead to; a library that only mentions it is no reason for an illegal move."""
_NO_NETWORK = (
    "its output says that it wanted a socket of the network, which does not exist in a match, not even between its own "
    "processes: listen on the Unix socket that ARENA_SOCKET names, and use Unix sockets or pipes between processes"
)


def advice(verdict: Verdict, game: AnyGame, output: str = "") -> str:
    """What to do next after this verdict, and after what the bot has printed."""
    if verdict.ending in _BY_NETWORK and _NO_FAMILY.search(output):
        return _NO_NETWORK
    if "UNIMPLEMENTED" in verdict.sentence:
        service = f"{game.codec.wire.DESCRIPTOR.package}.{game.codec.prefix}BotService"
        return f"it does not serve {game.info.name}: it must offer the service {service} with the method Play"
    return ADVICE[verdict.ending]
