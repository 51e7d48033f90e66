"""The site: every page as a file and served, for everybody, whatever strangers called their bots."""

import re
import shutil
import sqlite3
import time
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from arena.registry import find, games
from arena.store.base import MatchEntry, SeatResult
from arena.store.sql import Store
from arena.web import build
from arena.web.build import build_site
from arena.web.pages.views import match_name
from arena.web.rendering import OutputMode, SiteContext, render
from arena.web.site import Site
from arena.web.snapshot import take_snapshot
from tests.kits.contestants import arena
from tests.kits.sites import NAMES, SENTENCE, make_store
from tests.store import old_stores
from tests.web.browser import violations
from tests.web.sites import Links, lost_links, pages_in, plain_server, serving

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser loads pages from a server")]

KINDS = {
    "home": r"index\.html",
    "ladder": r"ladders/assassins\.html",
    "rules": r"rules/kingdoms\.html",
    "bots": r"bots\.html",
    "bot": r"bots/5\.html",
    "pair": r"pairs/1-5\.html",
    "tournaments": r"tournaments\.html",
    "finished": r"tournaments/1\.html",
    "unfinished": r"tournaments/5\.html",
    "matches": r"matches\.html",
    "match": r"matches/5-[0-9a-f]+\.html",
    "embed": r"embed/5-[0-9a-f]+\.html",
}
"""One page of each kind, as the pattern of its file name."""
MATCHES = 12
"""Replays in the built site."""


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "arena.db"
    make_store(path).close()
    return path


@pytest.fixture(scope="module")
def folder(db, tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "a" / "b"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "LONG", 5)
        result = arena("site", "build", out, "--db", db, "--matches", MATCHES, "--title", "Cup <1>")
    assert result.exit_code == 0, result.output
    assert "older ones have no replay" in result.output
    return out


@pytest.fixture(scope="module")
def served(db):
    with serving(db) as (address, _):
        yield address


def path_of(kind, folder):
    return next(name for name in pages_in(folder) if re.fullmatch(KINDS[kind], name))


def get(address, **headers):
    """Status, headers and body of an answer."""
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode("utf-8", "replace")


# -- in a folder ------------------------------------------------------------------------------------------------


def test_every_kind_of_page_is_built(folder):
    assert all(path_of(kind, folder) for kind in KINDS)
    assert len([name for name in pages_in(folder) if name.startswith("matches/")]) == MATCHES
    assert (folder / "matches-3.html").is_file()


def test_every_link_of_a_built_site_leads_to_a_file_of_it(folder):
    assert lost_links(folder) == []


def test_no_page_can_be_made_to_run_or_style_anything(folder):
    for name, text in pages_in(folder).items():
        page = Links(text)
        assert page.forbidden == [], name
        assert not any(start in text for start in ("<script>alert", "<img", "<b>ended", "<i>owner")), name
        assert "\u202e" not in text, name
        assert "\x1b" not in text, name
        assert "unsafe" not in text, name
        assert "49" not in text or "{{7*7}}" in text or "evil" not in text, name  # no template was filled in twice
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
        assert policy.startswith("default-src &#39;none&#39;;"), name
        assert "alert(4)" not in text, name  # what bots printed


def test_strange_names_are_shown_as_they_are(folder):
    text = "".join(Links(pages_in(folder)["ladders/claim.html"]).text)
    assert all(name in text for name in NAMES[:2])
    assert r"\u202eevil\u2066{{7*7}}" in text
    match = "".join("".join(Links(page).text) for name, page in pages_in(folder).items() if name.startswith("matches/"))
    assert SENTENCE[:40] in match


