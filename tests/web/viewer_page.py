"""A page in a real browser that shows one game's replay viewer, and the checks that all positions of a game must pass.

The page has the strict content policy of the served site and gets its files out of the engine's folder; no server runs.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.registry import games
from arena.testing.play import Variant, walk
from tests.web.browser import launched

ENGINES = Path(__file__).parents[2] / "engines"
ADDRESS = "http://viewer.test/"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
NAMES = [
    "<b>Ada</b> & the Tricksters",
    "a-bot-with-a-name-that-is-far-too-long-for-any-place",
    "碁の名人ボット第三版",
    "Bo",
]
PAGE = """<!doctype html><html lang="en"><title>viewer</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/viewer.css"><link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>"""
BODY = '<body><svg id="board"></svg>'
STYLE = "body { margin: 0 } svg { display: block; width: 1000px } svg.phone { width: 370px }"
SCRIPT = """
import { scene, draw, say } from "/viewer.js";

function svgOf(layout) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", layout === "portrait" ? "phone" : "desk");
  document.body.replaceChildren(svg);
  return svg;
}
const sceneOf = (at, seat) => scene(seat === null ? at.state : at.views[seat], seat);

function show(svg, at, seat, layout, names, previous, duration) {
  const view = sceneOf(at, seat);
  draw(svg, view, previous, { layout, names, duration, last: at.last });
  return view;
}

// Draws every ply forwards on one element, then in other ways: how many different pictures there are, and which
// plies look different in another way.
function ways(game, seat, layout, names) {
  const forwards = game.map((_, ply) => ply);
  const jumps = forwards.map((ply) => (ply * 37) % game.length);
  const expected = inOrder(game, forwards, seat, layout, names, 0);
  const differing = [];
  const compare = (way, order, pictures) => order.forEach((ply, index) => {
    if (pictures[index] !== expected[ply]) differing.push(`${way} ${ply}`);
  });
  const backwards = [...forwards].reverse(), some = jumps.slice(0, 12), twice = some.flatMap((ply) => [ply, ply]);
  compare("backwards", backwards, inOrder(game, backwards, seat, layout, names, 0));
  compare("jumping", jumps, inOrder(game, jumps, seat, layout, names, 200));
  compare("twice", twice, inOrder(game, twice, seat, layout, names, 0));
  compare("alone", some, some.map((ply) => inOrder(game, [ply], seat, layout, names, 0)[0]));
  return { pictures: new Set(expected).size, differing };
}

// The pictures of these plies, drawn one after the other on one element.
function inOrder(game, order, seat, layout, names, duration) {
  const svg = svgOf(layout);
  let previous = null;
  return order.map((ply) => {
    previous = show(svg, game[ply], seat, layout, names, previous, duration);
    return svg.outerHTML;
  });
}

// What is wrong with the texts of some plies: too small on a phone, outside of the picture, or over one another.
function badTexts(game, seat, layout, names, step) {
  return game.filter((_, ply) => ply % step === 0 || ply === game.length - 1)
    .flatMap((at) => wrongTexts(at, seat, layout, names));
}

function wrongTexts(at, seat, layout, names) {
  const svg = svgOf(layout);
  show(svg, at, seat, layout, names, null, 0);
  const frame = svg.getBoundingClientRect(), wrong = [], boxes = [];
  for (const element of svg.querySelectorAll("text")) {
    const { left, right, top, bottom } = element.getBoundingClientRect(), words = element.textContent;
    const size = parseFloat(element.getAttribute("font-size")) * element.getScreenCTM().a;
    if (layout === "portrait" && size < 11.99) wrong.push(`${words}: ${size} px`);
    const beside = left < frame.left || right > frame.right, beyond = top < frame.top - 2 || bottom > frame.bottom + 2;
    if (beside || beyond) wrong.push(`${words}: outside`);
    // Cards may lie over one another, labels may not; the box of a line is higher than its letters.
    const inner = { words, left, right, top: top + size * 0.35, bottom: bottom - size * 0.35 };
    if (!element.closest(".card")) boxes.push(inner);
  }
  boxes.forEach((a, index) => boxes.slice(index + 1).forEach((b) => {
    const across = a.left < b.right - 1 && b.left < a.right - 1;
    if (across && a.top < b.bottom && b.top < a.bottom) wrong.push(`${a.words} over ${b.words}`);
  }));
  return wrong;
}

// The words of every ply: what `say` says, and all texts and titles of the picture.
function words(game, seat) {
  const svg = svgOf("wide");
  return game.map((at) => {
    const view = show(svg, at, seat, "wide", [], null, 0);
    const drawn = [...svg.querySelectorAll("text, title")].map((element) => element.textContent);
    return { said: say(view), drawn };
  });
}

// How many elements move from one ply to the next, and how many of them were there before.
function moving(game, ply, seat) {
  const svg = svgOf("wide");
  const before = show(svg, game[ply - 1], seat, "wide", [], null, 0);
  const elements = new Set(svg.children);
  show(svg, game[ply], seat, "wide", [], before, 1000);
  const animated = svg.getAnimations({ subtree: true }).map((animation) => animation.effect.target);
  return { animated: animated.length, kept: animated.filter((element) => elements.has(element)).length };
}
window.viewer = { ways, badTexts, words, moving, games: [] };
"""


