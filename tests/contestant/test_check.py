"""The steps of a check, with players inside this process; tests/cli/test_bot.py runs real programs."""

import asyncio

import pytest

from arena.bots.builtin import FirstBot, RandomBot
from arena.bots.running import LocalBot
from arena.clock import TimeControl
from arena.contestant.check import Check, CheckSettings, Mark
from arena.contestant.check.advice import ADVICE, advice
from arena.contestant.check.report import percentile
from arena.contestant.check.steps import judge_clock
from arena.contestant.check.trials import aborted_record, lowest_bank, random_game, try_moves
from arena.errors import IllegalMove, InfraError, StartFailed
from arena.match import Contestant, Ending, MatchRecord, MatchSpec, PlayedMove, Times, Verdict
from arena.referee.heartbeat import STEADY
from arena.referee.replay import positions, verify
from arena.registry import find, games
from arena.sdk import Bot, Session
from engines.claim import GAME
from tests.kits.contestants import arena, need_bubblewrap, write_bot

pytestmark = pytest.mark.slow

CONTROL = TimeControl.parse("5s/move+10s")


def local(make, game=GAME, name="bot"):
    return LocalBot(Contestant(name), lambda: Session(game, make()).handle)


def check(make, game=GAME, control=CONTROL, positions=40, bot=None, twin=None, **more):
    """All steps of a check, and its measures."""

    async def run():
        settings = CheckSettings(control, 1, positions, 10.0, 1 << 29, **more)
        bots = (bot or local(make, game), local(twin or make, game))
        trial = Check(game, bots, local(lambda: RandomBot(1), game, "random"), settings=settings, heartbeat=STEADY)
        try:
            return [step async for step in trial.steps()], trial.measures()
        finally:
            await trial.close()

    return asyncio.run(run())


def failure(steps):
    (failed,) = [step for step in steps if step.mark is Mark.FAILED]
    assert all(step.mark is Mark.SKIPPED for step in steps if step.number > failed.number)
    assert all(step.mark is Mark.PASSED for step in steps if step.number < failed.number)
    return failed


def test_both_processes_of_the_bot_are_ended_even_if_one_does_not_end_well():
    closed = []

    class Closing(LocalBot):
        async def close(self):
            closed.append(self.contestant.name)
            raise InfraError(f"{self.contestant.name} cannot be ended")

    async def run():
        bots = [Closing(Contestant(name), Session(GAME, FirstBot(0)).handle) for name in ("bot", "twin")]
        settings = CheckSettings(CONTROL, 1, 40, 10.0, 1 << 29)
        await Check(GAME, tuple(bots), local(lambda: FirstBot(0)), settings=settings, heartbeat=STEADY).close()

    with pytest.raises(InfraError, match="cannot be ended"):
        asyncio.run(run())
    assert closed == ["bot", "twin"]


@pytest.mark.parametrize("name", games())
def test_a_good_bot_passes_every_step_of_every_game(name):
    game = games()[name]
    steps, measures = check(lambda: RandomBot(7), game)
    assert [step.mark for step in steps] == [Mark.PASSED] * (7 + game.info.max_seats)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert sum("plays from seat" in step.title for step in steps) == game.info.max_seats
    assert measures.decisions > 40
    assert measures.median <= measures.p99 <= measures.slowest


def test_every_variant_is_among_the_odd_positions():
    seen = set()

    class Watching(FirstBot):
        def begin(self, start):
            seen.add((start.seat, start.config))

    check(lambda: Watching(0), positions=1000)
    variants = [
        (seat, GAME.configure(seats, options)) for seats, options in GAME.info.variants() for seat in range(seats)
    ]
    assert set(variants) <= seen


def test_every_variant_has_its_turn_before_one_has_its_second():
    asked = []

    class Watching(FirstBot):
        def begin(self, start):
            asked.append((start.seat, start.config))

    check(lambda: Watching(0), twin=lambda: FirstBot(0))
    kinds = sum(seats for seats, _ in GAME.info.variants())
    odd = asked[1 + GAME.info.max_seats :][:kinds]  # after `gets ready` and a match from every seat
    assert len({*odd}) == kinds


def test_the_same_seed_is_the_same_check_beside_two_matches_at_once_too():
    def watched(**more):
        told = []

        class Watching(FirstBot):
            def choose(self, turn):
                told.append((self.who, str(turn.observation)))
                return super().choose(turn)

        class Twin(Watching):
            who = "twin"

        class Own(Watching):
            who = "bot"

        steps, measures = check(lambda: Own(0), twin=lambda: Twin(0), **more)
        assert {step.mark for step in steps} == {Mark.PASSED}
        return told, measures

    (alone, first), (beside, second) = watched(), watched(side_by_side=True)
    assert first.decisions == second.decisions == len(alone)
    assert sorted(alone) == sorted(beside)
    assert [who for who, _ in alone] == sorted(who for who, _ in alone)
    assert [who for who, _ in beside] != sorted(who for who, _ in beside)


