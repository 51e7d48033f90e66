"""The replay viewer of Claim in a real browser."""

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from arena.registry import games
from arena.testing.play import variants
from engines.claim.rules import FACTION
from tests.web.viewer_page import NAMES, call, check_same_whatever_the_way, load, replay, viewer_page, words_of

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser draws")]

SINGULAR = ("Goblin", "Dwarf", "Undead", "Doppelgänger", "Knight")
VIEWS = ((None, "wide"), (0, "wide"), (1, "portrait"), (None, "portrait"))


@pytest.fixture(scope="module")
def replays() -> Any:
    return [replay("claim", variant, seed) for seed, variant in enumerate(variants(games()["claim"]), start=5)]


@pytest.fixture(scope="module")
def page(replays) -> Any:
    with viewer_page("claim") as page:
        load(page, replays)
        yield page


@pytest.fixture(scope="module")
def words(page) -> Any:
    """The words of every ply of a game as a seat sees it; several tests look at the same."""
    return cache(lambda game, seat: words_of(page, game, seat))


@pytest.mark.parametrize(("seat", "layout"), VIEWS)
def test_every_ply_draws_the_same_whatever_the_way(page, replays, seat, layout):
    game = VIEWS.index((seat, layout)) % len(replays)
    check_same_whatever_the_way(page, game, seat, layout, len(replays[game]))


@pytest.mark.parametrize(("seat", "layout"), VIEWS)
def test_texts_are_readable_inside_and_apart(page, seat, layout):
    assert call(page, "badTexts", 0, seat, layout, ["Ada", "W" * 60], 3) == []
    assert call(page, "badTexts", 1, seat, layout, NAMES, 5) == []


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_is_not_shown_what_it_did_not_know(words, replays, seat):
    for game, plies in enumerate(replays):
        secrets = [{card_name(card) for card in hidden_from(ply["position"], seat)} for ply in plies]
        assert not any(map(named, secrets, words(game, seat)))
        # A hand is there when everything is shown, so that its absence means something.
        for ply, shown in zip(plies, words(game, None)):
            hand = {card_name(card) for card in ply["position"].hands[1 - seat]}
            assert set(named(hand, shown)) == hand


def named(cards: set[str], words: tuple[dict[str, Any], list[str]]) -> list[str]:
    """The cards that are named in what is said or drawn."""
    text = json.dumps(words, ensure_ascii=False)
    return [card for card in cards if any(card + end in text for end in ':,.; "')]


def card_name(card: int) -> str:
    return f"{SINGULAR[FACTION[card]]} {card % 10}"


def hidden_from(state: Any, seat: int) -> set[int]:
    """The cards that this seat has not seen, by the rules: the deck, and the opponent's hand and draws."""
    other = 1 - seat
    cards = Counter(state.deck[state.drawn + 1 :])
    cards.update(state.hands[other])
    cards.update(state.draws[other])
    if state.phase == 2:  # the prizes that the opponent won openly are in the hand now
        cards.subtract(trick[4] for trick in state.tricks if trick[3] == other and trick[4] is not None)
    return {card for card, count in cards.items() if count > 0 and card != 0}  # the Goblin 0 is there five times


def test_votes_are_counted_as_the_rules_do(words, replays):
    for game, plies in enumerate(replays):
        for ply, (said, _) in zip(plies, words(game, None)):
            one, two = ply["position"].votes()
            assert f"Votes as they stand: {one} for seat 0, {two} for seat 1." in said["lists"][0]["items"]


def test_the_words_say_who_is_to_move(words, replays):
    for game, plies in enumerate(replays):
        for ply, (said, _) in zip(plies, words(game, None)):
            seat = ply["position"].to_move()
            assert (f"Seat {seat} " if seat is not None else "The game is over") in said["heading"]


def test_a_played_card_is_the_same_element_at_a_new_place(page):
    moving = call(page, "moving", 0, 1, None)
    assert moving["animated"] >= 1
    assert moving["kept"] >= 1
