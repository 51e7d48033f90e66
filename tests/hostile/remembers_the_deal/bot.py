"""Keeps in a variable what both sides were dealt, and looks whether a later match shows it the same cards."""

from probe import say
from raw import play

dealt = {}
"""For each deal that it has seen: the first hand of the other side, with its own first hand then."""
now = {}


def begin(start):
    now.clear()
    now["seat"] = start.seat


def look(turn):
    seen, seat = turn.observation, now["seat"]
    if turn.number == 1:
        now["hand"] = hand = tuple(sorted(seen.hand))
        if hand in dealt:
            say(f"ESCAPED: the opponent holds {dealt[hand]}")
        elif hand in dealt.values():
            say(f"ESCAPED: dealt {hand} again")
        else:
            say(f"never saw this deal, one of {len(dealt) + 1} in this life")
    # What the opponent was dealt is known when the last of it was played, in the first half of the game.
    cards = [follow if leader == seat else lead for leader, lead, follow, *_ in seen.tricks[:13]]
    if len(cards) == 13:
        dealt[tuple(sorted(cards))] = now["hand"]


play(start=begin, turn=look)
