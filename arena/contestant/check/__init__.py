"""Everything a tournament will ask of a bot, tried before it does."""

from arena.contestant.check.report import Mark, Measures, Step
from arena.contestant.check.steps import Check
from arena.contestant.check.trials import Terms

__all__ = ["Check", "Mark", "Measures", "Step", "Terms"]
