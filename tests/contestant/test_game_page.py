"""The pages of the games for authors of bots: nothing is left out, and what they show is played."""

import ast
import re

import pytest

import arena
from arena.contestant.game_page import game_page
from arena.contestant.new_bot import new_bot
from arena.registry import find, games
from arena.sdk.serve import collect_bots


def reachable(kind, found=None):
    """A message and all that it is made of."""
    found = {} if found is None else found
    if kind.name not in found:
        found[kind.name] = kind
        for field in kind.fields:
            if field.message_type is not None:
                reachable(field.message_type, found)
    return found


@pytest.fixture(scope="module", params=games())
def game(request):
    return find(request.param)


@pytest.fixture(scope="module")
def page(game):
    return game_page(game)


def test_every_field_and_value_is_explained(game, page):
    rows = {row[0].strip(" `"): row[-2].strip() for row in (line.split("|")[1:] for line in page.splitlines()) if row}
    for name in ("Observation", "Move"):
        for kind in reachable(game.codec.type(name).DESCRIPTOR).values():
            for field in kind.fields:
                assert rows.get(field.name), f"{kind.name}.{field.name}"
                for value in field.enum_type.values if field.enum_type else ():
                    short = [name for name in rows if value.name.endswith(f"_{name.strip(chr(34))}")]
                    assert short or value.number == 0, value.name
                    assert value.name not in page


def test_every_kind_of_move_is_shown_as_it_is_made(game, page):
    block = page.partition("Every kind of move")[2].partition("```python\n")[2].partition("```")[0]
    calls = [ast.parse(line).body[0].value for line in block.splitlines()]
    kinds = [field.name for field in game.codec.type("Move").DESCRIPTOR.fields]
    assert list(dict.fromkeys(call.args[0].value for call in calls)) == kinds


def test_the_example_plays(game, page):
    (source,) = re.findall(r"```python bot.py\n(.*?)```", page, re.DOTALL)
    assert_plays(game, source)
    assert "## Hints" in page


def test_a_new_bot_shows_the_names_of_its_game_and_plays(game):
    source = new_bot(game.info.name)
    assert max(map(len, source.splitlines())) <= 120
    for field in game.codec.type("Observation").DESCRIPTOR.fields:
        assert re.search(rf"#   .*\b{field.name}\b|#     .*\b{field.name}\b", source), field.name
    assert 'turn.move("' in source
    assert_plays(game, source)


def assert_plays(game, source):
    """From every seat, to the end, without a fault: what a bot does wrong raises here."""
    with collect_bots() as served:
        exec(compile(source, "bot.py", "exec"), {"__name__": "__main__"})
    for bots in ([served[game.info.name], "random"], ["random", served[game.info.name]]):
        assert arena.play(game.info.name, bots, seed=3, clock="none").outcome.ranks
