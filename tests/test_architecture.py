"""Who may import whom: the table of directions, walked over every module."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STDLIB = sys.stdlib_module_names

# Module (or package) of arena -> what it may import from arena, and from third parties.
ALLOWED = {
    "errors": ("", ""),
    "rng": ("", ""),
    "text": ("", ""),
    "clock": ("errors", ""),
    "match": ("clock", ""),
    "codec": ("clock errors match wire", "google"),
    "game": ("codec errors match", ""),
    "registry": ("errors game", ""),
    "vectors": ("errors game", ""),
    "rl": ("errors game match registry vectors", "gymnasium numpy pettingzoo rich"),
    "testing": ("clock codec errors game match registry rng", ""),
    "looptime": ("", ""),
    "heartbeat": ("looptime", ""),
    "faults": ("errors match", ""),
    "player": ("clock codec errors game heartbeat match", ""),
    "referee": ("errors faults game match player rng", ""),
    "replay": ("errors game match referee", ""),
    "record": ("codec errors game match wire", ""),
    "seal": ("game match replay", ""),
    "pairing": ("rng", "rustworkx"),
    "schedule": ("errors match pairing rng", ""),
    "ratings": ("errors match rng", "numpy trueskill"),
    "sprt": ("errors match schedule", "numpy"),
    "adaptive": ("errors ratings schedule", "numpy trueskill"),
    "budget": ("", ""),
    "outlook": ("adaptive ratings standings", ""),
    "links": ("errors heartbeat looptime player", "google grpc_health h2"),
    "sandboxes": ("errors looptime subprocesses", "docker pyseccomp"),
    "sdk": ("codec errors game match registry rng", "grpc grpc_health"),
    "rules_service": ("codec errors game match registry rng sdk wire", "grpc"),
    "subprocesses": ("", ""),
    "limited": ("errors subprocesses", ""),
    "filetree": ("errors", ""),
    "bots": ("errors filetree", ""),
    "host": ("codec errors links match player sandboxes", ""),
    "table": ("errors faults game heartbeat host match player referee", ""),
    "making": ("bots builtin errors game host links match sandboxes sdk", ""),
    "check": ("clock errors faults game heartbeat host match player referee rng table", ""),
    "attached": ("clock errors host links match player sandboxes", ""),
    "reproduce": ("clock errors game match player replay", ""),
    "scaffold": ("bots errors", ""),
    "executors": (
        "errors faults game heartbeat host looptime making match record referee registry results store subprocesses "
        "table",
        "",
    ),
    "submit": ("bots check errors faults filetree game host limited match sandboxes store", ""),
    "store": ("errors match", "sqlalchemy alembic"),
    "standings": ("match ratings store", "trueskill"),
    "pages": ("ratings standings", "jinja2 markupsafe"),
    "results": ("game record seal store", ""),
    "tournament": (
        "adaptive budget clock errors executors game match record rng schedule sprt standings store",
        "",
    ),
    "archive": ("bots errors store verify", ""),
    "verify": ("clock errors game match record replay results store tournament", ""),
    "builtin": ("match rng sdk", ""),
    "wire": ("", "grpc_tools"),
    "cli": ("*", "click platformdirs rich"),
    "__init__": ("", ""),
    "__main__": ("cli", ""),
}
ENGINE_MAY_IMPORT = {"codec", "errors", "game", "match", "rng", "vectors"}


def modules(folder):
    paths = [path for path in (ROOT / folder).rglob("*.py") if "v1" not in path.parts]
    return {path.relative_to(ROOT).as_posix(): path for path in sorted(paths)}


def imports(path):
    """The dotted names that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part(dotted):
    """The first part of an arena module's name after `arena`."""
    return dotted.split(".")[1]


@pytest.mark.parametrize(("name", "path"), modules("arena").items())
def test_arena_imports_only_what_its_row_allows(name, path):
    own = Path(name).parts[1].removesuffix(".py")
    inside, outside = (set(text.split()) for text in ALLOWED[own])
    for dotted in imports(path):
        top = dotted.split(".")[0]
        if top == "arena":
            assert "*" in inside or part(dotted) in inside | {own}, f"{name} may not import {dotted}"
        else:
            assert top in STDLIB | outside, f"{name} may not import {dotted}"


@pytest.mark.parametrize(("name", "path"), modules("engines").items())
def test_engines_import_only_the_contract(name, path):
    own = Path(name).parts[1]
    for dotted in imports(path):
        top = dotted.split(".")[0]
        if top == "arena":
            wire = part(dotted) == "wire" and path.name == "codec.py"
            assert wire or part(dotted) in ENGINE_MAY_IMPORT, f"{name} may not import {dotted}"
        elif top == "engines":
            assert part(dotted) == own, f"{name} may not import from another game: {dotted}"
        else:
            assert top in STDLIB, f"{name} may not import {dotted}"


@pytest.mark.parametrize(("name", "path"), modules("arena").items())
def test_arena_names_no_engine(name, path):
    assert not any(dotted.split(".")[0] == "engines" for dotted in imports(path))


def test_generated_modules_stay_at_the_edge():
    allowed = {"arena/codec.py", "arena/record.py", "arena/sdk/serve.py", "arena/rules_service/service.py"}
    for name, path in (modules("arena") | modules("engines")).items():
        if any("_pb2" in dotted for dotted in imports(path)):
            assert name in allowed or name.startswith("arena/links/") or path.name == "codec.py", name


def test_every_package_has_a_row():
    tops = {Path(name).parts[1].removesuffix(".py") for name in modules("arena")}
    assert tops <= ALLOWED.keys()
