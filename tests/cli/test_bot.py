"""The contestants' commands with real programs in real sandboxes."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from arena import registry
from arena.referee import record
from arena.referee.replay import verify
from tests.kits.contestants import SDK, arena, choosing, need_bubblewrap, need_image, write_bot
from tests.kits.needs import need

pytestmark = pytest.mark.slow

PATIENT = ("--clock", "10s/move")  # the machine may be busy, and these tests are not about time


@pytest.fixture
def bubblewrap():
    need_bubblewrap()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Nothing is written outside of the test's own folder."""
    monkeypatch.chdir(tmp_path)


def marks(output):
    """The marks of the steps in order."""
    return re.findall(r"^ ?\d+ (\S) ", output, re.MULTILINE)


@pytest.mark.real(reason="bots are programs in sandboxes")
@pytest.mark.slow
@pytest.mark.usefixtures("bubblewrap")
def test_a_new_python_bot_plays_at_once_and_passes():
    made = arena("bot", "new", "mine", "--game", "claim")
    assert made.exit_code == 0, made.output
    assert "arena match --game claim --bot mine --bot random" in made.output
    match = arena("match", "--game", "claim", "--bot", "mine", "--bot", "random", *PATIENT)
    assert match.output.count("played to the end") == 2, match.output
    checked = arena("bot", "check", "mine", "--game", "claim", "--positions", 20, *PATIENT)
    assert checked.exit_code == 0, checked.output
    assert marks(checked.output) == ["✓"] * 9
    assert re.search(r"start-up \d+\.\d\d s, peak memory \d+ MiB", checked.output)
    assert re.search(r"\d+ decisions: p50 \S+ ms, p99 \S+ ms, max \S+ ms", checked.output)
    assert [path.name for path in Path().iterdir()] == ["mine"]


@pytest.mark.real(reason="bots are programs in sandboxes")
@pytest.mark.slow
@pytest.mark.usefixtures("bubblewrap")
def test_a_new_node_bot_plays_at_once_and_passes():
    for program in ("node", "npm"):
        need(None if shutil.which(program) else f"{program} is not installed")
    made = arena("bot", "new", "mine", "--game", "claim", "--lang", "node")
    if made.exit_code:
        assert "run `npm ci` there, with network" in made.stderr
        need(f"npm cannot fetch the libraries of a bot: {made.stderr}")
    checked = arena("bot", "check", "mine", "--game", "claim", "--positions", 20, *PATIENT)
    assert checked.exit_code == 0, checked.output
    assert marks(checked.output) == ["✓"] * 9


@pytest.mark.real(reason="bots are programs in sandboxes")
@pytest.mark.slow
@pytest.mark.usefixtures("bubblewrap")
def test_the_bot_in_the_readme_plays(tmp_path):
    source = (Path(__file__).parents[2] / "sample_bots/random/README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", source, re.DOTALL)
    bot = write_bot(tmp_path / "sampler", code)
    match = arena("match", "--game", "claim", "--bot", bot, "--bot", "random", *PATIENT)
    assert match.output.count("played to the end") == 2, match.output


ILLEGAL = """
print("I hold", turn.observation.hand)
return 99 if turn.number == 4 else turn.legal[0]
"""

FAILING = {
    "crashes_at_import": (
        "import no_such_module\n",
        1,
        ["it exited with code 1", "No module named 'no_such_module'", "start it by hand"],
    ),
    "never_listens": ("import time\nprint('zzz')\ntime.sleep(60)\n", 1, ["did not open its socket within 10 s", "zzz"]),
    "serves_another_game": (
        choosing("return turn.legal[0]", serves="kingdoms"),
        2,
        ["it does not serve claim: it must offer the service arena.wire.v1.ClaimBotService"],
    ),
    "plays_illegally": (
        choosing(ILLEGAL),
        3,
        ['chose “{"play": 99}”', "I hold (", "answer with one of the legal moves"],
    ),
    "raises": (
        choosing("if turn.number == 4: 1 / 0\nreturn turn.legal[0]"),
        3,
        ["ended the stream", "ZeroDivisionError: division by zero", "read its output"],
    ),
    "exits": (
        "import os\n" + choosing("if turn.number == 4: os._exit(3)\nreturn turn.legal[0]"),
        3,
        ["it exited with code 3", "its process ended"],
    ),
    "is_too_slow": (
        "import time\n" + choosing("time.sleep(60 if turn.number == 4 else 0)\nreturn turn.legal[0]"),
        3,
        ["no answer came in", "answer before it is gone"],
    ),
    "answers_nothing": (
        f"{SDK}class B(Bot):\n    def choose(self, turn): ...\n    def choose_several(self, turn): return ()\n"
        'serve(B, game="claim")\n',
        3,
        ["answered turn 1 without a move", "hold at least one move"],
    ),
    "loses_its_way": (
        choosing("return 99 if turn.number == 1 and len(turn.observation.tricks) > 1 else turn.legal[0]"),
        6,
        ["random moves: 99 may not be played now"],
    ),
    "eats_memory": (
        choosing("held = bytearray(1 << 30) if turn.number == 4 else None\nreturn turn.legal[0]"),
        3,
        ["used more memory than it had", "--memory tries another limit"],
    ),
}


@pytest.mark.real(reason="bots are programs in sandboxes")
@pytest.mark.slow
@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize("name", FAILING)
def test_a_failing_bot_is_told_what_happened_and_what_to_do(name, tmp_path):
    source, step, words = FAILING[name]
    bot = write_bot(tmp_path / name, source)
    clock = "2s/move" if name == "is_too_slow" else "30s/move"
    result = arena("bot", "check", bot, "--game", "claim", "--clock", clock, "--positions", 20)
    assert result.exit_code == 1, result.output
    assert marks(result.output) == ["✓"] * (step - 1) + ["✗"] + ["–"] * (9 - step)
    assert f"Step {step} failed: " in result.output
    assert "What to do: " in result.output
    for word in words:
        assert word in result.output, result.output