class Illegal(Bot):
    def choose(self, turn):
        return turn.legal[0] if turn.number < 4 else 99


def test_an_illegal_move_is_named_with_the_match_as_evidence():
    steps, _ = check(Illegal)
    failed = failure(steps)
    assert failed.title == "plays from seat 0"
    assert 'chose “{"play": 99}”, which is not one of the 10 legal moves' in failed.detail
    assert "one of the legal moves" in failed.advice
    assert failed.evidence.verdicts[failed.seat].ending is Ending.ILLEGAL
    verify(GAME, failed.evidence)


class FailsLate(Bot):
    """Plays whole matches well, but not from a position whose beginning it did not see."""

    def choose(self, turn):
        return 99 if turn.number == 1 and len(turn.observation.tricks) > 1 else turn.legal[0]


def test_an_odd_position_is_evidence_too():
    steps, _ = check(FailsLate)
    failed = failure(steps)
    assert failed.title == "answers odd positions"
    assert "random moves" in failed.detail
    *_, (state, last) = positions(GAME, failed.evidence)
    assert last is None
    assert state.to_move() == failed.seat


class NeverReady(LocalBot):
    async def start(self):
        raise StartFailed("it did not open its socket within 10 s")


def test_a_bot_that_does_not_start_fails_the_first_step():
    steps, measures = check(FirstBot, bot=NeverReady(Contestant("x"), lambda: None))
    failed = failure(steps)
    assert failed.number == 1
    assert "ARENA_SOCKET" in failed.advice
    assert measures is None


def test_an_answer_without_content_is_explained():
    silent = LocalBot(Contestant("x"), lambda: lambda request: b"")
    failed = failure(check(FirstBot, bot=silent)[0])
    assert failed.title == "gets ready for a match"
    assert "must set `ready` or `moves`" in failed.advice


class SharesEverything(Bot):
    """Keeps the state of its match in its class, so that a second match at the same time spoils it."""

    match = None

    def begin(self, start):
        SharesEverything.match = start.match_id
        self.own = start.match_id

    def choose(self, turn):
        return turn.legal[0] if SharesEverything.match == self.own else 99


def test_failing_only_at_two_matches_at_once_is_a_warning():
    steps, _ = check(SharesEverything)
    assert [step.title for step in steps if step.mark is Mark.WARNED] == ["plays two matches at once"]
    assert not any(step.mark is Mark.FAILED for step in steps)


@pytest.mark.parametrize(
    ("clock", "slowest", "lowest", "warned"),
    [
        ("none", 99.0, 0.0, False),
        ("1s/move", 0.5, 0.0, False),
        ("1s/move", 0.9, 0.0, True),
        ("1s/move+10s", 1.9, 9.1, False),
        ("1s/move+10s", 9.5, 1.5, True),
        ("30s+0.5s", 2.0, 7.0, False),
        ("30s+0.5s", 2.0, 5.0, True),
    ],
)
def test_a_bot_close_to_its_limit_is_warned(clock, slowest, lowest, warned):
    assert bool(judge_clock(TimeControl.parse(clock), slowest, lowest).advice) == warned


def record_of(seconds, control, lag=0.0):
    spec = MatchSpec("x", "claim", GAME.configure(2, {}), 1, (Contestant("a"), Contestant("b")), control)
    times = [Times(wall=round(1e6 * part), lag=round(1e6 * lag)) for part in seconds]
    return MatchRecord(spec, "", tuple(PlayedMove(0, 1, part) for part in times), (), None)


def test_the_lowest_bank_is_found_on_the_way():
    control = TimeControl(per_move=0.0, bank=10.0, increment=2.0, allowance=0.0)
    assert lowest_bank(record_of([3.0, 5.0, 1.0, 0.5], control), 0) == pytest.approx(6.0)
    assert lowest_bank(record_of([], control), 0) == 10.0


def test_the_lowest_bank_is_that_of_the_referee_who_excuses_his_own_lag():
    control = TimeControl(per_move=0.0, bank=10.0, increment=2.0, allowance=0.0)
    assert lowest_bank(record_of([10.5], control, lag=1.0), 0) == pytest.approx(2.0)


def test_percentiles_are_values_that_occurred():
    values = [float(value) for value in range(1, 101)]
    assert (percentile(values, 50), percentile(values, 99), percentile(values, 100)) == (50.0, 99.0, 100.0)
    assert percentile([3.0], 99) == 3.0


@pytest.mark.parametrize("name", games())
def test_random_games_end_and_are_the_same_again(name):
    game = games()[name]
    config = game.configure(game.info.min_seats, {})
    played = random_game(game, config, 5)
    assert played == random_game(game, config, 5)
    assert played != random_game(game, config, 6)


def test_moves_are_tried_on_a_copy():
    state = GAME.start(GAME.configure(2, {}), 1)
    before = GAME.codec.dump_state(state)
    seat, moves = state.to_move(), tuple(state.legal())
    try_moves(state, seat, moves[:1])
    with pytest.raises(IllegalMove):
        try_moves(state, seat, (99,))
    with pytest.raises(IllegalMove, match="its turn ended"):
        try_moves(state, seat, moves[:2])
    assert GAME.codec.dump_state(state) == before


