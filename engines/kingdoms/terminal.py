"""7 Kingdoms in a terminal, as Rich console markup."""

from collections.abc import Iterable

from arena.match import Seat
from engines.kingdoms.cards import (
    COAT,
    COATS,
    KIND,
    OF_COAT,
    PEASANT_SLOTS,
    PLACE_MOVE,
    SLOTS_IN,
    TAKE_MOVE,
    TITLE,
    TITLES,
    TO_HAND,
    TOKEN_MOVE,
    TOKEN_NAMES,
    WINDOW_MOVE,
    Card,
    Mask,
    Move,
    cards_in,
    reach,
)
from engines.kingdoms.rules import KingdomsState
from engines.kingdoms.table import OVER_DECK, PLACE, PLAY, REASONS, TAKE, TOKEN

COLOURS = ("", "red", "green", "yellow", "blue", "magenta", "cyan", "bright_white")
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII")
SHORT = ("Ki", "Bi", "Ge", "Pr", "Kn", "Me", "Pe")
COLUMN = 9
ASKED = {
    PLAY: "seat {seat} plays a card",
    TOKEN: "seat {seat} chooses a token for the {card}",
    TAKE: "seat {seat} takes cards with the {card}",
    PLACE: "seat {seat} puts away what the {card} took",
}


def show(state: KingdomsState, viewer: Seat | None = None) -> str:
    """The position: the slots with their coats, tokens and cards, and every seat with its hand and kingdom.

    With a viewer only what that seat knows: of other hands the cards that all have seen, and how many others.
    """
    table = state.table()
    above = (*state.above(), *(0,) * 7)
    lines = [
        f"[bold]{_headline(state)}[/bold]",
        _slots("slot", ROMAN),
        _slots("coat", (f"coat {coat}" for coat in table.coats), table.coats),
        _slots("token", (TOKEN_NAMES[token] for token in table.tokens)),
        _slots("above", map(_plain, above[:7]), [COAT[card] for card in above[:7]]),
        _slots("below", map(_plain, table.row), [COAT[card] for card in table.row]),
        *([f"{'taken':10}{_names(table.pending)}"] if table.pending else []),
        _stock(state),
    ]
    for seat, points in enumerate(state.points()):
        lines += _seat(state, seat, points, hidden=viewer not in (None, seat))
    return "\n".join((*lines, _legend()))


def describe_move(state: KingdomsState, move: Move) -> str:
    who, kind = f"seat {state.to_move()}", move // KIND * KIND
    if kind == TOKEN_MOVE:
        at = state.tokens.index(0)
        return f"{who} puts the token {TOKEN_NAMES[move - kind]} on {_coat(state.coats[at])} in slot {ROMAN[at]}"
    if kind == TAKE_MOVE:
        return f"{who} takes {_cards_at(state, move - kind)}"
    if kind == WINDOW_MOVE:
        emptied = reach(state.resolving(), move)
        slots = [ROMAN[slot] for slot in SLOTS_IN[emptied]]
        return f"{who} takes the slots {slots[0]} to {slots[-1]}: {_cards_at(state, emptied & state.occupied)}"
    if kind == PLACE_MOVE:
        card = card_name(state.row[SLOTS_IN[state.pending][0]])
        return f"{who} takes {card} into the hand" if move == TO_HAND else f"{who} puts {card} into the kingdom"
    return f"{who} plays {card_name(move)}{_peasant_slots(move)}"


def card_name(card: Card) -> str:
    """A card as its number and title in the colour of its coat."""
    return _painted(f"{card} {TITLES[TITLE[card]]}", COAT[card])


def _headline(state: KingdomsState) -> str:
    if state.phase >= OVER_DECK:
        return f"The game is over: {REASONS[state.phase]}"
    card = state.resolving()
    asked = ASKED[state.phase].format(seat=state.to_move(), card=card and f"{TITLES[TITLE[card]]} {card}")
    return f"Round {state.round}: {asked}{_peasant_slots(card)}"


def _peasant_slots(card: Card) -> str:
    if card not in PEASANT_SLOTS:
        return ""
    return " (slots {} and {})".format(*(ROMAN[slot - 1] for slot in sorted(PEASANT_SLOTS[card])))


def _slots(label: str, texts: Iterable[str], coats: Iterable[int] = (0,) * 7) -> str:
    # The colour is put around the padded text, since markup would count as width.
    return f"{label:10}" + "".join(_painted(f"{text:{COLUMN}}", coat) for text, coat in zip(texts, coats))


def _stock(state: KingdomsState) -> str:
    tokens = " ".join(TOKEN_NAMES[token] for token in state.revealed) or "none"
    stock = f"{'stock':10}deck {len(state.deck) - state.drawn}   tokens {tokens}, face down {len(state.face_down)}"
    return stock + (f"   out of the game {_names(state.removed)}" if state.removed else "")


def _seat(state: KingdomsState, seat: Seat, points: int, *, hidden: bool) -> list[str]:
    mark = "[bold]>[/bold]" if state.to_move() == seat else " "
    pawn = ", [bold]first player[/bold]" if state.first == seat else ""
    known = [card for card in state.hands[seat] if state.known[seat] >> card & 1]
    hand = " ".join(_short(card) + "°" * (card in known) for card in (known if hidden else state.hands[seat]))
    hand += " [dim]??[/dim]" * (len(state.hands[seat]) - len(known)) if hidden else ""
    played = f"   played {_short(state.played[seat])}" if state.played[seat] else ""
    kingdom = "  ".join(filter(None, (_names(cards_in(state.kingdoms[seat] & OF_COAT[coat])) for coat in COATS)))
    return [
        f"{mark} seat {seat}  hand    {hand.lstrip() or '–'}{played}   points {points}{pawn}",
        f"          kingdom {kingdom or '–'}",
    ]


def _legend() -> str:
    titles = ", ".join(f"{short} {title}" for short, title in zip(SHORT, TITLES))
    return f"[dim]{titles}\n° seen by all when it was taken[/dim]"


def _cards_at(state: KingdomsState, slots: Mask) -> str:
    return ", ".join(card_name(state.row[slot]) for slot in SLOTS_IN[slots]) or "nothing"


def _names(cards: Iterable[Card]) -> str:
    return " ".join(map(_short, cards))


def _short(card: Card) -> str:
    return _painted(_plain(card), COAT[card])


def _plain(card: Card) -> str:
    return f"{card}{SHORT[TITLE[card]]}" if card else "·"


def _coat(coat: int) -> str:
    return _painted(f"coat {coat}", coat)


def _painted(text: str, coat: int) -> str:
    return f"[{COLOURS[coat]}]{text}[/{COLOURS[coat]}]" if coat else text
