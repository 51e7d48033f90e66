"""King & Assassins, by Łukasz Woźniak."""

from engines.assassins.game import GAME

__all__ = ["GAME"]
