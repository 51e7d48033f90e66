"""The schedule that each format of a tournament has; apart from the settings, which lists read without numpy.

Only the two formats that compute load it: whoever verifies or imports another one need not wait for it.
"""

from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.schedules.schedule import (
    ADAPTIVE_VERSION,
    SWISS_VERSION,
    OtherSchedule,
    Schedule,
    Swiss,
    gauntlet,
    round_robin,
)
from arena.tournaments.settings import FORMATS, Settings

if TYPE_CHECKING:
    from arena.schedules.adaptive import Adaptive
    from arena.schedules.sprt import PairSchedule, Sprt


def schedule_of(settings: Settings) -> Schedule:
    """The schedule of a tournament with these settings; UsageError if there is none, or not any more."""
    match settings.format:
        case "round-robin":
            return round_robin(len(settings.bots), settings.seats, settings.rounds, settings.seed)
        case "gauntlet":
            return gauntlet(len(settings.bots), settings.seats, settings.rounds)
        case "swiss":
            return _swiss(settings)
        case "adaptive":
            return _adaptive(settings)
        case "test":
            return _test(settings)
    raise UsageError(f"there is no format {settings.format!r}: choose {', '.join(FORMATS)}")


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
    from arena.ratings.model import ENVIRONMENT, ROLE_SIGMA  # noqa: PLC0415
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
        env=ENVIRONMENT,
        role_sigma=ROLE_SIGMA,
    )
