"""Runs a function that parses untrusted bytes in a process of its own, with limits on memory, time and files.

Function, arguments and answer travel as JSON, and the answer is bounded: hostile bytes may have taken over the process
that read them, so nothing that it says is run or unpickled here.
"""

import errno
import json
import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import IO, Any, cast

from arena.errors import ArenaError, InfraError, RecordError, RegistryError, UsageError
from arena.untrusted.python_process import end_with_parent, python_environment
from arena.untrusted.text import escaped
from arena.untrusted.units import MIB

MAX_ANSWER_BYTES = 8 * MIB
_ERRORS: dict[str, type[ArenaError]] = {
    kind.__name__: kind for kind in (UsageError, InfraError, RecordError, RegistryError)
}
NO_CORE = 1
"""The limit of core dumps. With 0 the kernel writes none either, but starts the program that takes them in, if there is
one; only 1 tells it not to."""
_OPEN_FILES = 64
_CHUNK = 1 << 16
_WORDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What reading may cost; honest files stay far below it."""

    memory_bytes: int = 256 * MIB
    """Beside what Python and the modules need."""
    seconds: int = 60
    """Of processor time; three times as many may pass, because the machine may be busy."""
    file_bytes: int = 256 * MIB
    """The largest file that may be written."""


def run_limited(
    function: Callable[..., Any], *arguments: Any, what: str, allowance: Allowance | None = None
) -> Any:  # fmt: skip
    """The answer of a top-level function in a process of its own; UsageError says what is wrong with `what`."""
    allowance = allowance or Allowance()
    request = {
        "function": f"{function.__module__}:{function.__qualname__}",
        "arguments": arguments,
        "allowance": asdict(allowance),
    }
    deadline = time.monotonic() + _wall_seconds(allowance)
    # A session of its own: Ctrl-C reaches us alone, and we end the child. -P: the current folder may be a stranger's.
    with subprocess.Popen(  # noqa: S603  (our own program, with a number as its word)
        [sys.executable, "-P", "-m", "arena.untrusted.limited", str(os.getpid())],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        env=python_environment(),
    ) as child:  # fmt: skip
        try:
            answer = _exchange(child, json.dumps(request).encode(), deadline)
        finally:
            child.kill()
    return _interpret(answer, child.returncode, what, allowance)


def _wall_seconds(allowance: Allowance) -> int:
    return 3 * allowance.seconds + 10


def _exchange(child: subprocess.Popen[bytes], request: bytes, deadline: float) -> bytes | None:
    """Send the request and read the answer; None if it does not come in time."""
    requests, answers = cast("IO[bytes]", child.stdin), cast("IO[bytes]", child.stdout)
    try:
        requests.write(request)
        requests.close()
    except BrokenPipeError:
        return b""
    answer = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(answers, selectors.EVENT_READ)
        while len(answer) <= MAX_ANSWER_BYTES:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return None
            data = os.read(answers.fileno(), _CHUNK)
            if not data:
                # Nothing more can come, so it is ending, and how it ends may be the answer.
                child.wait(max(1.0, deadline - time.monotonic()))
                break
            answer += data
    return bytes(answer)


def _interpret(answer: bytes | None, exit_code: int, what: str, allowance: Allowance) -> Any:
    if answer is None or exit_code in (-signal.SIGXCPU, -signal.SIGALRM):
        raise UsageError(f"{what} takes more than {allowance.seconds} s to read, which is the limit")
    if not answer:
        if exit_code < 0 and exit_code != -signal.SIGKILL:
            raise UsageError(f"{what} cannot be read: the reader crashed on it")
        raise InfraError(f"the process that reads {what} was stopped (exit code {exit_code})")
    try:
        match json.loads(answer):
            case {"value": value}:
                return value
            case {"error": "memory"}:
                most = allowance.memory_bytes // MIB
                raise UsageError(f"{what} needs more than {most} MiB of memory to read, which is the limit")
            case {"error": str(name), "message": str(message)} if name in _ERRORS:
                raise _ERRORS[name](message)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{what} cannot be read: the reader gave no valid answer") from error
    raise UsageError(f"{what} cannot be read: the reader gave no valid answer")


# -- in the child ---------------------------------------------------------------------------------------------


def _serve() -> None:
    """Read one request from standard input, and write the answer where standard output was."""
    end_with_parent(int(sys.argv[1]))
    request = json.load(sys.stdin.buffer)
    answer_to = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever else is printed is no answer
    module, _, name = request["function"].partition(":")
    function = getattr(import_module(module), name)
    _set_limits(Allowance(**request["allowance"]))
    answer = json.dumps(_answer(function, request["arguments"])).encode()
    with open(answer_to, "wb") as pipe:
        pipe.write(answer)
    os._exit(0)  # there is nothing to tidy up


def _set_limits(allowance: Allowance) -> None:
    """Set the limits; the memory that the modules have taken does not count."""
    with open("/proc/self/statm", encoding="ascii") as file:
        present = int(file.read().split()[0]) * resource.getpagesize()
    limits = {
        resource.RLIMIT_AS: present + allowance.memory_bytes,
        resource.RLIMIT_FSIZE: allowance.file_bytes,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_CORE: NO_CORE,
    }
    for kind, limit in limits.items():
        _set_limit(kind, limit, limit)
    # One more second, so that the signal of the soft limit comes first and names the reason.
    _set_limit(resource.RLIMIT_CPU, allowance.seconds, allowance.seconds + 1)
    signal.alarm(_wall_seconds(allowance))


def _set_limit(kind: int, soft: int, hard: int) -> None:
    """Set a limit, or leave the one that we run under if that is lower."""
    present = resource.getrlimit(kind)[1]
    if present != resource.RLIM_INFINITY:
        soft, hard = min(soft, present), min(hard, present)
    resource.setrlimit(kind, (soft, hard))


def _answer(function: Callable[..., Any], arguments: list[Any]) -> dict[str, Any]:
    try:
        return {"value": function(*arguments)}
    except MemoryError:
        return {"error": "memory"}  # the parent words the message, with the limit
    except ArenaError as error:
        name = next((name for name, kind in _ERRORS.items() if isinstance(error, kind)), UsageError.__name__)
        return {"error": name, "message": str(error)}
    except OSError as error:
        if error.errno == errno.EFBIG:
            return {"error": UsageError.__name__, "message": "it holds a file that is too large"}
        return {"error": InfraError.__name__, "message": f"a submission cannot be read here: {error}"}
    except Exception as error:  # whatever a library says of hostile bytes, it is one sentence
        words = escaped(str(error), limit=_WORDS)
        return {
            "error": UsageError.__name__,
            "message": f"it cannot be read: {type(error).__name__}: {words:.{_WORDS}}",
        }


if __name__ == "__main__":
    _serve()
