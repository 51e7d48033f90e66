"""Where the files are that Arena ships beside its code: sample bots, messages, pages, and the recipe of base images."""

from pathlib import Path

_PACKAGED = Path(__file__).resolve().parents[1] / "_shipped"


def shipped(name: str) -> Path:
    """A folder that a wheel keeps inside the package, and a checkout at its top."""
    return (_PACKAGED if _PACKAGED.is_dir() else _PACKAGED.parents[1]) / name


SAMPLES = shipped("sample_bots")
