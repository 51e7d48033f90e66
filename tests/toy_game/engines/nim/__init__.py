"""Nim, the smallest complete game: a template for new ones."""

from engines.nim.game import GAME

__all__ = ["GAME"]
