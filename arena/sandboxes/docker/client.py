"""Client of the docker daemon: every call has a time limit, and every failure becomes an InfraError here."""

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
"""Time limit of a call. A healthy daemon answers within a fraction of a second; a hung daemon must not hang us."""
_SOCKET = "unix:///var/run/docker.sock"


class NotFound(InfraError):
    """The daemon knows no such container or image."""


class NoAnswer(InfraError):
    """The daemon did not answer in time."""


class DockerClient:
    """Connection to the docker daemon of this machine."""

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
        _check_listening(url, within_s)
        # `Any`: the package has no types, so no other module may depend on its classes.
        self.api: Any = self.call(library.APIClient, base_url=url, version="auto", timeout=within_s)
        self.api.hooks["response"].append(self._keep_response)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Call the daemon within the time limit; NotFound, NoAnswer or another InfraError when it fails."""
        try:
            return _run_with_timeout(lambda: function(*arguments, **options), self._within_s)
        except self._not_found as error:
            raise NotFound(f"docker: {error}") from error
        except self._failures as error:
            if _is_timeout(error):
                self._abort_call()
                raise NoAnswer(f"docker did not answer within {self._within_s:g} s") from error
            raise InfraError(f"docker: {error}") from error

    async def call_in_thread(self, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Make a call in a thread, so that the event loop is not blocked."""
        return await asyncio.to_thread(self.call, function, *arguments, **options)

    def close(self) -> None:
        """Close the connection, and a stream that was not read to its end."""
        if self._response is not None:
            self._response.close()
        self.api.close()

    def _keep_response(self, response: Any, **_: Any) -> None:
        self._response = response

    def _abort_call(self) -> None:
        """Shut down the connection of a call that timed out, so that its thread ends and the daemon stops a build."""
        # Its thread may be reading: from here on, only that thread closes it.
        response, self._response = self._response, None
        if response is None or response.raw.closed:
            return
        with suppress(OSError, ValueError), socket.socket(fileno=os.dup(response.raw.fileno())) as connection:
            connection.shutdown(socket.SHUT_RDWR)


def status_code(error: InfraError) -> int | None:
    """The HTTP status with which the daemon refused a call; None when it never answered."""
    return getattr(error.__cause__, "status_code", None)


def is_conflict(error: InfraError) -> bool:
    """Whether a call failed because of the state of its object: ended already, in use, about to be removed."""
    return status_code(error) == 409


def _run_with_timeout(function: Callable[[], T], within_s: float) -> T:
    """Run a function in a thread of its own, which is abandoned with a TimeoutError when the time is up."""
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


def _check_listening(url: str, within_s: float) -> None:
    """Check that the daemon listens: the docker package would leave a broken connection open."""
    if not url.startswith("unix://"):
        raise InfraError("the docker daemon must run on this machine: bots are reached by a Unix socket")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(within_s)
        try:
            connection.connect(url.removeprefix("unix://"))
        except OSError as error:
            raise InfraError(f"the docker daemon does not answer at {url}: {error.strerror or error}") from error