def test_the_first_page_leads_to_a_match_and_that_to_the_rules(folder, watched):
    page = watched.open((folder / "index.html").as_uri(), ready="main")
    cards = page.locator(".card.game")
    assert cards.locator(".emblem svg").count() == cards.count() == len(games())
    # The site has replays of the latest matches alone, so some games have none to watch.
    card = page.locator(".card.game:has(.watch)").first
    title = card.locator("h2").inner_text()
    card.locator(".watch").click()
    page.wait_for_selector(".player.ready", state="attached")
    page.get_by_role("link", name="how it is played").click()
    page.wait_for_selector(".example", state="attached")
    assert page.locator("h1").inner_text() == title


def test_every_game_that_was_played_has_a_match_to_watch(served):
    _, _, text = get(served)
    cards = text.split('class="card game"')[1:]
    assert sum("leaders" in card for card in cards) == len(games())
    assert all('class="watch" href="matches/' in card for card in cards)


def test_pages_have_titles_descriptions_and_an_icon(folder):
    titles = set()
    for name, text in pages_in(folder).items():
        title = re.search("<title>(.+?)</title>", text)[1]
        assert re.search('<meta name="description" content="[^"]{10,}">', text), name
        assert 'rel="icon"' in text, name
        titles.add((title, name.partition("/")[0] == "embed"))
    assert len(titles) > 30
    assert "Cup &lt;1&gt;" in pages_in(folder)["index.html"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_built_page_works_from_a_folder(kind, folder, watched):
    page = watched.open((folder / path_of(kind, folder)).as_uri(), **opening(kind))
    assert page.locator("h1").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []


@pytest.mark.parametrize("kind", ["home", "ladder", "match"])
def test_a_built_page_works_under_any_path_on_a_phone(kind, folder, watched):
    with plain_server(folder.parents[1]) as address:
        options = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
        page = watched.open(f"{address}a/b/{path_of(kind, folder)}", **opening(kind), **options)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
        small = "[...document.querySelectorAll('main button, main .button, main .watch, nav a')]" + (
            ".filter((e) => e.checkVisibility() && (e.offsetHeight < 44 || e.offsetWidth < 24)).map((e) => e.outerHTML)"
        )
        assert kind == "match" or page.evaluate(small) == []
        page.locator("header nav a").first.click()
        page.wait_for_url("**/tournaments.html")
        page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("size", [(1024, 768), (1366, 650), (1440, 900), (1920, 1080)])
def test_a_match_and_its_controls_are_in_sight_at_once(size, folder, watched):
    width, height = size
    for kind in ("match", "embed"):
        address = (folder / path_of(kind, folder)).as_uri()
        page = watched.open(address, viewport={"width": width, "height": height})
        board, controls = (page.locator(part).bounding_box() for part in (".board", ".controls"))
        assert controls["y"] + controls["height"] <= height, kind
        assert board["y"] + board["height"] <= controls["y"], kind
        assert board["width"] >= 0.4 * width, kind
        assert page.locator(".moves .start").is_visible(), kind


def opening(kind):
    """How a page is waited for."""
    return {"ready": ".player.ready" if kind in ("match", "embed") else "main"}


def names_in(page, table="ladder"):
    return page.evaluate(
        "(id) => [...document.getElementById(id).tBodies[0].rows].filter((r) => !r.hidden).map((r) => r.dataset.name)",
        table,
    )


def test_a_built_table_is_sorted_and_filtered_in_the_browser(folder, watched):
    page = watched.open((folder / "ladders/claim.html").as_uri(), ready="thead button")
    first = names_in(page)
    page.get_by_role("button", name="rating", exact=True).click()
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("rating")
    assert names_in(page) == first
    page.get_by_role("button", name="rating", exact=True).click()
    assert names_in(page) == first[::-1]
    page.get_by_role("button", name="bot", exact=True).click()
    assert names_in(page)[-1].startswith("plain")
    page.get_by_label("Bot or owner").fill("PLAIN")
    assert [name.split()[:2] for name in names_in(page)] == [["plain", "2"]]
    assert page.locator("output").inner_text() == "1 of 5"


def test_a_built_table_reads_without_scripts(folder, watched):
    page = watched.open((folder / "ladders/claim.html").as_uri(), ready="main", java_script_enabled=False)
    assert page.locator("#ladder tbody tr").count() == 5
    assert page.locator("form").is_hidden()
    assert page.locator("thead th").nth(2).inner_text() == "rating"


def test_the_theme_can_be_switched_and_stays(folder, watched):
    # From a folder each reload may be another process of the browser, which learns of the choice a moment later.
    with plain_server(folder) as address:
        page = watched.open(f"{address}index.html", ready="button.theme:not([hidden])")
        before = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.locator("button.theme").click()
        after = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert before != after
        page.reload()
        page.wait_for_selector("html[data-theme=dark]", state="attached")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == after


def test_in_a_frame_only_an_embed_shows_itself(folder, watched, tmp_path):
    names = {kind: path_of(kind, folder) for kind in KINDS}
    with plain_server(folder) as address:
        frames = "".join(f'<iframe id="{kind}" src="{address}{name}"></iframe>' for kind, name in names.items())
        (tmp_path / "around.html").write_text(f"<!doctype html><title>x</title><link rel='icon' href='data:,'>{frames}")
        with plain_server(tmp_path) as other:
            page = watched.open(f"{other}around.html", ready="iframe")
            page.frame_locator("#embed").locator(".player.ready").wait_for()
            page.wait_for_load_state("networkidle")
            shown = {kind for kind in KINDS if page.frame_locator(f"#{kind}").locator("h1").is_visible()}
            assert shown == {"embed"}
            assert all(page.frame_locator(f"#{kind}").locator("h1").count() == 1 for kind in KINDS)


def test_only_folders_of_ours_are_written_to(db, tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    result = arena("site", "build", tmp_path, "--db", db)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "are not a site of Arena's" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_site_is_written_over_an_older_one(db, tmp_path):
    for count in (3, 1):
        assert arena("site", "build", tmp_path / "out", "--db", db, "--matches", count).exit_code == 0
    assert lost_links(tmp_path / "out") == []
    assert len(list((tmp_path / "out/matches").iterdir())) == 1


def test_an_empty_store_makes_a_site_too(tmp_path, watched):
    Store(tmp_path / "empty.db").close()
    assert arena("site", "build", tmp_path / "out", "--db", tmp_path / "empty.db").exit_code == 0
    assert lost_links(tmp_path / "out") == []
    page = watched.open((tmp_path / "out/index.html").as_uri(), ready="main")
    assert "No matches yet" in page.locator("main").inner_text()
    assert violations(page) == []


# -- served -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_served_page_works_in_the_dark(kind, folder, served, watched):
    page = watched.open(served + path_of(kind, folder), **opening(kind), color_scheme="dark")
    assert page.locator("h1").count() == 1
    assert violations(page) == []


def test_every_answer_has_the_headers(folder, served):
    some = [path_of(kind, folder) for kind in KINDS if kind != "embed"]
    for path in ["", *some, "nothing", "bots/999.html", "assets/site.css", "assets/nothing.js", "replays/1-00.json.gz"]:
        status, headers, _ = get(served + path)
        policy = headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy, path
        assert "unsafe" not in policy
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "Set-Cookie" not in headers
        assert status == (404 if "9" in path.partition("bots/")[2][:1] or "nothing" in path or "00." in path else 200)
    _, headers, _ = get(served + path_of("embed", folder))
    assert "frame-ancestors *" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "name", ["abc", "-", "1-", "-00", "x-00", "1-zz", "0x1-00", "9" * 99 + "-00", "1-00-00", "%00-00"]
)
def test_what_is_no_match_has_no_replay(name, served):
    for path in (f"replays/{name}.json.gz", f"matches/{name}.html", f"embed/{name}.html"):
        assert get(served + path)[0] == 404


def test_other_sites_may_frame_a_served_embed_and_nothing_else(folder, served, browser, tmp_path):
    names = {kind: path_of(kind, folder) for kind in ("match", "embed")}
    frames = "".join(f'<iframe id="{kind}" src="{served}{name}"></iframe>' for kind, name in names.items())
    (tmp_path / "around.html").write_text(f"<!doctype html><title>x</title><link rel='icon' href='data:,'>{frames}")
    with plain_server(tmp_path) as other:
        page = browser.new_page()
        page.goto(f"{other}around.html")
        page.frame_locator("#embed").locator(".player.ready").wait_for()
        page.wait_for_load_state("networkidle")
        assert page.frame_locator("#match").locator(".player").count() == 0
        page.close()


def test_a_served_table_is_sorted_and_filtered_by_its_address(served, watched):
    page = watched.open(f"{served}ladders/claim.html", ready="main", java_script_enabled=False)
    first = names_in_text(page)
    page.get_by_role("link", name="rating", exact=True).click()
    page.get_by_role("link", name="rating", exact=True).click()
    assert "sort=rating&order=ascending" in page.url
    assert names_in_text(page) == first[::-1]
    page.get_by_label("Bot or owner").fill("plain")
    page.get_by_role("button", name="Show").click()
    assert "q=plain" in page.url
    assert "sort=rating" in page.url
    assert len(names_in_text(page)) == 1


def names_in_text(page):
    return page.locator("#ladder tbody th").all_inner_texts()


@pytest.mark.parametrize(
    "query",
    ["sort=x&order=up", "from=-5", "from=99999999999", "q=%00%ff<script>alert(1)</script>", "sort=rating", "before=x"],
)
def test_odd_queries_are_harmless(served, query):
    for path in ("ladders/claim.html", "matches.html", "tournaments.html", "index.html"):
        status, _, text = get(f"{served}{path}?{urllib.request.quote(query, safe='=&%')}")
        assert status == 200
        assert "<script>alert" not in text


def test_a_list_of_matches_has_pages(served):
    seen, address = [], "matches.html"
    while address:
        _, _, text = get(served + address)
        seen += re.findall(r'class="watch" href="([^"]+)"', text)
        older = re.search(r'href="(\?[^"]*before=\d+)">Older', text)
        address = f"matches.html{older[1]}" if older else ""
    assert len(seen) == len(set(seen)) == 176
    _, _, text = get(f"{served}matches.html?bot=6&game=claim")
    assert len(re.findall('class="watch"', text)) == 10


def test_a_page_that_is_known_already_is_not_sent_again(served):
    _, headers, _ = get(f"{served}ladders/claim.html")
    status, again, body = get(f"{served}ladders/claim.html", **{"If-None-Match": headers["ETag"]})
    assert (status, body, again["ETag"]) == (304, "", headers["ETag"])
    assert get(f"{served}ladders/rrr.html", **{"If-None-Match": headers["ETag"]})[0] == 200


def test_files_with_our_version_are_kept_for_ever(served):
    _, _, text = get(served)
    style = re.search(r'href="(assets/site\.css\?v=\w+)"', text)[1]
    assert "immutable" in get(served + style)[1]["Cache-Control"]
    assert get(f"{served}assets/site.css?v=old")[1]["Cache-Control"] == "no-cache"


def test_nothing_can_be_written_over_the_network(served):
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        request = urllib.request.Request(f"{served}index.html", method=method, data=b"x")
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=60)
        assert refused.value.code == 405
        refused.value.close()


