"""The site: every page by its kind and names, from one state of the store."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from arena.errors import ArenaError, RecordError, UsageError
from arena.game import AnyGame, GameInfo
from arena.referee import record
from arena.standings.ladder import newest_versions, versions_of
from arena.standings.meetings import points_of_pairs
from arena.standings.table import Standings, read_standings
from arena.store.base import BotEntry, KeptMatch, ListedMatch, Tally, TournamentEntry
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.web.causes import fault_plies, last_lines
from arena.web.history_chart import history_chart
from arena.web.links import file_of
from arena.web.pages.bot import BotInGame, BotProfile, bot_page, bots_page, in_game
from arena.web.pages.home import home_page
from arena.web.pages.ladder import TableState, ladder_page
from arena.web.pages.match import MatchFilter, embed_page, match_page, matches_page, running_page
from arena.web.pages.pair import PairInGame, pair_in_game, pair_page
from arena.web.pages.rules import rules_page
from arena.web.pages.tournament import tournament_page, tournaments_page
from arena.web.pages.views import (
    MatchView,
    RunningRow,
    TournamentView,
    entry_view,
    match_views,
    running_row,
    tournament_view,
)
from arena.web.rendering import Page
from arena.web.replay_data import Replay, read_replay
from arena.web.running import Running
from arena.web.snapshot import Snapshot

SHORT, LONG = 8, 50
"""Matches in a list beside other things, and in a list of its own."""
NOTABLE = 3
"""Best wins and worst losses."""
RECENT_MATCHES = 100
"""Among so many of its latest matches a bot's best wins and worst losses are looked for."""
RECENT = 5
"""Tournaments on the first page."""

Planned = Callable[[Mapping[str, Any]], int | None]
"""From the settings of a tournament to how many matches it will have, if that is known before."""


class NotFound(ArenaError):
    """There is no such page."""


