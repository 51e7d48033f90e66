"""Everything a tournament will ask of a bot, tried before it does."""

from arena.check.report import Mark, Measures, Step
from arena.check.steps import Check
from arena.check.trials import Terms

__all__ = ["Check", "Mark", "Measures", "Step", "Terms"]
