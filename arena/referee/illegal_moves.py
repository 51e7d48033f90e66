"""Illegal moves: in words, for people, and in bytes, for the record."""

import json
import re
from typing import Any

from arena.codec import Codec
from arena.errors import BotFault, IllegalMove
from arena.game import AnyGame, AnyState
from arena.match import Ending, Verdict
from arena.referee.faults import verdict_of
from arena.untrusted.text import printable

MAX_TRIED = 1024
"""Bytes of an illegal move that is kept; those of our games have a few."""
MAX_WORDS = 200
"""Characters of it that a verdict says."""


def verdict_in(game: AnyGame, state: AnyState, fault: BotFault) -> Verdict:
    """The verdict of a fault in this position: of an illegal move it says in words which one it was."""
    if not isinstance(fault, IllegalMove) or fault.tried is None:
        return verdict_of(fault)
    try:
        words = tried_words(game, state, fault.tried)
    except Exception:  # games need only know what is legal: no match is void because a bot chose something else
        return verdict_of(fault)
    legal = len(state.legal())
    why = "but only one other move was legal" if legal == 1 else f"which is not one of the {legal} legal moves"
    return Verdict(Ending.ILLEGAL, f"chose “{printable(words)[:MAX_WORDS]}”, {why}")


def tried_words(game: AnyGame, state: AnyState, move: Any) -> str:
    """A move that may be illegal: in words if the game has any for it, or else as its message."""
    try:
        return move_words(game, state.clone(), move)
    except Exception:  # as above
        return json.dumps(game.codec.move_to_json(move), ensure_ascii=False)


def move_words(game: AnyGame, state: AnyState, move: Any) -> str:
    """A legal move in plain words, without who makes it."""
    from rich.text import Text  # noqa: PLC0415  (hardly a match needs it, and every worker would wait for it)

    words = Text.from_markup(game.describe_move(state, move), emoji=False).plain
    return re.sub(r"^seat \d+(?: \([^)]*\))?:? ", "", words)


def pack_tried(fault: BotFault, codec: Codec[Any, Any, Any, Any]) -> bytes:
    """The illegal move in bytes; nothing if there is none, if it is too long, or if the codec cannot write it."""
    move = fault.tried if isinstance(fault, IllegalMove) else None
    try:
        packed = b"" if move is None else codec.dump_move(move)
    except Exception:  # a codec need only write what is legal, too
        return b""
    return packed if len(packed) <= MAX_TRIED else b""
