"""The replay viewer of RRR in a real browser, fed with what the codec writes."""

import json
import re
from functools import cache

import pytest
from rich.text import Text

from arena.testing.play import Variant, walk
from engines.rrr import GAME
from engines.rrr.moves import NOT_USED, Place
from engines.rrr.rules import Phase, Setup
from engines.rrr.tiles import BITS, NAMES, TOWER
from tests.web.viewer_page import ENGINES, viewer_page

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser draws")]

VIEWER = ENGINES / "rrr" / "viewer"
SETUPS = [setup.value for setup in Setup]
GAMES = [(setup, victory) for setup in SETUPS for victory in ("rounds", "points")]
SECRET = [setup for setup in SETUPS if setup.startswith("secret")]

# Games go in and drawings come out as JSON texts: the driver is slow with large values.
SCRIPT = """
import { scene, draw, say } from "./viewer.js";
const makeSvg = () => document.createElementNS("http://www.w3.org/2000/svg", "svg");
const drawPly = (svg, ply, seat, previous, layout, duration) => {
  const shown = scene(seat === null ? ply.state : ply.views[seat], seat);
  draw(svg, shown, previous, { layout, names: ["Alpha <b>", "Beta"], duration, last: ply.last });
  return shown;
};
// The plies of this order that look different from the same ply in a new svg.
window.differing = (plies, seat, order, layout) => {
  const expected = JSON.parse(window.drawn(plies, seat, layout)).map((found) => found.svg);
  const svg = document.querySelector("svg");
  svg.replaceChildren();
  let previous = null;
  return order.filter((number, step) => {
    previous = drawPly(svg, plies[number], seat, previous, layout, step % 3 ? 0 : 150);
    return svg.innerHTML !== expected[number];
  });
};
window.drawn = (plies, seat, layout) => JSON.stringify(plies.map((ply) => {
  const svg = makeSvg();
  const shown = drawPly(svg, ply, seat, null, layout, 0);
  return { svg: svg.innerHTML, words: say(shown), scene: shown };
}));
window.games = {};
window.viewer = true;
"""


@pytest.fixture(scope="module")
def page():
    with viewer_page("rrr", SCRIPT, style="") as page:
        for setup, victory in GAMES:
            give(page, f"{setup} {victory}", [ply(*step) for step in game_of(setup, victory)])
        yield page


def play(setup, victory, seed, rounds):
    """Every position of a random match with the position and the move that led to it."""
    options = {"setup": setup, "victory": victory, "rounds": str(rounds), "first": str(seed % 2)}
    last = None
    for state, move in walk(GAME, Variant(2, options, GAME.configure(2, options)), seed):
        now = state.clone()
        yield now, last
        last = (now, move)


def ply(state, last):
    """What the player gives the viewer; the last move is the full one, whatever the seat may know of it."""
    codec = GAME.codec
    told = None
    if last:
        before, move = last
        text = Text.from_markup(GAME.describe_move(before, move)).plain
        told = {"seat": before.to_move(), "move": codec.move_to_json(move), "text": text}
    views = [codec.observation_to_json(state.view(seat)) for seat in (0, 1)]
    return {"state": codec.state_to_json(state), "views": views, "last": told}


@cache
def game_of(setup, victory):
    """A random match for each set-up and victory condition, which the tests share."""
    return list(play(setup, victory, seed=SETUPS.index(setup), rounds=2))


def give(page, name, plies):
    """Let the page have a game under this name."""
    script = "([name, text]) => { window.games[name] = JSON.parse(text); }"
    page.evaluate(script, [name, json.dumps(plies)])


@cache
def drawn(page, name, seat=None):
    """The drawing, the words and the scene of every ply of a game that the page has."""
    script = "([name, seat]) => window.drawn(window.games[name], seat, 'portrait')"
    return json.loads(page.evaluate(script, [name, seat]))


def shown(page, setup, victory="points", seat=None):
    """The steps of a shared game, each with what the page shows."""
    return zip(game_of(setup, victory), drawn(page, f"{setup} {victory}", seat))


