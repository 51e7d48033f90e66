"""People at the door and inside: sessions, invitations, what each team sees of itself, and what organisers do."""

import re
import threading
import time
from datetime import timedelta

import pytest

from arena.contest.requests import RETIRE
from arena.contest.runners import ENDED, Runners
from arena.contest.submissions import BUILDING, FAILED, REFUSED, REGISTERED
from arena.errors import UsageError
from tests.kits.contests import BOTS, make_cup, served
from tests.kits.sites import LOG

pytestmark = pytest.mark.slow


def test_a_login_is_a_new_session_and_says_nothing_to_scripts_or_other_sites(running):
    visitor = running.visitor()
    first = visitor.post("/login.html", {"token": running.cup.tokens["alice"]})
    assert first.way == "mine.html"
    cookie = first.headers["set-cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=Lax", "Max-Age=1209600"} <= {part.strip() for part in cookie.split(";")}
    assert "Secure" not in cookie
    old, page = visitor.cookie, visitor.get("/mine.html")
    visitor.form_token = re.search(r'name="form_token" value="([^"]+)"', page.text)[1]
    assert "Alice A." in page.text
    assert page.headers["cache-control"] == "no-store"
    assert visitor.post("/login.html", {"token": running.cup.tokens["alice"]}).status == 303
    assert visitor.cookie != old
    visitor.cookie = old
    assert visitor.get("/mine.html").way == "login.html"


def test_behind_https_the_cookie_is_for_https_only(cup):
    with served(cup.with_settings(address="https://cup.example"), behind_proxy=True) as running:
        visitor = running.visitor()
        headers = {"Host": "cup.example", "Origin": "https://cup.example", "X-Forwarded-Proto": "https"}
        headers["X-Forwarded-For"] = "6.6.6.6, 192.0.2.7"
        answer = visitor.post("/login.html", {"token": running.cup.tokens["lee"]}, **headers)
        assert answer.way == "organiser.html"
        assert answer.headers["set-cookie"].startswith("__Host-arena=")
        assert "Secure" in answer.headers["set-cookie"]
        # What stands before the proxy's own note is anybody's word.
        assert "192.0.2.7" in visitor.get("/audit.html", **headers).text
        assert "6.6.6.6" not in visitor.get("/audit.html", **headers).text


def test_nobody_is_believed_who_only_says_to_be_a_proxy(running):
    lee = running.visitor("lee")
    lee.post("/do/resume", {}, X_Forwarded_For="192.0.2.99")
    assert "192.0.2.99" not in lee.get("/audit.html").text


def test_guessing_is_slow(cup):
    with served(cup) as running:
        visitor = running.visitor()
        got = [visitor.post("/login.html", {"token": f"arena-guess-{number}"}) for number in range(7)]
        assert [answer.status for answer in got] == [403] * 5 + [429] * 2
        assert "Nobody has this token" in got[0].text
        assert 0 < int(got[-1].headers["retry-after"]) <= 13
        assert visitor.post("/join.html", {"code": "guess", "name": "eve"}).status == 429
        assert running.visitor("alice").get("/mine.html").status == 200  # others at the same address are not kept out


def test_a_whole_class_logs_in_at_once(cup):
    with served(cup) as running:
        visitor = running.visitor()
        token = {"token": running.cup.tokens["carol"]}
        assert {visitor.post("/login.html", token).status for _ in range(12)} == {303}


def test_an_invitation_makes_an_account_and_shows_its_token_once(running):
    code = running.service.deeds.people.invite(lasts=timedelta(hours=1), places=1)
    visitor = running.visitor()
    assert f'value="{code}"' in visitor.get(f"/join.html?code={code}").text
    joined = visitor.post("/join.html", {"code": code, "name": "Dora", "display": "Dora D."})
    assert joined.status == 200
    token = joined.text.partition('class="checksum">')[2].partition("<")[0]
    assert "Welcome, <bdi>Dora D." in joined.text
    assert token not in visitor.get("/mine.html").text
    assert "Dora D." in visitor.get("/mine.html").text
    assert running.visitor().post("/login.html", {"token": token}).way == "mine.html"
    full = running.visitor().post("/join.html", {"code": code, "name": "emil"})
    assert (full.status, "all places" in full.text.lower()) == (409, True)


