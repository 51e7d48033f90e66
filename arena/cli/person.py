"""A person at the table, as the referee sees him: a bot whose link leads to a dialog."""

from typing import Any

from arena.bots.running import AnyCodec, RunningBot
from arena.cli.choosing import Dialog, Menu, NarratedGame, Question, draw, move_words, result_for_seat
from arena.errors import Disconnected
from arena.game import AnyGame
from arena.match import Contestant, MatchEnd, MatchStart, Moves, Ready, Seat, Turn
from arena.referee.player import STRICT, Answer, Link, ReplyPolicy

PERSON = "human"
"""What a user calls himself where a bot is named."""


class PersonBot(RunningBot):
    """Somebody at this terminal; no clock runs for him."""

    def __init__(self, contestant: Contestant, game: AnyGame, table: NarratedGame, dialog: Dialog) -> None:
        super().__init__(contestant)
        self._link = PersonLink(game, table, dialog)

    async def start(self) -> None:
        """He is there."""

    async def open_match(self, codec: AnyCodec) -> Link:  # noqa: ARG002
        """A link to the dialog."""
        return self._link

    async def close(self) -> None:
        """Nothing is held."""


class PersonLink:
    """Shows requests in the dialog and reads the replies there."""

    def __init__(self, game: AnyGame, table: NarratedGame, dialog: Dialog) -> None:
        self._game = game
        self._table = table
        self._dialog = dialog
        self._seat: Seat = 0

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:  # noqa: ARG002
        """The reply to a request; he may take as long as he likes, and it counts as no time."""
        match self._game.codec.read_request(request):
            case MatchStart() as start:
                self._seat = start.seat
                return self._answer(Ready(wants_legal=True))
            case Turn() as turn:
                return self._answer(Moves(turn.number, (await self._choose(turn),)))
        raise Disconnected("did not understand the request")

    async def wait_frozen(self) -> None:
        """A person is not frozen."""

    async def tell(self, request: bytes) -> None:
        """Show how the match ended."""
        end = self._game.codec.read_request(request)
        if isinstance(end, MatchEnd):
            seen = self._table.final.get(self._seat)
            result = result_for_seat(end.outcome, self._seat, self._table.names)
            self._dialog.show_end(seen and draw(self._game, seen), self._table.take_news(self._seat), result)

    async def close(self) -> None:
        """Nothing is held."""

    def _answer(self, reply: Ready | Moves[Any]) -> Answer:
        return Answer(self._game.codec.write_reply(reply), 0.0)

    async def _choose(self, turn: Turn[Any, Any]) -> Any:
        seat, table, legal = self._seat, self._table, turn.legal or ()
        if len(table.persons) > 1 and table.last_asked != seat:  # nobody shall see what was shown to another
            await self._dialog.hand_over(seat)
        table.last_asked = seat
        menu = Menu(move_words(self._game, turn.observation, legal, seat))
        chosen = await self._dialog.ask(Question(seat, draw(self._game, turn.observation), menu, table.take_news(seat)))
        if chosen is None:
            raise Disconnected("gave up")
        return legal[chosen]
