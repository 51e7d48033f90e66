"""The one retry policy: what is played again when something of ours fails, how often, and when that is given up.

A fault of a bot is a result, and is never tried again. What a store refuses for a moment is asked again by
`tournaments/store_calls.py`, by time and not by number.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, for each of our failures."""

    replays: int = 2
    """A void match, or a position of a check that could not be asked about, is played again at its table; so often is
    a match played again whose worker died."""
    losses: int = 10
    """A match whose worker is lost together with its node, for which the match is hardly to blame, is played again."""
    nodes: int = 2
    """Nodes of a cluster on which a match is void before it stays void: then it is not the nodes' doing."""
    voids_of_node: int = 3
    """Void matches in a row, or the same one again and again, after which a node is played on no more."""
    voids_of_run: int = 6
    """Void matches in a row after which a tournament stops: then this machine cannot play at all."""

    def attempts(self) -> range:
        """The numbers of the attempts at a match at one table; the last one counts, whatever comes of it."""
        return range(1 + self.replays)

    def may_replay(self, deaths: int, *, with_node: bool) -> bool:
        """Whether a match is played again after the deaths of so many workers, of which the last went with its node."""
        return deaths <= (self.losses if with_node else self.replays)


RETRIES = RetryPolicy()