def test_new_matches_are_shown_while_the_server_runs(db, tmp_path):
    copy = tmp_path / "arena.db"
    shutil.copy(db, copy)
    store = Store(copy)
    with serving(copy) as (address, process):
        before = get(f"{address}ladders/claim.html")
        seat = {"score": 0.0, "ending": "NORMAL", "sentence": "", "wall_us": 1, "cpu_us": 1}
        newcomer = store.add_bot(name="late", version="1", owner="", digest="l", origin="/x", games=["claim"])
        seats = (SeatResult(bot_id=5, rank=1, **seat), SeatResult(bot_id=newcomer.id, rank=2, **seat))
        store.add_match(MatchEntry(2, "ab", 999, "0 1", 1, "newest", 1, "s", seats), b"no record")
        deadline = time.monotonic() + 90
        while "31 matches between 6 bots" not in (after := get(f"{address}ladders/claim.html"))[2]:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert "30 matches" in before[2]
        assert "newest" in after[2]
        assert before[1]["ETag"] != after[1]["ETag"]
        status, _, text = get(f"{address}matches/2-ab.html")
        assert status == 200
        assert "cannot be replayed here" in text
        assert process.poll() is None
    assert process.returncode == 0
    store.close()


# -- the store is only read -------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["site", "build", "out"], ["serve"]], ids=" ".join)
def test_a_store_that_is_missing_or_old_is_refused_in_a_sentence(words, tmp_path):
    result = arena(*words, "--db", tmp_path / "none.db")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "there is no store" in result.stderr
    assert not (tmp_path / "none.db").exists()
    old_stores.make(str(tmp_path / "old.db")).dispose()
    result = arena(*words, "--db", tmp_path / "old.db")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "older Arena" in result.stderr