def spaces(mask):
    return list(BITS[mask])


# -- the drawing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setup", "victory", "seat"),
    [(*game, None) for game in GAMES] + [(*game, 1) for game in GAMES if game[0] in SECRET],
)
def test_a_ply_looks_the_same_whatever_the_way(page, setup, victory, seat):
    count = len(game_of(setup, victory))
    jumps = [number * 7919 % count for number in range(0, count, 2)]
    order = [*range(count), *reversed(range(count)), *jumps, 0, 0]
    layout = "wide" if victory == "rounds" else "portrait"
    script = "([name, seat, order, layout]) => window.differing(window.games[name], seat, order, layout)"
    assert page.evaluate(script, [f"{setup} {victory}", seat, order, layout]) == []


@pytest.mark.parametrize("setup", SETUPS)
def test_text_is_large_enough_for_a_phone(page, setup):
    for _, found in shown(page, setup):
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', found["svg"])]
        assert min(sizes) * 370 / 600 >= 12


MEANINGS = (
    "rotate: it changes sides", "destroy: down, then off", "banish: off at once", "take into the own area",
    "wake: power works again", "shield: cannot be touched", "cancel instant powers", "move to a free space",
    "loses the round at its end",
)  # fmt: skip


@pytest.mark.parametrize("setup", SETUPS)
def test_a_phone_shows_what_every_symbol_means(page, setup):
    for _, found in shown(page, setup):
        assert [words for words in MEANINGS if f">{words}<" not in found["svg"]] == []


def turned_by(state, before, move):
    """The spaces whose tile was there before, or was placed now, and does not face as it did then."""
    old, new, placed = before.table, state.table, 1 << move.space
    facing = old.facing & ~placed | before.to_move() << move.space
    same = sum(1 << space for space in range(9) if new.board[space] == old.board[space])
    return spaces((new.facing ^ facing) & new.up & (old.up & same | placed))


def test_badges_are_on_the_tiles_that_the_move_rotated(page):
    seen = 0
    for setup, victory in GAMES:
        for (state, last), found in shown(page, setup, victory):
            if not last or type(last[1]) is not Place or TOWER in state.table.discard:
                continue  # with the Tower gone, what it covered may have come to light in the same move
            turned = turned_by(state, *last)
            marked = re.findall(r'data-mark="rotate (\d)"', found["svg"])
            assert sorted(map(int, marked)) == turned
            seen += bool(turned)
    assert seen > 20


# -- what it says ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", SETUPS)
def test_the_scene_agrees_with_the_rules(page, setup):
    for (state, _), found in shown(page, setup):
        scene, table = found["scene"], state.table
        assert scene["mover"] == state.to_move()
        assert scene["allies"] == list(state.allies())
        assert scene["cancelled"] == spaces(table.cancelled())
        on_board = [thing for thing in scene["things"] if thing["place"] == "board"]
        assert [thing["index"] for thing in on_board if thing["shield"]] == spaces(table.shields())
        assert {thing["index"]: thing["tile"].title() for thing in on_board} == {
            space: NAMES[tile] for space, tile in enumerate(table.board) if tile
        }
        assert (scene["result"] is not None) == (state.phase in (Phase.NAME, Phase.OVER))


def test_the_loser_of_a_round_is_found_when_nobody_is_to_move(page):
    """The last round leaves no decision to its loser: played on, it would be the one who names the first player."""
    steps = [step for seed in range(6) for step in play("neutral-zone", "points", seed, rounds=9)]
    ended = [step for step in steps if step[0].phase is Phase.NAME]
    plies = [ply(*step) for step in ended]
    for over in plies:
        over["state"] |= {"phase": "RRR_PHASE_OVER", "mover": 0}
    give(page, "rounds", plies)
    losers = [found["scene"]["result"]["loser"] for found in drawn(page, "rounds")]
    assert losers == [state.mover for state, _ in ended]


