"""The replay viewer of RRR in a real browser, fed with what the codec writes."""

import re
import shutil
from pathlib import Path

import pytest
from rich.text import Text

from arena.testing.play import Variant, walk
from engines.rrr import GAME
from engines.rrr.moves import Place
from engines.rrr.rules import Phase, Setup
from engines.rrr.tiles import BITS, NAMES, TOWER
from tests.needs import need

VIEWER = Path(__file__).parents[2] / "engines" / "rrr" / "viewer"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
SETUPS = [setup.value for setup in Setup]
SECRET = [setup for setup in SETUPS if setup.startswith("secret")]

# Draws the plies in an order and compares each drawing with the first one of the same ply.
PAGE_SCRIPT = """
import { scene, draw, say } from "./viewer.js";
const fresh = () => document.createElementNS("http://www.w3.org/2000/svg", "svg");
const draws = (svg, ply, seat, previous, layout, duration) => {
  const shown = scene(seat === null ? ply.state : ply.views[seat], seat);
  draw(svg, shown, previous, { layout, names: ["Alpha <b>", "Beta"], duration, last: ply.last });
  return shown;
};
window.differing = (plies, order, layout) => {
  const wrong = [];
  for (const seat of [null, 0, 1]) {
    const svg = document.querySelector("svg");
    const first = plies.map((ply) => {
      const clean = fresh();
      document.body.append(clean);
      draws(clean, ply, seat, null, layout, 0);
      clean.remove();
      return clean.outerHTML;
    });
    let previous = null;
    order.forEach((number, step) => {
      previous = draws(svg, plies[number], seat, previous, layout, step % 3 ? 0 : 150);
      if (svg.outerHTML !== first[number]) wrong.push([seat, number]);
    });
  }
  return wrong;
};
window.drawn = (ply, seat, layout) => {
  const svg = fresh();
  const shown = draws(svg, ply, seat, null, layout, 0);
  return { svg: svg.outerHTML, words: say(shown), scene: shown };
};
window.ready = true;
"""
PAGE = "<!doctype html><link rel=stylesheet href=viewer.css><script type=module src=page.js></script><svg></svg>"
FILES = {
    "/": ("text/html", PAGE),
    "/page.js": ("text/javascript", PAGE_SCRIPT),
    "/viewer.js": ("text/javascript", (VIEWER / "viewer.js").read_text()),
    "/viewer.css": ("text/css", (VIEWER / "viewer.css").read_text()),
}


@pytest.fixture(scope="module")
def page():
    """A page with the viewer under the policy of the site; whatever it logs is a failure."""
    chromium = shutil.which("chromium")
    need(None if chromium else "chromium is not installed")
    playwright = pytest.importorskip("playwright.sync_api")
    complaints = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.on("console", lambda message: complaints.append(message.text))
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        opened.route("**/*", answer)
        opened.goto("http://viewer.test/")
        opened.wait_for_function("() => window.ready")
        yield opened
        browser.close()
    assert not complaints


def answer(route):
    kind, text = FILES.get(route.request.url.removeprefix("http://viewer.test"), ("text/plain", ""))
    headers = {"content-type": f"{kind}; charset=utf-8", "content-security-policy": POLICY}
    route.fulfill(status=200, headers=headers, body=text)


def play(setup, victory="rounds", seed=1, **options):
    """Every position of a random match with the move that led to it."""
    options = {"setup": setup, "victory": victory, **options}
    last = None
    for state, move in walk(GAME, Variant(2, options, GAME.configure(2, options)), seed):
        yield state.clone(), last
        if move is not None:
            last = (state.clone(), move)


def ply(state, last):
    """What the player gives the viewer; the last move is the full one, whatever the seat may know of it."""
    codec = GAME.codec
    told = None
    if last:
        before, move = last
        text = Text.from_markup(GAME.tell(before, move)).plain
        told = {"seat": before.to_move(), "move": codec.move_to_json(move), "text": text}
    views = [codec.observation_to_json(state.view(seat)) for seat in (0, 1)]
    return {"state": codec.state_to_json(state), "views": views, "last": told}


def scenes(page, plies, seat=None):
    script = "([plies, seat]) => plies.map((ply) => window.drawn(ply, seat, 'portrait'))"
    return page.evaluate(script, [plies, seat])


def spaces(mask):
    return list(BITS[mask])


