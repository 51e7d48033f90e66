"""The program of a new Python bot: it plays any legal move, and shows how those of its game are read and made."""

from textwrap import fill

from arena.contestant.example_moves import call, example_moves
from arena.registry import find

GAMES = 4
"""Random games in which examples are looked for: enough for most kinds of moves, and nobody has to wait."""
INDENT = " " * 4
PROGRAM = '''"""Plays {game}. Make `worth` better: `arena docs {game}` explains every name that it can use."""

import random

from arena.sdk import Bot, serve

LIKED = {{
{kinds}
}}
"""By how much a kind of move is better than others; what differs by less than 1 is left to chance."""


class MyBot(Bot):
    """One object of this class plays one match, in one seat."""

    def begin(self, start):
        """The match begins, but the clock does not run yet."""
        self.seat = start.seat

    def choose(self, turn):
        """The legal move that is worth most; `turn.available` is how many seconds this may take."""
        return max(turn.legal, key=lambda move: self.worth(turn, move))

    def worth(self, turn, move):
        """How good this move seems now. Chance decides until you write something better."""
        # What your seat knows is in `turn.seen`, by name:
{seen}
        # These moves there are. `turn.fields(move)` has what one says, by the same names, and `turn.describe(move)` the
        # words; `turn.move` makes one, if it is legal:
{moves}
        named = turn.fields(move)
        return LIKED[named.kind] + random.random()

    def end(self, end):
        """The match is over. What a bot prints is shown when something went wrong."""
        print(f"seat {{self.seat}}: {{end.outcome.reason}}; {{end.verdict.sentence}}")


if __name__ == "__main__":
    serve(MyBot, game="{game}")
'''


def new_bot(name: str) -> str:
    """The source of a bot for the game of this name."""
    game = find(name)
    examples = {move.kind: (move, words) for move, words in reversed([*example_moves(game, GAMES)])}
    kinds = [field.name for field in game.codec.type("Move").DESCRIPTOR.fields]
    seen = ", ".join(field.name for field in game.codec.type("Observation").DESCRIPTOR.fields)
    moves = [f"{call(move)}: {words}" for move, words in reversed(examples.values()) if words]
    return PROGRAM.format(
        game=name,
        kinds=fill(", ".join(f'"{kind}": 0' for kind in kinds), 116, initial_indent=INDENT, subsequent_indent=INDENT),
        seen=_comment([seen]),
        moves=_comment(moves),
    )


def _comment(paragraphs: list[str]) -> str:
    """Lines of comments, inside of a method."""
    start = f"{INDENT}{INDENT}#   "
    return "\n".join(fill(text, 120, initial_indent=start, subsequent_indent=f"{start}  ") for text in paragraphs)
