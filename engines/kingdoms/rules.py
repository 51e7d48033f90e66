"""7 Kingdoms (Gary Kim): play a title card, use its power to take cards, keep them in hand or in the kingdom.

Seven coats of arms lie in seven slots with a card below each. Every round each seat, from the first player on,
plays a card; an empty hand draws two instead. Then, from the highest card down, each played card goes above the
next coat (a Bishop into the kingdom) and takes cards from below; the owner puts each into the hand, of at most
three, or into the kingdom. The next row is the played cards, then those left over, then cards from the deck.
The game ends when the deck is empty, or after the round in which every coat got a token from a Bishop, or
after round 60. Hands join the kingdoms; cards are a point each, Kings two; the token on a coat goes to the one
seat with the most cards of that coat.
"""

from collections.abc import Sequence
from typing import Final

from arena.errors import IllegalMove
from arena.game import check_seat
from arena.match import Outcome, Seat
from arena.rng import below, shuffle, stream
from engines.kingdoms import scoring
from engines.kingdoms.cards import (
    ALL_CARDS,
    ALL_TOKENS,
    ANY_PLACE,
    BISHOP,
    BIT,
    COATS,
    HAND_LIMIT,
    KINGDOM_ONLY,
    LAST_ROUND,
    REACH,
    SEAT,
    SLOTS,
    SLOTS_IN,
    TAKES,
    TITLE,
    TO_KINGDOM,
    TOKEN_MOVE,
    Card,
    Mask,
    Move,
    Token,
    mask_of,
    wording,
)
from engines.kingdoms.table import (
    OVER_DECK,
    OVER_ROUNDS,
    OVER_TOKENS,
    PLACE,
    PLAY,
    REASONS,
    TAKE,
    TOKEN,
    Config,
    Observation,
    Table,
)

NO_CARDS: Final = (0,) * SLOTS
LONG_LOG: Final = 64
"""The log is cut at the end of a round once it is longer than this; cutting it every time would cost more."""


