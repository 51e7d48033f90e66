"""A roster: a CSV file with a line for everybody who takes part."""

import csv
from pathlib import Path

from arena.contest.people import CONTESTANT, NewPerson, checked_account, checked_display
from arena.errors import UsageError
from arena.untrusted.toml import read_text

MAX_BYTES = 1 << 20
COLUMNS = ("name", "display", "team", "role")


def read_roster(path: Path) -> list[NewPerson]:
    """The people of a roster; its first line names the columns, of which only `name` must be there."""
    rows = csv.DictReader(read_text(path, MAX_BYTES, "CSV").lstrip("\ufeff").splitlines(), restkey="")
    names = [(column or "").strip().lower() for column in rows.fieldnames or ()]
    if "name" not in names or not set(names) <= set(COLUMNS):
        raise UsageError(
            f"{path}: its first line must name columns among {', '.join(COLUMNS)}, with a name in each line"
        )
    rows.fieldnames = names
    found: dict[str, NewPerson] = {}
    for row in rows:
        values = {column: (row.get(column) or "").strip() for column in COLUMNS}
        try:
            if "" in row:
                raise UsageError("it has more cells than the first line")
            name = checked_account(values["name"].lower())
            if name in found:
                raise UsageError(f"{name} stands there twice")
            display, team = (
                checked_display(values["display"]),
                values["team"] and checked_account(values["team"].lower()),
            )
        except UsageError as error:
            raise UsageError(f"{path}: line {rows.line_num}: {error}") from error
        found[name] = NewPerson(name, display, team, values["role"].lower() or CONTESTANT)
    if not found:
        raise UsageError(f"{path} names nobody")
    return list(found.values())
