"""What a Python bot imports."""

from arena.match import MatchEnd, MatchStart, Turn
from arena.sdk.bot import Bot, Session
from arena.sdk.serve import serve

__all__ = ["Bot", "MatchEnd", "MatchStart", "Session", "Turn", "serve"]