# -- the drawing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("victory", ["rounds", "points"])
@pytest.mark.parametrize("setup", SETUPS)
def test_a_ply_looks_the_same_whatever_the_way(page, setup, victory):
    plies = [ply(*step) for step in play(setup, victory, first=str(len(setup) % 2))]
    count = len(plies)
    jumps = [number * 7919 % count for number in range(count)]
    order = [*range(count), *reversed(range(count)), *jumps, 0, 0, count - 1, count - 1]
    layout = "wide" if victory == "rounds" else "portrait"
    assert page.evaluate("([plies, order, layout]) => window.differing(plies, order, layout)", [plies, order, layout]) == []


def test_text_is_large_enough_for_a_phone(page):
    plies = [ply(*step) for setup in SETUPS for step in play(setup, "points", seed=3)]
    for found in scenes(page, plies):
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', found["svg"])]
        assert min(sizes) * 370 / 600 >= 12


@pytest.mark.parametrize("setup", ["neutral-zone", "secret-draft"])
def test_badges_are_on_the_tiles_that_the_move_rotated(page, setup):
    seen = 0
    for seed in range(4):
        steps = [step for step in play(setup, "points", seed=seed) if step[1] and type(step[1][1]) is Place]
        for (state, (before, move)), found in zip(steps, scenes(page, [ply(*step) for step in steps])):
            if TOWER in state.table.discard:
                continue  # what it covered may have come to light in the same move
            table, old = state.table, before.table
            stayed = table.up & (old.up | 1 << move.space) & ~sum(
                1 << space for space in range(9) if table.board[space] != old.board[space] and space != move.space
            )
            expected = old.facing & ~(1 << move.space) | before.to_move() << move.space
            turned = spaces((table.facing ^ expected) & stayed)
            marked = sorted(int(space) for space in re.findall(r'data-mark="rotate (\d)"', found["svg"]))
            assert marked == turned
            seen += bool(turned)
    assert seen > 20


# -- what it says ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("setup", SETUPS)
def test_the_scene_agrees_with_the_rules(page, setup):
    steps = list(play(setup, "points", seed=2, rounds="9"))
    for (state, _), found in zip(steps, scenes(page, [ply(*step) for step in steps])):
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
    ended = [
        (ply(state, last), state.mover)
        for seed in range(12)
        for state, last in play("neutral-zone", "points", seed=seed, rounds="9")
        if state.phase is Phase.NAME
    ]
    for over, _ in ended:
        over["state"] |= {"phase": "RRR_PHASE_OVER", "mover": 0}
    found = scenes(page, [over for over, _ in ended])
    assert [shown["scene"]["result"]["loser"] for shown in found] == [loser for _, loser in ended]


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_every_ply_has_words(page, setup, seat):
    for found in scenes(page, [ply(*step) for step in play(setup, seed=4)], seat):
        words = found["words"]
        assert words["heading"]
        assert all(listed["title"] and all(listed["items"]) for listed in words["lists"])
        assert [len(row) for row in words["table"]["rows"]] == [4, 4, 4]
        assert len(words["table"]["head"]) == 4
        assert all(map(all, words["table"]["rows"]))


# -- what a seat may not know ---------------------------------------------------------------------------


def secrets_of(state, seat):
    """The tiles that lie somewhere on the table, but not to the knowledge of this seat."""
    hidden = set(state.table.hidden[1 - seat])
    return hidden | (set(state.offer) - set(state.view(seat).offer))


@pytest.mark.parametrize("setup", SECRET)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_does_not_see_what_it_may_not_know(page, setup, seat):
    checked = 0
    for seed in range(3):
        steps = list(play(setup, "points", seed=seed))
        for (state, _), found in zip(steps, scenes(page, [ply(*step) for step in steps], seat)):
            shown = f"{found['svg']} {found['words']} {found['scene']}"
            for tile in secrets_of(state, seat):
                assert not re.search(rf"\b{NAMES[tile]}\b", shown, re.IGNORECASE)
                checked += 1
            backs = len(state.table.hidden[1 - seat]) + len(state.offer) - len(state.view(seat).offer)
            assert found["svg"].count("rrr-back") == backs
    assert checked > 50


def test_everything_is_open_without_a_seat(page):
    for found in scenes(page, [ply(*step) for step in play("secret-draft")]):
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
