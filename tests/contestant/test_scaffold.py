"""New bots: what `arena bot new` puts into a folder."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from arena.bots.manifest import read_manifest
from arena.contestant import scaffold
from arena.contestant.scaffold import TEMPLATES, Template, create, prepare
from arena.errors import InfraError, UsageError
from arena.registry import games

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("game", games())
@pytest.mark.parametrize("language", TEMPLATES)
def test_the_manifest_has_the_new_name_and_game(language, game, tmp_path):
    template = TEMPLATES[language]
    create(tmp_path / "mine", game, template)
    manifest = read_manifest(tmp_path / "mine")
    assert (manifest.name, manifest.games) == ("mine", (game,))
    assert (tmp_path / "mine" / template.source).is_file()
    assert list(tmp_path.iterdir()) == [tmp_path / "mine"]


@pytest.mark.parametrize(("language", "template"), TEMPLATES.items())
def test_all_else_is_the_sample_bot(language, template, tmp_path):
    create(tmp_path / "mine", "claim", TEMPLATES[language])
    sample = ROOT / "sample_bots" / template.sample
    for path in sample.rglob("*"):
        made = {"node_modules", "__pycache__", "build", "proto", "types"} & set(path.relative_to(sample).parts)
        written = path.name in ("bot.toml", "bot.py")  # bot.py: tests/contestant/test_game_page.py
        if path.is_file() and not written and not made:
            assert (tmp_path / "mine" / path.relative_to(sample)).read_bytes() == path.read_bytes()
    for name in ("bot.toml", "Dockerfile", "README.md"):
        assert (tmp_path / "mine" / name).is_file()


@pytest.mark.parametrize("language", TEMPLATES)
def test_a_new_bot_brings_the_messages_of_its_game_alone_and_the_health_check(language, tmp_path):
    create(tmp_path / "mine", "claim", TEMPLATES[language])
    ours = {Path("proto/arena/wire/v1", f"{name}.proto") for name in ("match", "rules", "claim")}
    ours.add(Path("proto/grpc/health/v1/health.proto"))
    assert {path.relative_to(tmp_path / "mine") for path in (tmp_path / "mine").rglob("*.proto")} == ours


def test_the_sample_bots_name_every_game():
    for template in TEMPLATES.values():
        assert set(games()) <= set(read_manifest(ROOT / "sample_bots" / template.sample).games)


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "mine").mkdir()
    with pytest.raises(UsageError, match="is there already"):
        create(tmp_path / "mine", "claim", TEMPLATES["python"])
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="is there already"):
        create(tmp_path / "link", "claim", TEMPLATES["python"])


@pytest.mark.parametrize(
    ("name", "complaint"), [("a b", "letters, digits"), ("-x", "letters"), ("no/where", "no folder")]
)
def test_bad_places_are_refused(name, complaint, tmp_path):
    with pytest.raises(UsageError, match=complaint):
        create(tmp_path / name, "claim", TEMPLATES["python"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "complaint"),
    [(("no-such-program", "ci"), "no-such-program is not installed"), (("false", "ci"), "run `false ci` there")],
)
def test_libraries_that_cannot_be_fetched_say_what_to_run(command, complaint, tmp_path):
    with pytest.raises(InfraError, match=complaint):
        prepare(tmp_path, Template("", "", prepare=command))


@pytest.mark.real(reason="a process is given up after a time")
def test_libraries_that_take_for_ever_are_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(scaffold, "PREPARE_S", 0.1)
    with pytest.raises(InfraError, match="longer than"):
        prepare(tmp_path, Template("", "", prepare=("sleep", "60")))


def test_what_is_missing_to_build_a_bot_is_named_by_its_package():
    template = Template("", "", tools={"no-such-program": "one", "sh": "two", "/no/such/file": "three", "/usr": "four"})
    assert template.missing() == ("one", "three")


def test_the_python_in_the_readme_is_a_bot():
    (source,) = re.findall(r"```python\n(.*?)```", (ROOT / "sample_bots/random/README.md").read_text(), re.DOTALL)
    compile(source, "README.md", "exec")
    assert "serve(Sampler" in source


@pytest.mark.slow
def test_an_installed_arena_finds_its_templates(tmp_path):
    """The wheel is unpacked and used alone, far from the repository."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
        "from pathlib import Path\nfrom arena.contestant import scaffold\n"
        f"assert Path(scaffold.__file__).is_relative_to({str(tmp_path)!r})\n"
        "for name, template in scaffold.TEMPLATES.items():\n    scaffold.create(Path(name), 'claim', template)\n"
    )
    subprocess.run([sys.executable, "-P", "-c", script], cwd=tmp_path, check=True)
    assert (tmp_path / "python/bot.py").is_file()
    for language in set(TEMPLATES) - {"python"}:
        assert (tmp_path / language / "proto/arena/wire/v1/claim.proto").is_file()


@pytest.mark.parametrize(("language", "template"), TEMPLATES.items())
def test_the_readme_is_about_the_game_of_the_bot_and_an_editor_can_start_it(language, template, tmp_path):
    create(tmp_path / "mine", "kingdoms", template)
    readme = (tmp_path / "mine" / "README.md").read_text()
    assert "arena match --game kingdoms --bot . --bot random" in readme
    assert "--game claim" not in readme
    (launch,) = json.loads((tmp_path / "mine" / ".vscode" / "launch.json").read_text())["configurations"]
    assert launch["request"] in ("launch", "attach")
    program = Path(launch.get("program", "").removeprefix("${workspaceFolder}/"))
    assert program.name in ("", "bot", template.source)


def test_a_copy_of_a_sample_bot(tmp_path):
    template = scaffold.sample_template("policy", "claim")
    create(tmp_path / "mine", "claim", template)
    assert read_manifest(tmp_path / "mine").name == "mine"
    assert template.source == "bot.py"
    assert {"bot.py", "train.py", "policy.npz"} <= {path.name for path in (tmp_path / "mine").iterdir()}
    with pytest.raises(UsageError, match="--from takes greedy, policy, search;"):
        scaffold.sample_template("random_go", "claim")
    with pytest.raises(UsageError, match="policy does not play rrr, but claim"):
        scaffold.sample_template("policy", "rrr")
