"""A page in a real browser that shows one game's replay viewer, and the checks that all positions of a game must pass.

The page has the strict content policy of the served site and gets its files out of the engine's folder; no server runs.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.registry import games
from arena.testing.play import Variant, walk
from tests.needs import need

ENGINES = Path(__file__).parents[2] / "engines"
CHROMIUM = Path("/usr/bin/chromium")
ADDRESS = "http://viewer.test/"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
NAMES = ["<b>Ada</b> & the Tricksters", "a-bot-with-a-name-that-is-far-too-long-for-any-place", "碁の名人ボット第三版", "Bo"]
PAGE = """<!doctype html><html lang="en"><title>viewer</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/viewer.css"><link rel="stylesheet" href="/page.css">
<body><svg id="board"></svg><script type="module" src="/page.js"></script>"""
STYLE = "body { margin: 0 } svg { display: block; width: 1000px } svg.phone { width: 370px }"
SCRIPT = """
import { scene, draw, say } from "/viewer.js";
const svgOf = (layout) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", layout === "portrait" ? "phone" : "desk");
  document.body.replaceChildren(svg);
  return svg;
};
const sceneAt = (game, ply, seat) => scene(seat === null ? game[ply].state : game[ply].views[seat], seat);

// The SVG text of every ply, drawn on an empty element.
function fresh(game, seat, layout, names) {
  return game.map((at, ply) => {
    const svg = svgOf(layout);
    draw(svg, sceneAt(game, ply, seat), null, { layout, names, duration: 0, last: at.last });
    return svg.outerHTML;
  });
}

// The plies whose SVG differs from `expected` when one element shows them in this order.
function differing(game, seat, layout, names, order, expected, duration) {
  const svg = svgOf(layout);
  let previous = null;
  return order.filter((ply) => {
    const view = sceneAt(game, ply, seat);
    draw(svg, view, previous, { layout, names, duration, last: game[ply].last });
    previous = view;
    return svg.outerHTML !== expected[ply];
  });
}

// What is wrong with the texts of a ply: too small on a phone, outside of the picture, or over one another.
function badTexts(game, ply, seat, layout, names) {
  const svg = svgOf(layout);
  draw(svg, sceneAt(game, ply, seat), null, { layout, names, duration: 0, last: game[ply].last });
  const frame = svg.getBoundingClientRect(), wrong = [], boxes = [];
  for (const element of svg.querySelectorAll("text")) {
    const box = element.getBoundingClientRect(), words = element.textContent;
    const size = parseFloat(element.getAttribute("font-size")) * element.getScreenCTM().a;
    if (layout === "portrait" && size < 11.99) wrong.push(`${words}: ${size} px`);
    const outside = box.left < frame.left || box.right > frame.right || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
    if (outside) wrong.push(`${words}: outside`);
    // Cards may lie over one another, labels may not; the box of a line is higher than its letters.
    if (!element.closest(".card")) boxes.push({ words, left: box.left, right: box.right, top: box.top + size * 0.35, bottom: box.bottom - size * 0.35 });
  }
  boxes.forEach((a, index) => boxes.slice(index + 1).forEach((b) => {
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom) wrong.push(`${a.words} over ${b.words}`);
  }));
  return wrong;
}

const words = (game, ply, seat) => say(sceneAt(game, ply, seat));
const moving = (game, ply, seat, layout) => {
  const svg = svgOf(layout), before = sceneAt(game, ply - 1, seat);
  draw(svg, before, null, { layout, names: [], duration: 0, last: game[ply - 1].last });
  const elements = new Set(svg.children);
  draw(svg, sceneAt(game, ply, seat), before, { layout, names: [], duration: 1000, last: game[ply].last });
  const animated = svg.getAnimations({ subtree: true }).map((animation) => animation.effect.target);
  return { animated: animated.length, kept: animated.filter((element) => elements.has(element)).length };
};
window.viewer = { fresh, differing, badTexts, words, moving };
"""


@contextmanager
def viewer_page(game: str) -> Iterator[Any]:
    """The open page of a game's viewer; at the end it must not have logged an error."""
    need(_missing())
    from playwright.sync_api import sync_playwright

    folder = ENGINES / game / "viewer"
    files = {
        "": (PAGE, "text/html"),
        "page.css": (STYLE, "text/css"),
        "page.js": (SCRIPT, "text/javascript"),
        "viewer.js": ((folder / "viewer.js").read_text(), "text/javascript"),
        "viewer.css": ((folder / "viewer.css").read_text(), "text/css"),
    }

    def serve(route: Any) -> None:
        body, kind = files[route.request.url.removeprefix(ADDRESS)]
        route.fulfill(body=body, content_type=f"{kind}; charset=utf-8", headers={"Content-Security-Policy": POLICY})

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1020, "height": 1000})
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.route("**/*", serve)
        page.goto(ADDRESS)
        page.wait_for_function("window.viewer")
        yield page
        browser.close()
        assert complaints == []


def _missing() -> str | None:
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return None if CHROMIUM.exists() else f"there is no browser at {CHROMIUM}"


def replay(game: str, variant: Variant, seed: int) -> list[dict[str, Any]]:
    """Every position of a random game as the viewer gets it: the state, each seat's view and the move before it."""
    plies, last = [], None
    engine = games()[game]
    codec = engine.codec
    for state, move in walk(engine, variant, seed):
        views = [codec.observation_to_json(state.view(seat)) for seat in range(variant.seats)]
        plies.append({"state": codec.state_to_json(state), "views": views, "last": last, "position": state.clone()})
        if move is not None:
            text = engine.tell(state, move)
            last = {"seat": state.to_move(), "move": codec.move_to_json(move), "text": text}
    return plies


def call(page: Any, function: str, plies: list[dict[str, Any]], *arguments: Any) -> Any:
    """Call a function of the page with the JSON of these plies."""
    data = [{key: ply[key] for key in ("state", "views", "last")} for ply in plies]
    return page.evaluate(f"([game, rest]) => window.viewer.{function}(game, ...rest)", [data, list(arguments)])


def check_same_whatever_the_way(page: Any, plies: list[dict[str, Any]], seat: int | None, layout: str) -> list[str]:
    """Draw forwards, backwards, in jumps, twice and animated; every ply must look the same; return the pictures."""
    expected: list[str] = call(page, "fresh", plies, seat, layout, NAMES)
    count = len(plies)
    forwards = list(range(count))
    jumps = [ply * 37 % count for ply in range(count)]
    twice = [ply for jump in jumps[:10] for ply in (jump, jump)]
    for order, duration in ((forwards, 0), (forwards[::-1], 0), (jumps, 0), (twice, 0), (forwards, 200), (jumps, 200)):
        assert call(page, "differing", plies, seat, layout, NAMES, order, expected, duration) == []
    return expected


def words_of(picture: str) -> str:
    """All that an SVG says: its texts and titles."""
    return "\n".join(re.findall(r">([^<>]+)<", picture))


def check_says_something(page: Any, plies: list[dict[str, Any]], seat: int | None) -> list[str]:
    """Every ply must be described in words; return what is said."""
    said = []
    for ply in range(len(plies)):
        words = call(page, "words", plies[ply : ply + 1], 0, seat)
        assert words["heading"].strip()
        assert words["lists"] and all(part["title"] and part["items"] and all(part["items"]) for part in words["lists"])
        table = words["table"]
        assert all(len(row) == len(table["head"]) for row in table["rows"])
        said.append(json.dumps(words, ensure_ascii=False))
    return said
