"""7 Kingdoms, by Gary Kim."""

from engines.kingdoms.game import GAME

__all__ = ["GAME"]
