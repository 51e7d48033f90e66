"""The sample bots in other languages: built from the .proto files alone, checked in the sandbox in every game."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena.contestant.scaffold import TEMPLATES
from arena.registry import games
from tests.kits.contestants import arena, need_bubblewrap, need_image
from tests.kits.needs import need

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real(reason="bots are compiled, and play in sandboxes"),
    pytest.mark.timeout(600),
]  # compilers take their time

ROOT = Path(__file__).parents[2]
BUILT = {language: template for language, template in TEMPLATES.items() if template.tools and not template.prepare}
PATIENT = ("--clock", "10s/move", "--positions", 20)  # the machine may be busy, and these tests are not about time


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Nothing is written outside of the test's own folder."""
    monkeypatch.chdir(tmp_path)


def need_tools(language):
    missing = TEMPLATES[language].missing()
    need(f"{', '.join(missing)} not installed" if missing else None)


def make(folder):
    made = subprocess.run(["make"], cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


def add_every_game(folder, language):
    """What a bot for one game needs to play all: their messages, and their names in bot.toml."""
    shutil.copytree(
        ROOT / "proto/arena", Path(folder, "proto/arena"), dirs_exist_ok=True, copy_function=shutil.copy
    )  # new for make
    shutil.copy(ROOT / "sample_bots" / TEMPLATES[language].sample / "bot.toml", folder)


def play_every_game(folder):
    """Check the bot in each game; its own bot.toml names them all."""
    for game in games():
        checked = arena("bot", "check", folder, "--game", game, *PATIENT)
        assert checked.exit_code == 0, checked.output
        assert set(re.findall(r"^ ?\d+ (\S) ", checked.output, re.MULTILINE)) == {"✓"}, checked.output


@pytest.mark.slow
@pytest.mark.parametrize("language", BUILT)
def test_a_new_bot_is_built_and_plays_every_game(language):
    need_bubblewrap()
    need_tools(language)
    made = arena("bot", "new", "mine", "--game", "claim", "--lang", language)
    assert "  make -C mine " in made.output
    early = arena("bot", "check", "mine", "--game", "claim")
    assert early.exit_code, early.output
    make("mine")
    match = arena("match", "--game", "claim", "--bot", "mine", "--bot", "random", "--clock", "10s/move")
    assert match.output.count("played to the end") == 2, match.output
    add_every_game("mine", language)
    make("mine")
    play_every_game("mine")


@pytest.mark.slow
def test_the_node_bot_plays_every_game():
    need_bubblewrap()
    for program in ("make", "node", "npm"):
        need(None if shutil.which(program) else f"{program} is not installed")
    made = arena("bot", "new", "mine", "--game", "claim", "--lang", "node")
    need(f"npm cannot fetch the libraries of a bot: {made.stderr}" if made.exit_code else None)
    add_every_game("mine", "node")
    play_every_game("mine")


WRONG = """
export const cards = (turn: Turn): number[] => turn.observation?.hands ?? [];
"""


@pytest.mark.slow
def test_the_typescript_bot_has_the_types_of_its_messages_and_is_built_where_it_is_handed_in(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    need_bubblewrap()
    need_tools("ts")
    made = arena("bot", "new", "mine", "--game", "claim", "--lang", "ts")
    need(f"npm cannot fetch the libraries of a bot: {made.stderr}" if made.exit_code else None)
    assert "  make -C mine " in made.output
    submitted = arena("submit", "mine", "--owner", "me", "--db", "games.db", "--clock", "10s/move")
    assert submitted.exit_code == 0, submitted.output
    assert "building mine in the sandbox with `make build/bot.js` …" in submitted.output
    assert "built in the sandbox in " in submitted.output
    add_every_game("mine", "ts")
    make("mine")
    for game in games():
        match = arena("match", "--game", game, "--bot", "mine", "--bot", "random", "--clock", "10s/move")
        assert match.output.count("played to the end") == 2, match.output
    bot = Path("mine/bot.ts")
    bot.write_text(bot.read_text() + WRONG)
    refused = subprocess.run(["make"], cwd="mine", capture_output=True, text=True, check=False)
    assert refused.returncode, "a field that no message has must not compile"
    assert "Property 'hands' does not exist" in refused.stdout


@pytest.mark.slow
def test_the_greedy_bot_in_cpp_is_better_than_chance():
    """Built as it stands in the repository, where the messages come from its top."""
    need_bubblewrap()
    need_tools("cpp")
    shutil.copytree(ROOT / "proto", "proto")
    leave = shutil.ignore_patterns("build", "proto")
    shutil.copytree(ROOT / "sample_bots/greedy_cpp", "sample_bots/greedy_cpp", ignore=leave)
    make("sample_bots/greedy_cpp")
    checked = arena("bot", "check", "sample_bots/greedy_cpp", "--game", "claim", *PATIENT)
    assert checked.exit_code == 0, checked.output
    bots = f"sample_bots/greedy_cpp,{ROOT / 'sample_bots/random'}"
    arena("tournament", "--game", "claim", "--bots", bots, "--rounds", 10, "--clock", "10s/move", "--db", "games.db")
    table = json.loads(arena("crosstable", "--game", "claim", "--all", "--db", "games.db", "--json").output)
    greedy = next(row for row in table if row["name"].startswith("greedy-cpp"))
    assert greedy["games"] == 20
    assert greedy["points"] > 10


@pytest.mark.parametrize("language", BUILT)
def test_without_a_compiler_a_new_bot_says_what_to_install(language, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    made = arena("bot", "new", "mine", "--game", "claim", "--lang", language)
    assert made.exit_code == 0, made.output
    assert re.search(
        r"^  apt install make \S+ .*# as root: what this machine lacks to build it$", made.output, re.MULTILINE
    )


@pytest.mark.parametrize("language", ["cpp", "go", "ts"])
def test_a_bot_that_was_not_built_says_so(language):
    arena("bot", "new", "mine", "--game", "claim", "--lang", language)
    match = arena("match", "--game", "claim", "--bot", "mine", "--bot", "random")
    assert match.exit_code == 2
    assert re.search(r"mine is not built yet: run `make( build/bot.js)?` there", match.stderr)


@pytest.mark.parametrize("language", BUILT)
def test_every_place_names_the_same_packages(language):
    """The commands, the Makefile, the page of the language, the base image and the tests install the same things."""
    sample = ROOT / "sample_bots" / BUILT[language].sample
    places = [
        sample / "Makefile",
        sample / "README.md",
        ROOT / "docker/build-base.sh",
        ROOT / "tests/prepare-machine.sh",
    ]
    for place in places:
        words = re.split(r"[\s,=]+", place.read_text())
        assert set(BUILT[language].tools.values()) <= set(words), place


@pytest.mark.slow
def test_an_image_is_compiled_without_network_and_checked():
    need_image("arena/go-build:bookworm", "--go")
    tag = "arena-test/compiled:1"
    try:
        assert arena("bot", "new", "mine", "--game", "claim", "--lang", "go").exit_code == 0
        built = arena("bot", "build", "mine", "--tag", tag)
        assert built.exit_code == 0, built.output
        checked = arena("bot", "check", tag, "--game", "claim", *PATIENT)
        assert checked.exit_code == 0, checked.output
    finally:
        subprocess.run(["docker", "image", "rm", "--force", tag], capture_output=True, check=False)


def vendor_debian(folder):
    """Put Debian's Go libraries where `go mod vendor` would put those of the network."""
    debian = {**os.environ, "GO111MODULE": "off", "GOPATH": f"{folder.resolve()}/build:/usr/share/gocode"}
    listed = subprocess.run(
        ["go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "."],
        cwd=folder, env=debian, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    versions = dict(re.findall(r"^\t(\S+) (v\S+)$", (folder / "go.mod").read_text(), re.MULTILINE))
    packages = {}
    for package in listed:
        if "." in package.split("/")[0]:
            parts = package.split("/")
            packages.setdefault("/".join(parts[: 2 if parts[0] == "google.golang.org" else 3]), []).append(package)
    lines = ["# arena v0.0.0 => ./build/src/arena", "## explicit", "arena/wire"]
    for module, names in sorted(packages.items()):
        link = folder / "vendor" / module
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"/usr/share/gocode/src/{module}")
        mark = "## explicit; go 1.17" if module in versions else "## go 1.17"
        lines += [f"# {module} {versions.get(module, 'v0.0.0')}", mark, *names]
    (folder / "vendor/arena").symlink_to(folder.resolve() / "build/src/arena")
    (folder / "vendor/modules.txt").write_text("\n".join([*lines, "# arena => ./build/src/arena", ""]))


@pytest.mark.slow
def test_an_editor_understands_the_folder_of_a_go_bot():
    """Its go.mod names all that the sources import, so that Go's tools find it without the Makefile."""
    need_tools("go")
    assert arena("bot", "new", "mine", "--game", "claim", "--lang", "go").exit_code == 0
    make("mine")
    vendor_debian(Path("mine"))
    modules = {**os.environ, "GO111MODULE": "on", "GOFLAGS": "-mod=vendor", "CGO_ENABLED": "0"}
    done = subprocess.run(["go", "vet", "."], cwd="mine", env=modules, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_maven_project_of_a_java_bot_names_what_make_builds_with():
    folder = ROOT / "sample_bots/random_java"
    project = ElementTree.parse(folder / "pom.xml").getroot()
    jars = {element.text for element in project.iter() if element.tag.endswith("systemPath")}
    assert jars == set(re.findall(r"/usr/share/java/\S+?\.jar", (folder / "classpath").read_text()))
    folders = {element.text for element in project.iter() if element.tag.endswith(("sourceDirectory", "}source"))}
    assert folders == {"${project.basedir}/src", "${project.basedir}/build/generated"}
