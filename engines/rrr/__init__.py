"""RRR – Regality vs. Religion: Revolution, by Seiji Kanai and Hayato Kisaragi."""

from engines.rrr.game import GAME

__all__ = ["GAME"]
