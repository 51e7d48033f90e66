"""The replay viewer of King & Assassins in a real browser: the same picture whatever the way, and no secret in it."""

import json
from functools import cache
from pathlib import Path
from random import Random

import pytest

from engines.assassins import GAME, board
from engines.assassins.moves import CHOOSE, ENTER, KILL
from engines.assassins.rules import CARDS
from tests.web.viewer_page import viewer_page

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser draws")]

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "data" / "assassins" / "golden"
NAMES = ["<img src=x onerror=alert(1)> the king's own bot with a very long name", "sneaky"]

BODY = '<body class="game-assassins"><svg id="board" width="370"></svg>'

SCRIPT = """
import { scene, draw, say } from "./viewer.js";
import games from "./games.js";

const fresh = () => document.createElementNS("http://www.w3.org/2000/svg", "svg");
const see = (ply, seat) => scene(seat === null ? ply.state : ply.views[seat], seat);

// Draws one ply into an SVG; what the caller says about the last move is all that the full state gives.
function show(svg, game, index, seat, layout, names, previous = null, duration = 0) {
  const now = see(game[index], seat), last = game[index].last && { ...game[index].last };
  if (last && layout === "wide") last.before = see(game[index - 1], seat);
  draw(svg, now, previous, { layout, names, duration, last });
  return now;
}

// The SVG text of these plies, drawn one after the other into the same SVG.
function follow(game, path, seat, layout, names, duration) {
  const svg = fresh(), texts = [];
  let previous = null;
  if (duration) document.body.append(svg);  // only what is in the page can move
  for (const index of path) {
    previous = show(svg, game, index, seat, layout, names, previous, duration);
    texts[index] = svg.outerHTML;
  }
  svg.remove();
  return texts;
}

// What can be asked of the text of one ply.
function facts(text) {
  const count = (pattern) => (text.match(pattern) ?? []).length;
  return {
    secrets: [...text.matchAll(/hidden assassin (\\d+),/g)].map((found) => Number(found[1])),
    masks: count(/class="mask"/g), marks: count(/class="[^"]*secret/g), choices: count(/were chosen: \\d/g),
    backs: count(/class="card back"/g), papers: count(/class="paper"/g),
    broken: /undefined|NaN|\\[object|>null</.test(text),
  };
}

// All plies by several ways: which differ from the way forwards, and what is in them.
function ways(name, seat, layout, names) {
  const game = games[name];
  const forwards = [...game.keys()], jumps = forwards.map((index) => (index * 37 + 11) % game.length);
  const texts = follow(game, forwards, seat, layout, names, 50);
  const paths = { jumps, twice: jumps.slice(0, 9).flatMap((index) => [index, index]) };
  if (seat === null) paths.backwards = [...forwards].reverse();
  const different = [];
  for (const [way, path] of Object.entries(paths)) {
    const found = follow(game, path, seat, layout, names, 0);
    different.push(...path.filter((index) => found[index] !== texts[index]).map((index) => `${way} ${index}`));
  }
  for (let index = 0; index < game.length; index += 20) {
    if (follow(game, [index], seat, layout, names, 0)[index] !== texts[index]) different.push(`alone ${index}`);
  }
  return JSON.stringify({ different, distinct: new Set(texts).size, facts: texts.map(facts) });
}

// What the seat is told at every ply.
function words(name, seat) {
  return JSON.stringify(games[name].map((ply) => say(see(ply, seat))));
}

// The picture and the words of one position as a seat sees it.
function impression(ply, seat, names) {
  const svg = fresh(), now = show(svg, [ply], 0, seat, "portrait", names);
  return svg.outerHTML + JSON.stringify(say(now));
}

// Texts that are too small or reach over the edge, at some plies of a game.
function badTexts(name, names) {
  const svg = document.querySelector("#board"), game = games[name], bad = [];
  for (let index = game.length - 1; index >= 0; index -= 25) {
    show(svg, game, index, null, "portrait", names);
    const frame = svg.getBoundingClientRect(), scale = svg.getScreenCTM().a;
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect(), nested = text.getScreenCTM().a;
      const inside = box.left >= frame.left && box.right <= frame.right
        && box.top >= frame.top && box.bottom <= frame.bottom;
      if (!inside || text.getAttribute("font-size") * nested < 12) bad.push(`${index}: ${text.textContent}`);
    }
    if (Math.abs(scale * 600 - 370) > 1) bad.push("the picture is not 370 pixels wide");
  }
  return bad;
}

Object.assign(window, { scene, games, show, ways, words, impression, badTexts, viewer: true });
"""


