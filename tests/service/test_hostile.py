"""Hostile requests: a table of what each gets, and proof that it changed nothing."""

import json

import pytest

from arena.contest.audit import Audit
from arena.contest.requests import PAUSED
from arena.contest.submissions import QUEUED
from tests.kits.contests import served

pytestmark = pytest.mark.slow

FORM = "application/x-www-form-urlencoded"
XSS = "\"><script>alert(1)</script>{{7*7}}' OR 1=1 --"


@pytest.fixture(scope="module")
def prey(running):
    """The number of the reds' submission, which everybody else is after."""
    assert running.visitor("alice").upload(b"secret source").status == 303
    return running.service.deeds.submissions.newest(limit=1)[0].id


def state(running):
    """All that a hostile request could change."""
    deeds = running.service.deeds
    return (
        deeds.submissions.newest(), deeds.people.all(), deeds.requests.open(), deeds.requests.is_on(PAUSED),
        sorted(path.name for path in running.cup.contest.uploads.iterdir()),
    )  # fmt: skip


OTHERS = {  # by Carol, who is logged in, with her own form token: (method, address, fields, what she gets)
    "see another team's submission": ("GET", "/submissions/{prey}.html", {}, 404),
    "follow another team's submission": ("GET", "/events/submissions/{prey}.html", {}, 404),
    "download another team's file": ("GET", "/submissions/{prey}/file", {}, 404),
    "a submission that is not there": ("GET", "/submissions/999999999.html", {}, 404),
    "a number that no column holds": ("GET", "/submissions/99999999999999999999.html", {}, 404),
    "climb out of the uploads": ("GET", "/submissions/../../people.db/file", {}, 404),
    "climb out, encoded": ("GET", "/submissions/%2e%2e%2fpeople.db/file", {}, 404),
    "climb out of the modules": ("GET", "/modules/..%2f..%2fpeople.db", {}, 404),
    "climb out of the assets": ("GET", "/assets/../../people.db", {}, 404),
    "cancel another team's submission": ("POST", "/do/cancel", {"submission": "{prey}"}, 404),
    "retire another team's bot": ("POST", "/do/retire", {"bot": "1"}, 404),
    "restore another team's bot": ("POST", "/do/restore", {"bot": "1"}, 404),
    "retire a bot of the organiser": ("POST", "/do/retire", {"bot": "3"}, 404),
    "retire a bot that is not there": ("POST", "/do/retire", {"bot": "99"}, 404),
    "put something back": ("POST", "/do/requeue", {"submission": "{prey}"}, 403),
    "pause the contest": ("POST", "/do/pause", {}, 403),
    "lock an account": ("POST", "/do/disable", {"name": "alice"}, 403),
    "enable an account": ("POST", "/do/enable", {"name": "alice"}, 403),
    "get the organiser's token": ("POST", "/do/renew", {"name": "lee"}, 403),
    "an unknown deed": ("POST", "/do/erase", {"name": "alice"}, 404),
    "no number": ("POST", "/do/cancel", {"submission": "1 OR 1=1"}, 400),
    "a foreign digit": ("POST", "/do/cancel", {"submission": "\u0661"}, 400),
    "a long number": ("POST", "/do/cancel", {"submission": "9" * 30}, 400),
    "a control character": ("POST", "/do/cancel", {"submission": "1\x00"}, 400),
    "a bidirectional character": ("POST", "/do/cancel", {"submission": "\u202e1"}, 400),
    "a line end in a field": ("POST", "/do/cancel", {"submission": "1\r\nSet-Cookie: a=b"}, 400),
    "a form that is too long": ("POST", "/do/cancel", {"submission": "1" * 20_000}, 413),
    "fields without end": ("POST", "/do/cancel", {f"f{number}": "1" for number in range(60)}, 400),
    "a foreign form token": ("POST", "/do/cancel", {"form_token": "x" * 43}, 403),
    "no form token": ("POST", "/do/cancel", {"form_token": ""}, 403),
    "log out by a link": ("GET", "/logout.html", {}, 404),
    "do by a link": ("GET", "/do/cancel?submission={prey}", {}, 404),
    "another method": ("DELETE", "/submissions/{prey}.html", {}, 405),
    "a control character in the address": ("GET", "/mine.html?x=%0d%0aSet-Cookie:a", {}, 400),
    "a turned address": ("GET", "/%e2%80%aemine.html", {}, 400),
    "an organiser's page": ("GET", "/organiser.html", {}, 403),
    "the audit by another spelling": ("GET", "/audit.html/", {}, 404),
    "the audit by a double slash": ("GET", "//audit.html", {}, 404),
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_another_team_tries_changes_nothing(running, prey, case):
    method, path, fields, status = OTHERS[case]
    carol = running.visitor("carol")
    before, path = state(running), path.format(prey=prey)
    if method == "POST":
        answer = carol.post(path, {key: value.format(prey=prey) for key, value in fields.items()})
    else:
        answer = carol.send(method, path, None, {})
    assert answer.status == status
    assert "secret source" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["content-security-policy"].startswith(
        "default-src 'none'; script-src 'self'; style-src 'self';"
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert state(running) == before


FOREIGN = {  # headers of a form with everything else as it should be
    "no word of where it comes from": ({"Origin": None}, 403),
    "from another site": ({"Origin": "https://evil.example"}, 403),
    "from a sandboxed frame": ({"Origin": "null"}, 403),
    "from another port": ({"Origin": "http://127.0.0.1:1"}, 403),
    "the browser says cross-site": ({"Sec-Fetch-Site": "cross-site"}, 403),
    "the browser says same-site": ({"Sec-Fetch-Site": "same-site"}, 403),
    "typed by hand, says the browser": ({"Sec-Fetch-Site": "none"}, 403),
    "both, and they disagree": ({"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"}, 403),
    "as JSON": ({"Content-Type": "application/json"}, 415),
    "as plain text": ({"Content-Type": "text/plain"}, 415),
    "for another host": ({"Host": "evil.example"}, 421),
    "for no host": ({"Host": ""}, 421),
    "with the session of nobody": ({"Cookie": "arena=" + "x" * 43}, 403),
    "without a session": ({"Cookie": ""}, 403),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_form_of_another_site_is_not_taken(running, case):
    headers, status = FOREIGN[case]
    lee = running.visitor("lee")
    before = state(running)
    assert lee.post("/do/pause", {}, **headers).status == status
    assert state(running) == before


@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Site": "same-origin", "Origin": None}])
def test_a_form_of_our_own_is_taken(running, headers):
    lee = running.visitor("lee")
    assert lee.post("/do/pause", {"back": "organiser"}, **headers).way == "../organiser.html"
    assert "Paused: nothing is checked" in lee.get("/organiser.html").text
    assert lee.post("/do/resume", {"back": "https://evil.example/"}, **headers).way == "../mine.html"
    assert not running.service.deeds.requests.is_on(PAUSED)


def test_an_old_form_of_a_session_that_ended_does_nothing(running, prey):
    alice = running.visitor("alice")
    old = alice.cookie
    assert alice.post("/logout.html", {}).way == "index.html"
    assert alice.cookie == 'arena=""'
    alice.cookie = old
    assert alice.post("/do/cancel", {"submission": str(prey)}).status == 403
    assert alice.get("/mine.html").way == "login.html"
    assert running.service.deeds.submissions.find(prey).state == QUEUED


@pytest.mark.parametrize("field", ["code", "name", "display"])
def test_what_is_written_into_the_form_to_join_comes_back_as_text(cup, field):
    with served(cup) as running:
        fields = {"code": "no such code", "name": "dora", "display": ""} | {field: XSS}
        answer = running.visitor().post("/join.html", fields)
        assert answer.status == 409
        assert "<script>alert" not in answer.text
        page = running.visitor().get("/join.html?code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E").text
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page


def test_names_of_files_people_and_bots_are_shown_as_text(running):
    alice, lee = running.visitor("alice"), running.visitor("lee")
    name = "<script>alert(1)</script>{{7*7}}.zip"  # a slash ends a folder
    way = alice.upload(b"x", name, {"name": "<b>bold", "version": "<i>1"}).way
    for answer in (alice.get(f"/{way}"), alice.get("/mine.html"), lee.get("/organiser.html"), lee.get("/audit.html")):
        assert answer.status == 200
        assert "<script>alert" not in answer.text
        assert "<b>bold" not in answer.text
        assert "Carol <b>C." not in answer.text
    assert "script&gt;{{7*7}}.zip" in alice.get(f"/{way}").text


def test_the_audit_has_every_deed_and_no_secret(running):
    lee = running.visitor("lee")
    running.visitor().post("/login.html", {"token": "arena-guessed-token"})
    alice = running.visitor("alice")
    assert [alice.upload().status, alice.post("/logout.html", {}).status] == [303, 303]
    assert [lee.post(f"/do/{deed}", {}).status for deed in ("pause", "resume")] == [303, 303]
    shown = lee.post("/do/renew", {"name": "carol"})
    token = shown.text.partition('class="checksum">')[2].partition("<")[0]
    assert token.startswith("arena-")
    assert shown.headers["cache-control"] == "no-store"
    database = running.cup.contest.open_people()
    rows = Audit(database).newest(limit=1000)
    database.dispose()
    running.cup.tokens["carol"] = token
    assert {"login", "failed login", "logout", "upload", "pause", "resume", "renew token"} <= {
        row.action for row in rows
    }
    written = json.dumps([[row.who, row.action, row.thing, row.address] for row in rows])
    for secret in (*running.cup.tokens.values(), "arena-guessed-token", lee.form_token, lee.cookie.partition("=")[2]):
        assert secret not in written
    assert {row.address for row in rows} == {"127.0.0.1"}
