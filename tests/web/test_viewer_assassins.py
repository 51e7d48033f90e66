"""The replay viewer of King & Assassins in a real browser: the same picture whatever the way, and no secret in it."""

import json
import shutil
from pathlib import Path
from random import Random

import pytest

from engines.assassins import GAME, board
from engines.assassins.moves import CHOOSE, ENTER, KILL
from engines.assassins.rules import CARDS
from tests.needs import need

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

ROOT = Path(__file__).parents[2]
VIEWER = ROOT / "engines" / "assassins" / "viewer"
GOLDEN = ROOT / "tests" / "data" / "assassins" / "golden"
HOST = "http://viewer.test/"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
NAMES = ["<img src=x onerror=alert(1)> the king's own bot with a very long name", "sneaky"]

PAGE = """<!doctype html><meta charset="utf-8"><title>viewer</title>
<link rel="stylesheet" href="viewer.css"><script type="module" src="page.js"></script>
<body class="game-assassins"><svg id="board" width="370"></svg>"""

SCRIPT = """
import { scene, draw, say } from "./viewer.js";

const fresh = () => document.createElementNS("http://www.w3.org/2000/svg", "svg");
const see = (ply, seat) => scene(seat === null ? ply.state : ply.views[seat], seat);
const order = (length) => [...Array(length).keys()];

// Draws one ply into an SVG; what the caller says about the last move is all that the full state gives.
function show(svg, game, index, seat, layout, names, previous = null, duration = 0) {
  const now = see(game[index], seat), last = game[index].last && { ...game[index].last };
  if (last && layout === "wide") last.before = see(game[index - 1], seat);
  draw(svg, now, previous, { layout, names, duration, last });
  return now;
}

// Every ply drawn into an empty SVG, and then by each way through the game into one that is drawn over and over.
function ways(game, seat, layout, names) {
  const alone = game.map((_, index) => { const svg = fresh(); show(svg, game, index, seat, layout, names); return svg.outerHTML; });
  const jumps = order(game.length).map((index) => (index * 37) % game.length);
  const paths = { forwards: order(game.length), backwards: order(game.length).reverse(), jumps, twice: [0, 0, 5, 5] };
  const different = [];
  for (const [way, path] of Object.entries(paths)) {
    const svg = document.body.appendChild(fresh());
    let previous = null;
    for (const index of path) {
      previous = show(svg, game, index, seat, layout, names, previous, way === "forwards" ? 50 : 0);
      if (svg.outerHTML !== alone[index]) different.push(`${way} ${index}`);
    }
    svg.remove();
  }
  return { alone, different };
}

// Texts of the shown SVG that are too small or reach over its edge.
function badTexts(game, index, seat, names) {
  const svg = document.querySelector("#board");
  show(svg, game, index, seat, "portrait", names);
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect(), size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
    return size < 12 || box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom;
  }).map((text) => text.textContent);
}

Object.assign(window, { scene, draw, say, see, show, ways, badTexts, ready: true });
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
        last = {"seat": state.to_move(), "move": GAME.codec.move_to_json(move), "text": GAME.tell(state, move)}
        state.apply(move)
        found.append(picture_of(state, last))
    return found


def golden(name):
    first, *rest = map(json.loads, (GOLDEN / name).read_text().splitlines())
    moves = iter([GAME.codec.move_from_json(line["move"]) for line in rest if "move" in line])
    return plies(GAME.start(GAME.configure(2, first["options"]), first["seed"]), lambda _: next(moves))


def played(side, seed):
    rng = Random(seed)
    return plies(GAME.start(GAME.configure(2, {"board": side}), seed), lambda state: eager(state, rng))


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


@pytest.fixture(scope="module")
def games():
    return {name: make() for name, make in GAMES.items()}


@pytest.fixture(scope="module")
def browser():
    need(None if sync_playwright else "playwright is not installed: pip install playwright")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    need(None if chromium else "there is no chromium: apt install chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser):
    """A page with the viewer, under the policy of the real one; no test may leave an error in its console."""
    files = {
        "": ("text/html", PAGE),
        "page.js": ("text/javascript", SCRIPT),
        "viewer.js": ("text/javascript", (VIEWER / "viewer.js").read_text()),
        "viewer.css": ("text/css", (VIEWER / "viewer.css").read_text()),
    }

    def answer(route):
        kind, body = files.get(route.request.url.removeprefix(HOST), ("text/plain", None))
        headers = {"Content-Type": f"{kind}; charset=utf-8", "Content-Security-Policy": POLICY}
        route.fulfill(status=404 if body is None else 200, headers=headers, body=body or "")

    opened = browser.new_page()
    errors = []
    opened.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.route("**/*", answer)
    opened.goto(HOST)
    opened.wait_for_function("() => window.ready")
    yield opened
    opened.close()
    assert errors == []


def test_the_games_end_in_every_way(games):
    endings = {(name[0], game[-1]["state"]["ending"].removeprefix("ASSASSINS_ENDING_")) for name, game in games.items()}
    assert endings == {(side, how) for side in "ab" for how in ("ENTERED", "ASSASSINS_GONE", "KING_DEAD", "TOO_LATE")}


@pytest.mark.parametrize("name", GAMES)
def test_a_ply_is_the_same_picture_whatever_the_way(page, games, name):
    for seat, layout in ((None, "wide"), (0, "portrait"), (1, "wide")):
        result = page.evaluate("args => ways(...args)", [games[name], seat, layout, NAMES])
        assert result["different"] == []
        assert len(set(result["alone"])) > len(games[name]) * 0.9
        assert not any(word in text for text in result["alone"] for word in ("undefined", "NaN", "[object", ">null<"))


@pytest.mark.parametrize("name", ["a, golden", "b, golden"])
def test_the_king_is_not_shown_who_the_assassins_are(page, games, name):
    pictures = {
        seat: page.evaluate("args => ways(...args)", [games[name], seat, "wide", NAMES])["alone"] for seat in (None, 0, 1)
    }
    for index, ply in enumerate(games[name][1:], 1):
        hidden = set(ply["state"]["assassins"]) - set(ply["state"]["revealed"])
        for seat, shown in pictures.items():
            secrets = [number for number in range(1, 13) if f"hidden assassin {number}," in shown[index]]
            assert secrets == ([] if seat == 0 else sorted(hidden)), (seat, index)
        assert 'class="mask"' not in pictures[0][index]
        assert ("secret" in pictures[0][index]) == ("choose" in ply["last"]["move"]), "only that the choice was secret"


@pytest.mark.parametrize("name", ["a, golden", "b, golden"])
def test_cards_to_come_have_one_back_for_both_seats(page, games, name):
    for seat in (None, 0, 1):
        pictures = page.evaluate("args => ways(...args)", [games[name], seat, "wide", NAMES])["alone"]
        for ply, shown in zip(games[name], pictures):
            assert ('class="card back"' in shown) == (seat is not None and bool(ply["state"]["deck"]))
            faces = shown.count('class="paper"') - (len(ply["state"]["deck"]) > 1)
            assert faces == bool(ply["state"]["cards"]) + (seat is None and bool(ply["state"]["deck"]))


def test_a_picture_of_a_seat_is_made_of_its_observation_alone(page, games):
    """Another position that this seat cannot tell from the true one gives the same picture and the same words."""
    rng = Random(1)
    for name in ("a, golden", "b, golden"):
        for ply in games[name][2::13]:
            for seat in (0, 1):
                state = GAME.codec.state_from_json(ply["state"])
                imagined = GAME.imagine(state.view(seat), rng)
                twin = [picture_of(state, None), picture_of(imagined, None)]
                drawn = page.evaluate(
                    "([twin, seat, names]) => [...twin.keys()].map((index) => { const svg = document.querySelector('#board');"
                    " const now = show(svg, twin, index, seat, 'portrait', names); return svg.outerHTML + JSON.stringify(say(now)); })",
                    [twin, seat, NAMES],
                )
                assert drawn[0] == drawn[1]


@pytest.mark.parametrize("name", GAMES)
def test_every_ply_is_said_in_words(page, games, name):
    for seat in (None, 0, 1):
        said = page.evaluate("([game, seat]) => game.map((ply) => say(see(ply, seat)))", [games[name], seat])
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
def test_the_town_is_the_engines_board(page, games, side):
    town, start = board.load(side), games[f"{side}, golden"][0]
    shown = page.evaluate(
        "([game, names]) => { const now = show(document.querySelector('#board'), game, 0, null, 'wide', names);"
        " const keys = (query) => [...document.querySelectorAll(query)].map((part) => part.dataset.key);"
        " return { rounds: now.rounds, home: now.stepsHome, starts: now.starts, roofs: keys('rect.roof'),"
        " doors: [...document.querySelectorAll('.door > title')].map((title) => title.textContent) }; }",
        [[start], NAMES],
    )
    assert shown["roofs"] == [f"square-{square}" for square in range(board.SQUARES) if town.roof[square]]
    assert len(shown["doors"]) == len(town.doors)
    for text, (square, towards) in zip(shown["doors"], town.doors.items()):
        assert f"square {square:02}, to the {towards}:" in text
    assert shown["rounds"] == len(town.deck)
    starts = [chosen.king for chosen in town.starts]
    assert shown["starts"] == (starts if len(starts) > 1 else [])
    assert shown["home"] == (town.steps_home[starts[0]] if len(starts) == 1 else None)


def test_the_cards_are_the_engines_cards(page):
    for kind, (king, knights, fetters, crowd) in enumerate(CARDS):
        card = page.evaluate("kind => scene({ cards: [kind] }, null).card", kind)
        assert card == {"kind": kind, "king": king, "knights": knights, "fetters": fetters, "crowd": crowd}


def test_texts_on_a_phone_are_large_enough_and_inside_the_picture(page, games):
    for game in games.values():
        for index in (*range(0, len(game), 25), len(game) - 1):
            bad = page.evaluate("args => badTexts(...args)", [game, index, None, NAMES])
            assert bad == [], index


def test_names_of_strangers_are_text(page, games):
    page.evaluate("([game, names]) => show(document.querySelector('#board'), game, 0, null, 'wide', names)",
                  [games["a, golden"], NAMES])  # fmt: skip
    assert page.locator("#board img").count() == 0
    title = page.locator("#board g.plate >> nth=0").locator("title").text_content()
    shown = page.locator("#board g.plate >> nth=0").locator("text").first.text_content()
    assert NAMES[0] in title
    assert shown.endswith("…")
    assert NAMES[0].startswith(shown[:-1])
