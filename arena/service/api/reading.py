"""What the API tells of the contest and its results, to whoever may see it."""

from dataclasses import dataclass
from datetime import UTC, datetime

from arena.errors import UsageError
from arena.service.access import Account, Everybody, Results
from arena.service.api.answers import (
    BotAnswer,
    ContestAnswer,
    MatchAnswer,
    PersonAnswer,
    RatingAnswer,
    TournamentAnswer,
)
from arena.service.api.operations import BEFORE, GAME, LIMIT, PAGE, Answer, Batch, Operation, Parameter, batch
from arena.service.deeds import Deeds
from arena.service.refusals import Refusal
from arena.service.visitors import Visitor
from arena.store.base import BotEntry
from arena.web.live import Live


@dataclass(frozen=True, slots=True)
class Reading:
    """The operations that only read."""

    deeds: Deeds
    live: Live

    def operations(self) -> list[Operation]:
        """All of them."""
        game = Parameter("game", "path", "the name of a game", pattern=GAME.pattern)
        bot = Parameter("bot", "path", "the id of a version of a bot", number=True)
        tournament = Parameter("tournament", "path", "the id of a tournament", number=True)
        match = Parameter("match", "path", "the id of a match", pattern="[1-9][0-9]{0,8}-[0-9a-f]{1,32}")
        of_bot = Parameter("bot", "query", "only of this version of a bot", number=True)
        of_tournament = Parameter("tournament", "query", "only of this tournament", number=True)
        pages, shown = (BEFORE, LIMIT), Results(self.deeds.contest.settings.standings)
        return [
            Operation(
                "GET", "/contest", "contest", "What the contest is", Answer(ContestAnswer), self.contest, Everybody()
            ),
            Operation("GET", "/me", "me", "Whose token this is", Answer(PersonAnswer), self.me, Account()),
            Operation(
                "GET", "/ratings/{game}", "ratings", "The table of a game", Answer(RatingAnswer, many=True),
                self.ratings, shown, [game],
            ),
            Operation(
                "GET", "/bots", "bots", "Versions of bots, the newest first", Answer(BotAnswer, many=True, paged=True),
                self.bots, shown, [GAME, *pages],
            ),
            Operation("GET", "/bots/{bot}", "bot", "A bot", Answer(BotAnswer), self.bot, shown, [bot]),
            Operation(
                "GET", "/tournaments", "tournaments", "Tournaments, the newest first",
                Answer(TournamentAnswer, many=True, paged=True), self.tournaments, shown, [GAME, *pages],
            ),
            Operation(
                "GET", "/tournaments/{tournament}", "tournament", "A tournament", Answer(TournamentAnswer),
                self.tournament, shown, [tournament],
            ),
            Operation(
                "GET", "/matches", "matches", "Matches, the newest first", Answer(MatchAnswer, many=True, paged=True),
                self.matches, shown, [GAME, of_bot, of_tournament, *pages],
            ),
            Operation(
                "GET", "/matches/{match}/record", "record", "The record of a match, for `arena replay`", None,
                self.record, shown, [match],
            ),
        ]  # fmt: skip

    def contest(self, visitor: Visitor) -> ContestAnswer:  # noqa: ARG002  (the same for everybody)
        known = self.deeds.contest.settings
        return ContestAnswer(
            known.title, known.about, known.games, known.clock, known.standings, known.opens, known.closes,
            known.is_open(datetime.now(UTC)),
        )  # fmt: skip

    def me(self, visitor: Visitor) -> PersonAnswer:
        return PersonAnswer.of(visitor.known)

    def ratings(self, visitor: Visitor, game: str) -> Batch:
        tables = self.live.site().snapshot.tables
        if game not in tables:
            raise Refusal(404, "there is no such game")
        return Batch([RatingAnswer.of(row, self._owner(row.bot, visitor)) for row in tables[game].rows])

    def bots(self, visitor: Visitor, game: str | None = None, before: int | None = None, limit: int = PAGE) -> Batch:
        chosen = (
            bot
            for bot in self.deeds.bots().values()
            if bot.on_ladder and game in (None, *bot.games) and (before is None or bot.id < before)
        )
        found = sorted(chosen, key=lambda bot: -bot.id)[:limit]
        return batch(found, limit, lambda bot: BotAnswer.of(bot, self._owner(bot, visitor)), lambda bot: bot.id)

    def bot(self, visitor: Visitor, bot: int) -> BotAnswer:
        found = self.deeds.bots().get(bot)
        if found is None:
            raise Refusal(404, "there is no such bot")
        return BotAnswer.of(found, self._owner(found, visitor))

    def tournaments(
        self,
        visitor: Visitor,  # noqa: ARG002  (the same for everybody)
        game: str | None = None,
        before: int | None = None,
        limit: int = PAGE,
    ) -> Batch:
        found = self.live.store.tournament_summaries(game=game, before=before, limit=limit)
        return batch(found, limit, TournamentAnswer.of, lambda summary: summary.entry.id)

    def tournament(self, visitor: Visitor, tournament: int) -> TournamentAnswer:  # noqa: ARG002
        found = self.live.store.tournament_summaries(before=tournament + 1, limit=1)
        if not found or found[0].entry.id != tournament:
            raise Refusal(404, "there is no such tournament")
        return TournamentAnswer.of(found[0])

    def matches(
        self,
        visitor: Visitor,  # noqa: ARG002
        game: str | None = None,
        bot: int | None = None,
        tournament: int | None = None,
        before: int | None = None,
        limit: int = PAGE,
    ) -> Batch:
        found = self.live.store.latest_matches(
            game=game, bot_id=bot, tournament_id=tournament, before=before, limit=limit
        )
        return batch(found, limit, MatchAnswer.of, lambda match: match.number)

    def record(self, visitor: Visitor, match: str) -> bytes:  # noqa: ARG002
        tournament, _, name = match.partition("-")
        try:
            return self.live.store.record(int(tournament), name)
        except UsageError as error:
            raise Refusal(404, "there is no such match") from error

    def _owner(self, bot: BotEntry, visitor: Visitor) -> str:
        return self.deeds.names.owner_name(bot.owner, visitor.person)
