"""The settings of a submitted image: read from its configuration, and only those that a bot needs are kept."""

import json
import re
from typing import Any

from arena.errors import UsageError

_ARCHITECTURE = re.compile(r"[a-z0-9]{1,20}")
_MAX_CHARACTERS = 1 << 16
"""Of all words of a command, or of all variables."""
_LONG_AGO = "1970-01-01T00:00:00Z"


def read_settings(configuration: object, what: str) -> dict[str, Any]:
    """What a Dockerfile sets, as far as it means anything here; UsageError if it is not what `docker save` writes."""
    if not isinstance(configuration, dict) or not isinstance(found := configuration.get("config") or {}, dict):
        raise UsageError(f"{what}: the configuration of the image cannot be read")
    if configuration.get("os", "linux") != "linux":
        raise UsageError(f"{what} must hold an image for Linux")
    kept = {name: _words(found.get(name), f"{what}: {name}") for name in ("Entrypoint", "Cmd", "Env")}
    # The others are refused or changed where images are checked: `docker load` sees what is kept alone.
    return {**kept, "WorkingDir": found.get("WorkingDir") or "", "Volumes": found.get("Volumes")}


def write_configuration(settings: dict[str, Any], configuration: dict[str, Any], diff_ids: list[str]) -> bytes:
    """The configuration of an image of ours; the same image gives the same bytes, and thereby the same digest."""
    architecture = str(configuration.get("architecture"))
    written = {
        "architecture": architecture if _ARCHITECTURE.fullmatch(architecture) else "amd64",
        "os": "linux",
        "created": _LONG_AGO,
        "config": {name: settings[name] for name in ("Entrypoint", "Cmd", "Env", "WorkingDir") if settings[name]},
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
    }
    return json.dumps(written, sort_keys=True).encode()


def diff_ids_of(configuration: dict[str, Any]) -> list[str]:
    """The digests of the layers as a configuration names them."""
    match configuration.get("rootfs"):
        case {"diff_ids": list(found)}:
            return [str(name) for name in found]
    return []


def _words(found: object, what: str) -> list[str]:
    words = [] if found is None else found
    if not isinstance(words, list) or not all(isinstance(word, str) and "\0" not in word for word in words):
        raise UsageError(f"{what} must be a list of words")
    if sum(map(len, words)) > _MAX_CHARACTERS:
        raise UsageError(f"{what} has more than {_MAX_CHARACTERS} characters")
    return words
