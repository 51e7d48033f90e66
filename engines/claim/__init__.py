"""Claim, by Scott Almes."""

from engines.claim.game import GAME

__all__ = ["GAME"]
