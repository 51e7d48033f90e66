"""Everything that the replay player in a browser needs of one match, as JSON and packed.

Every position and move is there once per view: "all" for everything, and "0", "1", … for what that seat knew. A page
that got one view only shows the same as a page that got all of them and was switched to it.
"""

import gzip
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from rich.text import Text

from arena.clock import Meter
from arena.codec import Json
from arena.errors import RecordError
from arena.game import AnyGame, AnyState
from arena.match import AnyRecord, PlayedMove, Seat
from arena.referee.enforcement import weak_limits
from arena.referee.faults import plays_on
from arena.referee.replay import banks_of, positions
from arena.untrusted.text import printable
from arena.web.causes import Cause, find_causes
from arena.web.markup import lines, runs
from arena.web.viewers import Viewer, find_viewer

PACK_VERSION = 2
"""Changes whenever the player would read the same pack differently: part of the key of a cache."""
EVERYTHING = "all"
MAX_NAME = 60
"""Characters of a bot's name that are shown; a record may hold longer ones."""


@dataclass(frozen=True, slots=True)
class Player:
    """One seat as a page shows it; every text is safe to print, and still has to be escaped."""

    seat: Seat
    name: str
    label: str
    """The name, with the seat if another seat has the same bot."""
    version: str
    role: str
    rank: int
    """0 in a match that does not count."""
    score: float
    ending: str
    sentence: str
    fault: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """A match as pages show it: who, how it ended, and the data of the player."""

    game: str
    game_title: str
    match_id: str
    players: tuple[Player, ...]
    result: str
    """How it ended, in one sentence."""
    viewer: Viewer
    data: Json
    told: tuple[tuple[Seat, str], ...]
    """Who did what, move by move, for readers without scripts."""
    causes: tuple[Cause, ...] = ()
    """Of the faults that ended a bot."""

    @property
    def title(self) -> str:
        return " – ".join(player.label for player in self.players)

    def packed(self) -> bytes:
        """The data as gzipped JSON, the same bytes every time."""
        return gzip.compress(json.dumps(self.data, ensure_ascii=False, separators=(",", ":")).encode(), 9, mtime=0)


def read_replay(
    game: AnyGame, record: AnyRecord, views: Sequence[str] | None = None, viewer: Viewer | None = None
) -> Replay:
    """The match for the browser, with these views or with all; RecordError if the record cannot be replayed."""
    _check(record)
    viewer, players = viewer or find_viewer(game), _players(game, record)
    chosen = all_views(game, record) if views is None else views
    result = printable(record.result)
    data: Json = {
        "pack": PACK_VERSION,
        "game": game.info.name,
        "views": list(chosen),
        "seats": [asdict(player) for player in players],
        "result": result,
        "void": record.void,
        "scored": _is_scored(record),
        "facts": list(_facts(game, record)),
        "timed": record.spec.control.meter is not Meter.NONE,
        "banks": [record.spec.control.bank] * len(players),
        "per_move": record.spec.control.per_move,
    }
    steps = list(_steps(game, record, chosen, viewer))
    data["positions"] = [position for position, _, _ in steps]
    data["moves"] = [move for _, move, _ in steps if move is not None]
    for move, banks in zip(data["moves"], banks_of(record)):
        move["banks"] = banks
    for ply, fault in fault_data(record).items():
        data["moves"][ply] |= fault
    told = tuple((move["seat"], words) for _, move, words in steps if move is not None)
    title, match_id = game.info.title, printable(record.spec.match_id)
    causes = find_causes(game, record)
    return Replay(game.info.name, title, match_id, players, result, viewer, data, told, causes)


def _check(record: AnyRecord) -> None:
    """Refuse a record that says not the same number of things for every seat, as none of ours does."""
    seats, outcome = len(record.spec.contestants), record.outcome
    if (
        not len(record.verdicts)
        == seats
        == len(outcome.ranks or record.verdicts)
        == len(outcome.scores or record.verdicts)
    ):
        raise RecordError(f"the record has {seats} seats, but not one verdict, rank and score for each")
    if any(played.seat >= seats for played in record.played):
        raise RecordError(f"the record has moves of more seats than its {seats} contestants")
    if not all(map(math.isfinite, outcome.scores)):
        raise RecordError("the record has a score that is not a number")


def all_views(game: AnyGame, record: AnyRecord) -> list[str]:
    """Everything, and what each seat knew if the game hides something."""
    return [EVERYTHING, *(map(str, range(len(record.spec.contestants))) if game.info.hidden else ())]


# -- positions and moves ---------------------------------------------------------------------------------------


def _steps(
    game: AnyGame, record: AnyRecord, views: Sequence[str], viewer: Viewer
) -> Iterator[tuple[Json, Json | None, str]]:
    """Every position with the move that was played in it, in all views and in words; the last one has no move."""
    for state, played in positions(game, record):
        try:
            position = position_data(game, state, views, viewer)
        except IndexError as error:
            raise RecordError(f"the record has more contestants than seats: {error}") from error
        if played is None:
            yield position, None, ""
        else:
            yield position, move_data(game, state, played, views), _sentence(game, state, played)


def position_data(game: AnyGame, state: AnyState, views: Sequence[str], viewer: Viewer) -> Json:
    """A position in these views, as the player gets it."""
    return {view: _position(game, state, view, viewer) for view in views}


