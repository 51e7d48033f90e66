"""Verification of a store or an archive: every match is replayed, and every row compared with its record.

What a row says must follow from the record, the record must replay under the rules, the matches must be those of the
schedule with the deals of its seed, and all of it must fit the checksums, so that a change of any cell is found.
`UNPROVEN` names the few columns that may change freely. What no record can prove is that bots played so: whoever writes
one chooses their moves and faults.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from arena.clock import TimeControl
from arena.errors import ArenaError, RecordError, UsageError
from arena.game import AnyGame
from arena.match import AnyRecord, Contestant
from arena.referee import record
from arena.referee.enforcement import weak_limits
from arena.referee.replay import verify
from arena.schedules.outcomes import FixtureResult
from arena.schedules.schedule import OtherSchedule
from arena.store.base import CLOSE, BotEntry, KeptMatch, MatchEntry, TournamentEntry
from arena.store.checksums import TournamentChecksum, bot_checksum, fits_checksum, settings_key
from arena.store.sql import Store
from arena.tournaments.formats import schedule_of
from arena.tournaments.schedule_replay import ScheduleReplay
from arena.tournaments.settings import Settings
from arena.tournaments.signing import Signature
from arena.workers.match_rows import match_entry

UNPROVEN: Mapping[str, str] = {
    "bots.origin": "where its files are, which may move; their digest is proven",
    "bots.retired": "the organiser may retire a bot at any time",
    "bots.ladder_number": "what was tried out may be handed in at any time",
    "bots.created_at": "the database's own note of the time; nothing is decided by it",
    "tournaments.created_at": "the database's own note of the time; nothing is decided by it",
    "outputs.log": "what a bot printed is no part of a match; earlier checksums cover it",
    "outputs.by_move": "the same, of each decision",
    "matches.created_at": "the database's own note of the time; nothing is decided by it",
}
"""Columns that are not verified, and why."""


_NONSENSE = (ArenaError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What settings that a stranger wrote can lead to."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A place in the store, and what is wrong there."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class StoredTournament:
    """A tournament with all that belongs to it, from a store or from an archive."""

    entry: TournamentEntry
    bots: Sequence[BotEntry]
    matches: Callable[[], Iterable[KeptMatch]]
    """Hands out the matches in the order of the schedule, as often as it is called."""
    signature: Signature | None = None
    """What an archive has of somebody who vouches for it; a store keeps none."""


def stored_tournament(store: Store, entry: TournamentEntry) -> StoredTournament:
    """The tournament as this store keeps it at this moment, also if it is being played."""
    up_to = store.latest_number()
    now = next((each for each in store.tournaments(entry.game) if each.id == entry.id), entry)
    if now != entry:
        return stored_tournament(store, now)  # it went on meanwhile: its end may be later than these matches
    return StoredTournament(now, store.all_bots(), lambda: store.kept(now.id, up_to=up_to))


def check_bots(bots: Iterable[BotEntry]) -> Iterator[Finding]:
    """What is not true about registered bots."""
    for bot in bots:
        if bot.checksum != bot_checksum(bot):
            yield Finding(f"bot {bot.label}", "its row was changed: it does not fit its checksum")


def check_tournament(
    stored: StoredTournament, find: Callable[[str], AnyGame], on_match: Callable[[], None] = lambda: None
) -> Iterator[Finding]:
    """What is not true about a tournament and its matches."""
    entry, where = stored.entry, f"tournament {stored.entry.id}"
    if entry.key != settings_key(entry.game, entry.settings):
        yield Finding(where, "its game or settings were changed: they do not fit their key")
    try:
        checker = _MatchChecker(find(entry.game), stored)
        replay = ScheduleReplay(checker.settings) if unproved_schedule(entry) is None else None
    except _NONSENSE as error:
        yield Finding(where, f"its game and settings make no sense: {error}")
        return
    checksum, last = TournamentChecksum(entry.game, entry.settings, entry.changes), -1
    for match in stored.matches():
        checksum.add(match.checksum)
        ordinal = match.entry.ordinal
        wrong = list(checker.check(match))
        if ordinal <= last:
            wrong.append(_out_of_order(ordinal, last))
        elif replay is not None and not wrong:
            wrong += _followed(replay.check(ordinal, checker.result_of(match.entry), match.entry.seed))
        if wrong:
            replay = None  # what follows from a match that is not true means nothing
        last = ordinal
        yield from (Finding(f"{where}, match {match.entry.match_id}", what) for what in wrong)
        on_match()
    closed_at = next((change.at for change in entry.changes if change.kind == CLOSE), None)
    if replay is not None:
        yield from (
            Finding(where, what) for what in _followed(replay.end(finished=entry.finished, closed_at=closed_at))
        )
    yield from (Finding(where, what) for what in _check_whole(entry, checksum.value()))
    noted, found = entry.weak_limits, checker.weak_limits
    # Not all may be noted: a tournament may be older than these notes, and there is a limit to their number.
    if noted is not None and (not found.issuperset(noted) or (found and not noted)):
        yield Finding(where, "its list of unenforced limits differs from its records")


def _followed(wrong: Iterator[str]) -> Iterator[str]:
    """What is wrong, also where settings that nobody chose by our commands lead nowhere."""
    try:
        yield from wrong
    except _NONSENSE as error:
        yield f"its settings make no sense, and no schedule: {error}"


def unproved_schedule(entry: TournamentEntry) -> str | None:
    """Why it cannot be proved that the matches of a tournament are those of its schedule, if it cannot."""
    try:
        schedule_of(Settings.of(entry))
    except OtherSchedule as error:
        return str(error)
    return None


def _out_of_order(ordinal: int, last: int) -> str:
    if ordinal == last:
        return f"another match has the same place {ordinal} in the schedule"
    return f"its place {ordinal} in the schedule is before that of the match before it"


def _check_whole(entry: TournamentEntry, checksum: str) -> Iterator[str]:
    if entry.finished and entry.checksum != checksum:
        yield "it does not fit its checksum: a match was changed, added or taken away"
    if not entry.finished and entry.checksum:
        yield "it was finished once, but says that it is not"


class _MatchChecker:
    """Compares the matches of one tournament with its settings and with their records."""

    def __init__(self, game: AnyGame, stored: StoredTournament) -> None:
        self.settings = settings = Settings.of(stored.entry)
        self._game = game
        self._seats = settings.seats
        self._config = game.configure(settings.seats, settings.options)
        self._control = TimeControl.parse(settings.clock)
        self._places = {Contestant(*bot): place for place, bot in enumerate(settings.field)}
        if len(set(settings.bots)) < len(settings.bots):
            raise UsageError("every bot can take part once only")
        self.weak_limits = set[str]()
        """What was not fully enforced in the matches that were checked."""
        self._bot_ids = {bot.contestant: bot.id for bot in stored.bots}
        self._places_of_ids = {self._bot_ids[bot]: place for bot, place in self._places.items() if bot in self._bot_ids}

    def result_of(self, entry: MatchEntry) -> FixtureResult:
        """How a match ended, by the places of its bots in the field; -1 for a bot that is not in it."""
        seating = tuple(self._places_of_ids.get(seat.bot_id, -1) for seat in entry.seats)
        return FixtureResult(seating, tuple(seat.rank for seat in entry.seats))

    def check(self, match: KeptMatch) -> Iterator[str]:
        """What is not true about a match, in sentences."""
        if not fits_checksum(match):
            yield "it was changed: its rows and its record do not fit their checksum"
        try:
            played = record.load(match.record, self._find)
            self.weak_limits.update(weak_limits(played.sandboxes))
            self._check_spec(played)
            verify(self._game, played)
            yield from self._compare(match.entry, played)
        except RecordError as error:
            yield str(error)

    def _check_spec(self, played: AnyRecord) -> None:
        """Refuse what cannot be a match of this tournament, so that the rules are never asked about nonsense."""
        spec = played.spec
        if spec.config != self._config or spec.control != self._control or len(spec.contestants) != self._seats:
            raise RecordError("it was played with other options, seats or another clock than the tournament")
        if played.void:
            raise RecordError("it does not count, and should not have been kept")

    def _compare(self, entry: MatchEntry, played: AnyRecord) -> Iterator[str]:
        spec = played.spec
        if spec.match_id != record.match_id(self._game, spec.config, spec.seed, spec.contestants):
            yield "its name does not follow from what was played"
        for bot in spec.contestants:
            if bot not in self._places or bot not in self._bot_ids:
                yield f"{bot.name} {bot.version} with the digest {bot.digest or 'none'} is not a bot of the tournament"
                return
        if len(entry.seats) != len(spec.contestants):
            yield f"it has {len(entry.seats)} seats, but {len(spec.contestants)} bots played"
            return
        yield from _differences(entry, self._expected(entry, played))

    def _expected(self, entry: MatchEntry, played: AnyRecord) -> MatchEntry:
        return match_entry(
            self._game,
            played,
            tournament_id=entry.tournament_id,
            ordinal=entry.ordinal,
            places=[self._places[bot] for bot in played.spec.contestants],
            bot_ids=[self._bot_ids[bot] for bot in played.spec.contestants],
        )

    def _find(self, name: str) -> AnyGame:
        if name != self._game.info.name:
            raise RecordError(f"the record is one of {name!r:.40}")
        return self._game


def _differences(entry: MatchEntry, expected: MatchEntry) -> Iterator[str]:
    """Every field that is not what the record makes it."""
    yield from _differing(entry, expected, "")
    for seat, (result, right) in enumerate(zip(entry.seats, expected.seats)):
        yield from _differing(result, right, f" of seat {seat}")


def _differing(entry: Any, expected: Any, whose: str) -> Iterator[str]:
    for field in fields(entry):
        stored, right = getattr(entry, field.name), getattr(expected, field.name)
        if field.name != "seats" and stored != right:
            yield f"its {field.name}{whose} is kept as {stored!r:.60}, but the record says {right!r:.60}"