def test_a_team_sees_its_bots_its_matches_and_what_went_wrong(tmp_path):
    cup = make_cup(tmp_path / "cup", standings="hidden")
    with served(cup) as running, served(cup.with_settings(standings="public")) as shown:
        pages = {name: running.visitor(name).get("/mine.html").text for name in ("alice", "carol")}
        assert "redbot" in pages["alice"]
        assert "carolbot" not in pages["alice"]
        assert "Latest matches" not in pages["alice"]
        public = shown.visitor("alice").get("/mine.html").text
        assert "Latest matches" in public
        assert re.search(r"Claim: .* games?", public)
        # The ninth match of the tournament ended by a fault of one of them, whose team alone reads what it printed.
        faulty = [name for name, page in pages.items() if "What went wrong" in page]
        store = cup.contest.open_results()
        at_fault = {seat.bot_id for match in store.latest_matches() for seat in match.entry.seats if seat.at_fault}
        store.close()
        assert faulty == [name for number, name in enumerate(("alice", "carol"), 1) if number in at_fault]
        for name in faulty:
            assert LOG.strip().replace("<", "&lt;").replace(">", "&gt;") in pages[name]


def test_to_retire_a_bot_is_a_request_to_the_runner(tmp_path):
    with served(make_cup(tmp_path / "cup")) as running:
        alice = running.visitor("alice")
        assert alice.post("/do/retire", {"bot": "1", "back": "mine"}).way == "../mine.html"
        (request,) = running.service.deeds.requests.open()
        assert (request.kind, request.arguments) == (RETIRE, {"bot_id": 1})
        assert "to be retired" in alice.get("/mine.html").text
        assert running.visitor("lee").post("/do/retire", {"bot": "3"}).status == 303


@pytest.mark.parametrize(("pseudonyms", "public"), [(False, "Carol"), (True, "Team 2")])
def test_the_public_knows_teams_by_name_or_by_number(cup, pseudonyms, public):
    with served(cup.with_settings(pseudonyms=pseudonyms)) as running:
        for path in ("/bots.html", "/bots/2.html", "/ladders/claim.html"):
            nobody, carol = running.visitor().get(path), running.visitor("carol").get(path)
            assert ("Carol" in nobody.text, "Team 2" in nobody.text) == (not pseudonyms, pseudonyms), path
            assert "Carol &lt;b&gt;" in carol.text
            assert "team-2" not in nobody.text + carol.text
            assert nobody.headers["etag"] != carol.headers["etag"]
            assert carol.headers["cache-control"] == "private, no-cache"
            assert "ookie" in carol.headers["vary"]
        found = running.visitor().get("/ladders/claim.html?q=carol%20%3Cb").text
        assert ('data-name="carolbot' in found) is not pseudonyms
        assert "teacher" in running.visitor().get("/bots.html").text
        assert public in running.visitor().get("/bots.html").text


def test_what_is_not_for_everybody_is_kept_out_of_shared_caches(cup):
    with served(cup.with_settings(standings="contestants")) as running:
        for path in ("/bots.html", "/ladders/claim.html", "/matches.html"):
            assert "public" not in running.visitor("carol").get(path).headers["cache-control"]
            assert running.visitor().get(path).headers["cache-control"] == "no-store"


def test_an_organiser_locks_and_unlocks_at_once(running):
    lee, carol = running.visitor("lee"), running.visitor("carol")
    assert lee.post("/do/disable", {"name": "carol", "back": "organiser"}).status == 303
    assert carol.get("/mine.html").way == "login.html"
    assert running.visitor().post("/login.html", {"token": running.cup.tokens["carol"]}).status == 403
    assert 'class="badge fault">disabled' in lee.get("/organiser.html").text
    assert lee.post("/do/enable", {"name": "carol"}).status == 303
    running.visitor("carol")
    assert lee.post("/do/disable", {"name": "lee"}).status == 400
    unknown = lee.post("/do/disable", {"name": "zoe"})
    assert (unknown.status, "no account" in unknown.text) == (409, True)


