"""Everything a tournament will ask of a bot, tried before it does."""

from arena.contestant.check.report import Mark, Measures, Step
from arena.contestant.check.steps import Check
from arena.contestant.check.trials import CheckSettings

__all__ = ["Check", "CheckSettings", "Mark", "Measures", "Step"]
