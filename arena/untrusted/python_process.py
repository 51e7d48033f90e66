"""The environment of our own Python subprocesses."""

import os
import sys


def python_environment() -> dict[str, str]:
    """The environment in which another Python finds the same modules as this one, wherever it is started."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