def eager(state, rng):
    """A move of a game that soon ends: home, or at somebody's throat, or anywhere."""
    legal, home = state.legal(), state.board.steps_home
    if ENTER in legal:
        return ENTER
    strikes = [move for move in legal if KILL <= move < CHOOSE]
    forward = [move for move in legal if move < board.SQUARES and home[move] < home[state.where[board.KING]]]
    return rng.choice(strikes or forward or legal)


def picture_of(state, last):
    codec = GAME.codec
    views = [codec.observation_to_json(state.view(seat)) for seat in (0, 1)]
    return {"state": codec.state_to_json(state), "views": views, "last": last}


def plies(state, choose):
    """Every position of a game as the page gets it, with the move that led to it as the record has it."""
    found = [picture_of(state, None)]
    while state.legal():
        move = choose(state)
        last = {"seat": state.to_move(), "move": GAME.codec.move_to_json(move), "text": GAME.describe_move(state, move)}
        state.apply(move)
        found.append(picture_of(state, last))
    return found


def golden(name):
    first, *rest = map(json.loads, (GOLDEN / name).read_text().splitlines())
    moves = iter([GAME.codec.move_from_json(line["move"]) for line in rest if "move" in line])
    return plies(GAME.start(GAME.configure(2, first["options"]), first["seed"]), lambda _: next(moves))


def played(side, seed):
    """The end of a game of its own kind; how games begin is in the golden ones."""
    rng = Random(seed)
    found = plies(GAME.start(GAME.configure(2, {"board": side}), seed), lambda state: eager(state, rng))
    return [found[-30] | {"last": None}, *found[-29:]] if len(found) > 30 else found


GAMES = {
    "a, golden": lambda: golden("00.jsonl"),
    "b, golden": lambda: golden("01.jsonl"),
    "a, assassins gone": lambda: played("a", 808),
    "a, king dead": lambda: played("a", 231),
    "a, king home": lambda: played("a", 707),
    "b, assassins gone": lambda: played("b", 146),
    "b, king dead": lambda: played("b", 183),
    "b, king home": lambda: played("b", 1012),
}


# Which seat's view of which game is drawn, and in which layout: all of the golden ones, one each of the short ones.
DRAWN = {
    **{(name, seat): "wide" if seat is None else "portrait" for name in list(GAMES)[:2] for seat in (None, 0, 1)},
    **{(name, None if name[0] == "a" else 0): "wide" for name in list(GAMES)[2:]},
}


@pytest.fixture(scope="module")
def games():
    return {name: make() for name, make in GAMES.items()}


@pytest.fixture(scope="module")
def page(games):
    more = {"games.js": f"export default {json.dumps(games)};"}
    with viewer_page("assassins", SCRIPT, body=BODY, style="", more=more) as page:
        yield page


@pytest.fixture(scope="module")
def drawing(page):
    """What comes of drawing a game as a seat sees it; each is drawn when it is first asked for."""

    @cache
    def find(name, seat):
        return json.loads(page.evaluate("args => ways(...args)", [name, seat, DRAWN[name, seat], NAMES]))

    return find


def test_the_games_end_in_every_way(games):
    endings = {(name[0], game[-1]["state"]["ending"].removeprefix("ASSASSINS_ENDING_")) for name, game in games.items()}
    assert endings == {(side, how) for side in "ab" for how in ("ENTERED", "ASSASSINS_GONE", "KING_DEAD", "TOO_LATE")}


@pytest.mark.parametrize(("name", "seat"), DRAWN)
def test_a_ply_is_the_same_picture_whatever_the_way(drawing, games, name, seat):
    result = drawing(name, seat)
    assert result["different"] == []
    assert len(result["facts"]) == len(games[name])
    assert result["distinct"] > len(games[name]) * 0.9
    assert not any(shown["broken"] for shown in result["facts"])


@pytest.mark.parametrize(("name", "seat"), DRAWN)
def test_only_who_knows_the_assassins_is_shown_them(drawing, games, name, seat):
    for ply, shown in zip(games[name], drawing(name, seat)["facts"]):
        hidden = sorted(set(ply["state"]["assassins"]) - set(ply["state"]["revealed"]))
        if seat != 0:
            assert sorted(shown["secrets"]) == hidden
            assert shown["masks"] == 2 * len(hidden), "on the figure, and beside the board"
        else:
            assert (shown["secrets"], shown["masks"], shown["marks"]) == ([], 0, 0)
        # The page is given the move as the record has it, with the three citizens in it.
        choice = ply["last"] is not None and "choose" in ply["last"]["move"]
        assert bool(shown["choices"]) == (choice and seat != 0)


