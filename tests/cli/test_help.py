"""The help pages are read as they were written."""

import click
import pytest

from arena.cli import main
from arena.cli.main import COMMANDS


def pages(command=main, words=()):
    """Every command with the words that name it."""
    yield words, command
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from pages(command.get_command(click.Context(command), name), (*words, name))


PAGES = {" ".join(("arena", *words)): command for words, command in pages()}


@pytest.mark.parametrize("words", PAGES)
def test_examples_keep_their_lines(words):
    command = PAGES[words]
    text = command.get_help(click.Context(command, info_name=words))
    assert "\\b" not in text
    for example in (line for line in (command.help or "").splitlines() if line.strip().startswith("arena ")):
        assert f"\n  {example.strip()}\n" in f"{text}\n", example


@pytest.mark.parametrize("words", PAGES)
def test_a_page_fits_a_narrow_terminal_and_cuts_nothing_short(words):
    command = PAGES[words]
    lines = command.get_help(click.Context(command, info_name=words, terminal_width=80)).splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert [line for line in lines if line.endswith("...") and "Usage" not in line] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_is_its_first_sentence(name):
    sentence = " ".join(PAGES[f"arena {name}"].help.split("\n\n")[0].split())
    assert sentence.startswith(COMMANDS[name][1]), sentence
