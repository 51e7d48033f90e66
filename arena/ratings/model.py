"""The parameters of every rating here."""

import trueskill

ENVIRONMENT = trueskill.TrueSkill(tau=0.0)
"""Bots of one version do not drift, so tau is 0; all else is TrueSkill's default."""
ROLE_SIGMA = 3.0
"""How much, in units of skill, a seat or role may be worth before any game is seen."""
