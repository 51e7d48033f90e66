"""The API: what it answers to whom, its description, and the commands that ask it."""

import json
import subprocess
import sys
import tarfile
import threading
import time
import urllib.error
import urllib.request

import pytest

from arena.cli.server_client import Server, Tokens, checked_url
from arena.contest.submissions import Submissions
from arena.errors import InfraError, UsageError
from tests.kits.contestants import arena, write_bot
from tests.kits.contests import make_cup, served

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    return make_cup(tmp_path_factory.mktemp("cup") / "cup")


@pytest.fixture(scope="module")
def running(cup):
    with served(cup) as running:
        yield running


@pytest.fixture
def url(running):
    return f"http://127.0.0.1:{running.port}"


@pytest.fixture
def alice(running, url, cup):
    return Server(url, cup.tokens["alice"])


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A user without tokens."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def status_of(url, path, method="GET", headers=None, body=None):
    """The status and the JSON of a request as it is given."""
    request = urllib.request.Request(f"{url}/api/v1{path}", method=method, headers=headers or {}, data=body)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        refused = error
    assert refused.headers["content-type"] == "application/problem+json"
    return refused.code, json.load(refused)


def test_everybody_reads_what_is_public(url):
    server = Server(url, "")
    assert server.ask("/contest")["title"] == "Spring cup"
    rows = server.ask("/ratings/claim")["items"]
    assert {row["name"] for row in rows} == {"redbot", "carolbot", "teacher"}
    assert {row["owner"] for row in rows} == {"reds", "Carol <b>C.</b>", "teacher"}
    bots = list(server.all("/bots", limit=2))
    assert [bot["name"] for bot in bots] == ["teacher", "carolbot", "redbot"]
    matches = list(server.all("/matches", limit=5))
    assert len(matches) == len({match["id"] for match in matches}) == 12
    assert len(server.fetch(f"/matches/{matches[0]['id']}/record")) > 100
    (cup,) = server.all("/tournaments")
    assert (cup["matches"], server.ask(f"/tournaments/{cup['id']}")) == (12, cup)


def test_a_submission_is_handed_in_followed_and_taken_back(alice, url, cup):
    body = b"not really an archive"
    made = alice.post("/submissions", body, file="mover.zip", games="claim")
    assert (made["state"], made["ahead"], made["bytes"], made["file_name"]) == ("queued", 0, len(body), "mover.zip")
    assert alice.ask(f"/submissions/{made['id']}") == made
    assert [step["state"] for step in alice.ask(f"/submissions/{made['id']}/steps")["items"]] == ["received", "queued"]
    assert made in list(alice.all("/submissions", limit=1))
    assert (cup.contest.uploads / made["digest"]).read_bytes() == body
    carol = {"authorization": f"Bearer {cup.tokens['carol']}"}
    for path, method in ((f"/submissions/{made['id']}", "GET"), (f"/submissions/{made['id']}/cancel", "POST")):
        assert status_of(url, path, method, carol)[0] == 404  # another team's is not there
    lee = Server(url, cup.tokens["lee"])
    assert lee.ask(f"/submissions/{made['id']}")["state"] == "queued"
    assert alice.post(f"/submissions/{made['id']}/cancel")["state"] == "cancelled"
    again = {"authorization": f"Bearer {cup.tokens['alice']}"}
    assert status_of(url, f"/submissions/{made['id']}/cancel", "POST", again)[0] == 409


def test_the_same_key_is_the_same_submission(url, cup):
    headers = {"authorization": f"Bearer {cup.tokens['alice']}", "idempotency-key": "one-and-the-same"}
    first, second = (status_of(url, "/submissions?file=a.zip", "POST", headers, b"abc")[1] for _ in range(2))
    assert first["id"] == second["id"]
    Server(url, cup.tokens["alice"]).post(f"/submissions/{first['id']}/cancel")


REFUSED = [
    ("/me", "GET", {}, None, 401),
    ("/me", "GET", {"authorization": "Bearer arena-guessed"}, None, 401),
    ("/me", "GET", {"cookie": "arena=x"}, None, 401),
    ("/submissions", "GET", {}, None, 401),
    ("/submissions?file=a.zip", "POST", {"alice": "", "idempotency-key": "12345678"}, b"", 400),
    ("/submissions?file=a.zip", "POST", {"alice": ""}, b"x", 400),
    ("/submissions?file=..", "POST", {"alice": "", "idempotency-key": "12345679"}, b"x", 400),
    ("/submissions?games=chess", "POST", {"alice": "", "idempotency-key": "12345670"}, b"x", 400),
    ("/submissions/0", "GET", {"alice": ""}, None, 400),
    ("/submissions/99999999999999999999", "GET", {"alice": ""}, None, 400),
    ("/bots?before=%27", "GET", {}, None, 400),
    ("/bots?limit=201", "GET", {}, None, 400),
    ("/ratings/chess", "GET", {}, None, 404),
    ("/bots/77", "GET", {}, None, 404),
    ("/tournaments/77", "GET", {}, None, 404),
    ("/matches/1-ffff/record", "GET", {}, None, 404),
    ("/nothing", "GET", {}, None, 404),
    (f"/bots?game={'a' * 3000}", "GET", {}, None, 414),
]


@pytest.mark.parametrize(("path", "method", "headers", "body", "status"), REFUSED)
def test_what_cannot_be_is_a_problem_in_a_sentence(url, cup, path, method, headers, body, status):
    given = dict(headers)
    if "alice" in given:
        given = {"authorization": f"Bearer {cup.tokens['alice']}", **given}
        del given["alice"]
    code, problem = status_of(url, path, method, given, body)
    assert (code, problem["status"], bool(problem["detail"])) == (status, status, True)


