"""`arena.tournament`: a round robin in this process, and its table for pandas, a terminal or a notebook."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from itertools import combinations, count
from typing import TYPE_CHECKING, Any

from arena import registry
from arena.bots.in_process import BotLike, InProcessBot, resolve_bot
from arena.clock import DEFAULT_CLOCK, TimeControl
from arena.errors import UsageError
from arena.game import AnyGame
from arena.notebook.match import UNSANDBOXED, Match, play_seated
from arena.rng import draw_seed, stream
from arena.standings.ladder import Selection
from arena.standings.table import make_standings
from arena.store.base import BotEntry, SeatTally, Tally

if TYPE_CHECKING:
    from pandas import DataFrame

Row = dict[str, Any]

NOTE = f"{UNSANDBOXED}, and no bot was started anew: one could remember a deal that it had seen from another seat"


class Rows(list[Row]):
    """A table as a list of rows, which shows itself where pandas is not installed."""

    def __repr__(self) -> str:
        names = list(self[0])
        cells = [names, *([str(row[name]) for name in names] for row in self)]
        widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
        lines = ["  ".join(f"{text:>{width}}" for text, width in zip(line, widths)) for line in cells]
        return "\n".join([*lines, f"({NOTE})"])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self[0])
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row.values()) + "</tr>" for row in self
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{NOTE}</p>"


def tournament(
    game: str,
    bots: Sequence[BotLike] | Mapping[str, BotLike],
    rounds: int = 10,
    *,
    seats: int | None = None,
    seed: int | None = None,
    options: Mapping[str, str] | None = None,
    clock: str = DEFAULT_CLOCK,
) -> "DataFrame | Rows":
    """Everybody against everybody in this process, WITHOUT a sandbox; the table is a DataFrame if pandas is there.

    Every group plays `rounds` deals of its own, each from every seat. `bots` may be a mapping from names to bots.
    """
    rules, control = registry.find(game), TimeControl.parse(clock)
    field = _field([(None, bot) for bot in bots] if not isinstance(bots, Mapping) else list(bots.items()), rules)
    places = seats or rules.info.min_seats
    rules.info.check_seats(places)
    if len(field) < places:
        raise UsageError(f"a tournament for {places} seats needs at least {places} bots, but there are {len(field)}")
    if rounds < 1:
        raise UsageError(f"a tournament has one round or more, not {rounds}")
    start = draw_seed() if seed is None else seed
    matches = [
        play_seated(rules, seated, deal, options or {}, control)
        for number, group in enumerate(combinations(field, places))
        for deal, seated in _legs(group, _deals(start, number, rounds))
    ]
    return _table(_rows(matches, [bot.name for bot in field], rules.info.roles))


def _field(given: Sequence[tuple[str | None, BotLike]], game: AnyGame) -> list[InProcessBot]:
    """The bots, each with a name that no other has."""
    field: list[InProcessBot] = []
    taken = {name for name, _ in given if name}
    for name, bot in given:
        found = resolve_bot(game, bot)
        label = name or _free(found.name, taken)
        taken.add(label)
        field.append(replace(found, name=label))
    return field


def _free(name: str, taken: Collection[str]) -> str:
    """The name, or with the first number behind it that makes it one that nobody has."""
    return (
        name if name not in taken else next(label for number in count(2) if (label := f"{name}-{number}") not in taken)
    )


def _deals(seed: int, group: int, rounds: int) -> list[int]:
    rng = stream(seed, "notebook-tournament", group)
    return [rng.getrandbits(63) for _ in range(rounds)]


def _legs(group: Sequence[InProcessBot], deals: Sequence[int]) -> Iterator[tuple[int, list[InProcessBot]]]:
    """Every deal from every seat, with all deals between the two sides of one, as far as that helps here."""
    for shift in range(len(group)):
        for deal in deals:
            yield deal, [*group[shift:], *group[:shift]]


def _rows(matches: Sequence[Match], names: Sequence[str], roles: tuple[str, ...]) -> Rows:
    """The rating table, best bot first, computed as that of `arena ratings`."""
    now = datetime.now(UTC)
    bots = [BotEntry(id_, name, "", "", "", "", (), retired=False, created=now) for id_, name in enumerate(names)]
    ids = {bot.name: bot.id for bot in bots}
    counts = Counter((tuple(map(ids.__getitem__, match.bots)), match.outcome.ranks) for match in matches)
    endings = Counter(
        (ids[name], seat, verdict.ending.name)
        for match in matches
        for seat, (name, verdict) in enumerate(zip(match.bots, match.record.verdicts))
    )
    table = make_standings(
        [Tally(*key, times) for key, times in counts.items()],
        [SeatTally(*key, times, moves=0, wall_us=0, cpu_us=0) for key, times in endings.items()],
        Selection(bots, bots),
        roles,
    )
    return Rows(
        {
            "bot": row.bot.name,
            "rating": round(row.rating.mu, 2) if row.comparable else None,
            "sigma": round(row.rating.field_sigma, 2) if row.comparable else None,
            "games": row.rating.games, "wins": row.rating.wins, "draws": row.rating.draws,
            "losses": row.rating.losses, "faults": row.faults,
            "best": round(row.rating.best, 4) if row.comparable else None,  # 0.9996 is not certain
        }
        for row in table.rows
    )  # fmt: skip


def _table(rows: Rows) -> "DataFrame | Rows":
    """The rows as a DataFrame with the bots as its index, if pandas is installed."""
    try:
        import pandas  # noqa: PLC0415  (hardly anybody needs it, and it takes a second)
    except ImportError:
        return rows
    frame = pandas.DataFrame(list(rows)).set_index("bot")
    frame.attrs["sandbox"] = NOTE
    return frame
