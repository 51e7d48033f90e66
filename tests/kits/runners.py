"""A contest in a folder, with people and what they hand in, and its processes."""

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from arena import registry
from arena.contest.people import NewPerson, People
from arena.contest.requests import Requests
from arena.contest.runners import Runners
from arena.contest.settings import ContestSettings, Quotas, make_contest
from arena.contest.submissions import Submissions, Wish
from arena.runner.runner import run
from arena.runner.shift import Pace, Stop
from tests.kits.contestants import choosing

FIRST = choosing("return turn.legal[0]")
BROKEN = "print('I am about to fail')\nimport no_such_module\n"
PATIENT = "30s/move"
"""The machine may be busy, and these tests are not about time."""
QUICK = Pace(look_s=0.05, failed_s=0.05)
HOSTILE = Path(__file__).parents[1] / "hostile"


class ContestKit:
    """A new contest of claim with teams of one, and the rows of it."""

    def __init__(self, folder, names=("alice", "bob", "carol"), **settings):
        quota = Quotas(submissions_per_day=1000, waiting=1000)
        given = {"clock": PATIENT, "quota": quota, **settings}
        self.contest = make_contest(folder, ContestSettings("Cup", ("claim",), **given), registry.games())
        self.folder = folder
        self.database = self.contest.open_people()
        self.people, self.queue = People(self.database), Submissions(self.database)
        self.requests, self.runners = Requests(self.database), Runners(self.database)
        newcomers = [*map(NewPerson, names), NewPerson("lee", role="organiser")]
        self.crew = {issued.person.name: issued.person for issued in self.people.add(newcomers)}

    def close(self):
        self.database.dispose()

    def hand_in(self, who, data, *, name="", file_name="mover.tar", **wish):
        """Queue these bytes as the upload of somebody; the number of the submission."""
        key = os.urandom(8).hex()
        wanted = Wish(name=name, **wish)
        made, _ = self.queue.add(self.crew[who], key, file_name, wanted, self.contest.settings.submission_quota)
        digest = hashlib.sha256(data).hexdigest()
        (self.contest.uploads / digest).write_bytes(data)
        return self.queue.queue(made.id, digest, len(data)).id

    def found(self, number):
        return self.queue.find(number)

    def bots(self):
        """All that is registered, but for what Arena brings."""
        store = self.contest.open_results()
        try:
            return [entry for entry in store.all_bots() if entry.owner.startswith("team-")]
        finally:
            store.close()

    def leftovers(self):
        """What lies in the folder of the bots and is none."""
        return [path.name for path in self.contest.bots.glob(".*") if path.name != ".lock"]


def tar_of(files):
    """An archive of these texts by their names."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def bot_archive(name, source=FIRST, games=("claim",), files=(), words=()):
    """An archive of a bot with this source, and these files beside it."""
    command = json.dumps(["python3", "bot.py", *words])
    manifest = f'name = "{name}"\nversion = "1"\ngames = {json.dumps(games)}\ncommand = {command}\n'
    return tar_of({**dict(files), "bot.toml": manifest, "bot.py": source})


def hostile_archive(name, *words):
    """An archive of one of the attackers, in one of its variants."""
    files = {path.name: path.read_text() for path in (HOSTILE / "_kit").glob("*.py")}
    return bot_archive(name, (HOSTILE / name / "bot.py").read_text(), files=files, words=words)


@contextmanager
def process(*words, **options):
    """`arena contest …` as a process of its own, surely gone afterwards; its lines are read by `lines`."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "arena", "contest", *map(str, words)],
            stdout=output, stderr=output, stdin=subprocess.DEVNULL, **options,
        )  # fmt: skip
        child.output = output
        try:
            yield child
        finally:
            with suppress(ProcessLookupError):
                child.kill()
            child.wait()


def lines(child):
    """What a process has said so far."""
    child.output.seek(0)
    return [json.loads(line) for line in child.output.read().decode().splitlines() if line.startswith("{")]


def said(child, event):
    return [line for line in lines(child) if line["event"] == event]


def wait_until(true, seconds=90.0, child=None):
    """Wait for this; AssertionError with what the process said if it does not come."""
    deadline = time.monotonic() + seconds
    while not (value := true()):
        assert time.monotonic() < deadline, f"waited in vain: {lines(child) if child else ''}"
        assert child is None or child.poll() is None, f"ended with {child.returncode}: {lines(child)}"
        time.sleep(0.05)
    return value


def end(child, seconds=90.0):
    """End it by the signal that lets it finish; its exit code."""
    child.send_signal(signal.SIGTERM)
    return child.wait(seconds)


@contextmanager
def running(kit, pace=QUICK):
    """A runner in a thread of this process: how it is told to stop, and what it logs."""
    stop, events = Stop(), []
    words = (kit.contest, lambda event, **facts: events.append((event, facts)), stop, pace)
    thread = threading.Thread(target=run, args=words)
    thread.start()
    try:
        yield stop, events
    finally:
        stop.ask()
        stop.ask()
        thread.join(60)
        assert not thread.is_alive()
