"""The words of the glossary in the names of modules and classes: each only in the rooms where it means what it says."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

ROOMS = {
    "engine": "engines errors",
    "field": "tournaments",
    "fixture": "schedules",
    "lease": "contest store tournaments",
    "link": "bots cli links referee",
    "outcome": "match schedules",
    "pairing": "schedules",
    "player": "referee",
    "record": "errors match referee",
    "run": "monitoring store",
    "seal": "referee",
    "store": "cli store tournaments",
    "strike": "match",
    "table": "bots",
    "verdict": "match",
}
"""Word -> rooms of arena whose modules and classes may bear it, in the sense of the glossary."""
PRESENTED = {"link": "web", "player": "web", "table": "cli engines notebook ratings standings web"}
"""Where it is a word of what is shown: links between pages, the player of a replay, rows and columns, a game table."""


def room_of(path):
    """A folder of arena, a module of the contract, or `engines`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "arena" else parts[0]


def words_of(name):
    """The words that a name is made of, in small letters and in the singular."""
    return {word.lower().removesuffix("s") for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def names():
    """The room, the place and the name of every module and class."""
    paths = (path for folder in ("arena", "engines") for path in (ROOT / folder).rglob("*.py"))
    for path in sorted(path for path in paths if "v1" not in path.parts):
        place = path.relative_to(ROOT).as_posix()
        yield room_of(path), place, path.parent.name if path.stem == "__init__" else path.stem
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield room_of(path), place, node.name


def strays(word, found):
    """The names that bear the word in a room where it may not stand."""
    allowed = {*ROOMS[word].split(), *PRESENTED.get(word, "").split()}
    return [f"{place}: {name}" for room, place, name in found if word in words_of(name) and room not in allowed]


@pytest.fixture(scope="module")
def everything():
    return list(names())


@pytest.mark.parametrize("word", ROOMS)
def test_a_word_of_the_glossary_stands_where_it_means_that(word, everything):
    assert strays(word, everything) == []


@pytest.mark.parametrize(
    ("word", "room", "name", "strays_there"),
    [
        ("engine", "store", "DatabaseEngine", True),
        ("engine", "sandboxes", "docker_engine", True),
        ("link", "schedules", "links", True),
        ("run", "schedules", "Runs", True),
        ("run", "bots", "RunningBot", False),
        ("table", "bots", "TableState", False),
        ("table", "links", "writable", False),
        ("player", "web", "PlayerPart", False),
    ],
)
def test_a_name_in_another_sense_is_found(word, room, name, strays_there):
    assert bool(strays(word, [(room, "there.py", name)])) is strays_there


def test_these_are_words_of_the_glossary():
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Words\n")[2].partition("\n## ")[0]
    assert set(ROOMS) <= set(re.findall(r"^\| (\w+) \|", section, re.MULTILINE))
