"""The schedule that each format of a tournament has; apart from the settings, which lists read without numpy."""

from arena.errors import UsageError
from arena.ratings.standings import ENVIRONMENT, ROLE_SIGMA
from arena.tournaments.adaptive import Adaptive
from arena.tournaments.schedule import SWISS_VERSION, Schedule, Swiss, gauntlet, round_robin
from arena.tournaments.settings import FORMATS, Settings
from arena.tournaments.sprt import PairSchedule, Sprt


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
            return PairSchedule(sprt_of(settings), int(settings.goal["most"]))
    raise UsageError(f"there is no format {settings.format!r}: choose {', '.join(FORMATS)}")


def sprt_of(settings: Settings) -> Sprt:
    """The sequential test of the format `test`, before its first pair."""
    goal = settings.goal
    return Sprt(elo0=goal["elo0"], elo1=goal["elo1"], alpha=goal["alpha"], beta=goal["beta"])


def _swiss(settings: Settings) -> Swiss:
    if settings.seats != 2:
        raise UsageError("a swiss tournament is for two seats")
    if settings.swiss_version != SWISS_VERSION:
        raise UsageError(
            "this swiss tournament was begun by a version of Arena that pairs otherwise: go on with that version, "
            "or begin a new one; what was played stays in the store"
        )
    return Swiss(len(settings.bots), settings.rounds, settings.seed)


def _adaptive(settings: Settings) -> Adaptive:
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
