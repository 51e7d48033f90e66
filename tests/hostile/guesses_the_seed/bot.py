"""Knows the engine, so a seed that can be guessed is a look into the opponent's hand."""

import hashlib

from probe import say
from raw import play

from engines.claim import GAME

GUESSES = 3000
TRUE_SEED = 0x5EED_0F_A_C0DE
"""That of tests/hostile/neighbour.py: even the right guess is not confirmed by the name of the match."""
NAMES = ("guesses_the_seed", "opponent")


def names_it(start, seed):
    """Whether the public name of the match is what this seed would give."""
    parts = [GAME.info.name, GAME.info.version, GAME.codec.dump_config(start.config).hex(), str(seed)]
    parts += [f"{name}\0\0" for name in NAMES]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest() == start.match_id


def deals_it(start, seed, hand):
    """Whether this seed would have dealt us our hand."""
    return GAME.start(start.config, seed).view(start.seat).hand == hand


def begin(start):
    match["start"] = start


def guess(turn):
    if turn.number > 1:
        return
    start, hand = match["start"], turn.observation.hand
    found = [seed for seed in range(GUESSES) if names_it(start, seed) or deals_it(start, seed, hand)]
    found += [TRUE_SEED] * names_it(start, TRUE_SEED)
    say(f"ESCAPED: the seed is {found}" if found else "neither the name of the match nor the hand tells the seed")


match = {}
play(start=begin, turn=guess)
