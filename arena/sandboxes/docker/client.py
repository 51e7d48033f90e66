"""A client of the docker daemon: every call has a time limit, every failure is translated here and nowhere else."""

import asyncio
import importlib
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from arena.errors import InfraError

T = TypeVar("T")
CALL_S = 10.0
"""Seconds for one call. A healthy daemon answers in a fraction of one; a hung one must not hang us."""
_SOCKET = "unix:///var/run/docker.sock"


class NotFound(InfraError):
    """The daemon knows no such container or image."""


class NoAnswer(InfraError):
    """The daemon did not answer in time."""


class DockerClient:
    """One connection to the docker daemon of this machine."""

    def __init__(self, within_s: float = CALL_S) -> None:
        """Connect; InfraError when there is no daemon to talk to."""
        try:
            library, requests, urllib3 = map(importlib.import_module, ("docker", "requests", "urllib3"))
        except ImportError as error:
            raise InfraError("the Python package docker is not installed") from error
        self._not_found: type[Exception] = library.errors.NotFound
        # Streams are read past requests, so urllib3's own errors come through. ValueError: an answer that is no JSON.
        self._failures = (
            library.errors.DockerException, requests.RequestException, urllib3.exceptions.HTTPError,
            OSError, ValueError,
        )  # fmt: skip
        self._within_s = within_s
        self._response: Any = None
        url = os.environ.get("DOCKER_HOST") or _SOCKET
        _knock(url, within_s)
        # `Any`: the package has no types, so nothing beyond this module may lean on its classes.
        self.api: Any = self.call(library.APIClient, base_url=url, version="auto", timeout=within_s)
        self.api.hooks["response"].append(self._remember)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Call the daemon within the time limit; NotFound, NoAnswer or another InfraError when it fails."""
        try:
            return _bounded(lambda: function(*arguments, **options), self._within_s)
        except self._not_found as error:
            raise NotFound(f"docker: {error}") from error
        except self._failures as error:
            if _is_timeout(error):
                self._hang_up()
                raise NoAnswer(f"docker did not answer within {self._within_s:g} s") from error
            raise InfraError(f"docker: {error}") from error

    async def ask(self, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Call the daemon without holding up the loop."""
        return await asyncio.to_thread(self.call, function, *arguments, **options)

    def close(self) -> None:
        """Close the connection, and with it a stream that was not read to its end."""
        if self._response is not None:
            self._response.close()
        self.api.close()

    def _remember(self, response: Any, **_: Any) -> None:
        self._response = response

    def _hang_up(self) -> None:
        """Cut the line of a call that was given up: its thread ends, and the daemon stops a build that nobody wants."""
        # Its thread may be reading: from here on, only that thread closes it.
        response, self._response = self._response, None
        if response is None or response.raw.closed:
            return
        with suppress(OSError, ValueError), socket.socket(fileno=os.dup(response.raw.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)


def status_code(error: InfraError) -> int | None:
    """The HTTP status with which the daemon refused a call; None when it never answered."""
    return getattr(error.__cause__, "status_code", None)


def is_conflict(error: InfraError) -> bool:
    """Whether a thing is in a state that does not fit the call: ended already, in use, about to be removed."""
    return status_code(error) == 409


def _bounded(function: Callable[[], T], within_s: float) -> T:
    """Run it in a thread of its own that is left behind when the time is up; TimeoutError then."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(function())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True, name="docker-call").start()
    return outcome.result(within_s)


def _is_timeout(error: BaseException | None) -> bool:
    """Whether a time limit, ours or that of the client's socket, is behind an error."""
    while error is not None and not isinstance(error, TimeoutError):
        error = error.__cause__ or error.__context__
    return error is not None


def _knock(url: str, within_s: float) -> None:
    """Make sure that somebody listens: the package would leave a broken connection behind."""
    if not url.startswith("unix://"):
        raise InfraError("the docker daemon must run on this machine: bots are reached by a Unix socket")
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(within_s)
        try:
            line.connect(url.removeprefix("unix://"))
        except OSError as error:
            raise InfraError(f"the docker daemon does not answer at {url}: {error.strerror or error}") from error