@dataclass(frozen=True)
class Site:
    """Pages of one state of the store; lists of matches are read when they are asked for."""

    store: Store
    games: Mapping[str, AnyGame]
    snapshot: Snapshot
    title: str = "Arena"
    planned: Planned = field(default=lambda settings: None)  # noqa: ARG005
    tables: Callable[[TournamentEntry], Standings] | None = None
    """Where tables of tournaments are kept; without it each is made anew."""
    running: Running | None = None
    """What is being played, if somebody looks after it."""
    with_output: bool = False
    """Whether everybody may read the last that a bot at fault printed."""

    @cached_property
    def infos(self) -> dict[str, GameInfo]:
        return {name: game.info for name, game in self.games.items()}

    def page(self, kind: str, *names: str, query: Mapping[str, str] | None = None) -> Page:
        """A page of this kind; NotFound if there is none of these names. A query is what a server was asked with."""
        return _PAGES[kind](self, query, *names)

    def addresses(self) -> Iterator[tuple[str, ...]]:
        """Kind and names of every page but those of matches, which a site may have too many of."""
        yield from (("home",), ("bots",), ("tournaments",))
        for name in self.games:
            yield from (("ladder", name), ("rules", name))
        yield from (("bot", str(bot_id)) for bot_id in self.snapshot.bots)
        yield from (("tournament", str(item.entry.id)) for item in self.store.tournament_summaries())
        tests = (points_of_pairs(self._tests(name)) for name in self.games)
        points = (*(table.points for table in self.snapshot.tables.values()), *tests)
        met = {(min(pair), max(pair)) for pairs in points for pair in pairs}
        yield from (("pair", str(one), str(two)) for one, two in sorted(met))

    def replay(self, name: str, views: Sequence[str] | None = None) -> Replay:
        """The replay of the match whose page is called like this; RecordError if its record cannot be replayed."""
        if begun := self._begun(name, views):
            return begun
        kept, entry = self._kept(name)
        return self._replay(kept, entry, views)

    def views_of(self, matches: Sequence[ListedMatch]) -> list[MatchView]:
        return match_views(matches, self.snapshot.bots, self.infos, partial(fault_plies, self.store))

    # -- pages ------------------------------------------------------------------------------------------

    def _home(self, _: object) -> Page:
        tables = {info: self.snapshot.tables[name] for name, info in self.infos.items()}
        bots, recent = len(newest_versions(self.snapshot.bots.values())), self._tournaments(limit=RECENT)
        latest, running = self._latest(limit=SHORT), self._running()
        newest = {name: match for name in self.infos for match in self._latest(game=name, limit=1)}
        return home_page(self.title, tables, bots, recent, latest, newest, running)

    def _ladder(self, query: Mapping[str, str] | None, name: str) -> Page:
        if name not in self.infos:
            raise NotFound(name)
        state = None if query is None else TableState.read(query)
        latest = self._latest(game=name, limit=SHORT)
        return ladder_page(self.infos[name], list(self.infos.values()), self.snapshot.tables[name], latest, state)

    def _rules(self, _: object, name: str) -> Page:
        if name not in self.games:
            raise NotFound(name)
        return rules_page(self.games[name], list(self.infos.values()))

    def _bots(self, _: object) -> Page:
        rated = {
            bot_id: [
                (info, table.row_of[bot_id])
                for name, info in self.infos.items()
                if bot_id in (table := self.snapshot.tables[name]).row_of
            ]
            for bot_id in self.snapshot.bots
        }
        return bots_page(list(self.snapshot.bots.values()), rated)

    def _bot(self, _: object, number: str) -> Page:
        bot = self._find_bot(number)
        versions = versions_of(self.snapshot.bots.values(), bot.name)
        parts = [
            self._in_game(info, bot, versions)
            for name, info in self.infos.items()
            if bot.id in self.snapshot.tables[name].row_of
        ]
        parts.sort(key=lambda part: -part.row.rating.games)
        tournaments = self._tournaments(bot_id=bot.id, limit=SHORT)
        return bot_page(BotProfile(bot, versions, parts, self._latest(bot_id=bot.id, limit=SHORT), tournaments))

    def _in_game(self, info: GameInfo, bot: BotEntry, versions: Sequence[BotEntry]) -> BotInGame:
        table = self.snapshot.tables[info.name]
        course = self.snapshot.histories.get(info.name, {})
        drawn = history_chart(course, versions, bot) if table.row_of[bot.id].comparable else None
        recent = self.store.latest_matches(game=info.name, bot_id=bot.id, limit=RECENT_MATCHES)
        strength = {bot_id: row.rating.mu for bot_id, row in table.row_of.items()}
        best, worst = notable(recent, bot.id, strength, won=True), notable(recent, bot.id, strength, won=False)
        return in_game(info, table, bot, drawn, self.views_of(best), self.views_of(worst))

    def _pair(self, _: object, first: str, second: str) -> Page:
        first_bot, second_bot = self._find_bot(first), self._find_bot(second)
        if first_bot.id >= second_bot.id:
            raise NotFound(f"{first}-{second}")
        parts = [part for info in self.infos.values() if (part := self._pair_in_game(info, first_bot, second_bot))]
        return pair_page(first_bot, second_bot, parts)

    def _pair_in_game(self, info: GameInfo, first_bot: BotEntry, second_bot: BotEntry) -> PairInGame | None:
        """Their meetings in this game; nothing if there was none."""
        table, both = self.snapshot.tables[info.name], {first_bot.id, second_bot.id}
        tests = [tally for tally in self._tests(info.name) if both.issubset(tally.bot_ids)]
        if not tests and (first_bot.id, second_bot.id) not in table.points:
            return None
        meetings = self.store.latest_matches(game=info.name, bot_id=first_bot.id, against=second_bot.id, limit=LONG)
        return pair_in_game(info, table, tests, first_bot.id, second_bot.id, self.views_of(meetings))

    def _tests(self, game: str) -> list[Tally]:
        return self.store.tallies(Scope(game, tests=True))

    def _tournament_list(self, query: Mapping[str, str] | None) -> Page:
        if query is None:
            return tournaments_page(self._tournaments())
        items = self._tournaments(before=_number(query.get("before", "")), limit=LONG)
        return tournaments_page(items, f"?before={items[-1].id}" if len(items) == LONG else "")

    def _tournament(self, _: object, number: str) -> Page:
        entry = self._find_tournament(number)
        summary = self.store.tournament_summaries(before=entry.id + 1, limit=1)[0]
        info = self.infos.get(entry.game)
        view = tournament_view(summary, self.infos, self._plan(entry))
        latest = self._latest(tournament_id=entry.id, limit=SHORT)
        return tournament_page(view, info, self._table(entry), latest, self._running(entry.id))

    def _match_list(self, query: Mapping[str, str] | None, number: str | None = None) -> Page:
        """The latest matches; in a folder there is a file for each further page."""
        if query is None:
            raise NotFound(number or "")  # the builder makes these, since it knows which matches the site has
        game, tournament, bot = (
            query.get("game", ""),
            _number(query.get("tournament", "")),
            _number(query.get("bot", "")),
        )
        known = self.snapshot.bots.get(bot) if bot else None
        found = self.store.latest_matches(
            before=_number(query.get("before", "")), limit=LONG, game=game if game in self.infos else None,
            tournament_id=tournament, bot_id=bot,
        )  # fmt: skip
        kept = {"game": game, "tournament": tournament, "bot": bot}
        same = "".join(f"{key}={value}&" for key, value in kept.items() if value)
        older = f"?{same}before={found[-1].number}" if len(found) == LONG else ""
        chosen = MatchFilter(game, f"tournament {tournament}" if tournament else "", known.label if known else "")
        infos = list(self.infos.values())
        return matches_page(file_of("matches"), self.views_of(found), infos, chosen, older=older)

    def _match(self, query: Mapping[str, str] | None, name: str) -> Page:
        if begun := self._begun(name, ()):
            return running_page(name, begun, self.running.delay if self.running else 0.0)
        kept, entry = self._kept(name)
        plies = fault_plies(self.store, kept.entry)
        view = entry_view(kept.entry, entry.game, self.snapshot.bots, self.infos, plies)
        try:
            # A served page loads the positions when it is shown: working them out takes longer than all else.
            replay, trouble = self._replay(kept, entry, None if query is None else ()), ""
        except (RecordError, UsageError) as error:
            replay, trouble = None, str(error)
        printed = {seat: last_lines(output.end) for seat, output in kept.outputs.items()} if self.with_output else {}
        return match_page(view, entry, replay, trouble, printed)

    def _embed(self, query: Mapping[str, str] | None, name: str) -> Page:
        page = self._match(query, name)
        if page.replay is None:
            raise NotFound(name)
        return embed_page(name, page)

    def _begun(self, name: str, views: Sequence[str] | None) -> Replay | None:
        """The match of this name as far as it was played, if it is being played."""
        return self.running.replay(name, views) if self.running else None

    def _running(self, tournament_id: int | None = None) -> list[RunningRow]:
        found = self.running.matches(tournament_id) if self.running else []
        by_name = {(bot.name, bot.version): bot for bot in self.snapshot.bots.values()} if found else {}
        return [running_row(match.name, match.spec, match.moves, by_name, self.infos) for match in found]

    # -- what pages share ---------------------------------------------------------------------------------

    def _latest(self, **which: Any) -> list[MatchView]:
        return self.views_of(self.store.latest_matches(**which))

    def _tournaments(self, **which: Any) -> list[TournamentView]:
        found = self.store.tournament_summaries(**which)
        return [tournament_view(summary, self.infos, self._plan(summary.entry)) for summary in found]

    def _plan(self, entry: TournamentEntry) -> int | None:
        return None if entry.finished or entry.changes else self.planned(entry.settings)

    def _table(self, entry: TournamentEntry) -> Standings:
        if self.tables:
            return self.tables(entry)
        roles = self.infos[entry.game].roles if entry.game in self.infos else ()
        return read_standings(self.store, Scope(entry.game, entry.id), roles, self.snapshot.bots.values())

    def _find_bot(self, number: str) -> BotEntry:
        bot = self.snapshot.bots.get(int(number))
        if bot is None:
            raise NotFound(number)
        return bot

    def _find_tournament(self, number: str) -> TournamentEntry:
        try:
            return self.store.tournament(int(number))
        except UsageError as error:
            raise NotFound(number) from error

    def _kept(self, name: str) -> tuple[KeptMatch, TournamentEntry]:
        number, _, match_id = name.partition("-")
        entry = self._find_tournament(number)
        try:
            return self.store.kept_match(entry.id, match_id), entry
        except UsageError as error:
            raise NotFound(name) from error

    def _replay(self, kept: KeptMatch, entry: TournamentEntry, views: Sequence[str] | None) -> Replay:
        if entry.game not in self.games:
            raise UsageError(f"the game {entry.game} is not installed here")
        game = self.games[entry.game]
        return read_replay(game, record.load(kept.record, self.games.__getitem__), views)


_PAGES: Mapping[str, Callable[..., Page]] = {
    "home": Site._home,
    "ladder": Site._ladder,
    "rules": Site._rules,
    "bots": Site._bots,
    "bot": Site._bot,
    "pair": Site._pair,
    "tournaments": Site._tournament_list,
    "tournament": Site._tournament,
    "matches": Site._match_list,
    "match": Site._match,
    "embed": Site._embed,
}
"""What makes a page of each kind."""


def notable(
    matches: Sequence[ListedMatch], bot_id: int, strength: Mapping[int, float], *, won: bool
) -> list[ListedMatch]:
    """The wins of a bot against the strongest opponents, or its losses to the weakest."""
    found = []
    for match in matches:
        ranks = {seat.bot_id: seat.rank for seat in match.entry.seats}
        others = [strength.get(other, 0.0) for other in ranks if other != bot_id]
        alone = sum(rank == 1 for rank in ranks.values()) == 1
        if others and alone and (ranks[bot_id] == 1) is won:
            found.append((max(others), match))
    found.sort(key=lambda pair: pair[0], reverse=won)
    return [match for _, match in found[:NOTABLE]]


def _number(text: str) -> int | None:
    """A number that the store can hold, or nothing."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
