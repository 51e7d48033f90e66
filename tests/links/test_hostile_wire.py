"""Every attack on the level of HTTP/2 and gRPC ends in its verdict, fast, and leaves the referee as it was."""

import asyncio
import time

import pytest

from arena.clock import TimeControl
from arena.errors import Abuse, BotFault, Disconnected, StartFailed
from arena.links import connection as connection_module
from arena.links import grpc
from arena.links.connection import BotConnection, unix_connect
from arena.match import Ending
from engines.claim import GAME
from tests.links.links_kit import (
    CONTROL,
    SHORT,
    connected,
    forget_peak_memory,
    hostile,
    local_link,
    peak_memory,
    play_against_local,
    play_match,
    scripted_bot,
    wait_for,
)

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="replies come over sockets, against deadlines")]

MIB = 1 << 20

VERDICTS = {
    "polite": Ending.NORMAL,
    "hang": Ending.TIME,
    "slow_loris": Ending.TIME,
    "slow_frame": Ending.TIME,
    "shut_window": Ending.TIME,
    "close": Ending.DISCONNECT,
    "goaway": Ending.DISCONNECT,
    "goaway_calm": Ending.DISCONNECT,
    "rst": Ending.DISCONNECT,
    "rst_calm": Ending.DISCONNECT,
    "early_end": Ending.DISCONNECT,
    "escape_codes": Ending.DISCONNECT,
    "long_status_text": Ending.DISCONNECT,
    "garbage": Ending.PROTOCOL,
    "http1": Ending.PROTOCOL,
    "bad_hpack": Ending.PROTOCOL,
    "padded": Ending.PROTOCOL,
    "two_gigabyte_prefix": Ending.PROTOCOL,
    "gigabyte_message": Ending.PROTOCOL,
    "just_too_long": Ending.PROTOCOL,
    "gzip_bomb": Ending.PROTOCOL,
    "compressed_flag": Ending.PROTOCOL,
    "invalid_protobuf": Ending.PROTOCOL,
    "empty_message": Ending.PROTOCOL,
    "no_moves": Ending.PROTOCOL,
    "deep_nesting": Ending.PROTOCOL,
    "unknown_fields": Ending.PROTOCOL,
    "wrong_turn": Ending.PROTOCOL,
    "old_turn": Ending.PROTOCOL,
    "ready_again": Ending.PROTOCOL,
    "huge_headers": Ending.PROTOCOL,
    "huge_trailers": Ending.PROTOCOL,
    "hpack_bomb": Ending.PROTOCOL,
    "always_twice": Ending.PROTOCOL,
    "thrice_twice": Ending.NORMAL,
    "answers_ahead": Ending.NORMAL,
    "answers_early": Ending.NORMAL,
    "long_status": Ending.DISCONNECT,
    "grants_and_resets": Ending.DISCONNECT,
    "interim_headers": Ending.PROTOCOL,
    "many_settings": Ending.ABUSE,
    "new_settings": Ending.ABUSE,
    "resizings": Ending.ABUSE,
    "junk_behind": Ending.NORMAL,
    "pings_behind": Ending.NORMAL,
    **{f"forge_{status}": Ending.DISCONNECT for status in range(1, 17)},
}
FLOODS = [
    "ping",
    "settings",
    "window_update",
    "priority",
    "empty_data",
    "tiny_data",
    "headers",
    "continuation",
    "reset",
    "goaway",
    "unknown",
    "deaf_ping",
    "deaf_settings",
]
MAY_END = {"tiny_data", "headers", "continuation", "goaway"}


@pytest.mark.parametrize(("attack", "ending"), VERDICTS.items())
async def test_an_attack_on_a_turn_has_its_verdict(attack, ending):
    async with scripted_bot(attack) as connection:
        forget_peak_memory()
        before = peak_memory()
        result = await play_against_local(connection, SHORT if ending is Ending.TIME else CONTROL)
        assert peak_memory() - before < 64 * MIB
    assert result.verdicts[0].ending is ending, result.verdicts[0]
    assert result.verdicts[1].ending is Ending.NORMAL
    assert result.verdicts[0].sentence.isprintable()
    assert len(result.verdicts[0].sentence) < 500
    if ending is not Ending.NORMAL:
        assert result.outcome.ranks == (2, 1)


@pytest.mark.parametrize("attack", FLOODS)
async def test_a_flood_is_cut_off_within_a_second(attack):
    async with scripted_bot(f"{attack}_flood") as connection:
        forget_peak_memory()
        before, started = peak_memory(), time.monotonic()
        result = await play_against_local(connection)
        while not connection.is_closed():  # a stream may end before its flood does
            assert time.monotonic() - started < 1.0
            await asyncio.sleep(0.01)
        assert time.monotonic() - started < 1.0
        assert peak_memory() - before < 64 * MIB
        with pytest.raises(BotFault):
            await connection.open_match(GAME.codec)
    # A stream or a connection that the flood itself ended may be judged by its end.
    assert result.verdicts[0].ending in (
        {Ending.ABUSE, Ending.DISCONNECT, Ending.PROTOCOL} if attack in MAY_END else {Ending.ABUSE}
    ), result.verdicts[0]


@pytest.mark.slow
async def test_a_slow_flood_is_cut_off_as_well():
    async with scripted_bot("slow_ping_flood") as connection:
        assert (await play_against_local(connection, CONTROL)).verdicts[0].ending is Ending.ABUSE


