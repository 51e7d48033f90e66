"""Who sees what: every route, for nobody, another team, the team itself and an organiser."""

import pytest

from arena.contest.people import Person, Team
from arena.contest.settings import CONTESTANTS, HIDDEN, PUBLIC
from arena.service.access import Account, Everybody, OfTeam, Organising, Results, may_see, things
from arena.web.pages.views import match_name
from tests.kits.contests import served

pytestmark = pytest.mark.slow

WHO = {"nobody": "", "other": "carol", "team": "alice", "organiser": "lee"}
ALL = set(WHO)
KNOWN = ALL - {"nobody"}
TEAM = {"team", "organiser"}

PATHS = {
    "asset": "/assets/site.css", "module": "/modules/upload.js", "contest": "/index.html", "rules": "/rules/claim.html",
    "api": "/api/v1/openapi.json", "login": "/login.html", "join": "/join.html", "missing": "/nothing/here",
    "mine": "/mine.html", "submit": "/submit.html", "organiser": "/organiser.html", "audit": "/audit.html",
    "submission": "/submissions/1.html", "submission_events": "/events/submissions/1.html",
    "download": "/submissions/1/file", "logout": "POST /logout.html", "do": "POST /do/cancel",
    "home": "/", "ladder": "/ladders/claim.html", "bots": "/bots.html", "bot": "/bots/1.html",
    "pair": "/pairs/1-2.html",
    "tournaments": "/tournaments.html", "tournament": "/tournaments/1.html", "matches": "/matches.html",
    "match": "/matches/{match}.html", "embed": "/embed/{match}.html", "replay": "/replays/{match}.json.gz",
    "home_events": "/events/index.html", "tournament_events": "/events/tournaments/1.html",
    "match_events": "/events/matches/{match}.html", "embed_events": "/events/embed/{match}.html",
}  # fmt: skip
"""An address of every route; behind that of the API each operation asks for itself."""
OPEN = ("asset", "module", "api", "contest", "home", "rules", "login", "join", "missing")
OWN = {
    "mine": KNOWN, "submit": KNOWN, "logout": KNOWN, "do": TEAM, "submission": TEAM, "submission_events": TEAM,
    "download": TEAM, "organiser": {"organiser"}, "audit": {"organiser"},
}  # fmt: skip
"""Who gets in whatever contest.toml says; all other routes lead to results."""


def expected(name, standings):
    if name in OPEN:  # the address of the site's own first page has the contest's, which shows results to some
        return ALL
    if name in OWN:
        return OWN[name]
    if standings == PUBLIC:
        return ALL
    if name.startswith("embed"):
        return set()  # nobody's cookie is read for what other sites show in a frame
    return KNOWN if standings == CONTESTANTS else {"organiser"}


@pytest.fixture(scope="module")
def match(cup):
    store = cup.contest.open_results()
    entry = store.latest_matches(limit=1)[0].entry
    store.close()
    return match_name(entry.tournament_id, entry.match_id)


@pytest.fixture(scope="module")
def submission(cup):
    """The reds' only one, which is cancelled: cancelling it once more is refused, but only to those who may."""
    with served(cup) as running:
        visitor = running.visitor("alice")
        assert visitor.upload().way == "submissions/1.html"
        assert visitor.post("/do/cancel", {"submission": "1"}).way == "../mine.html"


def ask(visitor, name, match):
    """The answer, and whether it is what stands behind the route."""
    path = PATHS[name].format(match=match)
    if path.startswith("POST "):
        answer = visitor.post(path[5:], {"submission": "1"})
        return answer, answer.status == 409 or (answer.status == 303 and "login" not in answer.way)
    answer = visitor.get(path)
    return answer, answer.status == (404 if name == "missing" else 200)


@pytest.mark.usefixtures("submission")
@pytest.mark.parametrize("standings", [PUBLIC, CONTESTANTS, HIDDEN])
def test_every_route_is_for_those_who_may_see_it(cup, match, standings):
    assert set(things(standings)) == set(PATHS)
    got = {name: set() for name in PATHS}
    with served(cup.with_settings(standings=standings)) as running:
        for who, account in WHO.items():
            visitor = running.visitor(account)
            for name in sorted(PATHS, key=lambda name: name == "logout"):
                answer, seen = ask(visitor, name, match)
                if seen:
                    got[name].add(who)
                else:
                    assert answer.status in (303, 403, 404), (name, who, answer.status)
                if not seen or (name in ("contest", "home") and who not in expected("ladder", standings)):
                    assert "redbot" not in answer.text
                    assert "my_bot.tar" not in answer.text.replace("tar czf my_bot.tar.gz my_bot", "")
    assert got == {name: expected(name, standings) for name in PATHS}


TEAMS = Team(1, "reds", "Reds"), Team(2, "blues", "Blues")
NOBODY = None
ALICE, LEE, GONE = (
    Person(1, "alice", "Alice", TEAMS[0], "contestant", False, None),
    Person(2, "lee", "Ms. Lee", TEAMS[1], "organiser", False, None),
    Person(3, "eve", "Eve", TEAMS[0], "organiser", True, None),
)


@pytest.mark.parametrize(
    ("thing", "who"),
    [
        (Everybody(), [NOBODY, ALICE, LEE, GONE]),
        (Results(PUBLIC), [NOBODY, ALICE, LEE, GONE]),
        (Results(CONTESTANTS), [ALICE, LEE]),
        (Results(HIDDEN), [LEE]),
        (Results("anything else"), [LEE]),
        (Account(), [ALICE, LEE]),
        (OfTeam(1), [ALICE, LEE]),
        (OfTeam(3), [LEE]),
        (Organising(), [LEE]),
    ],
)
def test_the_predicate(thing, who):
    assert [person for person in (NOBODY, ALICE, LEE, GONE) if may_see(person, thing)] == who
