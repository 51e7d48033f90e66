"""What is shipped: the wheel's content, the bounds of its dependencies, and generated code without drift."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from arena import distribution
from arena.wire.generate import GENERATOR, differences, generate
from tests.test_documentation import NAMES
from tools.docs.markdown import links
from tools.docs.site_links import repository_path

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The wheel of this checkout, as it is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


@pytest.fixture(scope="module")
def wheel(unpacked):
    return {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}


def test_a_checkout_and_a_wheel_play_together(unpacked):
    code = "from arena.workers.ray.program_digest import program_digest; print(program_digest('claim'))"
    digests = [
        subprocess.run(
            [sys.executable, "-B", "-c", f"import sys; sys.path.insert(0, {str(place)!r}); import arena; "
             f"assert arena.__file__.startswith({str(place)!r}); {code}"],
            cwd=place, check=True, capture_output=True, text=True,
        ).stdout
        for place in (ROOT, unpacked)
    ]  # fmt: skip
    assert digests[0] == digests[1]


def test_the_wheel_holds_the_two_packages_and_nothing_else(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"arena", "engines"}
    assert not [name for name in wheel if "/test_" in name or "__pycache__" in name]


def test_the_wheel_holds_what_is_no_code(wheel):
    assert {"arena/py.typed", "engines/py.typed"} <= wheel
    for game in (path.parent.name for path in ROOT.glob("engines/*/__init__.py")):
        assert f"engines/{game}/RULES.md" in wheel
    for path in [
        *(ROOT / "engines").rglob("*"),
        *(ROOT / "arena/web").rglob("*"),
        *(ROOT / "arena/service").rglob("*"),
    ]:
        if path.is_file() and "__pycache__" not in path.parts and path.name != "build_hook.py":
            assert path.relative_to(ROOT).as_posix() in wheel
    assert {"arena/web/static/player.js", "arena/web/static/player.css", "arena/web/templates/player.html"} <= wheel


@pytest.mark.parametrize("name", NAMES)
def test_every_link_of_a_page_leads_to_something_in_the_wheel(name, unpacked):
    def place(path):
        return unpacked / ("" if path.startswith(("arena/", "engines/")) else "arena/_shipped") / path

    assert place(name).is_file()
    for target in {repository_path(name, path) for path, _ in links((ROOT / name).read_text()) if path}:
        assert place(target).exists(), target


def test_every_page_at_the_top_and_the_notebook_are_pages_of_the_command(unpacked):
    def docs(*words):
        command = [sys.executable, "-B", "-c", "import arena.cli; arena.cli.main()", "docs", *words]
        environment = {**os.environ, "PYTHONPATH": str(unpacked)}
        return subprocess.run(command, cwd=unpacked, env=environment, check=True, capture_output=True, text=True).stdout

    listed = [line.split()[0] for line in docs().splitlines()]
    assert {"contributing", "security", "changelog", "code-of-conduct", "readme", "first-bot", "notebook"} <= {*listed}
    assert docs("contributing", "--plain").startswith("# Contributing\n")
    assert (place := Path(re.search(r"is (/\S+):", docs("notebook"))[1])).is_relative_to(unpacked)
    assert place.is_file()


def bound(requirements, name):
    (found,) = [text for text in requirements if re.match(rf"{name}[<>=~]", text)]
    return tuple(int(part) for part in re.split(r"[=>]+", found)[1].split("."))


def test_lower_bounds_follow_the_generator():
    generator = bound([GENERATOR], "grpcio-tools")
    assert bound(PROJECT["dependencies"], "grpcio") >= generator
    text = (ROOT / "arena/wire/v1/match_pb2.py").read_text()
    version = tuple(map(int, re.search(r"Protobuf Python Version: ([\d.]+)", text)[1].split(".")))
    assert bound(PROJECT["dependencies"], "protobuf") >= version
    assert (
        f"GRPC_GENERATED_VERSION = '{'.'.join(map(str, generator))}'"
        in (ROOT / "arena/wire/v1/rules_pb2_grpc.py").read_text()
    )


def test_generated_code_is_up_to_date(tmp_path):
    generate(ROOT / "proto", tmp_path)
    assert differences(tmp_path / "arena/wire/v1", ROOT / "arena/wire/v1") == []


@pytest.mark.parametrize("module", ["arena.sdk", "arena.sdk.search", "arena.rl", "arena.registry"])
def test_a_bot_imports_nothing_that_only_a_server_needs(module):
    script = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-P", "-c", script], check=True, capture_output=True, text=True)
    assert not {"sqlalchemy", "alembic", "docker", "jinja2", "click", "h2", "rustworkx"} & set(run.stdout.split())


def test_every_requirement_has_a_lower_bound():
    extras = PROJECT["optional-dependencies"].values()
    for text in [*PROJECT["dependencies"], *(each for extra in extras for each in extra)]:
        assert text.startswith("botarena[") or re.search(r"[>=]=", text), text


OTHERS = ("arena", "engines")
"""Names that belong to others where packages are published."""
INSTALLERS = re.compile(r"\b(?:pip3?|pipx|uv|uv tool|uv pip)\s+(?:install|add|download|wheel)\b([^`#\n]*)")
EXTRAS = re.compile(r"(?<![\w/.-])(?:arena|engines|botarena)\[[a-z, ]+\]")
"""Extras behind a bare name, which an index would be asked for."""
REQUIREMENTS = re.compile(r"""dependencies\s*=\s*\[[^\]]*["'](?:arena|engines|botarena)\b""")
OWN_EXTRAS = ('"botarena[contest,docs,metrics,postgres,ray,rl,signing,web]"', '"botarena[web]"')
"""What pyproject.toml says of itself, which asks no index."""