@contextmanager
def viewer_page(
    game: str, script: str = SCRIPT, *, body: str = BODY, style: str = STYLE, more: Mapping[str, str] | None = None
) -> Iterator[Any]:
    """The open page of a game's viewer, when its script has set `window.viewer`; it must not have logged anything.

    More modules may be given by name, for the script to import.
    """
    folder = ENGINES / game / "viewer"
    files = {
        "": (PAGE + body, "text/html"),
        "page.css": (style, "text/css"),
        "viewer.css": ((folder / "viewer.css").read_text(), "text/css"),
        "viewer.js": ((folder / "viewer.js").read_text(), "text/javascript"),
        "page.js": (script, "text/javascript"),
        **{name: (text, "text/javascript") for name, text in (more or {}).items()},
    }

    def serve(route: Any) -> None:
        text, kind = files[route.request.url.removeprefix(ADDRESS)]
        route.fulfill(body=text, content_type=f"{kind}; charset=utf-8", headers={"Content-Security-Policy": POLICY})

    complaints: list[str] = []
    with launched() as browser:
        page = browser.new_page(viewport={"width": 1020, "height": 1000})
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.route("**/*", serve)
        page.goto(ADDRESS)
        page.wait_for_function("window.viewer")
        yield page
    assert complaints == []


def replay(game: str, variant: Variant, seed: int) -> list[dict[str, Any]]:
    """Every position of a random game as the viewer gets it: the state, each seat's view and the move before it."""
    plies, last = [], None
    engine = games()[game]
    codec = engine.codec
    for state, move in walk(engine, variant, seed):
        views = [codec.observation_to_json(state.view(seat)) for seat in range(variant.seats)]
        plies.append({"state": codec.state_to_json(state), "views": views, "last": last, "position": state.clone()})
        if move is not None:
            text = engine.describe_move(state, move)
            last = {"seat": state.to_move(), "move": codec.move_to_json(move), "text": text}
    return plies


def load(page: Any, replays: list[list[dict[str, Any]]]) -> None:
    """Give the page these games; the functions of the page name one by its index."""
    data = [[{key: ply[key] for key in ("state", "views", "last")} for ply in plies] for plies in replays]
    page.evaluate("games => { window.viewer.games = JSON.parse(games) }", json.dumps(data))


def call(page: Any, function: str, game: int, *arguments: Any) -> Any:
    """Call a function of the page for one of its games."""
    return page.evaluate(f"([at, rest]) => viewer.{function}(viewer.games[at], ...rest)", [game, list(arguments)])


def check_same_whatever_the_way(page: Any, game: int, seat: int | None, layout: str, plies: int) -> None:
    """Every ply must look the same when drawn forwards, backwards, in animated jumps, twice in a row, or alone."""
    result = call(page, "ways", game, seat, layout, NAMES)
    assert result["differing"] == []
    assert result["pictures"] == plies


Words = tuple[dict[str, Any], list[str]]
"""What `say` says of a ply, and all texts and titles of its picture."""


def words_of(page: Any, game: int, seat: int | None) -> list[Words]:
    """The words of every ply; what `say` says must be complete."""
    spoken: list[Words] = []
    for ply in call(page, "words", game, seat):
        said = ply["said"]
        assert said["heading"].strip()
        assert said["lists"]
        assert all(part["title"] and part["items"] and all(part["items"]) for part in said["lists"])
        assert all(len(row) == len(said["table"]["head"]) for row in said["table"]["rows"])
        spoken.append((said, ply["drawn"]))
    return spoken