@pytest.mark.parametrize(("name", "seat"), DRAWN)
def test_cards_to_come_have_one_back_for_both_seats(drawing, games, name, seat):
    for ply, shown in zip(games[name], drawing(name, seat)["facts"]):
        to_come, opened = len(ply["state"]["deck"]), len(ply["state"]["cards"])
        assert shown["backs"] == (seat is not None and to_come > 0)
        # The card under the top one shows as an edge of paper.
        assert shown["papers"] - (to_come > 1) == (opened > 0) + (seat is None and to_come > 0)


def test_a_picture_of_a_seat_is_made_of_its_observation_alone(page, games):
    """Another position that this seat cannot tell from the true one gives the same picture and the same words."""
    rng = Random(1)
    for name in ("a, golden", "b, golden"):
        for ply in games[name][2::29]:
            for seat in (0, 1):
                state = GAME.codec.state_from_json(ply["state"])
                imagined = GAME.imagine(state.view(seat), rng)
                true, other = (
                    page.evaluate("args => impression(...args)", [picture_of(known, None), seat, NAMES])
                    for known in (state, imagined)
                )
                assert true == other


@pytest.mark.parametrize("name", GAMES)
def test_every_ply_is_said_in_words(page, games, name):
    for seat in (None, 0, 1):
        said = json.loads(page.evaluate("args => words(...args)", [name, seat]))
        for ply, words in zip(games[name], said):
            state = ply["state"]
            assert words["heading"]
            assert all(part["title"] and part["items"] and all(part["items"]) for part in words["lists"])
            on_board = [square for square in (*state["citizens"], *state["knights"]) if square != board.OFF]
            assert len(words["table"]["rows"]) == len(on_board) + ("king" in state)
            assert all(len(row) == len(words["table"]["head"]) for row in words["table"]["rows"])
            assert not any(word in json.dumps(words) for word in ("undefined", "null", "NaN"))
            assert seat != 0 or "hidden assassin" not in json.dumps(words)


@pytest.mark.parametrize("side", "ab")
def test_the_town_is_the_engines_board(page, side):
    town = board.load(side)
    shown = page.evaluate(
        "([name, names]) => { const svg = document.querySelector('#board');"
        " const { rounds, stepsHome, starts } = show(svg, games[name], 0, null, 'wide', names);"
        " const roofs = [...svg.querySelectorAll('rect.roof')].map((part) => part.dataset.key);"
        " const doors = [...svg.querySelectorAll('.door > title')].map((title) => title.textContent);"
        " return { rounds, stepsHome, starts, roofs, doors }; }",
        [f"{side}, golden", NAMES],
    )
    assert shown["roofs"] == [f"square-{square}" for square in range(board.SQUARES) if town.roof[square]]
    assert len(shown["doors"]) == len(town.doors)
    for text, (square, towards) in zip(shown["doors"], town.doors.items()):
        assert f"square {square:02}, to the {towards}:" in text
    assert shown["rounds"] == len(town.deck)
    starts = [chosen.king for chosen in town.starts]
    assert shown["starts"] == (starts if len(starts) > 1 else [])
    assert shown["stepsHome"] == (town.steps_home[starts[0]] if len(starts) == 1 else None)


def test_the_cards_are_the_engines_cards(page):
    for kind, (king, knights, fetters, crowd) in enumerate(CARDS):
        card = page.evaluate("kind => scene({ cards: [kind] }, null).card", kind)
        assert card == {"kind": kind, "king": king, "knights": knights, "fetters": fetters, "crowd": crowd}


@pytest.mark.parametrize("name", GAMES)
def test_texts_on_a_phone_are_large_enough_and_inside_the_picture(page, name):
    assert page.evaluate("args => badTexts(...args)", [name, NAMES]) == []


def test_names_of_strangers_are_text(page):
    draw = "names => void show(document.querySelector('#board'), games['a, golden'], 0, null, 'wide', names)"
    page.evaluate(draw, NAMES)
    assert page.locator("#board img").count() == 0
    title = page.locator("#board g.plate >> nth=0").locator("title").text_content()
    shown = page.locator("#board g.plate >> nth=0").locator("text").first.text_content()
    assert NAMES[0] in title
    assert shown.endswith("…")
    assert NAMES[0].startswith(shown[:-1])
