"""Functions in a process of their own: what they may cost, and what becomes of whatever they do."""

import builtins
import operator
import os
import signal
import time

import pytest

from arena.errors import InfraError, RecordError, UsageError
from arena.untrusted.limited import MIB, Allowance, run_limited

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes run against limits of time")]


def evaluate(text, **allowance):
    """The value of an expression, worked out in the other process."""
    return run_limited(builtins.eval, text, what="it", allowance=Allowance(**allowance))


def test_arguments_and_answers_are_plain_values():
    assert run_limited(operator.add, [1, "ä"], [None, 2.5], what="it") == [1, "ä", None, 2.5]


def test_the_other_process_is_not_this_one():
    assert run_limited(os.getpid, what="it") != os.getpid()
    assert run_limited(os.getsid, 0, what="it") != os.getsid(0)


@pytest.mark.parametrize("kind", [UsageError, RecordError, InfraError])
def test_errors_keep_their_kind_and_words(kind):
    with pytest.raises(kind, match=r"^so it is$"):
        evaluate(f"(_ for _ in ()).throw(__import__('arena.errors').errors.{kind.__name__}('so it is'))")


HOSTILE = {
    "'x' * (300 << 20)": "needs more than 64 MiB of memory",
    "sum(1 for _ in iter(int, 1))": "takes more than 1 s to read",
    "__import__('time').sleep(60)": "takes more than 1 s to read",
    "__import__('os').abort()": "the reader crashed on it",
    "__import__('ctypes').string_at(0)": "the reader crashed on it",
    "__import__('os').write(3, b'nonsense') and __import__('os')._exit(0)": "no valid answer",
    "1 / 0": "ZeroDivisionError",
    "(_ for _ in ()).throw(ValueError('\\x1b[2J' + 'x' * 10000))": r"ValueError: \\x1b\[2Jxxx",
    "open('/dev/null') and [open('/dev/null') for _ in range(99)]": "Too many open files",
    "(lambda f: (f.write(b'x' * 9999), f.flush()))(__import__('tempfile').TemporaryFile())": "too large",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_happens_there_is_one_sentence_here(text):
    started = time.monotonic()
    with pytest.raises((UsageError, InfraError), match=HOSTILE[text]) as caught:
        evaluate(text, memory_bytes=64 * MIB, seconds=1, file_bytes=1000)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400
    assert time.monotonic() - started < 120


def test_an_endless_answer_is_not_taken():
    endless = "[__import__('os').write(3, b'x' * 65536) for _ in iter(int, 1)]"
    with pytest.raises(UsageError, match="the reader gave no valid answer"):
        evaluate(endless)


def test_a_process_that_somebody_else_killed_is_no_fault_of_the_file():
    with pytest.raises(InfraError, match="was stopped"):
        evaluate(f"__import__('os').kill(__import__('os').getpid(), {signal.SIGKILL:d})")


def test_a_crash_starts_no_program_that_takes_cores_in():
    """The kernel starts one for a limit of 0, too, and only not for 1."""
    assert evaluate("__import__('resource').getrlimit(__import__('resource').RLIMIT_CORE)") == [1, 1]
