"""`make bench`: every measurement that has a peer, a floor or an aim, in one table.

    python -m bench [--only engines --only startup] [--markdown]

A module takes part by its name in MODULES and a function `rows()`. `make bench-peers` installs the libraries that some
rows are compared with and compiles a copy of the rules; without them those rows are left out.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from bench.table import Row, markdown, show

MODULES = ("startup", "engines", "search", "rules_service", "ratings", "transport", "tournaments", "live")


def collect(names: Sequence[str]) -> list[Row]:
    """The rows of these modules, measured one module after the other."""
    found: list[Row] = []
    for name in names:
        print(f"measuring {name} …", file=sys.stderr)
        found += import_module(f"bench.{name}").rows()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure Arena beside its peers and floors.")
    parser.add_argument("--only", action="append", choices=MODULES, help="only this part; may be repeated")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    given = parser.parse_args()
    rows = collect(given.only or MODULES)
    if given.markdown:
        print(markdown(rows))
    else:
        show(rows)


if __name__ == "__main__":
    main()
