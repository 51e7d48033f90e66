"""Uploads: whole ones are kept by their digest, and of all others nothing is left."""

import hashlib
import os
import socket
import time
from datetime import UTC, datetime

import pytest

from arena.contest.submissions import CANCELLED, QUEUED, REFUSED, Submissions
from arena.service.limits import Limiter, Window
from arena.service.uploads import PARTIAL, Patience, sweep
from tests.kits.contests import form_with_file, make_cup, served

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="uploads arrive over a network")]

BOT = b"not an archive, and nobody here looks" * 5000


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    cup = make_cup(tmp_path_factory.mktemp("cup") / "cup")
    quota = cup.contest.settings.quota
    generous = type(quota)(submissions_per_day=1000, waiting=1000, upload="1m")
    return cup.with_settings(quota=generous)


@pytest.fixture(scope="module")
def running(cup):
    often = Limiter(Window(1000, 1.0))
    with served(cup, patience=Patience(piece_s=0.4, total_s=1.5), uploads=often) as running:
        yield running


@pytest.fixture
def alice(running):
    return running.visitor("alice")


@pytest.fixture
def folder(running):
    """The folder of uploads, in which nothing that is not whole may be left."""
    folder = running.cup.contest.uploads
    yield folder
    deadline = time.monotonic() + 10
    while any(name.startswith(PARTIAL) for name in os.listdir(folder)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [name for name in os.listdir(folder) if name.startswith(PARTIAL)] == []


def count(running):
    """The highest number of a submission."""
    return max((found.id for found in running.service.deeds.submissions.newest(limit=1)), default=0)


def newest(running):
    return running.service.deeds.submissions.newest(limit=1)[0]


def test_a_whole_upload_is_kept_by_its_digest_and_waits(running, alice, folder):
    fields = {"name": "mine", "version": "2", "game": "claim"}
    answer = alice.upload(BOT, "my bot (2).tar.gz", fields)
    found = newest(running)
    assert (answer.status, answer.way) == (303, f"submissions/{found.id}.html")
    digest = hashlib.sha256(BOT).hexdigest()
    assert (found.state, found.digest, found.bytes) == (QUEUED, digest, len(BOT))
    assert (found.wish.name, found.wish.version, found.wish.games) == ("mine", "2", ("claim",))
    assert (folder / digest).read_bytes() == BOT
    page = alice.get(f"/{answer.way}").text
    assert "my bot (2).tar.gz" in page
    assert "waits, and" in page
    got = alice.get(f"/submissions/{found.id}/file")
    assert got.headers["content-disposition"].startswith("attachment; filename")
    assert got.headers["content-type"] == "application/octet-stream"
    assert got.text.encode() == BOT
    log = running.visitor("lee").get("/audit.html").text
    assert f"submission {found.id}" in log


def test_the_same_form_sent_twice_is_one_upload(running, alice, folder):
    first, second = (alice.upload(b"once", fields={"key": "the same key"}) for _ in range(2))
    assert first.way == second.way
    assert running.visitor("carol").upload(b"once", fields={"key": "the same key"}).way != first.way


def test_a_program_is_told_in_json(alice, folder):
    answer = alice.upload(Accept="application/json")
    assert answer.status == 200
    assert '"page":"submissions/' in answer.text
    refused = alice.upload(b"", Accept="application/json")
    assert (refused.status, refused.text) == (400, '{"error":"This file is empty"}')


def test_in_pieces_and_without_a_length_it_is_read_too(running, alice, folder):
    body = form_with_file({"form_token": alice.form_token, "key": "in pieces of 999"}, BOT, "x.zip")
    pieces = (body[start : start + 999] for start in range(0, len(body), 999))
    headers = {"Content-Type": "multipart/form-data; boundary=edge", "Origin": alice.origin}
    assert alice.send("POST", "/submit.html", pieces, headers).status == 303
    assert newest(running).digest == hashlib.sha256(BOT).hexdigest()


LARGE = bytes(1 << 20) + b"1"
NAMED = '--edge\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'
REFUSED_BEFORE = {
    "no form token": ({"form_token": ""}, b"x", "x", 403),
    "a foreign form token": ({"form_token": "a" * 43}, b"x", "x", 403),
    "no key": ({"key": ""}, b"x", "x", 400),
    "a long key": ({"key": "k" * 200}, b"x", "x", 400),
    "a game of another contest": ({"game": "assassins"}, b"x", "x", 400),
    "a long name": ({"name": "n" * 41}, b"x", "x", 400),
    "a control character": ({"name": "\x1b[31m"}, b"x", "x", 400),
    "a turned line": ({"version": "\u202e1"}, b"x", "x", 400),
    "no file": ({}, b"", "", 400),
    "a file that is called a folder": ({}, b"x", "../..", 400),
    "a file name that cannot be shown": ({}, b"x", "a\u202ezip.exe", 400),
    "a file name without end": ({}, b"x", "a" * 121, 400),
    "fields without end": ({f"f{number}": "" for number in range(50)}, b"x", "x", 400),
    "a field without end": ({"name": "n" * 20_000}, b"x", "x", 413),
}


@pytest.mark.parametrize("case", REFUSED_BEFORE)
def test_what_no_page_sends_is_not_entered(running, alice, folder, case):
    fields, content, name, status = REFUSED_BEFORE[case]
    before, files = count(running), set(os.listdir(folder))
    assert alice.upload(content, name, fields).status == status
    assert count(running) == before
    assert set(os.listdir(folder)) == files


REFUSED_LATER = {
    "an empty file": (b"", 400, "empty"),
    "too large a file": (LARGE, 413, "larger than the 1 MiB"),
}


@pytest.mark.parametrize("case", REFUSED_LATER)
def test_what_cannot_be_taken_is_refused_and_leaves_nothing(running, alice, folder, case):
    content, status, words = REFUSED_LATER[case]
    files = set(os.listdir(folder))
    assert alice.upload(content).status == status
    found = newest(running)
    assert (found.state, found.digest) == (REFUSED, "")
    assert words in found.reason
    assert set(os.listdir(folder)) == files


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("text/plain", b"x", 415),
        ("multipart/form-data", b"x", 415),
        ("multipart/form-data; boundary=" + "e" * 300, b"x", 400),
        ("multipart/form-data; boundary=edge", b"no boundary at all", 400),
        ("multipart/form-data; boundary=edge", b"--edge\r\n" + b"A: b\r\n" * 200 + b"\r\n", 400),
        ("multipart/form-data; boundary=edge", b"--edge\r\nA: " + b"b" * 100_000, 400),
        (
            "multipart/form-data; boundary=edge",
            NAMED.replace('"x"', '"\xff"').encode("latin-1") + b"x\r\n--edge--",
            400,
        ),
        ("multipart/form-data; boundary=edge", b"", 400),
    ],
)
def test_what_is_no_form_is_refused(alice, folder, kind, body, status):
    assert alice.send("POST", "/submit.html", body, {"Content-Type": kind, "Origin": alice.origin}).status == status


