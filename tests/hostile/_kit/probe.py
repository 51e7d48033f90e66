"""Attempts to get out, with a line in the log for each: `ESCAPED: ...` is what no test may ever find there."""

import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)


def say(*words):
    """Print at once, so that it is in the log even if we die."""
    print(*words, flush=True)


def attempt(what, action):
    """Try it: an error or a false value means that the sandbox held."""
    try:
        got = action()
    except (Exception, SystemExit) as error:
        say(f"held: {what}: {type(error).__name__}: {error}"[:200])
        return
    say(f"ESCAPED: {what}: {got!r}"[:300] if got else f"held: {what}")


def attempts(table):
    """Try all of a table, and say at the end that nothing was left out."""
    for what, action in table.items():
        attempt(what, action)
    say(f"all {len(table)} attempts were made")


def call(number, *arguments):
    """A system call by its number: True, or the error of the kernel."""
    result = libc.syscall(number, *arguments)
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result or True


def in_child(action):
    """Run it in a child and give the code of its end, so that what kills the child does not kill us."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try:
            os._exit(0 if action() else 1)
        except BaseException:
            os._exit(2)
    return os.waitpid(child, 0)[1]


def escapes_in_child(action):
    """Whether the action succeeded in a child; a child that was killed did not."""
    return in_child(action) == 0
