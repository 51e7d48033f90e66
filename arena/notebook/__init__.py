"""Matches and tournaments inside this Python process, for quick experiments: nothing here is sandboxed."""

from arena.notebook.match import Match, play
from arena.notebook.table import Rows, tournament

__all__ = ["Match", "Rows", "play", "tournament"]