class KingdomsState:
    """A position; lists have one entry per seat."""

    __slots__ = (
        "config", "round", "first", "acted", "phase", "order", "step", "coats", "tokens", "revealed", "face_down",
        "row", "occupied", "pending", "removed", "played", "hands", "kingdoms", "known", "deck", "drawn", "log",
        "_mover", "_legal",
    )  # fmt: skip

    config: Config
    round: int
    first: Seat
    acted: int
    phase: int
    order: tuple[Card, ...]
    """The played cards from the highest down, once all are played."""
    step: int
    """The index in `order` of the card whose power is used now."""
    coats: tuple[int, ...]
    tokens: tuple[Token, ...]
    revealed: tuple[Token, ...]
    face_down: tuple[Token, ...]
    row: tuple[Card, ...]
    """The cards below the coats as the round began; what was taken since is still here but not in `occupied`."""
    occupied: Mask
    """The slots that still hold a card."""
    pending: Mask
    """The slots whose cards are taken but not yet put into hand or kingdom."""
    removed: tuple[Card, ...]
    played: list[Card]
    hands: list[tuple[Card, ...]]
    """In ascending order, since a hand is at the same time the list of legal moves."""
    kingdoms: list[Mask]
    known: list[Mask]
    deck: list[Card]
    drawn: int
    log: list[int]
    _mover: Seat | None
    _legal: tuple[Move, ...]

    @classmethod
    def deal(cls, config: Config, seed: int) -> "KingdomsState":
        """The first position of the game with this seed."""
        rng = stream(seed, "kingdoms", "deal")
        cards, coats, tokens = list(ALL_CARDS), list(COATS), list(ALL_TOKENS)
        for pack in (cards, coats, tokens):
            shuffle(rng, pack)
        state = cls.empty(config, [tuple(sorted(cards[3 * s : 3 * s + 3])) for s in range(config.seats)])
        dealt = HAND_LIMIT * config.seats
        state.row, state.occupied = tuple(cards[dealt : dealt + SLOTS]), (1 << SLOTS) - 1
        state.deck = cards[dealt + SLOTS :]
        state.coats = tuple(coats)
        state.revealed, state.face_down = tuple(sorted(tokens[:2])), tuple(tokens[2:])
        state.first = below(rng, config.seats)
        state.settle(0)
        return state

    @classmethod
    def empty(cls, config: Config, hands: list[tuple[Card, ...]]) -> "KingdomsState":
        """A bare table and these hands, each in ascending order; fill it and then call `settle`."""
        state = cls()
        state.config = config
        state.round, state.first, state.acted, state.phase = 1, 0, 0, PLAY
        state.order, state.step = (), -1
        state.coats, state.tokens, state.revealed, state.face_down = COATS, (0,) * SLOTS, (), ()
        state.row, state.occupied, state.pending, state.removed = NO_CARDS, 0, 0, ()
        state.played, state.hands = [0] * config.seats, hands
        state.kingdoms, state.known = [0] * config.seats, [0] * config.seats
        state.deck, state.drawn = [], 0
        state.log = []
        return state

    @classmethod
    def assemble(
        cls,
        config: Config,
        table: Table,
        *,
        hands: list[tuple[Card, ...]],
        deck: list[Card],
        face_down: tuple[Token, ...],
        log: list[int],
    ) -> "KingdomsState":
        """The position with this open table and these secrets."""
        state = cls.empty(config, hands)
        state.round, state.first, state.acted, state.phase = table.round, table.first, table.acted, table.phase
        state.coats, state.tokens, state.revealed, state.face_down = (
            table.coats,
            table.tokens,
            table.revealed,
            face_down,
        )
        state.removed, state.played = table.removed, list(table.played)
        state.kingdoms, state.known = list(table.kingdoms), list(table.known)
        state.deck, state.face_down, state.log = deck, face_down, log
        state._lay(table.row, table.pending)
        state.settle(table.resolving)
        return state

    def settle(self, resolving: Card) -> None:
        """Work out who moves and what is legal after the fields were set from outside."""
        self._mover, self._legal = None, ()
        if self.phase == PLAY:
            self._next_to_play()
        elif self.phase < OVER_DECK:
            self._order_played()
            self.step = self.order.index(resolving)
            self._resume(resolving)

    # -- the contract -----------------------------------------------------------------------------------

    def to_move(self) -> Seat | None:
        """The seat that plays, or whose card's power is used."""
        return self._mover

    def legal(self) -> Sequence[Move]:
        """The moves of the phase in ascending order: cards, tokens, masks of slots, first slots, hand then kingdom."""
        return self._legal

    def apply(self, move: object) -> None:
        """Play a card, choose a token, take cards, or put a taken card away."""
        if type(move) is not int or move not in self._legal:  # 1.0 and True are no moves, although they equal one
            legal = ", ".join(map(wording, self._legal)) or "nothing, since the game is over"
            raise IllegalMove(f"{wording(move)} is not legal now; legal is {legal}")
        seat = self._mover
        assert seat is not None  # noqa: S101  (nothing is legal when nobody moves)
        self.log.append(SEAT * seat + move)
        phase = self.phase
        if phase == PLACE:
            self._place(seat, move)
        elif phase == PLAY:
            self._play(seat, move)
        elif phase == TAKE:
            self._take(seat, move)
        else:
            self._put_token(seat, move - TOKEN_MOVE)

    def clone(self) -> "KingdomsState":
        """An independent copy; tuples and the deck never change and are shared."""
        twin = KingdomsState()
        twin.config, twin.round, twin.first, twin.acted = self.config, self.round, self.first, self.acted
        twin.phase, twin.order, twin.step = self.phase, self.order, self.step
        twin.coats, twin.tokens, twin.revealed = self.coats, self.tokens, self.revealed
        twin.face_down, twin.row, twin.occupied = self.face_down, self.row, self.occupied
        twin.pending, twin.removed = self.pending, self.removed
        twin.played, twin.hands = self.played[:], self.hands[:]
        twin.kingdoms, twin.known = self.kingdoms[:], self.known[:]
        twin.deck, twin.drawn, twin.log = self.deck, self.drawn, self.log[:]
        twin._mover, twin._legal = self._mover, self._legal
        return twin

    def outcome(self) -> Outcome | None:
        """Points decide, then Kings; whoever is level in both shares the place."""
        if self.phase < OVER_DECK:
            return None
        points = self.points()
        ranks = scoring.ranks(self.kingdoms, points)
        return Outcome(ranks, tuple(map(float, points)), REASONS[self.phase])

    def view(self, seat: object) -> Observation:
        """What this seat may know."""
        return self._known_to(check_seat(seat, self.config.seats))

    def _known_to(self, seat: Seat) -> Observation:
        """What this seat may know: the other hands, the deck and the face-down tokens stay hidden to the end."""
        log = self.untold()
        told = told_of(log, (seat,))
        return Observation(
            seat=seat,
            config=self.config,
            table=self.table(),
            hand=self.hands[seat],
            hand_sizes=tuple(map(len, self.hands)),
            deck_size=len(self.deck) - self.drawn,
            face_down_count=len(self.face_down),
            events=log[told:],
            earlier=log[:told],
        )

    # -- what the position says -------------------------------------------------------------------------

    def table(self) -> Table:
        """All that lies open."""
        return Table(
            round=self.round,
            first=self.first,
            acted=self.acted,
            phase=self.phase,
            resolving=self.resolving(),
            coats=self.coats,
            tokens=self.tokens,
            revealed=self.revealed,
            row=tuple(card if self.occupied >> slot & 1 else 0 for slot, card in enumerate(self.row)),
            pending=tuple(self.row[slot] for slot in SLOTS_IN[self.pending]),
            removed=self.removed,
            played=tuple(self.played),
            kingdoms=tuple(self.kingdoms),
            known=tuple(self.known),
        )

    def resolving(self) -> Card:
        """The played card whose power is used now, 0 if none is."""
        return self.order[self.step] if self.order else 0

    def above(self) -> tuple[Card, ...]:
        """The cards above the coats, from slot 1 on."""
        return tuple(card for card in self.order[: self.step + 1] if TITLE[card] != BISHOP)

    def points(self) -> tuple[int, ...]:
        """The points of each seat with the kingdoms and tokens as they are."""
        return scoring.points(self.kingdoms, self.coats, self.tokens)

    def untold(self) -> tuple[int, ...]:
        """The moves that some seat has not been told of, oldest first, each with its seat."""
        return tuple(self.log[told_of(self.log, range(self.config.seats)) :])

    # -- step 1: everybody plays a card -----------------------------------------------------------------

    def _play(self, seat: Seat, card: Card) -> None:
        hand = self.hands[seat]
        at = hand.index(card)
        self.hands[seat] = hand[:at] + hand[at + 1 :]
        self.known[seat] &= ~BIT[card]
        self.played[seat] = card
        self.acted += 1
        self._next_to_play()

    def _next_to_play(self) -> None:
        seats = len(self.hands)
        while self.acted < seats:
            seat = (self.first + self.acted) % seats
            if self.hands[seat]:
                self.phase, self._mover, self._legal = PLAY, seat, self.hands[seat]
                return
            self._draw_two(seat)
            if self.drawn == len(self.deck):
                self._end(OVER_DECK)
                return
        self._order_played()
        self._next_to_resolve()

    def _draw_two(self, seat: Seat) -> None:
        cards = self.deck[self.drawn : self.drawn + 2]
        self.hands[seat] = tuple(sorted(cards))
        self.drawn += len(cards)
        self.acted += 1

    def _order_played(self) -> None:
        order = [card for card in self.played if card]
        order.sort(reverse=True)
        self.order = tuple(order)
        self.step = -1

    # -- step 2: the powers, from the highest card down -------------------------------------------------

    def _next_to_resolve(self) -> None:
        for card in self.order[self.step + 1 :]:
            self.step += 1
            seat = self.played.index(card)
            if TITLE[card] == BISHOP:
                self.kingdoms[seat] |= BIT[card]
                if self._ask_token(seat):
                    return
            if self._ask_take(seat, card):
                return
        self._finish_round()

    def _ask_token(self, seat: Seat) -> bool:
        """Let a Bishop's owner choose a token; False if there is none, or no coat without one."""
        if not self.revealed or 0 not in self.tokens:
            return False
        self.phase, self._mover = TOKEN, seat
        self._legal = tuple(TOKEN_MOVE + token for token in self.revealed)
        return True

    def _ask_take(self, seat: Seat, card: Card) -> bool:
        """Let the owner use the card's power; False if it can take nothing."""
        legal = TAKES[card][self.occupied]
        if not legal:
            return False
        self.phase, self._mover, self._legal = TAKE, seat, legal
        return True

    def _put_token(self, seat: Seat, token: Token) -> None:
        at = self.tokens.index(0)
        self.tokens = (*self.tokens[:at], token, *self.tokens[at + 1 :])
        left = [other for other in self.revealed if other != token]
        self.revealed = tuple(sorted((*left, *self.face_down[:1])))
        self.face_down = self.face_down[1:]
        if not self._ask_take(seat, self.order[self.step]):
            self._next_to_resolve()

    def _take(self, seat: Seat, move: Move) -> None:
        taken = REACH[TITLE[self.order[self.step]]][move] & self.occupied
        if taken:
            self.occupied ^= taken
            self.pending = taken
            self.phase = PLACE
            self._legal = ANY_PLACE if len(self.hands[seat]) < HAND_LIMIT else KINGDOM_ONLY
        else:
            self._next_to_resolve()

    def _place(self, seat: Seat, move: Move) -> None:
        pending = self.pending
        card = self.row[SLOTS_IN[pending][0]]
        if move == TO_KINGDOM:
            self.kingdoms[seat] |= BIT[card]
        else:
            hand = [*self.hands[seat], card]
            hand.sort()
            self.hands[seat] = tuple(hand)
            self.known[seat] |= BIT[card]
        self.pending = pending = pending & (pending - 1)
        if not pending:
            self._next_to_resolve()
        elif len(self.hands[seat]) == HAND_LIMIT:
            self._legal = KINGDOM_ONLY

    # -- steps 3 and 4: the next row, the pawn, the end -------------------------------------------------

    def _finish_round(self) -> None:
        row = [card for card in self.order if TITLE[card] != BISHOP]
        row += [self.row[slot] for slot in SLOTS_IN[self.occupied]]
        self.removed += tuple(row[SLOTS:])
        cards = self.deck[self.drawn : self.drawn + max(0, SLOTS - len(row))]
        self.drawn += len(cards)
        row = [*row[:SLOTS], *cards]
        self.occupied = (1 << len(row)) - 1
        self.row = (*row, *NO_CARDS[len(row) :])
        self.played, self.order, self.step = [0] * len(self.hands), (), -1
        if self.drawn == len(self.deck):
            self._end(OVER_DECK)
            return
        self.first = (self.first + 1) % len(self.hands)
        if 0 not in self.tokens:
            self._end(OVER_TOKENS)
        elif self.round == LAST_ROUND:
            self._end(OVER_ROUNDS)
        else:
            self._next_round()

    def _next_round(self) -> None:
        self.round += 1
        self.acted = 0
        if len(self.log) > LONG_LOG:
            self.log = list(self.untold())
        self._next_to_play()

    def _end(self, phase: int) -> None:
        """Validate every hand; a card that was played but not resolved is back in its owner's hand before that."""
        for seat, card in enumerate(self.played):
            self.kingdoms[seat] |= mask_of(self.hands[seat]) | (BIT[card] if card else 0)
        self.hands, self.known = [()] * len(self.hands), [0] * len(self.hands)
        self.played, self.acted, self.phase = [0] * len(self.hands), 0, phase
        self._mover, self._legal = None, ()

    # -- positions from outside -------------------------------------------------------------------------

    def _lay(self, row: tuple[Card, ...], pending: tuple[Card, ...]) -> None:
        """Put these cards below the coats; a taken card goes to some empty slot, since only their order matters."""
        waiting = iter(pending)
        self.occupied = sum(1 << slot for slot, card in enumerate(row) if card)
        self.row = tuple(card or next(waiting, 0) for card in row)
        self.pending = sum(1 << slot for slot, card in enumerate(self.row) if card) ^ self.occupied

    def _resume(self, card: Card) -> None:
        """Go on in the middle of a card's power."""
        seat = self.played.index(card)
        if self.phase == PLACE and self.pending:
            self._mover = seat
            self._legal = ANY_PLACE if len(self.hands[seat]) < HAND_LIMIT else KINGDOM_ONLY
        elif self.phase == TOKEN and self._ask_token(seat):
            pass
        elif self.phase == PLACE or not self._ask_take(seat, card):
            self._next_to_resolve()


def told_of(log: Sequence[int], seats: Sequence[Seat]) -> int:
    """How much of the log each of these seats has been told: up to the oldest among their latest own moves."""
    missing = set(seats)
    for at in range(len(log) - 1, -1, -1):
        missing.discard(log[at] // SEAT)
        if not missing:
            return at + 1
    return 0
