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

import pytest

from arena.referee import record
from arena.registry import find
from arena.store.base import RunningMatch
from arena.store.sql import SqlStore
from arena.web.running import MatchFeed, Running
from tests.kits.contestants import arena, choosing, write_bot
from tests.kits.sites import NAMES, make_store
from tests.web.browser import violations
from tests.web.replays import played_on, random_match
from tests.web.sites import serving

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
    SqlStore(db).close()
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
    store = SqlStore(db, read_only=True)
    assert store.tournament(1).finished
    assert store.running_matches() == []
    assert sum(tally.matches for tally in store.tallies(tournament_id=1)) == 4
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
    game, store, over = find(match.spec.game), SqlStore(db), threading.Event()
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
        yield
    finally:
        over.set()
        thread.join()
        store.close()


def test_strange_names_stay_names_while_they_play(tmp_path, watched):
    db = tmp_path / "arena.db"
    make_store(db, games=["claim"]).close()
    with being_played(db, 1, random_match("claim", seed=3, names=NAMES)), serving(db) as (address, _):
        end = time.monotonic() + PATIENCE_S
        while "matches/1-ab.html" not in _text(address) and time.monotonic() < end:
            time.sleep(0.2)
        for path in ("index.html", "tournaments/1.html", "matches/1-ab.html", "embed/1-ab.html"):
            ready = ".player.ready" if "-ab" in path else "[data-live=matches] .watch"
            page = watched.open(address + path, ready=ready)
            assert all(name in page.locator("main").inner_text() for name in NAMES[:2]), path
            assert page.locator("main img, main script:not([type])").count() == 0, path
            assert violations(page) == []


# -- without a tournament ---------------------------------------------------------------------------------------


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
    return [json.loads(event.split("data: ", 1)[1])["move"] for event in events]


def test_a_match_that_is_not_played_any_more_is_not_shown(shown):
    running = Running(shown, {"claim": shown.game})
    running.look()
    assert len(running.matches()) == 1
    shown.over = True
    running.look()
    assert running.matches() == []
    assert running.record("3-ab") is None


def test_the_events_of_a_match_are_its_replay(shown):
    running = Running(shown, {"claim": shown.game})
    shown.moves = 4
    running.look()
    assert running.replay("3-ab").data["live"]
    feed = MatchFeed.of(running, "3-ab")
    assert [text.partition("\n")[0] for text in feed.look()] == ["id: 1", "id: 2", "id: 3", "id: 4"]
    assert feed.look() == []
    shown.moves = 6
    running.look()
    assert len(feed.look()) == 2
    assert not feed.over
    shown.attempt, shown.moves = 2, 1
    running.look()
    assert feed.look() == ["event: again\ndata: {}\n\n"]
    assert feed.over
