"""What a Python bot imports."""

from arena.match import MatchEnd, MatchStart, Turn
from arena.sdk.bot import Bot, Session

__all__ = ["Bot", "MatchEnd", "MatchStart", "Session", "Turn"]
