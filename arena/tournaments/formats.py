"""The schedule that each format of a tournament has; apart from the settings, which lists read without numpy.

Only the two formats that compute load it: whoever verifies or imports another one need not wait for it.
"""

from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.schedules.schedule import (
    ADAPTIVE_VERSION,
    SWISS_VERSION,
    OtherSchedule,
    RosterChange,
    Schedule,
    Swiss,
    gauntlet,
    round_robin,
)
from arena.store.base import ADD
from arena.tournaments.settings import FORMATS, Settings

if TYPE_CHECKING:
    from arena.schedules.adaptive import Adaptive
    from arena.schedules.sprt import PairSchedule, Sprt


CHANGEABLE = ("round-robin", "gauntlet")
"""Formats in which bots can be added and excluded."""


def schedule_of(settings: Settings) -> Schedule:
    """The schedule of a tournament with these settings; UsageError if there is none, or not any more."""
    if settings.format not in CHANGEABLE and any(change.bot for change in settings.changes):
        raise UsageError(
            f"who meets whom in a {settings.format} tournament follows from its results: only a "
            f"{' or '.join(CHANGEABLE)} can have bots added and excluded; close it, and begin another one"
        )
    match settings.format:
        case "round-robin":
            changes = _field_changes(settings)
            return round_robin(len(settings.bots), settings.seats, settings.rounds, settings.seed, changes)
        case "gauntlet":
            changes = _field_changes(settings)
            return gauntlet(len(settings.bots), settings.seats, settings.rounds, changes=changes)
        case "swiss":
            return _swiss(settings)
        case "adaptive":
            return _adaptive(settings)
        case "test":
            return _test(settings)
    raise UsageError(f"there is no format {settings.format!r}: choose {', '.join(FORMATS)}")


def _field_changes(settings: Settings) -> list[RosterChange]:
    numbers = {bot: number for number, bot in enumerate(settings.field)}
    return [
        RosterChange(change.at, numbers[change.bot], change.kind == ADD)
        for change in settings.changes
        if change.bot is not None
    ]


def sprt_of(settings: Settings) -> "Sprt":
    """The sequential test of the format `test`, before its first pair."""
    from arena.schedules.sprt import Sprt  # noqa: PLC0415

    goal = settings.goal
    return Sprt(elo0=goal["elo0"], elo1=goal["elo1"], alpha=goal["alpha"], beta=goal["beta"])


def _swiss(settings: Settings) -> Swiss:
    if settings.seats != 2:
        raise UsageError("a swiss tournament is for two seats")
    if settings.swiss_version != SWISS_VERSION:
        raise OtherSchedule("this swiss tournament")
    return Swiss(len(settings.bots), settings.rounds, settings.seed)


def _test(settings: Settings) -> "PairSchedule":
    from arena.schedules.sprt import PairSchedule  # noqa: PLC0415

    return PairSchedule(sprt_of(settings), int(settings.goal["most"]))


def _adaptive(settings: Settings) -> "Adaptive":
    from arena.schedules.adaptive import Adaptive  # noqa: PLC0415

    if settings.adaptive_version != ADAPTIVE_VERSION:
        raise OtherSchedule("this adaptive tournament")
    goal = settings.goal
    return Adaptive(
        len(settings.bots),
        settings.seats,
        top=int(goal["top"]),
        confidence=goal["confidence"],
        most=int(goal["most"]),
    )
