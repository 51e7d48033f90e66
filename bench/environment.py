"""What `make bench-peers` prepares: an environment with other libraries, and engines with compiled rules."""

import sys
from pathlib import Path

from arena.registry import compiled
from engines.compiling import DIGESTS, RULES, digest_of

ROOT = Path(__file__).parents[1]
PEERS_PYTHON = Path(sys.prefix) / "peers" / "bin" / "python"
"""The interpreter of the peers' environment; nothing of ours is installed there, and nothing of theirs here."""
COMPILED = ROOT / "build" / "compiled"
"""The copy of the engines, and of the packages that are compiled with them."""


KINDS = ("interpreted", "compiled")


def folders() -> dict[str, Path]:
    """Where rules of each kind are; a checkout that is compiled itself has no interpreted ones."""
    if compiled():
        return {"compiled": ROOT}
    copy = compiled_copy()
    return {"interpreted": ROOT, "compiled": copy} if copy else {"interpreted": ROOT}


def has_peers() -> bool:
    """Whether the other libraries are installed."""
    return PEERS_PYTHON.exists()


def compiled_copy() -> Path | None:
    """The folder with compiled rules, if they were made of the sources of this checkout."""
    recorded = COMPILED / "engines" / DIGESTS
    current = "".join(f"{digest_of(ROOT / 'engines', module)}  {module}\n" for module in RULES)
    return COMPILED if recorded.exists() and recorded.read_text(encoding="utf-8") == current else None
