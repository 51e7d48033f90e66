"""How fully a bot was held: which of the mechanisms that enforce its limits a hostile bot can get around."""

from collections.abc import Iterable
from types import MappingProxyType

from arena.match import SandboxReport

Enforcement = dict[str, str]
"""The mechanism that enforces each restriction, as read back after the launch; stored with the match. See `WEAK`."""

UNCONFIRMED = "unconfirmed"
NOT_RESTARTED = "impossible"
"""Of a bot that is not started anew, so that it may have seen the deal from another seat."""
GIVEN_SEED = "given, so deals could be guessed"
"""Of a seed that was not drawn: a small one is found by trying, from a bot's own hand."""
COMMON_DEALS = "common"
"""Where other tables have the same deals, of which a friend there could tell."""
WEAK = MappingProxyType(
    {
        "memory": frozenset({"rlimit", "none"}),
        "pids": frozenset({"rlimit", "none"}),
        "cpu": frozenset({"none"}),
        "cputime": frozenset({"processes", "none"}),
        "freeze": frozenset({"signal", UNCONFIRMED, "none"}),
        "kill": frozenset({"process group"}),
        "network": frozenset({"none"}),
        "files": frozenset({"none"}),
        "inodes": frozenset({"none"}),
        "seccomp": frozenset({"none"}),
        "uid": frozenset({"shared", "none"}),
        "restart": frozenset({NOT_RESTARTED}),
        "deals": frozenset({COMMON_DEALS}),
        "seed": frozenset({GIVEN_SEED}),
    }
)
"""For each restriction, the mechanisms that a hostile bot can get around."""


def weak_limits(reports: Iterable[SandboxReport]) -> tuple[str, ...]:
    """What this machine let a hostile bot get around, for each kind of sandbox in one phrase.

    That a bot was once not confirmed frozen in time is an incident of one match, and its record says so.
    """
    found = {
        (report.kind[:20], weaknesses({name: word for name, word in report.enforcement.items() if word != UNCONFIRMED}))
        for report in reports
    }
    return tuple(sorted(f"{kind} ({', '.join(weak)})" for kind, weak in found if weak))


def weaknesses(enforcement: Enforcement) -> tuple[str, ...]:
    """The restrictions that a hostile bot can get around, as `restriction: mechanism`, in alphabetical order.

    A record that was read back holds the same restrictions in another order.
    """
    return tuple(sorted(f"{name}: {word}" for name, word in enforcement.items() if word in WEAK.get(name, ())))
