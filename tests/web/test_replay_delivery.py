"""The forms in which a replay page comes: one file, a folder with linked styles, a server with everything linked."""

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from arena.registry import find
from arena.web.assets import Assets, Delivery
from arena.web.links import ASSETS
from arena.web.player import player_part
from arena.web.rendering import OutputMode, SiteContext, render, site_files
from arena.web.replay_data import read_replay
from arena.web.replay_page import replay_page
from tests.web.replays import random_match

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser loads pages from a server")]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PLACES = """() => ['0', '7', '52'].map((ply) => {
  const slider = document.querySelector('.scrub input');
  slider.value = ply;
  slider.dispatchEvent(new Event('input'));
  return ['.board', '.caption', '.moves', '.times'].map((part) => document.querySelector(part).outerHTML).join('');
})"""


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder under the strict policy of the served site."""

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, *args):
        pass


@contextmanager
def served(folder):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the same match in all forms, and the files that linked pages ask for."""
    folder = tmp_path_factory.mktemp("site")
    replay = read_replay(find("claim"), random_match("claim"))
    for name, text in site_files([find("claim")]).items():
        path = folder / ASSETS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    pages = folder / "a/b"
    pages.mkdir(parents=True)
    (pages / "replay.bin").write_bytes(replay.packed())
    page = replay_page(replay)
    modes = {"one": (OutputMode.SINGLE, ""), "built": (OutputMode.FOLDER, ""), "linked": (OutputMode.SERVED, "")}
    for name, (mode, data) in (modes | {"fetched": (OutputMode.SERVED, "a/b/replay.bin")}).items():
        shown = replace(page, path=f"a/b/{name}.html", replay_file=data)
        (pages / f"{name}.html").write_text(render(shown, SiteContext(mode=mode)), encoding="utf-8")
    return folder


def test_every_form_shows_the_same(watched, site):
    expected = watched.open((site / "a/b/one.html").as_uri()).evaluate(PLACES)
    assert watched.open((site / "a/b/built.html").as_uri()).evaluate(PLACES) == expected
    with served(site) as address:
        for form in ("linked", "fetched"):
            assert watched.open(f"{address}/a/b/{form}.html").evaluate(PLACES) == expected, form


def test_a_page_in_the_browser_has_its_styles(watched, site):
    page = watched.open((site / "a/b/built.html").as_uri())
    assert page.evaluate("() => getComputedStyle(document.querySelector('.stage')).display") == "grid"


def test_the_assets_of_the_page_around_are_shared():
    replay = read_replay(find("claim"), random_match("claim"))
    assets = Assets(Delivery())
    assets.style("site.css", "body {}")
    part = player_part(replay, assets)
    assert assets.policy().count("'sha256-") == 1 + 3 + 2, "ours, three style sheets, a script and a module"
    assert "<script" in part.head[0]
    assert part.data
