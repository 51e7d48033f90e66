"""A docker daemon that is absent, slow, hung or odd: it costs seconds, never more, and always ends in a sentence."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer

import pytest

from arena.errors import InfraError
from arena.sandboxes import doctor, sweeping
from arena.sandboxes.base import BotImage, Limits
from arena.sandboxes.docker.client import DockerClient, NoAnswer, NotFound
from arena.sandboxes.docker.container import REFEREE_LABEL
from arena.sandboxes.docker.sandbox import DockerSandbox

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="asks a docker daemon, against deadlines")]

ROOT = Path(__file__).parents[2]
GONE = f"{os.stat('/proc/self/ns/pid').st_ino}-4194304-1"
"""The owner name of a referee that is surely dead."""
LEFT = {"Id": "c" * 64, "Names": [f"/arena-{GONE}-token"], "Labels": {REFEREE_LABEL: GONE}}
SOON_S = 20.0
"""Far above the limits that the tests set, and far below what a hung daemon would take."""


class Handler(BaseHTTPRequestHandler):
    """Answers from a table; a path that is not in it hangs until the test is over."""

    def do_GET(self):
        self.server.asked.append(f"{self.command} {self.path}")
        for path, (status, answer) in self.server.answers.items():
            if path in f"{self.command} {self.path}":
                return self.reply(status, answer)
        self.server.over.wait()
        return None

    do_POST = do_DELETE = do_GET  # noqa: N815

    def reply(self, status, answer):
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self):
        return "daemon"

    def log_message(self, *_):
        pass


class Server(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def daemon_that(answers, folder, monkeypatch):
    """A daemon on a socket of its own that knows these answers and hangs at anything else."""
    server = Server(str(folder / "daemon.sock"), Handler)
    server.answers, server.asked, server.over = answers, [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{folder}/daemon.sock")
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


VERSION = {"GET /version": (200, {"ApiVersion": "1.41", "Version": "20.10"})}


def test_a_hung_engine_costs_no_more_than_its_limit(tmp_path, monkeypatch):
    began = time.monotonic()
    with daemon_that({}, tmp_path, monkeypatch), pytest.raises(NoAnswer, match=r"did not answer within 0.5 s"):
        DockerClient(0.5)
    assert time.monotonic() - began < SOON_S


def test_an_engine_that_hangs_later(tmp_path, monkeypatch):
    began = time.monotonic()
    with daemon_that(VERSION, tmp_path, monkeypatch), DockerClient(0.5) as client, pytest.raises(NoAnswer):
        client.call(client.api.inspect_container, "x")
    assert time.monotonic() - began < SOON_S


def test_an_answer_that_drips_is_no_answer(tmp_path, monkeypatch):
    """Each byte comes within the client's limit; the outer one counts the whole call."""
    with daemon_that(VERSION, tmp_path, monkeypatch) as server, DockerClient(1.0) as client:

        def drip(handler, *_):
            handler.send_response(200)
            handler.end_headers()
            while not server.over.wait(0.1):
                handler.wfile.write(b" ")

        monkeypatch.setattr(Handler, "reply", drip)
        server.answers = {"/info": (200, {})}
        began = time.monotonic()
        with pytest.raises(NoAnswer):
            client.call(client.api.info)
        assert time.monotonic() - began < SOON_S


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ((404, {"message": "no such container"}), NotFound),
        ((500, {"message": "disk on fire"}), InfraError),
        ((200, b"<html>"), InfraError),
        ((409, {"message": "conflict"}), InfraError),
    ],
)
def test_whatever_the_engine_answers_is_our_error(answer, kind, tmp_path, monkeypatch):
    answers = {**VERSION, "/containers/x/json": answer}
    with (
        daemon_that(answers, tmp_path, monkeypatch),
        DockerClient(5) as client,
        pytest.raises(kind, match="docker: ") as found,
    ):
        client.call(client.api.inspect_container, "x")
    assert isinstance(found.value, InfraError)


def test_a_line_that_breaks_is_our_error(tmp_path, monkeypatch):
    with daemon_that(VERSION, tmp_path, monkeypatch) as server, DockerClient(5) as client:
        monkeypatch.setattr(Handler, "reply", lambda handler, *_: handler.connection.shutdown(socket.SHUT_RDWR))
        server.answers = {"/info": (200, {})}
        with pytest.raises(InfraError, match="docker: "):
            client.call(client.api.info)


def test_a_sandbox_on_a_hung_daemon_fails_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.sandboxes.docker.sandbox.DockerClient", lambda: DockerClient(0.5))
    monkeypatch.setattr(sweeping, "_SWEEP_S", 0.5)

    async def play():
        with pytest.raises(InfraError, match="did not answer"):
            await DockerSandbox(BotImage("x"), Limits()).start()

    began = time.monotonic()
    with daemon_that(VERSION, tmp_path, monkeypatch):
        asyncio.run(play())
    assert time.monotonic() - began < SOON_S


def test_a_sweep_says_what_it_could_not_remove(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(sweeping, "_SWEEP_S", 0.5)
    listed = {**VERSION, "/containers/json": (200, [LEFT]), f"GET /v1.41/containers/{'c' * 64}/json": (200, {
        "Id": "c" * 64, "State": {"Pid": 0}})}  # fmt: skip
    with daemon_that(listed, tmp_path, monkeypatch) as server:
        assert sweeping.sweep_containers() == []
        assert any(line.startswith("DELETE ") for line in server.asked)
    assert f"the container arena-{GONE}-token of an earlier run could not be removed" in caplog.text
    assert "did not answer within 0.5 s" in caplog.text


def test_a_sweep_leaves_alone_what_only_carries_our_label(tmp_path, monkeypatch):
    """A label may come out of an image: somebody's own container of it is not ours."""
    foreign = {**LEFT, "Names": ["/my-database"]}
    with daemon_that({**VERSION, "/containers/json": (200, [foreign])}, tmp_path, monkeypatch) as server:
        assert sweeping.sweep_containers() == []
        assert not [line for line in server.asked if line.startswith("DELETE ")]


def test_a_sweep_leaves_alone_what_is_being_removed(tmp_path, monkeypatch):
    nameless = {**LEFT, "Names": []}
    with daemon_that({**VERSION, "/containers/json": (200, [nameless])}, tmp_path, monkeypatch) as server:
        assert sweeping.sweep_containers() == []
        assert not [line for line in server.asked if line.startswith("DELETE ")]


def test_a_hung_daemon_is_one_line_of_the_doctor(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "DockerClient", lambda: DockerClient(0.5))
    (docker,) = (probe for probe in doctor.PROBES if probe.name == "docker daemon")
    with daemon_that({}, tmp_path, monkeypatch):
        (line,) = doctor.run_probe(docker)
    assert "did not answer" in line.found


@pytest.mark.slow
def test_who_does_not_use_docker_never_asks_the_daemon(tmp_path, monkeypatch):
    words = ("match", "--game", "claim", "--bot", "sample_bots/random", "--bot", "first", "--seed", "3")
    with daemon_that({}, tmp_path, monkeypatch) as server:
        played = subprocess.run(
            [sys.executable, "-m", "arena", *words, "--sandbox", "process"],
            cwd=ROOT, capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
        assert played.returncode == 0, played.stderr
        assert server.asked == []
