"""Who may import whom: the table of directions, walked over every module."""

import ast
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STDLIB = sys.stdlib_module_names

CONTRACT = {"errors", "distribution", "rng", "canonical", "clock", "match", "game", "codec", "registry", "vectors"}
"""The flat modules that games and bots are written against; among themselves they import in this order."""

# Package of arena -> what it may import from arena beside the contract, and from third parties.
ALLOWED = {
    "contract": ("wire", "google"),
    "wire": ("", ""),
    "untrusted": ("", ""),
    "testing": ("", ""),
    "rl": ("bots sdk", "gymnasium numpy pettingzoo rich"),
    "sdk": ("wire", "google grpc grpc_health"),
    "referee": ("untrusted wire", "rich"),
    "links": ("referee untrusted", "google grpc_health h2"),
    "sandboxes": ("referee untrusted", ""),  # docker and pyseccomp are imported when they are needed
    "bots": ("links referee sandboxes sdk store untrusted", ""),
    "store": ("", "alembic psycopg sqlalchemy"),
    "contest": ("store untrusted", "alembic sqlalchemy"),
    "ratings": ("", "numpy trueskill"),
    "standings": ("ratings store", "numpy"),
    "schedules": ("ratings", "numpy rustworkx trueskill"),
    "intake": ("bots sandboxes store untrusted", ""),
    "monitoring": ("store", "prometheus_client"),
    "workers": ("bots intake monitoring referee sandboxes store untrusted", "platformdirs ray"),
    "tournaments": (
        "bots intake monitoring referee sandboxes schedules standings store untrusted workers",
        "cryptography",
    ),
    "contestant": ("bots referee sdk untrusted", ""),
    "submit": ("bots contestant intake referee sandboxes store workers", ""),
    "notebook": ("bots links referee standings store web", "pandas rich"),
    "web": ("referee standings store untrusted", "jinja2 markdown_it markupsafe rich segno starlette uvicorn"),
    "service": ("contest standings store web", "python_multipart sqlalchemy starlette"),
    "cli": (
        "bots contest contestant intake links monitoring referee sandboxes schedules standings store "
        "submit tournaments untrusted web workers",
        "click platformdirs rich",
    ),
}
ENTRY_POINTS = {"__init__": "notebook", "__main__": "cli"}
"""The modules of arena itself that are no room."""
ENGINE_MAY_IMPORT = {"codec", "errors", "game", "match", "rng", "vectors"}
COMPILER = {"compiling.py": {"mypyc", "setuptools"}, "build_hook.py": {"hatchling"}, "__init__.py": {"engines"}}
"""What the modules that compile the engines, and are part of none, may import beside the contract."""


def modules(folder):
    paths = [path for path in (ROOT / folder).rglob("*.py") if "v1" not in path.parts]
    return {path.relative_to(ROOT).as_posix(): path for path in sorted(paths)}


@cache
def imports(path):
    """The dotted names that a module imports, wherever in it."""
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def part(dotted):
    """The first part of an arena module's name after `arena`."""
    return dotted.split(".")[1]


def room(top):
    """The row of the table for a module or package directly below arena."""
    return "contract" if top in CONTRACT else top


def own_room(name):
    return room(Path(name).parts[1].removesuffix(".py"))


@pytest.mark.parametrize(("name", "path"), modules("arena").items())
def test_arena_imports_only_what_its_row_allows(name, path):
    """No row allows the games: they are found by their names."""
    own = own_room(name)
    if own in ENTRY_POINTS:
        inside, outside = set(ENTRY_POINTS[own].split()), set()
    else:
        inside, outside = (set(text.split()) for text in ALLOWED[own])
    for dotted in imports(path):
        top = dotted.split(".")[0]
        if top == "arena":
            assert room(part(dotted)) in inside | {own, "contract"}, f"{name} may not import {dotted}"
        else:
            assert top in STDLIB | outside, f"{name} may not import {dotted}"


def test_every_permission_is_used():
    used = {own: set() for own in ALLOWED}
    for name, path in modules("arena").items():
        if own_room(name) in used:
            for dotted in imports(path):
                top = dotted.split(".")[0]
                used[own_room(name)].add(room(part(dotted)) if top == "arena" else top)
    for own, permissions in ALLOWED.items():
        idle = {permission for text in permissions for permission in text.split()} - used[own]
        assert not idle, f"nothing in {own} imports {idle}: take the permission out of its row"


def test_no_room_imports_itself_through_another():
    above = {own: set(inside.split()) for own, (inside, _) in ALLOWED.items()}
    order = list(TopologicalSorter(above).static_order())  # raises on a circle
    assert set(order) == ALLOWED.keys()


@pytest.mark.parametrize("name", ["bench", "tests"])
def test_only_its_own_tests_import_the_command_line(name):
    for path in sorted((ROOT / name).rglob("*.py")):
        if not path.is_relative_to(ROOT / "tests/cli"):
            used = [dotted for dotted in imports(path) if dotted.startswith("arena.cli") and "main" not in dotted]
            assert not used, f"{path} imports {used}"


@pytest.mark.parametrize("served", ["arena.web.build, arena.web.server", "arena.service.__main__"])
def test_pages_are_made_without_knowing_sandboxes_bots_and_executors(served):
    """Read-only by construction: a process that serves pages has not even loaded what could run a bot."""
    program = (
        f"import sys, {served}\n"
        "print([name for name in sys.modules if name.startswith(('arena.sandboxes', 'arena.bots', 'arena.links', "
        "'arena.tournaments', 'arena.workers', 'arena.intake', 'arena.submit', 'arena.contestant', 'docker', 'grpc'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("name", "path"), modules("engines").items())
def test_engines_import_only_the_contract(name, path):
    own = Path(name).parts[1]
    for dotted in imports(path):
        top = dotted.split(".")[0]
        if top in COMPILER.get(own, ()):
            continue
        if top == "arena":
            wire = part(dotted) == "wire" and path.name == "codec.py"
            assert wire or part(dotted) in ENGINE_MAY_IMPORT, f"{name} may not import {dotted}"
        elif top == "engines":
            assert part(dotted) == own, f"{name} may not import from another game: {dotted}"
        else:
            assert top in STDLIB, f"{name} may not import {dotted}"


def test_generated_modules_stay_at_the_edge():
    allowed = {"arena/codec.py", "arena/referee/record.py", "arena/sdk/server.py", "arena/sdk/rules_service/service.py"}
    for name, path in (modules("arena") | modules("engines")).items():
        if any("_pb2" in dotted for dotted in imports(path)):
            assert name in allowed or name.startswith("arena/links/") or path.name == "codec.py", name


def test_every_package_has_a_row():
    assert {own_room(name) for name in modules("arena")} <= ALLOWED.keys() | ENTRY_POINTS.keys()
