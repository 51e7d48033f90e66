"""How long the pages of a served site take, each kind with many different pages, from outside.

    python -m bench.pages STORE [--requests 60]

`python -m bench.growth --make N STORE` makes a large store. Every address is asked for once, so that nothing is
answered out of the memory of pages; and the ladder once more as a browser asks for it, to know what is transferred.
"""

import argparse
import http.client
import itertools
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from arena.store.sql import Store
from bench.spectators import serving


def addresses(db: Path, count: int) -> dict[str, list[str]]:
    """So many different addresses of every kind of page, spread over the store."""
    store = Store(db, read_only=True)
    bots, tournaments = store.all_bots(), store.tournament_summaries(limit=count)
    games = sorted({item.entry.game for item in tournaments})
    matches = list(_spread(store, count))
    store.close()
    first = [f"?{number}" for number in range(count)]
    ids = [bot.id for bot in bots][:count]
    return {
        "home": [f"/{text}" for text in first],
        "ladder": [f"/ladders/{games[number % len(games)]}.html{text}" for number, text in enumerate(first)],
        "bots": [f"/bots.html{text}" for text in first],
        "bot": [f"/bots/{number}.html" for number in ids],
        "pair": [f"/pairs/{one}-{two}.html" for one, two in itertools.pairwise(ids)],
        "tournaments": [f"/tournaments.html{text}" for text in first],
        "tournament": [f"/tournaments/{item.entry.id}.html" for item in tournaments],
        "matches": [f"/matches.html?before={number}" for number, _ in matches],
        "match": [f"/matches/{name}.html" for _, name in matches],
        "embed": [f"/embed/{name}.html" for _, name in matches],
        "replay": [f"/replays/{name}.json.gz" for _, name in matches],
        "rules": [f"/rules/{games[number % len(games)]}.html{text}" for number, text in enumerate(first)],
    }


def _spread(store: Store, count: int) -> Iterator[tuple[int, str]]:
    latest = store.latest_number()
    for part in range(1, count + 1):
        for match in store.latest_matches(before=latest * part // count + 1, limit=1):
            yield match.number, f"{match.entry.tournament_id}-{match.entry.match_id}"


def measure(port: int, paths: list[str]) -> list[float]:
    """Milliseconds of every request, one after the other over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    took = []
    for path in paths:
        began = time.perf_counter()
        connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        answer.read()
        took.append(1000 * (time.perf_counter() - began))
        if answer.status not in (200, 404):
            raise SystemExit(f"{path} was answered with {answer.status}")
    return took


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--requests", type=int, default=60)
    chosen = parser.parse_args()
    table = Table("page", "requests", "median ms", "p95 ms", "slowest ms", title=str(chosen.store))
    paths = addresses(chosen.store, chosen.requests)
    with serving(chosen.store) as port:
        for kind, some in paths.items():
            took = measure(port, some)
            p95 = statistics.quantiles(took, n=20)[-1] if len(took) > 1 else took[0]
            table.add_row(kind, str(len(took)), f"{statistics.median(took):.1f}", f"{p95:.1f}", f"{max(took):.1f}")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", paths["ladder"][0], headers={"Accept-Encoding": "gzip"})
        size = len(connection.getresponse().read())
    Console().print(table)
    print(f"a ladder page transfers {size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