def _position(game: AnyGame, state: AnyState, view: str, viewer: Viewer) -> Json:
    if not viewer.generic:
        if view == EVERYTHING:
            return game.codec.state_to_json(state)
        return game.codec.observation_to_json(state.view(int(view)))
    if view == EVERYTHING:
        return {"lines": lines(game.show(state)), "mover": state.to_move()}
    # A terminal picture shows everything, so a seat gets its observation as it is.
    seen = game.codec.observation_to_json(state.view(int(view)))
    return {"lines": [[line] for line in _outline(seen)], "mover": state.to_move()}


def _outline(value: Json, indent: str = "") -> Iterator[str]:
    """JSON as lines for people: a name and its values, what is nested below it."""
    for name, part in value.items():
        if isinstance(part, dict):
            yield f"{indent}{name}"
            yield from _outline(part, f"{indent}  ")
        elif isinstance(part, list) and part and isinstance(part[0], dict):
            for number, item in enumerate(part):
                yield f"{indent}{name} {number}"
                yield from _outline(item, f"{indent}  ")
        else:
            values = part if isinstance(part, list) else [part]
            yield f"{indent}{name:<16} {' '.join(map(str, values)) or '–'}"


def move_data(game: AnyGame, state: AnyState, played: PlayedMove[Any], views: Sequence[str]) -> Json:
    """A move that is about to be played in this position, in these views, as the player gets it."""
    move: Json = {"seat": played.seat, "wall": played.times.wall}
    if played.substituted:
        move["substituted"] = True
    return move | {view: _move_for_view(game, state, played, view) for view in views}


def fault_data(record: AnyRecord) -> dict[int, Json]:
    """By its ply, what the player gets beside the first move that was played for a bot at fault.

    Beside the sentence, `out` is the number of moves after which the bot was out, if it was.
    """
    moves, found = record.played, dict[int, Json]()
    for strike in record.strikes:
        if strike.ply < len(moves) and moves[strike.ply].seat == strike.seat:
            found[strike.ply] = {"fault": printable(strike.verdict.sentence)}
    for fault in record.faults:
        first = next((ply for ply in range(fault.ply, len(moves)) if moves[ply].seat == fault.seat), None)
        if first is not None:
            found[first] = {"fault": printable(fault.verdict.sentence), "out": fault.ply}
    return found


def _is_scored(record: AnyRecord) -> bool:
    """Whether the scores are those of the game, which was played to its end."""
    faulty = [seat for seat, verdict in enumerate(record.verdicts) if verdict.at_fault]
    return not record.ended_at_fault and plays_on(faulty, len(record.verdicts))


def _move_for_view(game: AnyGame, state: AnyState, played: PlayedMove[Any], view: str) -> Json:
    seat = None if view == EVERYTHING else int(view)
    shown = played.move if seat is None else game.redact_move(state, played.move, seat)
    return {"move": game.codec.move_to_json(shown), **_words(game.describe_move(state, played.move, seat), played.seat)}


def _sentence(game: AnyGame, state: AnyState, played: PlayedMove[Any]) -> str:
    """What was done, as it goes on after the bot's name."""
    words = _words(game.describe_move(state, played.move, None), played.seat)
    pieces = (piece if isinstance(piece, str) else piece[0] for piece in words["text"])
    return f"{words.get('joint', '')} {''.join(pieces)}"


@lru_cache(maxsize=1024)  # most moves are told to all seats in the same words
def _words(markup: str, mover: Seat) -> Json:
    """What was done, in pieces, without the "seat N (side)" in front, since the page names the bot there."""
    text = Text.from_markup(markup, emoji=False)
    subject = re.match(rf"seat {mover}(?: \([^)]*\))?(:?) ", text.plain)
    return {"text": runs(text[subject.end() :]), "joint": subject[1]} if subject else {"text": runs(text)}


# -- words ------------------------------------------------------------------------------------------------------


def _players(game: AnyGame, record: AnyRecord) -> tuple[Player, ...]:
    names = [_short(printable(bot.name)) or f"seat {seat}" for seat, bot in enumerate(record.spec.contestants)]
    outcome, seats = record.outcome, range(len(names))
    ranks, scores = outcome.ranks or (0,) * len(names), outcome.scores or (0.0,) * len(names)
    return tuple(
        Player(
            seat=seat,
            name=names[seat],
            label=f"{names[seat]} (seat {seat})" if names.count(names[seat]) > 1 else names[seat],
            version=_short(printable(record.spec.contestants[seat].version)),
            role=game.info.roles[seat] if game.info.roles else "",
            rank=ranks[seat],
            score=scores[seat],
            ending=record.verdicts[seat].ending.name,
            sentence=printable(record.seat_words(seat)),
            fault=record.verdicts[seat].at_fault,
        )
        for seat in seats
    )


def _short(text: str) -> str:
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}…"


def _facts(game: AnyGame, record: AnyRecord) -> Iterator[list[str]]:
    """What was decided before the match, as pairs of a name and a value."""
    spec = record.spec
    for name, value in game.codec.config_to_json(spec.config).items():
        yield [name.replace("_", " "), _plain_value(game, name, value)]
    yield ["clock", str(spec.control)]
    yield ["seed", str(spec.seed)]
    yield ["rules", f"version {printable(record.rules_version)}"]
    yield ["match", printable(spec.match_id)]
    if weak := weak_limits(record.sandboxes):
        yield ["not fully enforced", printable("; ".join(weak))]


def _plain_value(game: AnyGame, name: str, value: Any) -> str:
    """A value of a config, its enums without the prefix of their type."""
    prefix = f"{game.info.name}_{name}_".upper()
    return value.removeprefix(prefix).replace("_", " ").lower() if isinstance(value, str) else str(value)
