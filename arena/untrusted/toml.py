"""Reading TOML that others wrote: from files of a bounded size, without what would be expensive to parse."""

import os
import tomllib
from pathlib import Path
from typing import Any

from arena.errors import UsageError
from arena.untrusted.filetree import map_read_errors

MAX_DOTS_IN_A_LINE = 256
"""A key of many dotted parts costs Python's parser quadratic memory and time, and no key spans two lines."""


def read_toml(path: Path, max_bytes: int) -> dict[str, Any]:
    """The content of a TOML file; UsageError says what is wrong with it."""
    return _parse(read_text(path, max_bytes, "TOML"), path)


def read_text(path: Path, max_bytes: int, kind: str) -> str:
    """The text of a file of a sensible size; a pipe or a device is not waited for."""
    with (
        map_read_errors(str(path)),
        open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file,
    ):
        data = file.read(max_bytes + 1) or b""
    if len(data) > max_bytes:
        raise UsageError(f"{path} is longer than {max_bytes >> 10} KiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not valid {kind}: {error}") from error


def _parse(text: str, path: Path) -> dict[str, Any]:
    """The content of a file; what would be expensive to parse is refused before."""
    if any(line.count(".") > MAX_DOTS_IN_A_LINE for line in text.split("\n")):
        raise UsageError(f"{path} has more than {MAX_DOTS_IN_A_LINE} dots in one line")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a plain ValueError
        raise UsageError(f"{path} is not valid TOML: {error!s:.200}") from error
