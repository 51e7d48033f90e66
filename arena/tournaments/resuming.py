"""Which stopped tournament a command goes on with, which it does not and why, and whether it may be gone on with."""

from collections.abc import Iterator
from dataclasses import replace

from arena.clock import TimeControl
from arena.errors import UsageError
from arena.game import AnyGame
from arena.referee import record
from arena.rng import draw_seed
from arena.store.base import TournamentEntry
from arena.store.sql import Store
from arena.tournaments.settings import TEST, Settings


def with_seed(settings: Settings, seed: int | None, store: Store, *, any_deals: bool = False) -> Settings:
    """The settings with the seed that was given, or that of the same tournament if it was stopped, or a new one.

    A stopped tournament keeps its own spelling of the clock, which an earlier Arena may have written otherwise; and
    where nothing was said of deals, its own deals.
    """
    for entry, earlier in _open(settings, store):
        asked = replace(
            settings,
            bots=earlier.bots if earlier.changes and set(settings.bots) == set(earlier.playing) else settings.bots,
            changes=earlier.changes,
            title=settings.title or earlier.title,
            seed=earlier.seed if seed is None else seed,
            clock=earlier.clock,
            deals=earlier.deals if any_deals else settings.deals,
            seed_given=earlier.seed_given,
            rules=earlier.rules,
        )
        if earlier == asked and rules_of(entry.id, earlier, store) in ("", settings.rules):
            return earlier
    return settings if seed is not None else replace(settings, seed=draw_seed())


def left_behind(settings: Settings, seed: int | None, store: Store) -> str | None:
    """Why this is a new tournament although one like it was stopped, and how to go on with that one."""
    for entry, earlier in reversed(list(_open(settings, store))):
        if earlier.seed != settings.seed and seed is not None:
            continue
        asked = replace(
            earlier,
            bots=settings.bots,
            changes=(),
            title=settings.title,
            seed=settings.seed,
            deals=settings.deals,
            seed_given=settings.seed_given,
            rules=settings.rules,
            clock=settings.clock,
            goal=settings.goal,
            swiss_version=settings.swiss_version,
            adaptive_version=settings.adaptive_version,
        )
        names, now = ({name for name, _, _ in each.bots} for each in (earlier, settings))
        if asked == settings and earlier != settings and (names <= now or now <= names):
            return _sentence(entry, earlier, settings, store)
    return None


def rules_of(number: int, settings: Settings, store: Store) -> str:
    """The version of the rules that a tournament is played with; empty if nothing was played and none was kept."""
    played = [] if settings.rules else store.latest_matches(tournament_id=number, limit=1)
    return record.rules_version(store.record(number, played[0].entry.match_id)) if played else settings.rules


def check_rules(game: AnyGame, number: int, settings: Settings, store: Store) -> None:
    """Refuse to play matches by other rules than those of the same tournament before."""
    begun = rules_of(number, settings, store)
    if begun and begun != game.info.version:
        raise UsageError(
            f"tournament {number} was begun with version {begun!r:.40} of the rules of {game.info.name}, and this is "
            f"version {game.info.version!r:.40}: go on with an Arena that has the first, or begin a new tournament; "
            "what was played stays in the store"
        )


def _open(settings: Settings, store: Store) -> Iterator[tuple[TournamentEntry, Settings]]:
    """The unfinished tournaments of this game with the same clock, the oldest first.

    What was imported and is kept apart is not gone on with, nor may it choose the deals here.
    """
    control = TimeControl.parse(settings.clock)
    for entry in store.tournaments(settings.game):
        if not (entry.finished or entry.apart):
            earlier = Settings.of(entry)
            if TimeControl.parse(earlier.clock) == control:
                yield entry, earlier


def _sentence(entry: TournamentEntry, earlier: Settings, settings: Settings, store: Store) -> str:
    if (begun := rules_of(entry.id, earlier, store)) not in ("", settings.rules):
        return (
            f"tournament {entry.id} is not finished, and was begun with version {begun!r:.40} of the rules: an Arena "
            "that has it can go on with it; this is a new one"
        )
    if (earlier.swiss_version, earlier.adaptive_version) != (settings.swiss_version, settings.adaptive_version):
        return (
            f"tournament {entry.id} is not finished, and was begun by an Arena version with different pairing rules, "
            "which can go on with it; this is a new one"
        )
    if settings.format == TEST:
        command = f"arena test {' '.join(f'{name}@{version}' for name, version, _ in earlier.bots)}"
    else:
        command = f"arena tournament resume {entry.id}"
    gone, come = _labels(earlier, settings), _labels(settings, earlier)
    why = [f"without {gone}"] * bool(gone) + [f"with {come}"] * bool(come) or ["with other deals"]
    return f"tournament {entry.id} is not finished: `{command}` goes on with it; this is a new one, {', '.join(why)}"


def _labels(settings: Settings, other: Settings) -> str:
    """The bots of the one that the other has not, a few of them by name."""
    labels = [f"{bot[0]} {bot[1]}" for bot in settings.bots if bot not in other.bots]
    more = f" and {len(labels) - 3} more" if len(labels) > 3 else ""
    return ", ".join(labels[:3]) + more
