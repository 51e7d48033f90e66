"""The replay viewer of 7 Kingdoms in a real browser, with two, three and four seats."""

import json
from functools import cache
from typing import Any

import pytest

from arena.registry import games
from arena.testing.play import variants
from engines.kingdoms.cards import TITLE, TITLES, TOKEN_NAMES, cards_in
from tests.web.viewer_page import NAMES, call, check_same_whatever_the_way, load, replay, viewer_page, words_of

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a browser draws")]

VIEWS = [(0, None, "portrait"), (1, 2, "wide"), (2, 0, "portrait"), (2, None, "wide")]


@pytest.fixture(scope="module")
def replays() -> Any:
    return [replay("kingdoms", variant, seed) for seed, variant in enumerate(variants(games()["kingdoms"]), start=2)]


@pytest.fixture(scope="module")
def page(replays) -> Any:
    with viewer_page("kingdoms") as page:
        load(page, replays)
        yield page


@pytest.fixture(scope="module")
def words(page) -> Any:
    """The words of every ply of a game as a seat sees it; several tests look at the same."""
    return cache(lambda game, seat: words_of(page, game, seat))


def test_there_is_a_game_of_every_number_of_seats(replays):
    assert [len(plies[0]["views"]) for plies in replays] == [2, 3, 4]


@pytest.mark.parametrize(("game", "seat", "layout"), VIEWS)
def test_every_ply_draws_the_same_whatever_the_way(page, replays, game, seat, layout):
    check_same_whatever_the_way(page, game, seat, layout, len(replays[game]))


@pytest.mark.parametrize(("game", "seat", "layout"), [*VIEWS, (0, 1, "wide"), (1, None, "portrait")])
def test_texts_are_readable_inside_and_apart(page, game, seat, layout):
    assert call(page, "badTexts", game, seat, layout, NAMES, 11) == []


@pytest.mark.parametrize(("game", "seat"), [(0, 0), (1, 1), (2, 3)])
def test_a_seat_is_not_shown_what_it_did_not_know(words, replays, game, seat):
    plies = replays[game]
    secrets = [{card_name(card) for card in hidden_from(ply["position"], seat)} for ply in plies]
    assert not any(map(named, secrets, words(game, seat)))
    # What the others hold is there when everything is shown, so that its absence means something.
    for ply, shown in zip(plies, words(game, None), strict=True):
        held = {card_name(card) for hand in ply["position"].hands for card in hand}
        assert set(named(held, shown)) == held


@pytest.mark.parametrize("game", [0, 1, 2])
def test_face_down_tokens_are_not_told_to_a_seat(words, replays, game):
    for ply, (said, drawn) in zip(replays[game], words(game, (0, 1, 3)[game]), strict=True):
        state = ply["position"]
        tokens = {TOKEN_NAMES[token].replace("x", "×") for token in state.face_down}
        titles = [words for words in drawn if words.startswith("Token ")]
        assert len(titles) == len(state.revealed) + sum(token > 0 for token in state.tokens)
        assert not [token for token in tokens if any(words.startswith(f"Token {token}:") for words in titles)]
        assert f"Face-down tokens: {len(state.face_down)}." in said["lists"][1]["items"]


def card_name(card: int) -> str:
    return f"{card} {TITLES[TITLE[card]]}"


def named(cards: set[str], words: tuple[dict[str, Any], list[str]]) -> list[str]:
    """The cards that are named in what is said or drawn; `1 King` is not named by `41 King`, which does not exist."""
    text = json.dumps(words, ensure_ascii=False)
    return [card for card in cards if any(start + card in text for start in ' "(')]


def hidden_from(state: Any, seat: int) -> set[int]:
    """The cards that this seat has not seen, by the rules: the deck, and what others hold but did not take openly."""
    held = {card for other, hand in enumerate(state.hands) if other != seat for card in hand}
    taken = {card for known in state.known for card in cards_in(known)}
    return {*state.deck[state.drawn :], *(held - taken)}


@pytest.mark.parametrize("game", [0, 1, 2])
def test_points_and_places_are_those_of_the_rules(words, replays, game):
    for ply, (said, _) in zip(replays[game], words(game, None), strict=True):
        state = ply["position"]
        assert [row[1] for row in said["table"]["rows"]] == [str(points) for points in state.points()]
        outcome = state.outcome()
        if outcome is not None:
            places = [items["items"][0].rpartition("place ")[2] for items in said["lists"][2:]]
            assert places == [f"{rank}." for rank in outcome.ranks]


def test_the_words_say_who_is_to_move(words, replays):
    for ply, (said, _) in zip(replays[2], words(2, None), strict=True):
        seat = ply["position"].to_move()
        assert (f"Seat {seat} " if seat is not None else "Game over") in said["heading"]


def test_a_played_card_is_the_same_element_at_a_new_place(page):
    moving = call(page, "moving", 0, 1, None)
    assert moving["animated"] >= 1
    assert moving["kept"] >= 1
