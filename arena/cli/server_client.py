"""A contest on a server, asked over its API: the address and the token that `arena login` keeps."""

import http.client
import json
import os
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlencode, urlsplit

from platformdirs import user_config_path

from arena.errors import InfraError, UsageError
from arena.untrusted.text import printable

TIMEOUT_S = 60.0
"""Seconds until a server that says nothing is given up."""
MAX_ANSWER = 32 << 20
"""Bytes of an answer."""
MAX_WORDS = 500
"""Characters of a refusal that are shown."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def checked_url(text: str) -> str:
    """The address of a contest without what follows its host and path; a token never goes over an open network."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise UsageError(f"{text[:100]!r} is not the address of a contest: write https://cup.example")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise UsageError(
            f"{text[:100]} is not encrypted, and everybody on the way could read your token: write https://"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


class Tokens:
    """The tokens of this user by the addresses of contests, in a file that nobody else can read."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or user_config_path("arena") / "tokens.json"

    def find(self, url: str) -> str | None:
        """The token for this address, if there was a login."""
        return self._all().get(url)

    def keep(self, url: str, token: str | None) -> None:
        """Keep a token, or forget it."""
        known = {key: value for key, value in self._all().items() if key != url} | ({url: token} if token else {})
        partial = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                json.dump(known, file, indent=2)
            partial.replace(self._path)
        except OSError as error:
            raise UsageError(f"{self._path} cannot be written: {error.strerror}") from error

    def _all(self) -> dict[str, str]:
        try:
            known = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise UsageError(f"{self._path} cannot be read: remove it, and `arena login` again") from error
        return known if isinstance(known, dict) else {}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to wherever it leads."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Server:
    """A contest that is somewhere else."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = checked_url(url)
        self._token = token if token is not None else Tokens().find(self.url)
        self._opener = urllib.request.build_opener(_NoRedirects)

    def ask(self, path: str, **query: Any) -> Any:
        """The answer to a GET; UsageError or InfraError says in a sentence why there is none."""
        return json.loads(self._send("GET", path, query))

    def fetch(self, path: str) -> bytes:
        """A file."""
        return self._send("GET", path, {})

    def all(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """The entries of all pages."""
        before: int | None = None
        while True:
            page = self.ask(path, **query, before=before)
            yield from page["items"]
            before = page.get("next")
            if before is None:
                return

    def post(self, path: str, body: IO[bytes] | bytes = b"", **query: Any) -> Any:
        """The answer to a POST; the same key lets the server know it again if it has to be sent twice."""
        key = {"idempotency-key": secrets.token_hex(16), "content-type": "application/octet-stream"}
        return json.loads(self._send("POST", path, query, body, key))

    def follow(self, submission: int, pause: float = 1.0) -> Iterator[dict[str, Any]]:
        """The steps of a submission as they come, until it is decided."""
        after, failures = 0, 0
        while True:
            try:
                decided = self.ask(f"/submissions/{submission}")["decided"]
                steps = self.ask(f"/submissions/{submission}/steps", after=after or None)["items"]
                failures = 0
            except InfraError:  # it may be started anew at this moment
                failures += 1
                if failures > 30:
                    raise
                decided, steps = False, []
            for step in steps:
                after = step["number"]
                yield step
            if decided and not steps:
                return
            time.sleep(pause)

    def _send(
        self, method: str, path: str, query: Mapping[str, Any], body: Any = None, more: Mapping[str, str] | None = None
    ) -> bytes:
        words = urlencode({name: value for name, value in query.items() if value is not None})
        address = f"{self.url}/api/v1{path}" + (f"?{words}" if words else "")
        request = urllib.request.Request(address, data=body, method=method, headers=dict(more or {}))  # noqa: S310
        if self._token:
            request.add_unredirected_header("authorization", f"Bearer {self._token}")
        if body is not None and not isinstance(body, bytes):
            request.add_header("content-length", str(os.fstat(body.fileno()).st_size))
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as answer:
                return _bounded(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise InfraError(f"{self.url} does not answer: {printable(str(reason))[:MAX_WORDS]}") from error

    def _refusal(self, error: urllib.error.HTTPError) -> UsageError | InfraError:
        try:
            words = str(json.loads(_bounded(error))["detail"])
        except (ValueError, KeyError, TypeError, OSError):
            return InfraError(f"{self.url} is no contest of Arena, or does not work now (HTTP {error.code})")
        if error.code == http.HTTPStatus.UNAUTHORIZED:
            return UsageError(f"{self.url} does not know you: `arena login {self.url}` with the token of your card")
        kind = InfraError if error.code >= http.HTTPStatus.INTERNAL_SERVER_ERROR else UsageError
        return kind(f"{self.url}: {printable(words)[:MAX_WORDS]}")


def _bounded(answer: Any) -> bytes:
    data: bytes = answer.read(MAX_ANSWER + 1)
    if len(data) > MAX_ANSWER:
        raise InfraError(f"the answer is longer than {MAX_ANSWER >> 20} MiB")
    return data