def test_nothing_comes_after_the_file(running, alice, folder):
    body = form_with_file({"form_token": alice.form_token, "key": "two files!"}, b"one", "x").replace(b"--edge--", b"")
    headers = {"Content-Type": "multipart/form-data; boundary=edge", "Origin": alice.origin}
    assert alice.send("POST", "/submit.html", body + NAMED.encode() + b"two\r\n--edge--\r\n", headers).status == 400
    assert newest(running).state == REFUSED


def test_too_much_is_refused_before_it_is_sent(alice, folder):
    headers = {"Content-Length": str(1 << 30), "Content-Type": "multipart/form-data; boundary=edge"}
    assert alice.send("POST", "/submit.html", b"", headers | {"Origin": alice.origin}).status == 413


def begun(alice, key):
    """A connection on which the first part of a large upload has been sent."""
    body = form_with_file({"form_token": alice.form_token, "key": key}, bytes(200_000), "slow.zip")
    connection = socket.create_connection(("127.0.0.1", alice.port), timeout=30)
    head = (
        f"POST /submit.html HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nCookie: {alice.cookie}\r\n"
        f"Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection.sendall(head.encode() + body[:50_000])
    return connection


def wait_for(running, state):
    deadline = time.monotonic() + 20
    while newest(running).state != state and time.monotonic() < deadline:
        time.sleep(0.02)
    assert newest(running).state == state
    return newest(running)


def test_one_that_stops_is_given_up(running, alice, folder):
    with begun(alice, "stops halfway") as connection:
        assert b" 408 " in connection.recv(1000)
    assert "Nothing came" in wait_for(running, REFUSED).reason


def test_one_that_trickles_is_given_up(running, alice, folder):
    with begun(alice, "trickles for ever") as connection:
        connection.setblocking(False)
        answer, deadline = b"", time.monotonic() + 20
        while not answer and time.monotonic() < deadline:
            time.sleep(0.1)
            try:
                answer = connection.recv(1000)
            except BlockingIOError:
                connection.send(b"\0")
    assert b" 408 " in answer
    assert "too long" in wait_for(running, REFUSED).reason


def test_one_that_is_broken_off_is_given_up(running, alice, folder):
    before = count(running)
    with begun(alice, "broken off then"):
        deadline = time.monotonic() + 20
        while count(running) == before and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "broken off" in wait_for(running, REFUSED).reason


def test_what_a_killed_process_left_is_swept_away(tmp_path):
    old, new, kept = (tmp_path / name for name in (f"{PARTIAL}old", f"{PARTIAL}new", "a" * 64))
    for path in (old, new, kept):
        path.write_bytes(b"x")
    os.utime(old, (1, 1))
    os.utime(kept, (1, 1))
    sweep(tmp_path)
    assert set(tmp_path.iterdir()) == {new, kept}


def test_quota_and_dates_are_told(running, cup):
    settings = cup.contest.settings
    tight = cup.with_settings(quota=type(settings.quota)(submissions_per_day=1000, waiting=1))
    with served(tight) as other:
        carol = other.visitor("carol")
        for found in Submissions(cup.contest.open_people()).open():
            other.service.deeds.submissions.cancel(found.id)
        assert carol.upload().status == 303
        # Who has still much to send reads the answer all the same.
        refused = carol.upload(bytes(20 << 20))
        assert refused.status == 409
        assert "1 submissions of your team wait already" in refused.text
        number = newest(other).id
        assert carol.post("/do/cancel", {"submission": str(number)}).status == 303
        assert newest(other).state == CANCELLED
        again = carol.post("/do/cancel", {"submission": str(number)})
        assert again.status == 409
        assert "not received or queued any more" in again.text
    for dates, words in (
        ({"opens": datetime(2999, 1, 1, tzinfo=UTC)}, "not open yet"),
        ({"closes": datetime(2000, 1, 1, tzinfo=UTC)}, "is over"),
    ):
        with served(cup.with_settings(**dates)) as other:
            refused = other.visitor("carol").upload()
            assert refused.status == 403
            assert words in refused.text
            assert "Nothing can be handed in now" in other.visitor("carol").get("/submit.html").text
            assert other.visitor("lee").upload().status == 303


def test_uploads_have_a_limit_by_the_hour(cup):
    with served(cup) as other:
        carol = other.visitor("carol")
        got = [carol.upload().status for _ in range(7)]
        assert got == [303] * 5 + [429] * 2
        assert 0 < int(carol.upload().headers["retry-after"]) <= 12
        assert other.visitor("alice").upload().status == 303
