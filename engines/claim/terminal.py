"""Claim in a terminal."""

from collections.abc import Iterable, Sequence

from arena.match import Seat
from engines.claim.rules import BEATS, FACTION, FACTIONS, Card, ClaimState

MEMBERS = ("Goblin", "Dwarf", "Undead", "Doppelgänger", "Knight")
COLOURS = ("green", "yellow", "magenta", "cyan", "red")
LETTERS = "GWUDK"
HIDDEN = "[dim]??[/dim]"


def show(state: ClaimState, viewer: Seat | None = None) -> str:
    """The position: both hands, the trick, the piles; with a viewer only what that seat knows."""
    lines = [f"[bold]{_phase(state)}[/bold]"]
    if state.drawn < len(state.deck):
        lines.append(f"prize      {card_name(state.deck[state.drawn])}   deck {len(state.deck) - state.drawn - 1}")
    if state.lead is not None:
        lines.append(f"led        {card_name(state.lead)} by seat {state.leader}")
    for seat in (0, 1):
        mark = "[bold]>[/bold]" if state.to_move() == seat else " "
        hidden = viewer not in (None, seat)
        lines.append(f"{mark} seat {seat}   hand      {_cards((), state.hands[seat], hidden=hidden)}")
        if state.phase == 1:
            followers = _cards(state.prizes[seat], state.draws[seat], hidden=hidden)
            lines.append(f"           followers {followers}")
        lines.append(f"           score     {_row(sorted(state.score[seat]))}")
    return "\n".join((*lines, _votes(state)))


def describe_move(state: ClaimState, move: Card) -> str:
    """What playing this card means, and who wins the trick by it."""
    if state.lead is None:
        return f"seat {state.to_move()} leads {_in_words(move)}"
    follows = f"seat {state.to_move()} follows with {_in_words(move)}"
    if BEATS[state.lead][move]:
        return f"{follows} and wins the trick"
    return f"{follows}; seat {state.leader} wins the trick with {_in_words(state.lead)}"


def card_name(card: Card) -> str:
    """A card as a coloured letter and number; W is for dWarves, since D is for Doppelgängers."""
    faction = FACTION[card]
    return f"[{COLOURS[faction]}]{LETTERS[faction]}{card % 10}[/{COLOURS[faction]}]"


def _in_words(card: Card) -> str:
    faction = FACTION[card]
    return f"[{COLOURS[faction]}]{MEMBERS[faction]} {card % 10}[/{COLOURS[faction]}]"


def _phase(state: ClaimState) -> str:
    if state.phase == 3:
        return "The game is over"
    trick = len(state.tricks) % 13 + 1
    return f"Phase {state.phase}, trick {trick} of 13"


def _cards(open_cards: Iterable[Card], others: Sequence[Card], *, hidden: bool) -> str:
    """Cards in ascending order, of which some may be hidden from the viewer."""
    if not hidden:
        return _row(sorted((*open_cards, *others)))
    return " ".join((*map(card_name, sorted(open_cards)), *[HIDDEN] * len(others))) or "–"


def _row(cards: Iterable[Card]) -> str:
    return " ".join(map(card_name, cards)) or "–"


def _votes(state: ClaimState) -> str:
    votes = state.votes()
    legend = "  ".join(f"[{c}]{letter}[/{c}] {name}" for c, letter, name in zip(COLOURS, LETTERS, FACTIONS))
    return f"votes so far {votes[0]} : {votes[1]}   [dim]{legend}[/dim]"
