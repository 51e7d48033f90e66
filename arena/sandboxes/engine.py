"""The docker engine behind a small door: blocking calls in threads, every failure translated in one place."""

import asyncio
import importlib
import os
import socket
from collections.abc import Callable
from typing import Any, TypeVar

from arena.errors import InfraError

T = TypeVar("T")
_TIMEOUT_S = 60
_SOCKET = "unix:///var/run/docker.sock"


class Engine:
    """One connection to the docker engine of this machine."""

    def __init__(self) -> None:
        """Connect; InfraError when there is no engine to talk to."""
        try:
            library = importlib.import_module("docker")
        except ImportError as error:
            raise InfraError("the Python package docker is not installed") from error
        self._failures = (library.errors.DockerException, importlib.import_module("requests").RequestException)
        self.not_found: type[Exception] = library.errors.NotFound
        url = os.environ.get("DOCKER_HOST") or _SOCKET
        _knock(url)
        try:
            # `Any`: the package has no types, so nothing beyond this module may lean on its classes.
            self.api: Any = library.APIClient(base_url=url, version="auto", timeout=_TIMEOUT_S)
        except self._failures as error:
            raise InfraError(f"the docker engine does not answer: {error}") from error

    def call(self, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Call the engine; its failures become InfraError, except that something does not exist."""
        try:
            return function(*arguments, **options)
        except self.not_found:
            raise
        except self._failures as error:
            raise InfraError(f"docker: {error}") from error

    async def ask(self, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Call the engine without holding up the loop."""
        return await asyncio.to_thread(self.call, function, *arguments, **options)

    def close(self) -> None:
        """Close the connection."""
        self.api.close()


def _knock(url: str) -> None:
    """Make sure that somebody listens: the package would leave a broken connection behind."""
    if not url.startswith("unix://"):
        raise InfraError("the docker engine must run on this machine: bots are reached by a Unix socket")
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(url.removeprefix("unix://"))
        except OSError as error:
            raise InfraError(f"the docker engine does not answer at {url}: {error.strerror}") from error
