"""How the drivers on one cluster share its tables: by weight, with turns for what cannot be divided."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

LEASE_S = 15.0
"""Seconds after which a driver that has not renewed its claim is gone, and its tables are free for the others."""
TURN_S = 60.0
"""Seconds after which a table that several drivers have a part of goes to the next: a start of bots is cheap then."""
_CREDIT = 2.0
_TINY = 1e-9


@dataclass(slots=True)
class Claim:
    """What a driver asks for, and what it has."""

    weight: float
    most: int
    """Tables that it could use."""
    capacity: int
    """Tables that it would have with the cluster to itself; its matches may be larger than those of others."""
    renewed: float = 0.0
    tables: int = 0
    credit: float = 0.0
    """Tables by which it had less than its part so far, in turns; negative if it had more."""


class Shares:
    """Says how many tables a driver may use; Ray finds places for them.

    All that it knows it is told again with every claim, so that nothing is lost when it is restarted.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._claims: dict[str, Claim] = {}
        self._turn_began = now()

    def claim(self, driver: str, weight: float, most: int, capacity: int) -> int:
        """Renew the claim of a driver; how many tables it may use until the next time."""
        now, known = self._now(), self._claims.get(driver)
        gone = [name for name, claim in self._claims.items() if now > claim.renewed + LEASE_S and claim is not known]
        for name in gone:
            del self._claims[name]
        asked = (weight, min(most, capacity), capacity)
        changed = bool(gone) or known is None or (known.weight, known.most, known.capacity) != asked
        claim = known or Claim(*asked)
        claim.weight, claim.most, claim.capacity = asked
        claim.renewed = now
        self._claims[driver] = claim
        if changed:
            allocate(self._claims)
        elif now > self._turn_began + TURN_S:
            self._turn_began = now
            accrue_credit(self._claims)
            allocate(self._claims)
        return claim.tables

    def release(self, driver: str) -> None:
        """Forget a driver that has ended."""
        if self._claims.pop(driver, None) is not None:
            allocate(self._claims)


def fair_shares(claims: Mapping[str, Claim]) -> dict[str, float]:
    """The tables of each driver by its weight, not rounded; what one cannot use goes to the others."""
    found: dict[str, float] = {}
    left, waiting = 1.0, dict(claims)
    while waiting:
        per_weight = left / sum(claim.weight for claim in waiting.values())
        wanted = {name: per_weight * claim.weight * claim.capacity for name, claim in waiting.items()}
        limited = [name for name, claim in waiting.items() if claim.most <= wanted[name]]
        if not limited:
            return found | wanted
        for name in limited:
            claim = waiting.pop(name)
            found[name] = float(claim.most)
            left -= claim.most / claim.capacity if claim.capacity else 0.0
    return found


def allocate(claims: Mapping[str, Claim]) -> None:
    """Give out whole tables; those that are left over go to whoever has waited longest for its part of one."""
    due = fair_shares(claims)
    for name, claim in claims.items():
        claim.tables = math.floor(due[name] + _TINY)
    free = 1.0 - sum(claim.tables / claim.capacity for claim in claims.values() if claim.capacity)
    for _, claim in sorted(claims.items(), key=lambda item: item[1].tables - due[item[0]] - item[1].credit):
        if claim.tables < claim.most and free > 1.0 / claim.capacity - _TINY:
            claim.tables += 1
            free -= 1.0 / claim.capacity


def accrue_credit(claims: Mapping[str, Claim]) -> None:
    """At the end of a turn, note who had more or less than its part."""
    due = fair_shares(claims)
    for name, claim in claims.items():
        claim.credit = min(max(claim.credit + due[name] - claim.tables, -_CREDIT), _CREDIT)
