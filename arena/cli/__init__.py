"""The commands; the only place that wires the parts together and prints."""

from arena.cli.main import main

__all__ = ["main"]