def instructions():
    """Every text of the repository that people read or run, and what it tells them to install."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in listed:
        if Path(name).suffix in (".md", ".py", ".ipynb", ".sh", ".toml", ".yaml", ".yml", "") and name != THIS:
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            for extras in OWN_EXTRAS:
                text = text.replace(extras, "")
            yield name, text


THIS = Path(__file__).relative_to(ROOT).as_posix()


def asks_an_index(text):
    """The first instruction that would install a package of somebody else, or of nobody yet."""
    for found in INSTALLERS.finditer(text):
        words = {re.split(r"[\[<>=~! ]", word.strip("'\""))[0] for word in found[1].split()}
        if words & {*OTHERS, "botarena"}:
            return found[0]
    found = EXTRAS.search(text) or REQUIREMENTS.search(text)
    return found and found[0]


def test_nobody_is_told_to_install_a_strangers_package():
    assert {name: found for name, text in instructions() if (found := asks_an_index(text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "pip install 'arena[rl]'", "run `pip install arena`", "uv pip install botarena", "pip install engines numpy",
        "needs arena[web]", 'dependencies = ["arena"]', "pipx install arena==0.1",
    ],
)  # fmt: skip
def test_such_an_instruction_is_found(text):
    assert asks_an_index(text)


@pytest.mark.parametrize(
    "text",
    ["pip install '/path/to/arena[rl]'", "pip install ./botarena-0.1.0-py3-none-any.whl", "pip install -e '.[dev]'"],
)
def test_one_that_names_a_place_is_fine(text):
    assert not asks_an_index(text)


def test_the_command_and_the_packages_keep_their_names(wheel):
    assert PROJECT["name"] == distribution.NAME
    assert PROJECT["scripts"] == {"arena": "arena.cli:main"}
    assert distribution.version() == PROJECT["version"]


@pytest.mark.parametrize(
    ("noted", "requirement"),
    [
        ({"url": "file:///tmp/a%20b/botarena-0.1.0-py3-none-any.whl"}, "/tmp/a b/botarena-0.1.0-py3-none-any.whl[rl]"),
        ({"url": "https://example.org/botarena.whl"}, "botarena[rl] @ https://example.org/botarena.whl"),
        (
            {"url": "https://example.org/arena", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "botarena[rl] @ git+https://example.org/arena@abc",
        ),
        (None, "/path/to/botarena.whl[rl]"),
    ],
)
def test_an_extra_is_installed_from_where_arena_came(monkeypatch, tmp_path, noted, requirement):
    assert distribution.install_hint("rl") == f"pip install -e {shlex.quote(f'{ROOT}[rl]')}"
    monkeypatch.setattr(distribution, "_CHECKOUT", tmp_path)
    monkeypatch.setattr(distribution, "_direct_url", lambda: noted)
    assert distribution.install_hint("rl") == f"pip install {shlex.quote(requirement)}"


def test_the_version_stands_where_a_release_needs_it():
    version = PROJECT["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"botarena-{version}-py3-none-any.whl" in (ROOT / "README.md").read_text()
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert f"\n## [{version}]" in changelog or f"This will be {version}.\n" in changelog


def test_every_step_of_a_workflow_is_a_command_that_people_have_too():
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    steps = [
        step
        for path in (ROOT / ".github/workflows").glob("*.yml")
        for step in re.findall(r"^ +- run: (.*)$", path.read_text(), re.MULTILINE)
    ]
    assert len(steps) >= 4
    assert {step for step in steps if step.removeprefix("make ") not in targets} == set()


def test_hooks_call_what_make_check_calls():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    makefile = (ROOT / "Makefile").read_text()
    check = makefile[makefile.index("\ncheck:") :].split("\n\n")[0]
    for tool in ("ruff check", "ruff format --check", "mypy", "buf lint"):
        assert f"/{tool}" in hooks, tool
        assert f"/{tool}" in check, tool
    assert "biome check --error-on-warnings --config-path tools/javascript" in hooks
    assert "JAVASCRIPT := --error-on-warnings --config-path tools/javascript " in makefile
    assert "$(BIOME) check $(JAVASCRIPT)" in check
