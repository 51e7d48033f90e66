"""Live pages: a real tournament, a real server beside it, and a real browser that looks at both pages."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import pytest

from arena.referee import record
from arena.registry import find
from arena.store.base import RunningMatch
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.web.live import Live
from arena.web.rendering import SiteContext, render
from arena.web.running import MatchFeed, Running
from arena.web.server import Address, Pages, SectionFeed
from arena.web.streams import event
from arena.workers.match_rows import match_entry
from tests.kits.contestants import arena, choosing, write_bot
from tests.kits.sites import NAMES, make_store, play_tournament
from tests.web.browser import violations
from tests.web.replays import played_on, random_match
from tests.web.sites import serving

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser follows a running tournament")]

SLOW = """
import pathlib, time
time.sleep(float(pathlib.Path({pace!r}).read_text()))
return turn.legal[{index}]
"""
PATIENCE_S = 90


@pytest.fixture
def tournament(tmp_path):
    """A tournament that has begun, as a process, its store, and a file with the seconds that its bots think."""
    pace = tmp_path / "pace"
    pace.write_text("0.5")
    bots = [
        write_bot(tmp_path / name, choosing(SLOW.format(pace=str(pace), index=index)))
        for name, index in (("early", 0), ("late", -1))
    ]
    db = tmp_path / "arena.db"
    Store(db).close()
    words = ["tournament", "--game", "claim", "--rounds", "2", "--bots", ",".join(map(str, bots)), "--db", str(db)]
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", *words, "--sandbox", "process", "--clock", "none", "--seed", "5"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    yield db, process, pace
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=60)
    process.stdout.close()


@pytest.mark.slow
def test_a_tournament_is_watched_while_it_is_played_and_does_not_need_its_spectators(tournament, watched):
    db, playing, pace = tournament
    with serving(db) as (address, server):
        begin = time.monotonic()
        while "<h1>Claim" not in _text(f"{address}tournaments/1.html") and time.monotonic() < begin + PATIENCE_S:
            time.sleep(0.2)
        overview = watched.open(f"{address}tournaments/1.html", ready="main")
        overview.wait_for_selector("[data-live=matches] .watch", timeout=PATIENCE_S * 1000)
        overview.locator("[data-live=matches] .watch").focus()
        link = overview.locator("[data-live=matches] .watch").get_attribute("href")
        match = watched.open(f"{address}tournaments/{link}")
        assert match.locator(".now").inner_text() == "live"
        assert violations(match) == []
        first = int(match.locator(".scrub input").get_attribute("max"))
        # Moves arrive by themselves, and the newest is shown.
        match.wait_for_function(
            "(first) => Number(document.querySelector('.scrub input').value) > first + 2", arg=first, timeout=60_000
        )
        pace.write_text("0.02")
        # The match ends, and the page knows how.
        match.wait_for_selector(".moves .result.over", timeout=60_000)
        assert "this match is over" in match.locator(".live-state").inner_text().lower()
        assert match.locator(".moves button").count() == 53
        # The other page has the standing, without having been loaded again.
        overview.wait_for_selector("[data-live=standings] tbody tr", timeout=60_000)
        assert "of 4 matches" in overview.locator("[data-live=progress]").inner_text()
        overview.wait_for_selector("[data-live=latest] .watch", timeout=60_000)
        # The same address is that of the replay now.
        pace.write_text("0")
        match.reload()
        match.wait_for_selector(".player.ready", state="attached")
        assert match.locator(".now").is_hidden()
        assert match.locator("#result").count() == 1
        watched.close()
        server.kill()
        server.wait(timeout=60)
    assert playing.wait(timeout=PATIENCE_S) == 0, playing.stdout.read()
    store = Store(db, read_only=True)
    assert store.tournament(1).finished
    assert store.running_matches() == []
    assert sum(tally.matches for tally in store.tallies(Scope(tournament_id=1))) == 4
    assert store.inconsistencies() == []
    store.close()
    verified = arena("verify", "--db", db)
    assert verified.exit_code == 0, verified.output


def _text(address):
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return answer.read().decode()
    except OSError:
        return ""


@contextmanager
def being_played(db, tournament_id, match):
    """A match that stands after 20 moves, and whose tournament gives signs of life."""
    game, store, over = find(match.spec.game), Store(db), threading.Event()
    packed = record.dump_begun(match.spec, game) + record.dump_moves(match.played[:20], game)
    store.show_running(tournament_id, [RunningMatch(tournament_id, "ab", 1, 20, packed)], ())

    def report():
        while True:
            store.report_run("one", tournament_id, {})
            if over.wait(2):
                return

    thread = threading.Thread(target=report)
    thread.start()
    try:
        yield store
    finally:
        over.set()
        thread.join()
        store.close()


def end_match(store, tournament_id, match):
    """Keep the match that is being played, and show it no longer."""
    game = find(match.spec.game)
    kept = replace(match, spec=replace(match.spec, match_id="ab"))
    bot_ids = [bot.id for bot in store.all_bots()[:2]]
    entry = match_entry(game, kept, tournament_id=tournament_id, ordinal=999, places=(0, 1), bot_ids=bot_ids)
    assert store.add_match(entry, record.dump(kept, game))
    store.show_running(tournament_id, (), ["ab"])


def wait_for_text(address, text):
    end = time.monotonic() + PATIENCE_S
    while text not in _text(address):
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.fixture
def begun(tmp_path):
    """The address of a site, a match of it that is being played, and what ends this match."""
    db = tmp_path / "arena.db"
    make_store(db, games=["claim"]).close()
    match = random_match("claim", seed=3, names=NAMES)
    with being_played(db, 1, match) as store, serving(db) as (address, _):
        wait_for_text(address, "matches/1-ab.html")
        yield address, partial(end_match, store, 1, match)


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_page_in_the_background_hears_that_its_match_is_over_when_it_is_seen_again(begun, watched):
    address, end = begun
    page = watched.open(f"{address}matches/1-ab.html")
    page.evaluate(HIDE, True)
    end()
    wait_for_text(f"{address}matches/1-ab.html", 'id="result"')
    page.evaluate(HIDE, False)
    page.wait_for_selector("#result", timeout=PATIENCE_S * 1000)
    page.wait_for_selector(".player.ready", state="attached")
    assert page.locator(".now").is_hidden()


def test_every_count_of_a_tournament_follows_its_matches(begun, watched):
    address, end = begun
    page = watched.open(f"{address}tournaments/1.html", ready="[data-live=matches] .watch")
    assert "26 of 30 matches" in page.locator("[data-live=lead]").inner_text()
    end()
    for name in ("lead", "progress"):
        page.wait_for_function(
            "(name) => document.querySelector(`[data-live=${name}]`).innerText.includes('27 of 30 matches')",
            arg=name, timeout=PATIENCE_S * 1000,
        )  # fmt: skip
    page.wait_for_selector("[data-live=matches][hidden]", state="attached", timeout=PATIENCE_S * 1000)


@pytest.mark.parametrize("kind", ["matches", "embed"])
def test_a_tab_is_called_live_until_the_match_is_over(kind, begun, watched):
    address, end = begun
    page = watched.open(f"{address}{kind}/1-ab.html")
    page.wait_for_function("() => document.title.startsWith('Live: ')")
    end()
    page.wait_for_selector(".moves .result.over", timeout=PATIENCE_S * 1000)
    page.wait_for_function("() => !document.title.includes('Live')")


def test_strange_names_stay_names_while_they_play(begun, watched):
    address, _ = begun
    for path in ("index.html", "tournaments/1.html", "matches/1-ab.html", "embed/1-ab.html"):
        ready = ".player.ready" if "-ab" in path else "[data-live=matches] .watch"
        page = watched.open(address + path, ready=ready)
        assert all(name in page.locator("main").inner_text() for name in NAMES[:2]), path
        assert page.locator("main img, main script:not([type])").count() == 0, path
        assert violations(page) == []


# -- without a tournament ---------------------------------------------------------------------------------------


def test_a_finished_tournament_has_its_table_at_once_and_as_its_bots_are_now(tmp_path):
    store = make_store(tmp_path / "arena.db", games=["claim"])
    live = Live(store, {"claim": find("claim")}, title="Cup", planned=lambda _: None, histories=dict)
    bots = [
        store.add_bot(name=name, version="1", owner="", digest=name, origin="/x", games=["claim"])
        for name in ("swift", "brisk")
    ]
    entry = play_tournament(store, "claim", bots, 2, 1)

    def table():
        page = live.site().page("tournament", str(entry.id))
        return render(page, SiteContext()).partition('aria-label="Standings"')[2].partition("</table>")[0]

    assert all(bot.name in table() for bot in bots)
    store.retire_bot("swift")
    live._renew_tables()
    assert "retired" in table()
    store.close()


def test_only_sections_that_changed_are_sent_until_the_tournament_is_finished(tmp_path):
    store, match = make_store(tmp_path / "arena.db", games=["claim"]), random_match("claim", names=NAMES)
    live = Live(store, {"claim": find("claim")}, title="Cup", planned=lambda _: None, histories=dict)
    feed = SectionFeed(Pages(live), Address("tournament", ("1",)))

    def sent():
        live._renew_tables()
        live.running.look()
        return [event.subject for event in feed.look()]

    assert sent() == ["lead", "matches", "progress", "standings", "cross", "latest"]
    assert sent() == []
    store.report_run("one", 1, {})
    store.show_running(1, [RunningMatch(1, "ab", 1, 0, record.dump_begun(match.spec, find("claim")))], ())
    assert sent() == ["lead", "matches"]
    end_match(store, 1, match)
    assert sent() == ["lead", "matches", "progress", "standings", "cross", "latest"]
    store.finish_tournament(1)
    assert feed.look() == [event("end", {})]
    assert feed.over
    store.close()


class Shown:
    """A store that shows one running match, and has it when it is over."""

    def __init__(self):
        self.whole = random_match("claim", seed=3)
        self.game = find("claim")
        self.moves, self.attempt, self.over = 0, 1, False

    def running_matches(self):
        packed = record.dump_begun(self.whole.spec, self.game)
        faults = [fault for fault in self.whole.faults if fault.ply < self.moves]
        packed += record.dump_moves(self.whole.played[: self.moves], self.game, faults)
        return [] if self.over else [RunningMatch(3, "ab", self.attempt, self.moves, packed)]


@pytest.fixture
def shown():
    return Shown()


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_a_delay_holds_every_move_back(shown):
    clock = Clock()
    running = Running(shown, {"claim": shown.game}, delay=30.0, now=clock)
    shown.moves = 5
    running.look()
    assert running.matches()[0].moves == 0
    assert len(running.record("3-ab")[0].played) == 0
    for _ in range(29):
        clock.now += 1.0
        shown.moves += 1
        running.look()
    assert len(running.record("3-ab")[0].played) == 0
    clock.now += 1.0
    running.look()
    assert len(running.record("3-ab")[0].played) == 5
    clock.now += 1.0
    assert len(running.record("3-ab")[0].played) == 6


def test_between_slow_moves_a_delayed_match_stays_where_it_is(shown):
    clock = Clock()
    running = Running(shown, {"claim": shown.game}, delay=30.0, now=clock)
    for moves, seen in ((5, 0), (6, 5), (7, 6)):
        shown.moves = moves
        running.look()
        assert running.matches()[0].moves == seen
        clock.now += 40.0
        running.look()
        assert running.matches()[0].moves == moves


def test_who_is_out_is_told_with_the_first_move_that_is_played_for_it():
    clock, shown = Clock(), Shown()
    shown.whole, shown.game = played_on(), find("kingdoms")
    fault, games = shown.whole.faults[0], {"kingdoms": shown.game}
    running = Running(shown, games, now=clock)
    shown.moves = fault.ply
    running.look()
    feed = MatchFeed.of(running, "3-ab")
    assert running.record("3-ab")[0].faults == ()
    assert not any("out" in move for move in moves_in(feed.look()))
    shown.moves = fault.ply + 2
    running.look()
    assert running.record("3-ab")[0].faults == (fault,)
    (first, second) = moves_in(feed.look())
    assert (first["fault"], first["out"], first["substituted"]) == (fault.verdict.sentence, fault.ply, True)
    assert "out" not in second
    assert running.replay("3-ab").data["moves"][fault.ply]["out"] == fault.ply


def moves_in(events):
    """The moves of server-sent events."""
    return [json.loads(event.text.split("data: ", 1)[1])["move"] for event in events]


def test_a_match_that_is_not_played_any_more_is_not_shown(shown):
    running = Running(shown, {"claim": shown.game})
    running.look()
    assert len(running.matches()) == 1
    shown.over = True
    running.look()
    assert running.matches() == []
    assert running.record("3-ab") is None


def test_who_listens_is_told_when_something_has_changed(shown):
    running, told = Running(shown, {"claim": shown.game}), []
    running.on_change = lambda: told.append(running.matches()[0].moves)
    for moves in (0, 0, 4, 4):
        shown.moves = moves
        running.look()
    assert told == [0, 4]


def test_the_events_of_a_match_are_its_replay(shown):
    running = Running(shown, {"claim": shown.game})
    shown.moves = 4
    running.look()
    assert running.replay("3-ab").data["live"]
    feed = MatchFeed.of(running, "3-ab")
    assert [event.number for event in feed.look()] == [1, 2, 3, 4]
    assert feed.look() == []
    shown.moves = 6
    running.look()
    assert len(feed.look()) == 2
    assert not feed.over
    shown.attempt, shown.moves = 2, 1
    running.look()
    assert feed.look() == [event("again", {})]
    assert feed.over