def test_the_audit_goes_page_by_page(running):
    lee = running.visitor("lee")
    for _ in range(120):
        running.service.deeds._audit.add(None, "192.0.2.1", "test", "row")
    first = lee.get("/audit.html").text
    older = re.search(r'href="(\?before=\d+)"', first)[1]
    second = lee.get(f"/audit.html{older}").text
    assert (first.count("<td>test</td>"), second.count("<td>test</td>")) == (100, 20)
    assert lee.get("/audit.html?before=x").status == 200


@pytest.mark.real(reason="a stream is followed while things happen")
def test_a_submission_is_followed_to_its_end(tmp_path):
    with served(make_cup(tmp_path / "cup")) as running:
        alice, queue = running.visitor("alice"), running.service.deeds.submissions
        assert alice.upload().way == "submissions/1.html"
        texts = []
        reader = threading.Thread(target=lambda: texts.append(follow(alice, "/events/submissions/1.html")))
        reader.start()
        claimed = queue.claim(epoch=1)
        queue.step(claimed.id, 1, BUILDING, "make all")
        time.sleep(1.5)
        queue.decide(claimed.id, 1, REFUSED, "its build <failed>", output="cc: error \x1b[31m</pre><script>")
        reader.join(30)
        assert "make all" in texts[0]
        assert texts[0].rstrip().endswith("event: end\ndata: {}")
        page = alice.get("/submissions/1.html").text
        assert "its build &lt;failed&gt;" in page
        assert r"cc: error \x1b[31m&lt;/pre&gt;&lt;script&gt;" in page
        assert "data-events" not in page


def follow(visitor, path):
    """All of a stream."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", visitor.port, timeout=30)
    connection.request("GET", path, headers={"Cookie": visitor.cookie})
    try:
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def test_organisers_put_back_what_failed_and_teams_see_what_became_of_theirs(tmp_path):
    with served(make_cup(tmp_path / "cup")) as running:
        alice, lee, queue = running.visitor("alice"), running.visitor("lee"), running.service.deeds.submissions
        alice.upload()
        for epoch in range(1, 4):
            queue.give_back(queue.claim(epoch).id, epoch, "the disk is full")
        assert queue.find(1).state == FAILED
        assert "failed through us, not through your bot" in alice.get("/mine.html").text
        assert "Put back" in lee.get("/organiser.html").text
        assert lee.post("/do/requeue", {"submission": "1", "back": "organiser"}).way == "../organiser.html"
        queue.decide(queue.claim(9).id, 9, REGISTERED, "registered", bot_id=1)
        assert f"accepted as {BOTS[0]} 1: it plays" in alice.get("/mine.html").text
        assert "/bots/1.html" in alice.get("/submissions/1.html").text


def test_results_cannot_be_written_by_the_web_process(running):
    store = running.service.pages._live.store
    with pytest.raises(UsageError, match="not writable"):
        store.add_bot(name="x", version="1", owner="team-1", digest="x", origin="/x", games=["claim"])


@pytest.mark.real(reason="a stream is followed while things happen")
def test_who_is_locked_out_follows_nothing_any_more(tmp_path):
    with served(make_cup(tmp_path / "cup")) as running:
        alice, lee, texts = running.visitor("alice"), running.visitor("lee"), []
        assert alice.upload().status == 303
        reader = threading.Thread(target=lambda: texts.append(follow(alice, "/events/submissions/1.html")))
        reader.start()
        time.sleep(0.5)
        assert lee.post("/do/disable", {"name": "alice"}).status == 303
        reader.join(30)
        assert texts[0].rstrip().endswith("event: end\ndata: {}")


def test_an_organiser_is_told_when_there_is_no_runner(cup):
    database = cup.contest.open_people()
    runners = Runners(database)
    with served(cup) as running:
        lee = running.visitor("lee")
        assert "there was no runner yet" in lee.get("/organiser.html").text
        runners.enter(1, "process 1 on here")
        assert "no runner" not in lee.get("/organiser.html").text
        runners.beat(1, ENDED)
        assert "no runner since" in lee.get("/organiser.html").text
    database.dispose()


def test_the_first_page_says_how_to_hand_in_from_a_terminal(cup):
    with served(cup) as running:
        assert "tar czf my_bot.tar.gz my_bot" in running.visitor().get("/").text
    with served(cup.with_settings(address="https://cup.example/")) as running:
        assert "arena submit my_bot --server https://cup.example<" in running.visitor().get("/").text
