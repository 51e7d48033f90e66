"""The player of a match that goes on: moves are added while people watch, and the end is told when it comes."""

from dataclasses import replace

import pytest

from arena.registry import find
from arena.web.links import ASSETS
from arena.web.rendering import SiteContext, render, site_files
from arena.web.replay_data import read_replay
from arena.web.replay_page import replay_page
from tests.web.replays import random_match
from tests.web.test_replay_delivery import served

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser draws while moves come")]

ENTRY = """
import { start } from "./player.js";
const { viewer } = document.querySelector(".player").dataset;
window.player = await start(await import(new URL(viewer, document.baseURI).href));
"""


@pytest.fixture(scope="module")
def whole():
    return read_replay(find("claim"), random_match("claim"))


@pytest.fixture(scope="module")
def folder(whole, tmp_path_factory):
    """A page that knows the first five moves, and an entry that hands out its player."""
    folder = tmp_path_factory.mktemp("live")
    for name, text in (site_files([find("claim")]) | {"watch.js": ENTRY}).items():
        path = folder / ASSETS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    first = {"live": True, "positions": whole.data["positions"][:6], "moves": whole.data["moves"][:5]}
    page = render(replay_page(replace(whole, data=whole.data | first)), SiteContext())
    (folder / "live.html").write_text(page, encoding="utf-8")
    return folder


def play(page, whole, first, last):
    for ply in range(first, last):
        page.evaluate(
            "([position, move]) => window.player.append(position, move)",
            [whole.data["positions"][ply + 1], whole.data["moves"][ply]],
        )


def test_moves_are_added_and_the_latest_is_followed(watched, folder, whole):
    with served(folder) as address:
        page = watched.open(f"{address}/live.html#5")
        assert page.locator(".now").inner_text() == "live"
        assert "The match goes on" in page.locator(".moves").inner_text()
        play(page, whole, 5, 8)
        assert page.locator(".scrub input").input_value() == "8"
        assert page.locator("[aria-live]").inner_text().startswith("Move 8")
        page.keyboard.press("ArrowLeft")
        play(page, whole, 8, 10)
        assert page.locator(".scrub input").input_value() == "7", "who looks back is left where they are"
        page.get_by_text("3 behind: to now").click()
        assert page.locator(".scrub input").input_value() == "10"
        assert "votes" not in page.locator(".caption").inner_text()
        play(page, whole, 10, 52)
        ending = {key: whole.data[key] for key in ("seats", "result", "void")}
        page.evaluate("(ending) => window.player.finish(ending)", ending)
        assert whole.result in page.locator(".caption").inner_text()
        assert page.locator(".now").is_hidden()
        assert page.locator(".moves button").count() == 53
        assert page.locator(".times .bar").count() == 52