def made(board, ally=0):
    """A position of the last round with these tiles on the board, and with the King in the hand of seat 0."""
    tiles = [f"RRR_TILE_{board.get(space, 'unspecified').upper()}" for space in range(9)]
    stances = [f"RRR_STANCE_{f'ALLY_OF_{ally}' if space in board else 'UNSPECIFIED'}" for space in range(9)]
    config = {"victory": "RRR_VICTORY_POINTS", "rounds": 1, "setup": "RRR_SETUP_FIRST_GAME"}
    seats = [{"area": ["RRR_TILE_KING"]}, {}]
    message = {"config": config, "round": 1, "board": {"tiles": tiles, "stances": stances}, "seats": seats}
    return GAME.codec.state_from_json({**message, "placements": len(board)})


def test_powers_that_meet_are_shown_as_the_rules_have_them(page):
    boards = [
        {0: "shaman", 4: "sage"},
        {1: "witch", 4: "sage"},
        {3: "sage", 4: "castle", 5: "shaman", 0: "witch"},
        {1: "tower", 4: "temple", 6: "sage", 7: "shaman"},
    ]
    states = [made(board) for board in boards]
    give(page, "meeting", [ply(state, None) for state in states])
    for state, found in zip(states, drawn(page, "meeting")):
        assert found["scene"]["cancelled"] == spaces(state.table.cancelled())
        shields = [thing["index"] for thing in found["scene"]["things"] if thing["shield"]]
        assert shields == spaces(state.table.shields())


def test_a_seat_without_a_tile_has_lost(page):
    state = made({0: "citizen", 1: "monk"}, ally=1)
    before = state.clone()
    move = next(move for move in state.legal() if move.choice == NOT_USED)
    state.apply(move)
    assert state.phase is Phase.OVER
    give(page, "no tile", [ply(state, (before, move))])
    (found,) = drawn(page, "no tile")
    assert found["scene"]["result"] == {"loser": 1, "reason": "has no tile to place"}


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_every_ply_has_words(page, setup, seat):
    for _, found in shown(page, setup, "rounds", seat):
        words = found["words"]
        assert words["heading"]
        assert all(listed["title"] and all(listed["items"]) for listed in words["lists"])
        assert [len(row) for row in words["table"]["rows"]] == [4, 4, 4]
        assert len(words["table"]["head"]) == 4
        assert all(map(all, words["table"]["rows"]))


# -- what a seat may not know ---------------------------------------------------------------------------


@pytest.mark.parametrize("setup", SECRET)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_does_not_see_what_it_may_not_know(page, setup, seat):
    checked = 0
    for victory in ("rounds", "points"):
        for (state, _), found in shown(page, setup, victory, seat):
            unknown = {*state.table.hidden[1 - seat], *state.offer} - set(state.view(seat).offer)
            everything = json.dumps(found)
            for tile in unknown:
                assert not re.search(rf"\b{NAMES[tile]}\b", everything, re.IGNORECASE)
            assert found["svg"].count("rrr-back") == len(unknown)
            checked += len(unknown)
    assert checked > 40


def test_everything_is_open_without_a_seat(page):
    for _, found in shown(page, "secret-draft"):
        assert "rrr-back" not in found["svg"]


# -- the files ------------------------------------------------------------------------------------------


def test_the_module_imports_nothing_and_exports_three_functions():
    lines = (VIEWER / "viewer.js").read_text().splitlines()
    assert [line for line in lines if line.startswith("export")] == ["export { scene, draw, say };"]
    assert lines[-1] == "export { scene, draw, say };"
    assert not [line for line in lines if re.match(r"\s*import\b", line) or "innerHTML" in line or '"style"' in line]


def test_every_rule_of_the_style_sheet_is_scoped():
    css = re.sub(r"/\*.*?\*/", "", (VIEWER / "viewer.css").read_text(), flags=re.DOTALL)
    selectors = [part.strip() for text in re.findall(r"([^{}]+)\{", css) for part in text.split(",")]
    assert selectors
    assert all(".game-rrr" in selector or selector.startswith("@media") for selector in selectors)
