"""What a contest on a server tells, in the forms that every table has."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.cli import table_formats
from arena.cli.output import cell, echo, narrow_table, plain_console, print_json
from arena.cli.server_client import Server
from arena.cli.table_formats import print_table
from arena.errors import UsageError

Row = Mapping[str, Any]


def print_ratings(url: str, game: str | None, **form: Any) -> None:
    """The table of a game there."""
    if game is None:
        raise UsageError("which game? Give --game GAME with --server")
    rows = Server(url).ask(f"/ratings/{game}")["items"]
    shown: dict[str, Callable[[Row], str]] = {
        "#": lambda row: str(row["place"] or ""),
        "bot": lambda row: f"{row['name']} {row['version']}",
        "owner": lambda row: row["owner"],
        "rating": lambda row: "" if row["mu"] is None else f"{row['mu']:.1f} ± {2 * row['sigma']:.1f}",
        "rank": lambda row: "" if row["rank_low"] is None else f"{row['rank_low']}-{row['rank_high']}",
        "games": lambda row: str(row["games"]),
        "won": lambda row: f"{row['wins']}-{row['draws']}-{row['losses']}",
        "faults": lambda row: str(row["faults"]),
    }
    _print(rows, shown, f"no matches of {game} yet", form)


def print_bots(url: str, game: str | None, **form: Any) -> None:
    """The bots there."""
    shown: dict[str, Callable[[Row], str]] = {
        "bot": lambda row: row["name"] + (" (retired)" if row["retired"] else ""),
        "version": lambda row: row["version"],
        "owner": lambda row: row["owner"],
        "games": lambda row: " ".join(row["games"]),
        "registered": lambda row: row["registered"][:10],
    }
    _print(list(Server(url).all("/bots", game=game)), shown, "no bot is there yet", form)


def print_matches(url: str, name: str, last: int, **form: Any) -> None:
    """The latest matches of a bot there."""
    server = Server(url)
    bots = {bot["id"]: bot for bot in server.all("/bots")}
    wanted, _, version = name.partition("@")
    own = [bot["id"] for bot in bots.values() if bot["name"] == wanted and version in ("", bot["version"])]
    if not own:
        raise UsageError(f"there is no bot {name!r} at {server.url}: `arena bots list --server {server.url}` shows all")
    rows = [_match(match, max(own), bots) for match in server.ask("/matches", bot=max(own), limit=last)["items"]]
    shown: dict[str, Callable[[Row], str]] = {
        column: lambda row, column=column: str(row[column])  # type: ignore[misc]
        for column in ("match", "game", "seat", "rank", "against", "ending", "reason")
    }
    _print(rows, shown, f"{name} has not played yet", form)


def _match(match: Row, own: int, bots: Mapping[int, Row]) -> dict[str, Any]:
    seats = match["seats"]
    seat = next(number for number, found in enumerate(seats) if found["bot"] == own)
    others = [bots[found["bot"]]["name"] for number, found in enumerate(seats) if number != seat]
    return {
        "match": match["id"], "game": match["game"], "seat": seat, "rank": seats[seat]["rank"],
        "against": ", ".join(others), "ending": seats[seat]["ending"], "reason": match["reason"],
    }  # fmt: skip


def print_status(url: str, *, as_json: bool) -> None:
    """What the contest there is, and your team's latest submissions if you are logged in."""
    server = Server(url)
    contest = server.ask("/contest")
    if as_json:
        print_json(contest)
        return
    echo(f"{contest['title']}: {', '.join(contest['games'])}, clock {contest['clock']}")
    echo("bots can be handed in" if contest["open"] else "bots cannot be handed in at present")


def _print(rows: Sequence[Row], shown: Mapping[str, Callable[[Row], str]], empty: str, form: Mapping[str, Any]) -> None:
    def show() -> None:
        if not rows:
            echo(empty)
            return
        table = narrow_table(*shown)
        for row in rows:
            table.add_row(*(cell(make(row)) for make in shown.values()))
        plain_console().print(table)

    print_table(table_formats.Table(rows, None, show), **{**form, "html": None})