@pytest.mark.parametrize(
    ("standings", "seen"), [("public", "nobody carol lee"), ("contestants", "carol lee"), ("hidden", "lee")]
)
def test_standings_are_for_whom_the_contest_says(cup, standings, seen):
    with served(cup.with_settings(standings=standings)) as running:
        url = f"http://127.0.0.1:{running.port}"
        for path in ("/ratings/claim", "/bots", "/bots/1", "/matches", "/tournaments", "/tournaments/1"):
            for name in ("nobody", "carol", "lee"):
                given = {} if name == "nobody" else {"authorization": f"Bearer {cup.tokens[name]}"}
                status, _ = status_of(url, path, headers=given)
                assert status == (200 if name in seen.split() else 401 if name == "nobody" else 403), (path, name)


def test_pseudonyms_hide_teams_from_the_public(cup):
    with served(cup.with_settings(pseudonyms=True)) as running:
        url = f"http://127.0.0.1:{running.port}"
        shown = {row["owner"] for row in Server(url, "").ask("/ratings/claim")["items"]}
        assert shown == {"Team 1", "Team 2", "teacher"}
        assert "reds" in {row["owner"] for row in Server(url, cup.tokens["carol"]).ask("/ratings/claim")["items"]}


@pytest.mark.parametrize("person", ["nobody", "alice"])
def test_the_description_is_true(url, cup, person, tmp_path):
    """Made-up requests to every operation: no failure of ours, and no answer that is not described."""
    words = ["run", f"{url}/api/v1/openapi.json", "--max-examples", "3", "--phases", "examples,coverage,fuzzing"]
    words += [
        "--checks",
        "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
    ]
    if person != "nobody":
        words += ["--header", f"Authorization: Bearer {cup.tokens[person]}"]
    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", *words, "--no-color"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.fixture
def own(tmp_path):
    """A contest of one test's own, in which nobody has tried anything yet: its cup and its address."""
    cup = make_cup(tmp_path / "cup")
    with served(cup) as running:
        yield cup, f"http://127.0.0.1:{running.port}"


def test_a_token_is_kept_for_its_user_alone(own, home):
    cup, url = own
    done = arena_with(cup.tokens["alice"], "login", url)
    assert (done.returncode, f"you are alice of team reds at {url}" in done.stdout) == (0, True), done.stderr
    (kept,) = (home / "config").rglob("tokens.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert Tokens().find(url) == cup.tokens["alice"]
    told = arena("ratings", "--game", "claim", "--server", url)
    assert (told.exit_code, "redbot 1" in told.output) == (0, True), told.output
    assert json.loads(arena("bots", "list", "--server", url, "--json").output)[0]["name"] == "teacher"
    assert "carolbot" in arena("history", "redbot", "--server", url).output
    assert "Spring cup: claim" in arena("status", "--server", url).output
    match = json.loads(arena("history", "redbot", "--server", url, "--json").output)[0]["match"]
    assert "The game is over" in arena("replay", "show", match, "--server", url).output
    assert arena("logout", url).exit_code == 0
    assert Tokens().find(url) is None
    refused = arena_with("arena-guessed", "login", url)
    assert (refused.returncode, "does not know you" in refused.stderr) == (2, True)


def test_a_bot_is_handed_in_from_a_terminal(own, home):
    """A runner is played by hand: it claims what comes, and decides."""
    cup, url = own
    bot = write_bot(home / "mover", "print('hello')")
    queue = Submissions(cup.contest.open_people())
    Tokens().keep(url, cup.tokens["alice"])

    def decide(state, reason, output=""):
        deadline = time.monotonic() + 60
        while (claimed := queue.claim(9)) is None and time.monotonic() < deadline:
            time.sleep(0.05)
        queue.step(claimed.id, 9, "checking", "it plays its trial matches")
        queue.decide(claimed.id, 9, state, reason, output=output)
        with tarfile.open(cup.contest.uploads / claimed.digest) as archive:
            assert {"bot.toml", "bot.py"} <= set(archive.getnames())

    for state, code in (("registered", 0), ("refused", 2)):
        runner = threading.Thread(target=decide, args=(state, f"it is {state}", "its last words"))
        runner.start()
        done = arena("submit", bot, "--server", url)
        runner.join()
        assert done.exit_code == code, done.output
        assert "checking: it plays its trial matches" in done.output
        assert f"{state}: it is {state}" in done.output
        assert "its last words" in done.output
    refused = arena("submit", home / "nothing", "--server", url)
    assert (refused.exit_code, "there is no folder or archive" in refused.output) == (2, True)


def arena_with(typed, *words):
    return subprocess.run(
        [sys.executable, "-m", "arena", *words], input=typed, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "text", ["cup.example", "http://cup.example", "https://a:b@cup.example", "https://x?y", "ftp://x"]
)
def test_a_token_is_never_sent_where_others_could_read_it(text):
    with pytest.raises(UsageError):
        checked_url(text)


def test_a_server_that_is_not_there_or_no_contest(url):
    with pytest.raises(InfraError, match="does not answer"):
        Server("http://127.0.0.1:9", "").ask("/contest")
    with pytest.raises(InfraError, match="is no contest of Arena"):
        Server(f"{url}/elsewhere", "").ask("/contest")
