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
from typing import Any, Final

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
    COATS,
    HAND_LIMIT,
    KINGDOM_ONLY,
    LAST_ROUND,
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
    reach,
    wording,
)
from engines.kingdoms.holding import Holding
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

NO_LIMIT: Final = len(ALL_CARDS) + 1
"""Above every card."""
LONG_LOG: Final = 128
"""The log is cut at the end of a round once it is longer than this, 64 moves; cutting it every time would cost more."""


class KingdomsState:
    """A position."""

    __slots__ = (
        "config", "round", "first", "acted", "phase", "coats", "tokens", "revealed", "face_down",
        "row", "occupied", "pending", "removed", "holdings", "deck", "drawn", "log",
        "_above", "_resolving", "_mover", "_legal",
    )  # fmt: skip

    config: Config
    round: int
    first: Seat
    acted: int
    phase: int
    coats: tuple[int, ...]
    tokens: tuple[Token, ...]
    revealed: tuple[Token, ...]
    face_down: tuple[Token, ...]
    row: list[Card]
    """The cards below the coats as the round began; what was taken since is still here but not in `occupied`.

    The list itself never changes: the next round has another.
    """
    occupied: Mask
    """The slots that still hold a card."""
    pending: Mask
    """The slots whose cards are taken but not yet put into hand or kingdom."""
    removed: tuple[Card, ...]
    holdings: list[Holding]
    """What every seat has."""
    deck: list[Card]
    drawn: int
    log: list[Any]
    """Seat, move, seat, move and so on, the oldest first: one number for both would be a new object for every move."""
    _above: list[Card]
    """The cards above the coats, from slot 1 on."""
    _resolving: Card
    """The played card whose power is used now; 0 until all have played."""
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
        state.row, state.occupied = cards[dealt : dealt + SLOTS], (1 << SLOTS) - 1
        state.deck = cards[dealt + SLOTS :]
        state.coats = tuple(coats)
        state.revealed, state.face_down = tuple(sorted(tokens[:2])), tuple(tokens[2:])
        state.first = below(rng, config.seats)
        state.recompute(0)
        return state

    @classmethod
    def empty(cls, config: Config, hands: list[tuple[Card, ...]]) -> "KingdomsState":
        """A bare table and these hands, each in ascending order; fill it and then call `recompute`."""
        state = cls()
        state.config = config
        state.round, state.first, state.acted, state.phase = 1, 0, 0, PLAY
        state.coats, state.tokens, state.revealed, state.face_down = COATS, (0,) * SLOTS, (), ()
        state.row, state.occupied, state.pending, state.removed = [0] * SLOTS, 0, 0, ()
        state.holdings = [Holding(hand, 0, 0, 0) for hand in hands]
        state.deck, state.drawn = [], 0
        state.log, state._above, state._resolving = [], [], 0
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
        state.removed = table.removed
        for seat, holding in enumerate(state.holdings):
            holding.kingdom, holding.known = table.kingdoms[seat], table.known[seat]
            holding.played = table.played[seat]
        state.deck = deck
        for entry in log:
            state.log += divmod(entry, SEAT)
        state._lay(table.row, table.pending)
        state.recompute(table.resolving)
        return state

    def recompute(self, resolving: Card) -> None:
        """Work out who moves and what is legal after the fields were set from outside."""
        self._mover, self._legal = None, ()
        if self.phase == PLAY:
            self._next_to_play()
        elif self.phase < OVER_DECK:
            self._resolving = resolving
            played = [card for card in self.played if card >= resolving and TITLE[card] != BISHOP]
            self._above = sorted(played, reverse=True)
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
        legal: tuple[object, ...] = self._legal
        for listed in legal:
            if listed is move:  # compiled, it is found four times as fast as by `in`
                break
        else:
            self._require_legal(move)
        seat = self._mover
        self.log.append(seat)
        self.log.append(move)
        assert seat is not None and type(move) is int  # noqa: PT018, S101  (only numbers are listed, for who moves)
        phase = self.phase
        if phase == PLACE:
            self._place(seat, move)
        elif phase == PLAY:
            self._play(seat, move)
        elif phase == TAKE:
            self._take(seat, move)
        else:
            self._put_token(seat, move - TOKEN_MOVE)

    def _require_legal(self, move: object) -> None:
        """Refuse what is not equal to a legal move, and 1.0 and True, which are no moves although they equal one."""
        if type(move) is not int or move not in self._legal:
            legal = ", ".join(map(wording, self._legal)) or "nothing, since the game is over"
            raise IllegalMove(f"{wording(move)} is not legal now; legal is {legal}")

    def clone(self) -> "KingdomsState":
        """An independent copy; tuples, the row and the deck never change and are shared."""
        twin = KingdomsState()
        twin.config, twin.round, twin.first, twin.acted = self.config, self.round, self.first, self.acted
        twin.phase, twin.coats, twin.tokens, twin.revealed = self.phase, self.coats, self.tokens, self.revealed
        twin.face_down, twin.row, twin.occupied = self.face_down, self.row, self.occupied
        twin.pending, twin.removed = self.pending, self.removed
        twin.holdings = [Holding(had.hand, had.kingdom, had.known, had.played) for had in self.holdings]
        twin.deck, twin.drawn, twin.log, twin._above = self.deck, self.drawn, self.log[:], self._above[:]
        twin._resolving, twin._mover, twin._legal = self._resolving, self._mover, self._legal
        return twin

    def outcome(self) -> Outcome | None:
        """Points decide, then Kings; whoever is level in both shares the place."""
        if self.phase < OVER_DECK:
            return None
        points = self.points()
        ranks = scoring.ranks(self.kingdoms, points)
        return Outcome(ranks, tuple(map(float, points)), REASONS[self.phase])

    def view(self, seat: object) -> Observation:
        return self._known_to(check_seat(seat, self.config.seats))

    def _known_to(self, seat: Seat) -> Observation:
        """What this seat may know: the other hands, the deck and the face-down tokens stay hidden to the end."""
        log = self.untold()
        told = told_of(log, (seat,))
        return Observation(
            seat=seat,
            config=self.config,
            table=self.table(),
            hand=self.holdings[seat].hand,
            hand_sizes=tuple(map(len, self.hands)),
            deck_size=len(self.deck) - self.drawn,
            face_down_count=len(self.face_down),
            events=log[told:],
            earlier=log[:told],
        )

    # -- what the position says -------------------------------------------------------------------------

    @property
    def hands(self) -> list[tuple[Card, ...]]:
        return [holding.hand for holding in self.holdings]

    @property
    def kingdoms(self) -> list[Mask]:
        return [holding.kingdom for holding in self.holdings]

    @property
    def known(self) -> list[Mask]:
        """The cards in each hand that all have seen."""
        return [holding.known for holding in self.holdings]

    @property
    def played(self) -> list[Card]:
        """The card that each seat has played in this round, or 0."""
        return [holding.played for holding in self.holdings]

    def table(self) -> Table:
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
        return self._resolving

    def above(self) -> tuple[Card, ...]:
        """The cards above the coats, from slot 1 on."""
        return tuple(self._above)

    def points(self) -> tuple[int, ...]:
        """The points of each seat with the kingdoms and tokens as they are."""
        return scoring.points(self.kingdoms, self.coats, self.tokens)

    def untold(self) -> tuple[int, ...]:
        """The moves that some seat has not been told of, oldest first, each with its seat."""
        log, at = self.log, self._told()
        return tuple([SEAT * log[place] + log[place + 1] for place in range(at, len(log), 2)])

    def _told(self) -> int:
        """The place in the log up to which every seat has been told: after the oldest among their latest own moves."""
        missing = (1 << len(self.holdings)) - 1  # the seats whose latest move is not found yet, as a mask
        for at in range(len(self.log) - 2, -1, -2):
            seat: Seat = self.log[at]
            missing &= ~(1 << seat)
            if not missing:
                return at + 2
        return 0

    # -- step 1: everybody plays a card -----------------------------------------------------------------

    def _play(self, seat: Seat, card: Card) -> None:
        self.holdings[seat].play(card)
        self.acted += 1
        self._next_to_play()

    def _next_to_play(self) -> None:
        seats = len(self.holdings)
        while self.acted < seats:
            seat = (self.first + self.acted) % seats
            hand = self.holdings[seat].hand
            if hand:
                self.phase, self._mover, self._legal = PLAY, seat, hand
                return
            self._draw_two(seat)
            if self.drawn == len(self.deck):
                self._end(OVER_DECK)
                return
        self._next_to_resolve()

    def _draw_two(self, seat: Seat) -> None:
        cards = self.deck[self.drawn : self.drawn + 2]
        cards.sort()
        self.holdings[seat].hand = tuple(cards)
        self.drawn += len(cards)
        self.acted += 1

    # -- step 2: the powers, from the highest card down -------------------------------------------------

    def _next_to_resolve(self) -> None:
        """Go on to the highest card that is not resolved yet and leaves its owner something to decide."""
        while (seat := self._next_owner()) >= 0:
            holding = self.holdings[seat]
            card = self._resolving = holding.played
            if TITLE[card] == BISHOP:
                holding.validate(card)
                if self._ask_token(seat):
                    return
            else:
                self._above.append(card)
            if self._ask_take(seat, card):
                return
        self._finish_round()

    def _next_owner(self) -> Seat:
        """The seat that played the highest card that is not resolved yet; -1 if there is none."""
        owner, highest, limit = -1, 0, self._resolving or NO_LIMIT
        for seat, holding in enumerate(self.holdings):
            if highest < holding.played < limit:
                owner, highest = seat, holding.played
        return owner

    def _ask_token(self, seat: Seat) -> bool:
        """Let a Bishop's owner choose a token; False if there is none, or no coat without one."""
        if not self.revealed or self._all_coats_have_tokens():
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
        tokens, revealed = list(self.tokens), list(self.revealed)
        tokens[tokens.index(0)] = token
        revealed.remove(token)
        revealed += self.face_down[:1]
        revealed.sort()
        self.tokens, self.revealed, self.face_down = tuple(tokens), tuple(revealed), self.face_down[1:]
        if not self._ask_take(seat, self._resolving):
            self._next_to_resolve()

    def _take(self, seat: Seat, move: Move) -> None:
        taken = reach(self._resolving, move) & self.occupied
        if taken:
            self.occupied ^= taken
            self.pending = taken
            self.phase = PLACE
            self._legal = ANY_PLACE if len(self.holdings[seat].hand) < HAND_LIMIT else KINGDOM_ONLY
        else:
            self._next_to_resolve()

    def _place(self, seat: Seat, move: Move) -> None:
        pending, holding = self.pending, self.holdings[seat]
        card = self.row[SLOTS_IN[pending][0]]
        if move == TO_KINGDOM:
            holding.validate(card)
        else:
            holding.keep(card)
        self.pending = pending = pending & (pending - 1)
        if not pending:
            self._next_to_resolve()
        elif len(holding.hand) == HAND_LIMIT:
            self._legal = KINGDOM_ONLY

    # -- steps 3 and 4: the next row, the pawn, the end -------------------------------------------------

    def _finish_round(self) -> None:
        row, before = self._above, self.row
        for slot in SLOTS_IN[self.occupied]:
            row.append(before[slot])
        if len(row) > SLOTS:
            self.removed += tuple(row[SLOTS:])
            del row[SLOTS:]
        cards = self.deck[self.drawn : self.drawn + SLOTS - len(row)]
        self.drawn += len(cards)
        row += cards
        self.occupied = (1 << len(row)) - 1
        if len(row) < SLOTS:
            row += [0] * (SLOTS - len(row))
        self.row, self._above, self._resolving = row, [], 0
        for holding in self.holdings:
            holding.played = 0
        if self.drawn == len(self.deck):
            self._end(OVER_DECK)
            return
        self.first = (self.first + 1) % len(self.holdings)
        if self._all_coats_have_tokens():
            self._end(OVER_TOKENS)
        elif self.round == LAST_ROUND:
            self._end(OVER_ROUNDS)
        else:
            self._next_round()

    def _next_round(self) -> None:
        self.round += 1
        self.acted = 0
        if len(self.log) > LONG_LOG:
            del self.log[: self._told()]
        self._next_to_play()

    def _all_coats_have_tokens(self) -> bool:
        """Whether the last coat has one: they are laid from the left."""
        return self.tokens[SLOTS - 1] != 0

    def _end(self, phase: int) -> None:
        """Validate every hand; a card that was played but not resolved is back in its owner's hand before that."""
        for holding in self.holdings:
            holding.validate_all()
        self.acted, self.phase = 0, phase
        self._mover, self._legal = None, ()

    # -- positions from outside -------------------------------------------------------------------------

    def _lay(self, row: tuple[Card, ...], pending: tuple[Card, ...]) -> None:
        """Put these cards below the coats; a taken card goes to some empty slot, since only their order matters."""
        waiting = iter(pending)
        self.occupied = sum(1 << slot for slot, card in enumerate(row) if card)
        self.row = [card or next(waiting, 0) for card in row]
        self.pending = sum(1 << slot for slot, card in enumerate(self.row) if card) ^ self.occupied

    def _resume(self, card: Card) -> None:
        """Go on in the middle of a card's power."""
        seat = self.played.index(card)
        if self.phase == PLACE and self.pending:
            self._mover = seat
            self._legal = ANY_PLACE if len(self.holdings[seat].hand) < HAND_LIMIT else KINGDOM_ONLY
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