@pytest.mark.parametrize(
    "attack",
    ["never_accepts", "accepts_and_hangs", "closes_at_once", "speaks_smtp", "random_bytes", "no_window", "no_streams"],
)
async def test_a_bot_that_never_becomes_ready_did_not_start(attack):
    with hostile(attack) as (_, path):
        await wait_for(path)
        started = time.monotonic()
        # Random bytes may happen to be frames that no bot may send.
        with pytest.raises((StartFailed, Abuse) if attack == "random_bytes" else StartFailed) as caught:
            await BotConnection.open(unix_connect(path), 20.0 if attack == "speaks_smtp" else 0.5)
        assert time.monotonic() - started < 5.0
        assert str(caught.value).isprintable()
        if attack in {"never_accepts", "accepts_and_hangs", "no_window"}:
            assert "does not answer the health check" in str(caught.value)
        if attack == "speaks_smtp":
            assert "failed its health check: sent invalid gRPC" in str(caught.value)


async def test_a_bot_that_is_not_there_did_not_start(tmp_path):
    with pytest.raises(StartFailed, match=r"not ready within 0\.2 s: nothing listens on its socket: No such file"):
        await BotConnection.open(unix_connect(tmp_path / "nobody"), 0.2)


async def test_a_flood_before_the_first_match_is_abuse_at_once():
    with hostile("floods_at_once") as (_, path):
        await wait_for(path)
        with pytest.raises(Abuse):
            await BotConnection.open(unix_connect(path), 20.0)


async def test_time_to_think_cannot_be_won_by_holding_the_request_back():
    async with scripted_bot("sticky_window") as connection:
        result = await play_against_local(connection)
    first = next(move for move in result.played if move.seat == 0)
    assert result.verdicts[0].ending is Ending.NORMAL
    assert first.times.wall > 200_000


class Watched:
    """The link of an honest bot; it notes what the referee did with its opponent's bytes while it was asked."""

    def __init__(self, link, opponent):
        self.link = link
        self.opponent = opponent
        self.stolen = 0.0
        self.tell, self.wait_frozen = link.tell, link.wait_frozen

    async def call(self, request, wait, reply_policy):
        before = self.opponent.cpu_seconds
        try:
            return await self.link.call(request, wait, reply_policy)
        finally:
            if GAME.codec.type("Request").FromString(request).WhichOneof("event") == "turn":
                self.stolen += self.opponent.cpu_seconds - before


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("attack", "ending"),
    {
        "many_settings": Ending.ABUSE,
        "new_settings": Ending.ABUSE,
        "resizings": Ending.ABUSE,
        "junk_behind": Ending.NORMAL,
        "pings_behind": Ending.NORMAL,
        "always_twice": Ending.PROTOCOL,
        "ping_flood": Ending.ABUSE,
    }.items(),
)
async def test_nothing_of_an_attacker_is_worked_on_while_its_opponents_clock_runs(attack, ending, seat):
    async with scripted_bot(attack) as bad, scripted_bot("polite") as honest:
        watched = Watched(await honest.open_match(GAME.codec), bad._http)
        links = [await bad.open_match(GAME.codec), watched]
        result = await play_match(links if seat == 0 else links[::-1])
    assert result.verdicts[seat].ending is ending, result.verdicts
    assert result.verdicts[1 - seat].ending is Ending.NORMAL
    assert watched.stolen == 0.0


@pytest.mark.parametrize("attack", ["skips", "late"])
async def test_a_turn_that_was_given_up_costs_no_other(attack):
    async with scripted_bot(attack) as connection:
        link = await connection.open_match(GAME.codec)
        result = await play_match([link, local_link()], TimeControl(1.0, 0.0, 0.0), strikes=1)
    assert [verdict.ending for verdict in result.verdicts] == [Ending.NORMAL] * 2, result.verdicts
    assert [strike.verdict.ending for strike in result.strikes] == [Ending.TIME]
    assert sum(move.substituted for move in result.played) == 1


@pytest.mark.parametrize("bot", ["ends_first", "never_ends"])
async def test_streams_of_matches_that_are_over_do_not_count(bot, monkeypatch):
    """The server allows ten streams at a time, and ends the connection at one more."""
    monkeypatch.setattr(grpc, "CLOSE_WAIT", 0.02)
    async with scripted_bot(bot) as connection:
        for seed in range(30):
            result = await play_against_local(connection, seed=seed)
            assert [verdict.ending for verdict in result.verdicts] == [Ending.NORMAL] * 2, (seed, result.verdicts)


async def test_no_more_streams_are_opened_than_the_bot_allows(monkeypatch):
    monkeypatch.setattr(connection_module, "OPEN_WAIT", 0.1)
    async with scripted_bot("ends_first") as connection:
        links = [await connection.open_match(GAME.codec) for _ in range(10)]
        with pytest.raises(Disconnected, match="does not accept another stream"):
            await connection.open_match(GAME.codec)
        await links[0].close()
        await connection.open_match(GAME.codec)
        assert not connection.is_closed()


async def test_two_hostile_bots_get_two_verdicts():
    async with scripted_bot("huge_headers") as one, scripted_bot("huge_headers") as two:
        result = await play_match([await one.open_match(GAME.codec), await two.open_match(GAME.codec)])
    assert [verdict.ending for verdict in result.verdicts] == [Ending.PROTOCOL, Ending.PROTOCOL]
    assert result.outcome.ranks == (1, 1)


async def test_after_an_attack_the_same_referee_plays_on():
    with hostile("ping_flood") as (_, bad):
        async with scripted_bot("polite") as honest:
            for _ in range(2):
                async with connected(bad) as connection:
                    hostile_link = await connection.open_match(GAME.codec)
                    result = await play_match([hostile_link, await honest.open_match(GAME.codec)])
                    assert [verdict.ending for verdict in result.verdicts] == [Ending.ABUSE, Ending.NORMAL]
            result = await play_against_local(honest)
    assert all(verdict.ending is Ending.NORMAL for verdict in result.verdicts)
