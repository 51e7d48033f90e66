"""`arena contest serve`: both processes, each under its user, of which nothing is left; web can write no result."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from contextlib import closing

import pytest

from arena.runner.as_web import as_web
from arena.runner.web_user import WEB_UID, prepare_for_web
from tests.hostile.traces import descendants
from tests.kits.contestants import need_bubblewrap
from tests.kits.needs import need
from tests.kits.runners import bot_archive, end, process, said, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes are started and killed")]

AS_WEB = """
import json, os, sqlite3, sys
results, people = sys.argv[1:]
def tried(deed):
    try:
        return deed()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
def sql(path, words, mode):
    connection = sqlite3.connect(f"file:{path}?mode={mode}", uri=True)
    found = connection.execute(words).fetchall()
    connection.commit()
    return found
print(json.dumps({
    "user": [os.getuid(), os.getgid(), os.getgroups()],
    "read": tried(lambda: sql(results, "SELECT count(*) FROM bots", "ro")),
    "write": tried(lambda: sql(results, "UPDATE bots SET owner = 'me'", "rw")),
    "replace": tried(lambda: os.rename(people, results)),
    "remove": tried(lambda: os.unlink(results)),
    "journal": tried(lambda: open(results + "-journal", "w").close()),
    "shared memory": tried(lambda: open(results + "-shm", "r+b").close()),
    "log": tried(lambda: open(results + "-wal", "r+b").close()),
    "settings": tried(lambda: open(os.path.dirname(results) + "/contest.toml", "a").close()),
    "bots": tried(lambda: open(os.path.dirname(results) + "/bots/mine", "w").close()),
    "people": tried(lambda: sql(people, "INSERT INTO switches VALUES ('x', 1) RETURNING name", "rw")),
}))
"""


@pytest.fixture
def root():
    need(None if os.geteuid() == 0 else "only root can start a process under another user")


def deeds_of_web(kit):
    """What the web process could do: for every deed what came of it."""
    command = [sys.executable, "-c", AS_WEB, kit.contest.results, str(kit.contest.people_file)]
    done = subprocess.run(as_web(kit.folder, command), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_web_process_can_read_results_and_write_none(root, kit):
    kit.contest.bots.mkdir(exist_ok=True)
    results = kit.contest.open_results_to_write()
    results.add_bot(name="a", version="1", owner="team-1", digest="sha256:0", origin="/x", games=["claim"])
    prepare_for_web(kit.contest)
    done = deeds_of_web(kit)
    assert done.pop("user") == [WEB_UID, WEB_UID, []]
    assert done.pop("read") == [[1]]
    assert done.pop("people") == [["x"]]
    assert "attempt to write a readonly database" in done.pop("write")
    assert all("Permission" in came for came in done.values()), done
    kit.requests.turn("y", on=True)  # and we can still write where it has written
    assert kit.bots()[0].owner == "team-1"
    results.close()


def test_results_that_the_web_process_could_replace_are_refused(root, kit):
    text = (kit.folder / "contest.toml").read_text()
    (kit.folder / "contest.toml").write_text(text.replace("web/people.db", "people.db"))
    with process("serve", kit.folder, "--port", "0") as child:
        assert child.wait(60) == 2
        child.output.seek(0)
        assert b"the web process would be able to write" in child.output.read()


def free_port():
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def test_both_processes_are_started_kept_running_and_ended(kit):
    need_bubblewrap()
    port = free_port()
    with process("serve", kit.folder, "--port", port) as child:
        wait_until(lambda: answers(port), child=child)
        number = kit.hand_in("alice", bot_archive("mover"))
        wait_until(lambda: kit.found(number).is_decided, child=child)
        assert kit.found(number).state == "registered"
        web, runner = (said_pid(child, name) for name in ("web process", "runner"))
        if os.geteuid() == 0:
            assert {uid_of(web), uid_of(runner)} == {0, WEB_UID}
            assert uid_of(web) == WEB_UID
        os.kill(web, signal.SIGKILL)
        wait_until(lambda: said_pid(child, "web process") != web, child=child)
        wait_until(lambda: answers(port), child=child)
        everybody = descendants(child.pid)
        assert end(child) == 0
    wait_until(lambda: not [pid for pid in everybody if os.path.exists(f"/proc/{pid}")])
    with closing(sqlite3.connect(kit.contest.results)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def said_pid(child, name):
    return [line["pid"] for line in said(child, "child_started") if line["child"] == name][-1]


def uid_of(pid):
    return os.stat(f"/proc/{pid}").st_uid
