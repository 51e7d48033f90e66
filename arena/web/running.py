"""Matches that are being played, as spectators may see them: at once, or some seconds later."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from arena.errors import ArenaError, UsageError
from arena.game import AnyGame
from arena.match import FINE, AnyRecord, MatchSpec
from arena.referee import record
from arena.referee.replay import banks_of, positions
from arena.store.base import RunningMatch
from arena.store.sql import Store
from arena.web.pages.views import match_name
from arena.web.replay_data import Replay, all_views, fault_data, move_data, position_data, read_replay
from arena.web.streams import Event, event
from arena.web.viewers import find_viewer

GRACE_S = 10.0
"""Seconds in which a match that is no longer played must be in the store; otherwise it was given up."""
GOES_ON = "The match goes on"

Games = Mapping[str, AnyGame]


@dataclass(slots=True)
class LiveMatch:
    """A running match with the times at which its moves may be shown."""

    name: str
    """How its page is called."""
    row: RunningMatch
    spec: MatchSpec[Any]
    due: list[tuple[float, int]] = field(default_factory=list)
    """From when on so many moves may be shown."""
    moves: int = 0
    """How many lists show."""

    def due_moves(self, now: float) -> int:
        """How many moves may be shown."""
        return max((moves for due, moves in self.due if due <= now), default=0)

    def add(self, row: RunningMatch, now: float, delay: float) -> None:
        """Show its new moves when the delay is over; of those that are shown already only their number is kept."""
        if row.moves != self.row.moves:
            shown = self.due_moves(now)
            later = (item for item in self.due if item[0] > now)
            self.due = [(now, shown), *later, (now + delay, row.moves)]
        self.row = row


class Running:
    """The running matches of a store; `look` is called again and again, everything else only reads what it found."""

    def __init__(
        self, store: Store, games: Games, *, delay: float = 0.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.store, self.games, self.delay, self.now = store, games, delay, now
        self._shown: dict[str, LiveMatch] = {}
        self.version = 0
        """Changes with all that lists show."""
        self.on_change: Callable[[], None] = lambda: None
        """Called by the thread that looks when the version has changed."""

    def look(self) -> None:
        """Find out what is being played now."""
        now, shown, before = self.now(), {}, {name: match.moves for name, match in self._shown.items()}
        for row in self.store.running_matches():
            name = match_name(row.tournament_id, row.match_id)
            known = self._updated(self._shown.get(name), name, row, now)
            if known is not None:
                known.moves = known.due_moves(now)
                shown[name] = known
        self._shown = shown
        if before != {name: match.moves for name, match in shown.items()}:
            self.version += 1
            self.on_change()

    def matches(self, tournament_id: int | None = None) -> list[LiveMatch]:
        """All running matches, or those of a tournament."""
        return [match for match in self._shown.values() if tournament_id in (None, match.row.tournament_id)]

    def record(self, name: str) -> tuple[AnyRecord, int] | None:
        """A running match as far as it may be shown, and which attempt it is; None if it is not being played."""
        shown = self._shown.get(name)
        if shown is None:
            return None
        begun, moves = _load(shown.row.record, self.games), shown.due_moves(self.now())
        # What a fault led to is told with it, and never before.
        faults = tuple(fault for fault in begun.faults if fault.ply < moves)
        return replace(begun, played=begun.played[:moves], faults=faults), shown.row.attempt

    def replay(self, name: str, views: Sequence[str] | None = None) -> Replay | None:
        """The data of the player for a running match; None if it is not being played."""
        found = self.record(name)
        if found is None:
            return None
        begun, attempt = found
        game = self.games[begun.spec.game]
        replay = read_replay(game, begun, views)
        *_, (state, _) = positions(game, begun)
        live = {"live": True, "attempt": attempt, "mover": state.to_move(), "result": GOES_ON}
        return replace(replay, result=GOES_ON, data=replay.data | live | {"void": False})

    def _updated(self, known: LiveMatch | None, name: str, row: RunningMatch, now: float) -> LiveMatch | None:
        if known is None or known.row.attempt != row.attempt or known.row.moves > row.moves:
            try:
                spec = _load(row.record, self.games).spec
            except ArenaError:
                return None  # of a game that is not installed here
            return LiveMatch(name, row, spec, [(now + self.delay, row.moves)])
        known.add(row, now, self.delay)
        return known


class MatchFeed:
    """The events of one running match: every move with the position after it, once, and how it ended."""

    def __init__(self, running: Running, name: str, game: AnyGame, begun: AnyRecord, attempt: int) -> None:
        self._running, self._name, self._game, self.attempt = running, name, game, attempt
        self._state = game.start(begun.spec.config, begun.spec.seed)
        self._views, self._viewer = all_views(game, begun), find_viewer(game)
        self._ply = 0
        self._missing: float | None = None
        """Since when it is no longer played."""
        self.over = False

    @classmethod
    def of(cls, running: Running, name: str) -> "MatchFeed | None":
        """The feed of a match; None if it is not being played."""
        found = running.record(name)
        return None if found is None else cls(running, name, running.games[found[0].spec.game], *found)

    def look(self) -> list[Event]:
        """What has happened since the last look."""
        found = self._running.record(self._name)
        if found is not None and found[1] != self.attempt:
            return self._end("again", {})
        if found is not None:
            self._missing = None
            return list(self._moves(found[0]))
        return self._look_for_end()

    def _look_for_end(self) -> list[Event]:
        now = self._running.now()
        self._missing = self._missing or now
        if now < self._missing + self._running.delay:
            return []
        kept = self._kept()
        if kept is not None:
            replay = read_replay(self._game, kept, ())
            ending = {key: replay.data[key] for key in ("seats", "result", "void", "scored")}
            return [*self._moves(kept), *self._end("end", ending)]
        if now > self._missing + self._running.delay + GRACE_S:
            return self._end("gone", {})
        return []

    def _kept(self) -> AnyRecord | None:
        number, _, match_id = self._name.partition("-")
        try:
            kept = self._running.store.kept_match(int(number), match_id)
        except UsageError:
            return None
        return record.load(kept.record, self._running.games.__getitem__)

    def _moves(self, played: AnyRecord) -> Iterator[Event]:
        new, faults = played.played[self._ply :], fault_data(played)
        for move, banks in zip(new, islice(banks_of(played), self._ply, None)):
            told = move_data(self._game, self._state, move, self._views) | {"banks": banks} | faults.get(self._ply, {})
            self._state.apply(move.move)
            self._ply += 1
            position = position_data(self._game, self._state, self._views, self._viewer)
            yield event("move", {"position": position, "move": told, "mover": self._state.to_move()}, self._ply)

    def _end(self, kind: str, data: Mapping[str, Any]) -> list[Event]:
        self.over = True
        return [event(kind, data)]


def _load(packed: bytes, games: Games) -> AnyRecord:
    def find(name: str) -> AnyGame:
        if name not in games:
            raise UsageError(f"the game {name} is not installed here")
        return games[name]

    begun = record.load_begun(packed, find)
    return replace(begun, verdicts=(FINE,) * len(begun.spec.contestants))