@pytest.mark.real(reason="bots are programs in sandboxes")
@pytest.mark.slow
@pytest.mark.usefixtures("bubblewrap")
def test_the_failed_match_is_kept_and_can_be_reproduced(tmp_path):
    bot = write_bot(tmp_path / "mine", choosing(ILLEGAL))
    result = arena("bot", "check", bot, "--game", "claim", *PATIENT, "--evidence", "kept.arena")
    (command,) = re.findall(r"^Watch it happen: arena (.*)$", result.output, re.MULTILINE)
    verify(registry.find("claim"), record.read(Path("kept.arena"), registry.find))
    again = arena(*command.split())
    assert again.exit_code == 1
    assert "4 decisions: 3 as recorded, 1 differently, first at move " in again.output


@pytest.mark.real(reason="bots are programs in sandboxes")
@pytest.mark.slow
def test_a_check_without_a_sandbox_says_what_is_not_enforced(tmp_path):
    bot = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    result = arena("bot", "check", bot, "--game", "claim", "--sandbox", "process", "--positions", 5, *PATIENT)
    assert result.exit_code == 0, result.output
    assert "sandbox process: not fully enforced here: " in result.output


@pytest.mark.real(reason="bots are programs in sandboxes")
@pytest.mark.slow
def test_an_image_is_built_and_checked():
    need_image()
    tag = "arena-test/built-by-command:1"
    try:
        assert arena("bot", "new", "mine", "--game", "claim").exit_code == 0
        built = arena("bot", "build", "mine", "--tag", tag)
        assert built.exit_code == 0, built.output
        assert f"arena match --game claim --bot {tag} --bot random" in built.output
        checked = arena("bot", "check", tag, "--game", "claim", "--positions", 5, *PATIENT)
        assert checked.exit_code == 0, checked.output
        assert marks(checked.output) == ["✓"] * 9
    finally:
        subprocess.run(["docker", "image", "rm", "--force", tag], capture_output=True, check=False)


BAD = [
    (["new", "there", "--game", "claim"], "there is there already: choose another name"),
    (["new", "a/b", "--game", "claim"], "there is no folder a"),
    (["new", "a b", "--game", "claim"], "must be 1 to 40 letters"),
    (["new", "x", "--game", "chess"], "there is no game 'chess'"),
    (["new", "x", "--game", "claim", "--lang", "cobol"], "Invalid value for '--lang'"),
    (["new", "x"], "Missing option '--game'"),
    (["new", "x", "--game", "claim", "--lang", "go", "--from", "greedy"], "leave out --lang"),
    (["new", "x", "--game", "claim", "--from", "random"], "without --from the new bot plays any legal move"),
    (["new", "x", "--game", "claim", "--from", "search_go"], "cannot be copied: --from takes greedy, policy, search;"),
    (["check", "there", "--game", "claim"], "there has no bot.toml"),
    (["check", "./nowhere", "--game", "claim"], "there is no bot './nowhere'"),
    (["check", "random", "--game", "claim"], "random is part of the referee"),
    (["check", "mine", "--game", "kingdoms"], "the bot mine does not play kingdoms: its bot.toml names claim"),
    (["check", "mine", "--game", "claim", "--sandbox", "docker"], "build an image first: arena bot build"),
    (["check", "mine", "--game", "claim", "--sandbox", "gvisor"], "build an image first: arena bot build"),
    (["check", "grpc://127.0.0.1:1"], "say with --game at which game to check"),
    (["build", "mine"], "mine has no Dockerfile: `arena bot new` writes one"),
    (["build", "there"], "there has no bot.toml"),
    (["build", "nowhere"], "does not exist"),
]


@pytest.mark.parametrize(("args", "complaint"), BAD, ids=[" ".join(args) for args, _ in BAD])
def test_bad_input_is_one_sentence_and_exit_code_2(args, complaint, tmp_path):
    (tmp_path / "there").mkdir()
    write_bot(tmp_path / "mine", "")
    result = arena("bot", *args)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_node_bot_without_npm_says_what_to_run(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    result = arena("bot", "new", "mine", "--game", "claim", "--lang", "node")
    assert result.exit_code == 1
    assert "the bot is in mine, but its libraries are not: run `npm ci` there" in result.stderr
    assert Path("mine/bot.js").is_file()


@pytest.mark.parametrize("command", [[], ["new"], ["check"], ["reproduce"], ["build"]])
def test_every_command_has_help(command):
    result = arena("bot", *command, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.output


def test_a_check_is_about_the_games_of_the_bot_toml(tmp_path):
    folder = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    words = ("--positions", 4, "--sandbox", "process", "--clock", "10s/move")
    checked = arena("bot", "check", folder, *words)
    assert checked.exit_code == 0, checked.output
    assert "plays from seat 1" in checked.stdout
    (folder / "bot.toml").write_text((folder / "bot.toml").read_text().replace('["claim"]', '["claim", "rrr"]'))
    both = arena("bot", "check", folder, *words)
    assert both.exit_code == 1, "it serves no other game"
    assert both.stdout.startswith("Claim (claim)\n")
    assert "(rrr)\n" in both.stdout
    remote = arena("bot", "check", "grpc://127.0.0.1:1")
    assert (remote.exit_code, "say with --game" in remote.stderr) == (2, True)
