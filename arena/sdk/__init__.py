"""What a Python bot imports."""

from arena.match import MatchEnd, MatchStart
from arena.sdk.bot import Bot, Session
from arena.sdk.named import Named
from arena.sdk.serve import serve
from arena.sdk.turn import Turn

__all__ = ["Bot", "MatchEnd", "MatchStart", "Named", "Session", "Turn", "serve"]
