"""`arena.tournament`: a round robin in this process, and its table for pandas, a terminal or a notebook."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import combinations
from typing import Any

from arena import registry
from arena.bots.in_process import Contender, Entrant, contender
from arena.clock import DEFAULT_CLOCK, TimeControl
from arena.errors import UsageError
from arena.game import AnyGame
from arena.match import Ending
from arena.notebook.match import UNSANDBOXED, Match, play_seated
from arena.ratings import Result, collect, rate
from arena.ratings.standings import ENVIRONMENT, ROLE_SIGMA
from arena.rng import draw_seed, stream

Row = dict[str, Any]


class Rows(list[Row]):
    """A table as a list of rows, which shows itself where pandas is not installed."""

    def __repr__(self) -> str:
        names = list(self[0])
        cells = [names, *([str(row[name]) for name in names] for row in self)]
        widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
        lines = ["  ".join(f"{text:>{width}}" for text, width in zip(line, widths)) for line in cells]
        return "\n".join([*lines, f"({UNSANDBOXED})"])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self[0])
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row.values()) + "</tr>" for row in self
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{UNSANDBOXED}</p>"


def tournament(
    game: str,
    bots: Sequence[Entrant] | Mapping[str, Entrant],
    rounds: int = 10,
    *,
    seats: int | None = None,
    seed: int | None = None,
    options: Mapping[str, str] | None = None,
    clock: str = DEFAULT_CLOCK,
) -> Any:
    """Everybody against everybody in this process, WITHOUT a sandbox; the table is a DataFrame if pandas is there.

    Every group plays `rounds` deals, each with the seats rotated. `bots` may be a mapping from names to bots.
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
        play_seated(rules, rotated, deal, options or {}, control)
        for deal in _deals(start, rounds)
        for group in combinations(field, places)
        for rotated in _rotations(group)
    ]
    return _table(_rows(matches, [entrant.name for entrant in field], rules.info.roles))


def _field(given: Sequence[tuple[str | None, Entrant]], game: AnyGame) -> list[Contender]:
    """The contenders, each with a name that no other has."""
    field: list[Contender] = []
    seen: Counter[str] = Counter()
    for name, entrant in given:
        found = contender(game, entrant)
        label = name or found.name
        seen[label] += 1
        field.append(replace(found, name=label if seen[label] == 1 else f"{label}-{seen[label]}"))
    return field


def _deals(seed: int, rounds: int) -> list[int]:
    rng = stream(seed, "notebook-tournament")
    return [rng.getrandbits(63) for _ in range(rounds)]


def _rotations(group: Sequence[Contender]) -> list[list[Contender]]:
    return [[*group[shift:], *group[:shift]] for shift in range(len(group))]


def _rows(matches: Sequence[Match], names: Sequence[str], roles: tuple[str, ...]) -> Rows:
    """The rating table, best bot first, computed as that of `arena ratings`."""
    table = rate(
        collect((Result(match.bots, match.outcome.ranks, roles) for match in matches), names),
        ENVIRONMENT,
        role_sigma=ROLE_SIGMA,
    )
    faults = Counter(
        name
        for match in matches
        for name, verdict in zip(match.bots, match.record.verdicts)
        if verdict.ending is not Ending.NORMAL
    )
    return Rows(
        {
            "bot": row.bot, "rating": round(row.mu, 2), "sigma": round(row.field_sigma, 2), "games": row.games,
            "wins": row.wins, "draws": row.draws, "losses": row.losses, "faults": faults[row.bot],
            "best": round(row.best, 3),
        }
        for row in table.rows
    )  # fmt: skip


def _table(rows: Rows) -> Any:
    """The rows as a DataFrame with the bots as its index, if pandas is installed."""
    try:
        import pandas  # noqa: PLC0415  (hardly anybody needs it, and it takes a second)
    except ImportError:
        return rows
    frame = pandas.DataFrame(list(rows)).set_index("bot")
    frame.attrs["sandbox"] = UNSANDBOXED
    return frame
