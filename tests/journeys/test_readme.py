"""A user who has Arena from its wheel and nothing else: every command of the README, and what they find beside it."""

import re
from pathlib import Path

import pytest

from tests.journeys.pages import steps
from tests.kits.contestants import need_bubblewrap

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a user's commands start processes and sandboxes")]

README = (Path(__file__).parents[2] / "README.md").read_text()
QUICK = "--clock cpu:10ms/move+1s"  # a bot that searches uses all of it
SHORTER = (
    ("arena tournament --game claim --budget 45m", f"arena tournament --game claim --budget 3s {QUICK}"),
    (r"(arena tournament .*--format adaptive.*)", rf"\1 --max-games 6 {QUICK}"),
    (r"(arena tournament --game claim( --bots \S+)?)$", rf"\1 --rounds 1 {QUICK}"),
    (r"(arena test .*)", rf"\1 --max-pairs 2 {QUICK}"),
)
"""What keeps hours of play out of a test; nothing else of a command is changed."""


def shortened(command):
    for pattern, replacement in SHORTER:
        command = re.sub(pattern, replacement, command)
    return command


def with_match(command, traveller):
    """The command with a match of this user, which the page cannot know."""
    if "--match" not in command:
        return command
    match = re.search(r"\b[0-9a-f]{8,}\b", traveller.run("arena history my_bot"))[0]
    return re.sub(r"--match \S+", f"--match {match}", command)


@pytest.mark.timeout(1200)
def test_every_command_of_the_readme_works(traveller):
    need_bubblewrap()
    said = []
    commands = [command for _, command, _ in steps(README) if command.startswith("arena ")]
    assert len(commands) > 15
    for command in commands:
        if "my_bot@1" in command:  # a new version is tested against the one that was handed in
            source = (traveller.folder / "my_bot/bot.py").read_text()
            traveller.write("my_bot/bot.py", f"{source}# changed\n")
        if "--config" in command:  # "the same with other bots": two of them
            cup = (traveller.folder / "cup.toml").read_text()
            traveller.write("cup.toml", re.sub(r'^(bots = \[".*?", ".*?").*\]$', r"\1]", cup, flags=re.MULTILINE))
        if command == "arena serve":  # it would serve for ever; the wheel alone says what it needs
            assert f"pip install '{traveller.installation.wheel}[web]'" in traveller.attempt(command).stderr
            continue
        said.append((command, traveller.run(shortened(with_match(command, traveller)))))
    for sample in ("greedy", "search", "policy", "random"):
        assert any(sample in output for command, output in said if command.startswith("arena tournament --game claim"))
    for page in ("ratings.html", "game.html", "public/index.html"):
        assert (traveller.folder / page).stat().st_size > 1000


def test_an_empty_machine_can_play_and_read(traveller):
    assert "first-bot" in traveller.run("arena docs")
    assert "imagine" in traveller.run("arena docs first-bot --plain")
    assert "turn.move(" in traveller.run("arena docs kingdoms --plain")
    played = traveller.run("arena match --game claim --bot greedy --bot search --clock 30ms/move+2s --sandbox process")
    assert "greedy" in played
    missing = traveller.attempt("arena docs nowhere")
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
    assert "first-bot" in missing.stderr


def test_the_base_images_are_built_from_the_wheel(traveller):
    """Bad words are refused; the recipe itself is there (docker is another test's matter)."""
    refused = traveller.attempt("arena bot base cobol")
    assert (refused.returncode, "sdk" in refused.stderr) == (2, True)
    (script,) = traveller.installation.folder.glob("venv/lib/python*/site-packages/arena/_shipped/docker/build-base.sh")
    assert script.is_file()
