"""What lies open on the table of 7 Kingdoms, and what one seat may know besides."""

from dataclasses import dataclass
from typing import Final

from arena.match import Seat
from engines.kingdoms.cards import LAST_ROUND, Card, Mask, Token

PLAY: Final = 1
TOKEN: Final = 2
TAKE: Final = 3
PLACE: Final = 4
OVER_DECK: Final = 5
OVER_TOKENS: Final = 6
OVER_ROUNDS: Final = 7
"""The phases, numbered as in kingdoms.proto; from OVER_DECK on the game is over."""
REASONS: Final = {
    OVER_DECK: "the deck is empty",
    OVER_TOKENS: "every coat has a token",
    OVER_ROUNDS: f"{LAST_ROUND} rounds were played",
}


@dataclass(frozen=True, slots=True)
class Config:
    """The options of a match."""

    seats: int = 2


@dataclass(frozen=True, slots=True)
class Table:
    """All that lies open; the fields are explained in kingdoms.proto."""

    round: int
    first: Seat
    acted: int
    phase: int
    resolving: Card
    coats: tuple[int, ...]
    tokens: tuple[Token, ...]
    revealed: tuple[Token, ...]
    row: tuple[Card, ...]
    pending: tuple[Card, ...]
    removed: tuple[Card, ...]
    played: tuple[Card, ...]
    kingdoms: tuple[Mask, ...]
    known: tuple[Mask, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat may know; the fields are explained in kingdoms.proto."""

    seat: Seat
    config: Config
    table: Table
    hand: tuple[Card, ...]
    hand_sizes: tuple[int, ...]
    deck_size: int
    face_down_count: int
    events: tuple[int, ...]
    earlier: tuple[int, ...]
