"""Bots and results put into a store by hand."""

from arena.store.base import MatchEntry, SeatResult


def add(store, name, version="1", **more):
    return store.add_bot(
        name=name, version=version, owner="me", digest=f"{name}{version}", origin="/x", games=["claim"], **more
    )


def play(store, tournament, ranks, times=1, weak_limits=()):
    """Matches of the bots with these ranks, in seat order."""
    number = store.latest_number()
    for count in range(number, number + times):
        seats = tuple(SeatResult(bot.id, rank, 0.0, "NORMAL", "", 1, 1) for bot, rank in ranks.items())
        store.add_match(MatchEntry(tournament.id, f"m{count}", count, "", count, "", 1, "", seats), b"", weak_limits)