def test_the_settings_of_a_tournament_and_its_proof_are_shown(folder, db):
    store = Store(db)
    text = "".join(Links(pages_in(folder)["tournaments/1.html"]).text)
    assert store.tournament(1).checksum in text
    assert "arena verify 1" in text
    unfinished = pages_in(folder)["tournaments/5.html"]
    assert 'max="30" value="26"' in unfinished
    store.close()


@pytest.mark.parametrize("apart", [False, True])
def test_an_imported_tournament_is_marked_wherever_it_is_shown(tmp_path, apart):
    store = make_store(tmp_path / "arena.db", games=["claim"], names=("one", "two", "three"))
    with closing(sqlite3.connect(tmp_path / "arena.db")) as database, database:
        database.execute("UPDATE tournaments SET apart = ?", [apart])
    claim = {"claim": find("claim")}
    site = Site(store, claim, take_snapshot(store, {"claim": claim["claim"].info}))
    match = ("match", match_name(1, store.latest_matches(tournament_id=1)[0].entry.match_id))
    own = [("tournament", "1"), match]
    around = SiteContext("Arena", OutputMode.FOLDER, lambda *_: True)
    pages = {address: render(site.page(*address), around) for address in [("home",), ("tournaments",), *own]}
    store.close()
    assert {address: "imported, not rated" in page for address, page in pages.items()} == dict.fromkeys(pages, apart)
    assert ["not that these bots chose these moves" in pages[address] for address in own] == [apart, apart]


def test_matches_of_an_imported_tournament_can_be_watched_on_a_built_site(tmp_path):
    store = make_store(tmp_path / "arena.db", games=["claim"], names=("one", "two", "three"))
    with closing(sqlite3.connect(tmp_path / "arena.db")) as database, database:
        database.execute("UPDATE tournaments SET apart = 1")
    games = {"claim": find("claim")}
    site = Site(store, games, take_snapshot(store, {"claim": games["claim"].info}))
    built = build_site(site, tmp_path / "public", matches=2)
    store.close()
    pages = [path.name for path in (tmp_path / "public/matches").iterdir()]
    assert built.matches == len(pages) == 2
    listed = (tmp_path / "public/tournaments/1.html").read_text()
    assert all(f"matches/{name}" in listed for name in pages)
    assert not any(name in (tmp_path / "public/matches.html").read_text() for name in pages)


def test_the_wheel_needs_no_other_host():
    static = Path(__file__).parents[2] / "arena/web"
    for path in [*static.rglob("*.html"), *static.rglob("*.css"), *static.rglob("*.js")]:
        assert not re.search(r"(?<!xmlns=['\"])https?://(?!www\.w3\.org)", path.read_text()), path
