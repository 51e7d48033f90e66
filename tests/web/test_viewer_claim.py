"""The replay viewer of Claim in a real browser."""

from collections import Counter
from typing import Any

import pytest

from arena.registry import games
from arena.testing.play import variants
from engines.claim.rules import FACTION
from tests.web.viewer_page import call, check_same_whatever_the_way, check_says_something, replay, viewer_page, words_of

SINGULAR = ("Goblin", "Dwarf", "Undead", "Doppelgänger", "Knight")
SEATS = (None, 0, 1)
LAYOUTS = ("wide", "portrait")


@pytest.fixture(scope="module")
def page() -> Any:
    with viewer_page("claim") as page:
        yield page


@pytest.fixture(scope="module")
def replays() -> Any:
    return [replay("claim", variant, seed) for seed, variant in enumerate(variants(games()["claim"]), start=5)]


def name(card: int) -> str:
    return f"{SINGULAR[FACTION[card]]} {card % 10}"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seat", SEATS)
def test_every_ply_draws_the_same_whatever_the_way(page, replays, seat, layout):
    for plies in replays:
        pictures = check_same_whatever_the_way(page, plies, seat, layout)
        assert len(set(pictures)) == len(plies)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_texts_are_readable_inside_and_apart(page, replays, layout):
    for seat in SEATS:
        for ply in range(0, 53, 3):
            assert call(page, "badTexts", replays[0][ply : ply + 1], 0, seat, layout, ["Ada"] + ["W" * 60]) == []


@pytest.mark.parametrize("seat", (0, 1))
def test_a_seat_is_not_shown_what_it_did_not_know(page, replays, seat):
    found = 0
    for plies in replays:
        seen = call(page, "fresh", plies, seat, "wide", [])
        everything = call(page, "fresh", plies, None, "wide", [])
        said = check_says_something(page, plies, seat)
        for ply, at in enumerate(plies):
            secret = {name(card) for card in hidden_from(at["position"], seat)}
            told = words_of(seen[ply]) + said[ply]
            assert not [card for card in secret if f"{card}:" in told or f"{card}," in told or f"{card}." in told]
            found += sum(f"{card}:" in words_of(everything[ply]) for card in secret)
    assert found > 500  # the same words are there when everything is shown, so their absence means something


def hidden_from(state: Any, seat: int) -> set[int]:
    """The cards that this seat has not seen, by the rules: the deck, and the opponent's hand and draws."""
    other = 1 - seat
    cards = Counter(state.deck[state.drawn + 1 :])
    cards.update(state.hands[other])
    cards.update(state.draws[other])
    if state.phase == 2:
        won = [trick[4] for trick in state.tricks if trick[3] == other and trick[4] is not None]
        cards.subtract(won)
    return {card for card, count in cards.items() if count > 0 and card != 0}  # the Goblin 0 is there five times


def test_both_sides_of_the_score_are_counted_as_the_rules_do(page, replays):
    for plies in replays:
        for ply, at in enumerate(plies):
            votes = at["position"].votes()
            said = call(page, "words", plies[ply : ply + 1], 0, None)
            assert f"Votes as they stand: {votes[0]} for seat 0, {votes[1]} for seat 1." in said["lists"][0]["items"]


def test_every_ply_is_told_in_words(page, replays):
    for plies in replays:
        said = check_says_something(page, plies, None)
        assert "leads" in said[0] and "over" in said[-1]


def test_a_played_card_is_the_same_element_at_a_new_place(page, replays):
    moving = call(page, "moving", replays[0][:3], 1, None, "wide")
    assert moving["animated"] >= 1 and moving["kept"] >= 1
