"""What is kept of an error that nobody expected."""

import sys
import tempfile
import traceback

from arena.distribution import version


def crash_report(error: Exception) -> str:
    """Write down what is needed to find the cause, and say where that is; without a file it is said itself."""
    about = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    details = "".join(traceback.format_exception(error))
    try:
        number, path = tempfile.mkstemp(prefix="arena-crash-", suffix=".txt")
        with open(number, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"arena {version()}, Python {sys.version}, {sys.platform}\n{details}")
    except OSError:
        return f"{about}; please report it, with this:\n{details}"
    return f"{about}; please report it, with the file {path}"
