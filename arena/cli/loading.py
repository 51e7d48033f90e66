"""How modules are loaded without work that nobody needs."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Keep the garbage collector from walking through modules: now, later, and once more before the program ends."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
