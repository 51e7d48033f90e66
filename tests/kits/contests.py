"""A contest for tests: two teams and an organiser, bots that have played, and its web process on a port of its own."""

import http.client
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import uvicorn

from arena import registry
from arena.contest.people import NewPerson, People
from arena.contest.settings import Contest, ContestSettings, make_contest
from arena.service.deeds import Deeds
from arena.service.gate import endpoint_of
from arena.service.server import Service
from arena.service.uploads import PATIENCE
from arena.store.sql import Store
from arena.web.connections import guarded
from arena.web.live import Live
from tests.kits.sites import play_tournament

GAME = "claim"
CREW = (
    NewPerson("alice", "Alice A.", "reds"),
    NewPerson("carol", "Carol <b>C.</b>"),
    NewPerson("lee", "Ms. Lee", "", "organiser"),
)
BOTS = ("redbot", "carolbot", "teacher")


@dataclass(frozen=True)
class Cup:
    """A contest that is there, with the tokens of its people."""

    contest: Contest
    tokens: dict[str, str]

    def with_settings(self, **changes):
        """The same contest with another contest.toml."""
        return replace(self, contest=replace(self.contest, settings=replace(self.contest.settings, **changes)))


def make_cup(folder, **settings):
    """A contest in which the reds (Alice), Carol and a teacher have a bot each, and twelve matches were played."""
    contest = make_contest(folder, ContestSettings("Spring cup", (GAME,), **settings), registry.games())
    database = contest.open_people()
    issued = People(database).add(CREW)
    database.dispose()
    teams = {item.person.name: item.person.team for item in issued}
    store = Store(contest.results)
    owners = (teams["alice"].owner, teams["carol"].owner, "teacher")
    bots = [
        store.add_bot(name=name, version="1", owner=owner, digest=name, origin="/x", games=[GAME])
        for name, owner in zip(BOTS, owners)
    ]
    play_tournament(store, GAME, bots, 2, 2)
    store.close()
    return Cup(contest, {item.person.name: item.token for item in issued})


@contextmanager
def served(cup, *, patience=PATIENCE, behind_proxy=False, uploads=None):
    """The web process of a contest, in a thread; nothing is renewed in the background."""
    contest = cup.contest
    store, database = contest.open_results(), contest.open_people()
    games = {name: registry.find(name) for name in contest.settings.games}
    live = Live(store, games, title=contest.settings.title, planned=lambda _: None, histories=dict)
    deeds = Deeds(contest, database, lambda: live.site().snapshot.bots, uploads)
    service = Service(
        deeds, live, endpoint_of(contest.settings.address, "127.0.0.1", behind_proxy=behind_proxy), patience=patience
    )
    config = uvicorn.Config(
        service.app(), host="127.0.0.1", port=0, http=guarded(), ws="none", lifespan="off", log_level="error",
        timeout_graceful_shutdown=1, proxy_headers=False, access_log=False,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Running(server.servers[0].sockets[0].getsockname()[1], service, cup)
    finally:
        server.should_exit = True
        thread.join(30)
        store.close()
        database.dispose()


@dataclass(frozen=True)
class Running:
    """A served contest."""

    port: int
    service: Service
    cup: Cup

    def visitor(self, name=""):
        """A browser, logged in as somebody or as nobody."""
        visitor = Visitor(self.port)
        if name:
            assert visitor.post("/login.html", {"token": self.cup.tokens[name]}).status == 303
            visitor.form_token = re.search(r'name="form_token" value="([^"]+)"', visitor.get("/mine.html").text)[1]
        return visitor


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    text: str

    @property
    def way(self):
        return self.headers["location"] or ""


class Visitor:
    """A browser without a screen: it keeps its cookie, and says where its forms come from."""

    def __init__(self, port):
        self.port, self.cookie, self.form_token = port, "", ""

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def get(self, path, **headers):
        return self.send("GET", path, None, headers)

    def post(self, path, fields, **headers):
        """Send a form as its page would."""
        known = {"form_token": self.form_token} if self.form_token else {}
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.origin}
        return self.send("POST", path, urlencode(known | fields, doseq=True), kind | headers)

    def upload(self, content=b"a bot", file_name="my_bot.tar.gz", fields=None, **headers):
        """Send the form of an upload."""
        known = {"form_token": self.form_token, "key": f"key-{time.monotonic_ns()}"}
        kind = {"Content-Type": "multipart/form-data; boundary=edge", "Origin": self.origin}
        return self.send(
            "POST", "/submit.html", form_with_file(known | (fields or {}), content, file_name), kind | headers
        )

    def send(self, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            cookie = {"Cookie": self.cookie} if self.cookie else {}
            sent = {key.replace("_", "-"): value for key, value in (cookie | headers).items() if value is not None}
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            goes_on = "event-stream" in (answer.headers["content-type"] or "")
            text = "" if goes_on else answer.read().decode("utf-8", "replace")
            if found := answer.headers["set-cookie"]:
                self.cookie = found.partition(";")[0]
            return Answer(answer.status, answer.headers, text)
        finally:
            connection.close()


def form_with_file(fields, content, file_name, *, boundary="edge"):
    """The bytes of a form whose last part is a file."""
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n\r\n'
    return b"".join([*parts, head.encode(), content, f"\r\n--{boundary}--\r\n".encode()])
