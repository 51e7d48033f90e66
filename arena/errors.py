"""Whose fault it is: the class of an error alone decides what becomes of the match.

ArenaError
├── UsageError       wrong option, unknown game: one sentence, exit code 2, no traceback
├── RegistryError    a game is broken or misnamed: refuse to start
├── RecordError      a record file is damaged or does not replay
├── EngineFault      our own rules failed: the match is void
├── InfraError       docker, disk, database, network: the match is void and may be retried
├── FaultyTest       bots were at fault instead of playing, so that a test says nothing: exit code 3
└── BotFault         the contestant's doing: a verdict, rated
    ├── StartFailed
    ├── TimedOut
    ├── Crashed
    ├── OutOfMemory
    ├── Disconnected
    ├── BadMessage
    ├── IllegalMove
    └── Abuse
"""

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about a word that nobody knows: those that look like it, if there are any."""
    from difflib import get_close_matches  # noqa: PLC0415  (only for those who mistype)

    found = get_close_matches(word, sorted(set(known)))
    return f": did you mean {' or '.join(found)}?" if found else ""


class ArenaError(Exception):
    """The root of every error that Arena raises on purpose."""

    exit_code = 1


class UsageError(ArenaError):
    """The person at the keyboard asked for something that cannot be."""

    exit_code = 2


class RegistryError(ArenaError):
    """A game cannot be loaded, so nothing that lists games can be trusted."""


class RecordError(ArenaError):
    """A record file is damaged, or replaying it gives something else."""


class EngineFault(ArenaError):
    """The rules of a game failed; no bot is to blame."""


class InfraError(ArenaError):
    """Something around the match failed; no bot is to blame."""


class FaultyTest(ArenaError):
    """A test of two bots was ended or decided by faults, and not by how they play."""

    exit_code = 3


class BotFault(ArenaError):
    """A bot did what it may not do."""


class StartFailed(BotFault):
    """The bot never became ready."""


class TimedOut(BotFault):
    """The bot used more time than it had."""


class Crashed(BotFault):
    """The bot's process ended during the match."""


class OutOfMemory(BotFault):
    """The bot was ended because it used more memory than it had."""


class Disconnected(BotFault):
    """The bot closed its stream before the match was over."""


class BadMessage(BotFault):
    """The bot sent bytes that are no valid reply."""


class IllegalMove(BotFault):
    """The bot chose a move that the rules do not allow."""

    tried: object = None
    """That move, where it is known."""


class Abuse(BotFault):
    """The bot attacked the referee or its surroundings."""
