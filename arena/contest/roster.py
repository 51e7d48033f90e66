"""A roster: a CSV file with a line for everybody who takes part."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

from arena.contest.people import CONTESTANT, NewPerson, checked_account, checked_display, checked_role
from arena.errors import UsageError
from arena.untrusted.toml import read_text

MAX_BYTES = 1 << 20
COLUMNS = ("name", "display", "team", "role")
_ARCHIVES = (".tar.gz", ".tar.xz", ".tar", ".zip")


def read_roster(path: Path) -> list[NewPerson]:
    """The people of a roster; its first line names the columns, of which only `name` must be there."""
    rows = csv.DictReader(read_text(path, MAX_BYTES, "CSV").lstrip("\ufeff").splitlines(), restkey="")
    found: dict[str, NewPerson] = {}
    try:
        names = [(column or "").strip().lower() for column in rows.fieldnames or ()]
        if "name" not in names or not set(names) <= set(COLUMNS) or len(names) != len(set(names)):
            raise UsageError(
                f"its first line must name columns among {', '.join(COLUMNS)}, between commas, each once, with a name "
                "in each line"
            )
        rows.fieldnames = names
        for row in rows:
            person = _person(row)
            if person.name in found:
                raise UsageError(f"{person.name} stands there twice")
            found[person.name] = person
    except (UsageError, csv.Error) as error:
        raise UsageError(f"{path}: line {rows.line_num}: {error}") from error
    if not found:
        raise UsageError(f"{path} names nobody")
    _check_teams(path, found)
    return list(found.values())


def owner_of(thing: str, people: Iterable[NewPerson]) -> str | None:
    """Who handed in a file or folder, by its name: who is called so, or as it begins before a dash or underscore.

    Of several the longest name counts. The team is the owner if there is one, and may be named as well.
    """
    stem = Path(thing).name.lower()
    stem = next((stem.removesuffix(ending) for ending in _ARCHIVES if stem.endswith(ending)), stem)
    owners = {name: person.team or person.name for person in people for name in (person.name, person.team) if name}
    found = [name for name in owners if stem == name or stem.startswith((f"{name}-", f"{name}_"))]
    return owners[max(found, key=len)] if found else None


def _person(row: Mapping[str, str | None]) -> NewPerson:
    """One line of a roster; UsageError says what is wrong with it."""
    if "" in row:
        raise UsageError("it has more cells than the first line")
    values = {column: (row.get(column) or "").strip() for column in COLUMNS}
    return NewPerson(
        checked_account(values["name"].lower()),
        checked_display(values["display"]),
        values["team"] and checked_account(values["team"].lower()),
        checked_role(values["role"].lower() or CONTESTANT),
    )


def _check_teams(path: Path, people: Mapping[str, NewPerson]) -> None:
    """UsageError if somebody without a team is called like the team of others, and would be in it by accident."""
    teams = {person.team for person in people.values()}
    for person in people.values():
        if not person.team and person.name in teams:
            raise UsageError(
                f"{path}: {person.name} is a person without a team and also a team: rename one, or write {person.name} "
                "into the column team of that line"
            )
