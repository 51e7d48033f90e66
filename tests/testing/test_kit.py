"""The kit must find what is broken: one Claim per broken promise, and the check that must catch it."""

from dataclasses import replace
from itertools import count

import pytest

from arena.errors import BadMessage, IllegalMove
from arena.match import Outcome
from arena.testing import conformance
from engines.assassins.game import Assassins
from engines.claim.codec import ClaimCodec
from engines.claim.game import Claim
from engines.claim.rules import ClaimState
from engines.rrr.game import Rrr
from engines.rrr.rules import RrrState


class Broken(Claim):
    """Claim whose states are of another class."""

    state: type[ClaimState] = ClaimState

    def start(self, config, seed):
        state = self.state.deal(config, seed)
        state.__class__ = self.state
        return state


def broken(**methods):
    """Claim with some methods of its states replaced."""
    return type("Broken", (Broken,), {"state": type("State", (ClaimState,), {"__slots__": (), **methods})})()


def broken_codec(**methods):
    return type("Broken", (Claim,), {"codec": type("Codec", (ClaimCodec,), methods)()})()


def apply_anything(self, move):
    try:
        ClaimState.apply(self, move)
    except IllegalMove:
        return


def change_then_refuse(self, move):
    if move not in self.legal():
        self.leader = 1 - self.leader
    ClaimState.apply(self, move)


def shallow_clone(self):
    twin = ClaimState.clone(self)
    twin.hands = self.hands
    return twin


def early_outcome(self):
    return ClaimState.outcome(self) or Outcome((1, 2), (0.0, 0.0), "guess")


def odd_ranks(self):
    outcome = ClaimState.outcome(self)
    return outcome and replace(outcome, ranks=(0, 3))


def leaking_view(self, seat):
    seen = ClaimState.view(self, seat)
    return replace(seen, opponent_prizes=(*seen.opponent_prizes, *self.hands[1 - seat]))


def forgetful_unpack(self, message):
    return replace(ClaimCodec.unpack_observation(self, message), discard=())


def forgetful_state(self, message):
    state = ClaimCodec.unpack_state(self, message)
    state.score = ([], [])
    return state


def crashing_unpack(self, message):
    return [13][message.play]


def own_deal(config, seed, ticket=count()):  # noqa: B008  (a counter shared by all calls is the point)
    return ClaimState.deal(config, seed + next(ticket))


class Unsteady(Claim):
    def start(self, config, seed):
        return own_deal(config, seed)


class Clairvoyant(Claim):
    """Imagines only one and the same state."""

    def imagine(self, observation, rng):
        rng.seed(1)
        return super().imagine(observation, rng)


class Mistaken(Claim):
    def imagine(self, observation, rng):
        return super().imagine(replace(observation, leader=1 - observation.leader, lead=None), rng)


class Shortlived(Claim):
    info = replace(Claim.info, max_moves=51)


class Misnamed(Claim):
    info = replace(Claim.info, name="Claim!")


class OpenBook(Claim):
    info = replace(Claim.info, hidden=False)


def apply_equal_numbers(self, move):
    """Takes what equals a legal card for that card."""
    ClaimState.apply(self, int(move) if move in self._legal else move)


def apply_and_fail(self, move):
    """Plays what equals a legal card halfway."""
    if move in self._legal and type(move) is not int:
        self.hands[self._mover].remove(move)
        raise IllegalMove("too late")
    ClaimState.apply(self, move)


def shared_list(self, lists={}):  # noqa: B006  (lists shared by all games are the point)
    return lists.setdefault(self._legal, list(self._legal))


def reused_list(self, moves=[]):  # noqa: B006
    moves[:] = self._legal
    return moves


def view_any_seat(self, seat):
    return ClaimState.view(self, seat % 2)


class Drawless(Claim):
    """Imagines states in which nobody has drawn a card."""

    def imagine(self, observation, rng):
        state = super().imagine(observation, rng)
        state.tricks = [(*trick[:5], None) for trick in state.tricks]
        return state


class Forgetful(Assassins):
    """Imagines states in which the observer has not moved in this turn."""

    def imagine(self, observation, rng):
        return super().imagine(replace(observation, earlier=()), rng)