class ReadsItsRank(FirstBot):
    """Reads what the contract promises of the end of a match."""

    def begin(self, start):
        self.seat = start.seat

    def end(self, end):
        assert end.outcome.ranks[self.seat] >= 1
        assert len(end.outcome.ranks) == len(end.outcome.scores)


def test_the_end_of_a_match_that_is_broken_off_has_a_rank_for_each_seat():
    steps, _ = check(lambda: ReadsItsRank(1))
    assert all(step.mark is Mark.PASSED for step in steps), steps


class SendsOneTooMany(FirstBot):
    """Sends one move too many with the last card of the game, which the referee ignores."""

    def choose_several(self, turn):
        seen = turn.observation
        last = seen.phase == 2 and len(seen.hand) == 1 and seen.lead is not None
        return [self.choose(turn), 0] if last else [self.choose(turn)]


def test_moves_after_the_end_of_the_game_are_ignored_as_the_referee_does():
    steps, _ = check(lambda: SendsOneTooMany(1), positions=200)
    assert all(step.mark is Mark.PASSED for step in steps), steps


def test_a_match_that_was_broken_off_is_a_true_record():
    spec = MatchSpec("x", "claim", GAME.configure(2, {}), 5, (Contestant("a"), Contestant("b")), CONTROL)
    played = random_game(GAME, spec.config, 5)[:11]
    verify(GAME, aborted_record(GAME, spec, played, 1, Verdict(Ending.ILLEGAL, "no")))


def test_there_is_advice_for_every_ending():
    assert ADVICE.keys() == set(Ending) - {Ending.NORMAL}
    wrong = Verdict(Ending.DISCONNECT, "ended the stream (UNIMPLEMENTED: Method not found!)")
    assert "arena.wire.v1.ClaimBotService" in advice(wrong, GAME)


@pytest.mark.parametrize(
    "printed",
    [
        "OSError: [Errno 97] Address family not supported by protocol",
        "listen tcp 127.0.0.1:0: socket: address family not supported by protocol",
        "Error: listen EAFNOSUPPORT: address family not supported 127.0.0.1",
    ],
)
def test_the_author_of_a_bot_that_wants_the_network_is_told_what_to_use_instead(printed):
    failed = Verdict(Ending.NO_START, "it exited with code 1")
    assert "Unix socket that ARENA_SOCKET names" in advice(failed, GAME, f"Traceback\n{printed}\n")
    assert advice(failed, GAME, "Permission denied") == ADVICE[Ending.NO_START]
    for other in (Ending.ILLEGAL, Ending.PROTOCOL, Ending.OUT_OF_MEMORY, Ending.VOID):
        assert advice(Verdict(other, "in turn 3"), GAME, f"a library only says: {printed}") == ADVICE[other]


@pytest.mark.real(reason="a bot is started in a sandbox")
@pytest.mark.slow
def test_a_bot_that_listens_on_tcp_is_told_so(tmp_path, monkeypatch):
    need_bubblewrap()
    monkeypatch.chdir(tmp_path)
    write_bot(tmp_path / "mine", "import socket\nsocket.create_server(('127.0.0.1', 5000))\n")
    checked = arena("bot", "check", "mine", "--game", "claim")
    assert checked.exit_code == 1
    assert "a socket of the network, which does not exist in a match" in " ".join(checked.output.split())


def test_the_author_of_a_bot_for_another_game_is_told_so():
    sentence = "ended the stream before the match was over (UNIMPLEMENTED: Method not found!)"
    words = advice(Verdict(Ending.DISCONNECT, sentence), find("claim"))
    assert "it does not serve claim: it must offer the service arena.wire.v1.ClaimBotService" in words


@pytest.mark.parametrize("name", ["claim", "kingdoms"])
def test_a_check_without_time_still_takes_every_step(name):
    game = find(name)

    async def run(seconds):
        settings = CheckSettings(CONTROL, 1, 40, 10.0, 1 << 29, seconds)
        bots = (local(lambda: FirstBot(1), game), local(lambda: FirstBot(1), game))
        trial = Check(game, bots, local(lambda: RandomBot(1), game, "random"), settings=settings, heartbeat=STEADY)
        try:
            return [step async for step in trial.steps()]
        finally:
            await trial.close()

    short, whole = asyncio.run(run(0.0)), asyncio.run(run(3600.0))
    assert [step.title for step in short] == [step.title for step in whole]
    assert all(step.mark is not Mark.SKIPPED for step in short)
    left_out = {step.title for step in short if "--thorough tries all" in step.detail}
    assert "answers odd positions" in left_out
    assert ("plays from seat 0" in left_out) == (name == "kingdoms")
    assert any(step.detail.startswith("1 more matches") for step in short)
    assert not any("--thorough" in step.detail for step in whole)