class Generous(Claim):
    """Imagines states with a card too many."""

    def imagine(self, observation, rng):
        state = super().imagine(observation, rng)
        state.deck = [*state.deck, 1]
        return state


class Entangled(Rrr):
    """Imagines states on the observer's own table."""

    def imagine(self, observation, rng):
        state = super().imagine(observation, rng)
        state.table = observation.table
        return state


class Talkative(Assassins):
    """Tells everybody everything."""

    def describe_move(self, state, move, seat=None):
        return super().describe_move(state, move)


class Showing(Rrr):
    """Shows what was picked in secret."""

    def configure(self, seats, options):
        return super().configure(seats, {"setup": "secret-draft"})

    def redact_move(self, state, move, seat):
        return move


class Nameless(Claim):
    def describe_move(self, state, move, seat=None):
        return super().describe_move(state, move).replace("seat", "somebody")


class OpenTable(RrrState):
    """Shows its own table instead of a copy."""

    __slots__ = ()

    def view(self, seat):
        return replace(super().view(seat), table=self.table)


class Touchable(Rrr):
    def start(self, config, seed):
        state = super().start(config, seed)
        state.__class__ = OpenTable
        return state


MUTANTS = [
    (Shortlived(), conformance.check_ends_in_time),
    (broken(outcome=early_outcome), conformance.check_end_is_the_end),
    (broken(outcome=odd_ranks), conformance.check_end_is_the_end),
    (broken(legal=lambda self: [*self._legal, *self._legal[:1]]), conformance.check_legal_moves_apply),
    (broken(apply=apply_anything), conformance.check_illegal_moves_change_nothing),
    (broken(apply=change_then_refuse), conformance.check_illegal_moves_change_nothing),
    (broken(clone=shallow_clone), conformance.check_clones_are_independent),
    (Unsteady(), conformance.check_same_seed_same_game),
    (broken_codec(unpack_observation=forgetful_unpack), conformance.check_codec_round_trips),
    (broken_codec(unpack_state=forgetful_state), conformance.check_codec_round_trips),
    (broken_codec(unpack_move=crashing_unpack), conformance.check_decoders_survive_anything),
    (broken(view=leaking_view), conformance.check_observations_hide),
    (Mistaken(), conformance.check_observations_hide),
    (OpenBook(), conformance.check_observations_hide),
    (Clairvoyant(), conformance.check_something_is_hidden),
    (broken(apply=apply_equal_numbers), conformance.check_only_listed_moves_apply),
    (broken(apply=apply_and_fail), conformance.check_only_listed_moves_apply),
    (broken(legal=shared_list), conformance.check_callers_keep_what_they_get),
    (broken(legal=reused_list), conformance.check_callers_keep_what_they_get),
    (Touchable(), conformance.check_callers_keep_what_they_get),
    (broken(view=view_any_seat), conformance.check_seats_are_known),
    (Drawless(), conformance.check_imagined_states_are_full),
    (Forgetful(), conformance.check_imagined_states_are_full),
    (Generous(), conformance.check_imagined_states_travel),
    (Entangled(), conformance.check_imagined_states_travel),
    (Talkative(), conformance.check_descriptions_leak_nothing),
    (Showing(), conformance.check_descriptions_leak_nothing),
    (Nameless(), conformance.check_words_for_every_seat),
]


@pytest.mark.parametrize(("game", "check"), MUTANTS, ids=[f"{i}-{c.__name__}" for i, (_, c) in enumerate(MUTANTS)])
def test_mutant_is_caught(game, check):
    def run():
        for seed in range(6):
            check(game, seed)

    with pytest.raises((AssertionError, IndexError, BadMessage)):
        run()


@pytest.mark.parametrize(
    "check",
    [
        conformance.check_accepted_positions_can_be_played,
        conformance.check_accepted_observations_can_be_imagined,
    ],
)
def test_a_codec_that_accepts_anything_is_caught(check, monkeypatch):
    for name in ("require_state", "require_observation"):
        monkeypatch.setattr(f"engines.claim.codec.{name}", lambda _: None)

    def run():
        for seed in range(6):
            check(Claim(), seed)

    with pytest.raises(AssertionError, match="the codec does not refuse"):
        run()


def test_misnamed_game_is_caught():
    with pytest.raises(AssertionError, match="identifier"):
        conformance.check_facts(Misnamed())
