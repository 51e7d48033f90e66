"""The rules service: both calls against the engines of every game, and a supervisor that ends as its bot ends."""

import os
import signal
import subprocess
import sys

import grpc
import pytest

from arena.registry import find, games
from arena.sdk.rules_service import positions
from arena.sdk.rules_service.service import MAX_TIMES, make_server
from arena.sdk.search import rewards
from arena.testing.play import pick_variant, walk
from arena.wire.v1 import rules_pb2 as pb
from arena.wire.v1 import rules_pb2_grpc

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="the service is a process")]

SEEDS = range(6)


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    """The service on a socket, reached as a bot reaches it."""
    where = f"unix:{tmp_path_factory.mktemp('rules')}/rules.sock"
    server = make_server(where)
    server.start()
    with grpc.insecure_channel(where) as channel:
        yield rules_pb2_grpc.RulesServiceStub(channel)
    server.stop(grace=0).wait()


def played(game, seed):
    """A random game: its configuration as bytes, its moves as bytes, and every position of it, the last one too."""
    variant = pick_variant(game, seed)
    states, moves = zip(*((state.clone(), move) for state, move in walk(game, variant, seed)), strict=True)
    return game.codec.dump_config(variant.config), list(map(game.codec.dump_move, moves[:-1])), states


def look(rules, root, *lines):
    """What is said of these positions, with their states."""
    return rules.Look(pb.LookRequest(root=root, lines=lines, states=True)).positions


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", games())
def test_every_position_of_a_game_is_the_engines(rules, name, seed):
    game = find(name)
    config, moves, states = played(game, seed)
    lines = [pb.Line(world=seed, moves=moves[:count]) for count in range(len(states))]
    found = look(rules, pb.Root(game=name, config=config), *lines)
    assert len(found) == len(states)
    for position, state in zip(found, states, strict=True):
        assert (position.to_move if position.HasField("to_move") else None) == state.to_move()
        assert list(map(game.codec.load_move, position.legal)) == list(state.legal())
        assert game.codec.load_state(position.state).view(0) == state.view(0)
        assert position.state == game.codec.dump_state(state)
        assert position.HasField("outcome") == (state.outcome() is not None)
    outcome = states[-1].outcome()
    assert tuple(found[-1].outcome.ranks) == outcome.ranks
    assert tuple(found[-1].outcome.scores) == outcome.scores
    assert found[-1].outcome.reason == outcome.reason


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", games())
def test_imagined_worlds_look_like_the_observation(rules, name, seed):
    game = find(name)
    _, _, states = played(game, seed)
    kinds = set()
    for state in states[:-1:7]:
        seat = state.to_move()
        observation = game.codec.dump_observation(state.view(seat))
        root = pb.Root(game=name, observation=observation)
        for position in look(rules, root, *(pb.Line(world=world) for world in range(8))):
            imagined = game.codec.load_state(position.state)
            assert game.codec.dump_observation(imagined.view(seat)) == observation
            assert position.to_move == seat
            assert list(map(game.codec.load_move, position.legal)) == list(state.legal())
            kinds.add(position.state)
    # Worlds of one root differ from each other wherever something is hidden.
    assert len(kinds) > len(states[:-1:7]) or not game.info.hidden


@pytest.mark.parametrize("name", games())
def test_a_state_is_the_same_in_every_world(rules, name):
    game = find(name)
    _, moves, states = played(game, 1)
    root = pb.Root(game=name, state=game.codec.dump_state(states[3]))
    one, other = look(rules, root, *(pb.Line(world=world, moves=moves[3:6]) for world in (1, 2)))
    assert one == other
    assert one.state == game.codec.dump_state(states[6])


@pytest.mark.parametrize("name", games())
def test_play_outs_end_games_and_repeat_with_their_seed(rules, name):
    game = find(name)
    config, moves, states = played(game, 0)
    lines = [pb.Line(world=0), pb.Line(world=0, moves=moves[:-1]), pb.Line(world=0, moves=moves)]
    root = pb.Root(game=name, config=config)

    def ask(seed):
        return rules.PlayOut(pb.PlayOutRequest(root=root, lines=lines, times=20, seed=seed)).results

    first = ask(1)
    assert ask(1) == first
    assert any(ask(seed)[0] != first[0] for seed in range(2, 6))
    assert list(first[2].seats) == rewards(states[-1].outcome())
    for result in first:
        assert all(0 <= reward <= 1 for reward in result.seats)
        assert sum(result.seats) == pytest.approx(len(result.seats) / 2)
    assert look(rules, root, lines[0])[0].state == game.codec.dump_state(states[0])


def test_worlds_that_are_no_longer_kept_come_back_the_same(rules, monkeypatch):
    monkeypatch.setattr(positions, "WORLDS", 2)
    config = find("claim").codec.dump_config(find("claim").configure(2, {"first_leader": "1"}))
    root = pb.Root(game="claim", config=config)
    lines = [pb.Line(world=world) for world in (1, 2, 3, 4, 1, 2, 3, 4)]
    found = look(rules, root, *lines)
    assert found[:4] == found[4:]
    assert len({position.state for position in found}) == 4


CLAIM = find("claim")
NEW = {"game": "claim", "config": CLAIM.codec.dump_config(CLAIM.configure(2, {}))}
BAD_LOOKS = {
    "there is no game 'chess': choose": ({"game": "chess", "config": b""}, []),
    "the root says nothing": ({"game": "claim"}, []),
    "not a valid ClaimObservation message": ({"game": "claim", "observation": b"\xff"}, []),
    "not a valid ClaimState message": ({"game": "claim", "state": b"\xff"}, []),
    "line 2: move 1: not a valid ClaimMove message": (NEW, [[], [b"\xff"]]),
    "line 1: move 1: ": (NEW, [[CLAIM.codec.dump_move(99)]]),
}


@pytest.mark.parametrize(("complaint", "asked"), BAD_LOOKS.items(), ids=BAD_LOOKS)
def test_a_bad_request_is_answered_with_a_sentence(rules, complaint, asked):
    root, lines = asked
    with pytest.raises(grpc.RpcError) as caught:
        look(rules, pb.Root(**root), *(pb.Line(moves=moves) for moves in lines))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert complaint in caught.value.details()


@pytest.mark.parametrize("times", [0, MAX_TIMES + 1])
def test_play_outs_have_a_number(rules, times):
    with pytest.raises(grpc.RpcError) as caught:
        rules.PlayOut(pb.PlayOutRequest(root=pb.Root(**NEW), lines=[pb.Line()], times=times))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert f"times must be 1 to {MAX_TIMES}, not {times}" in caught.value.details()


def test_a_position_that_no_game_leads_to_is_refused(rules):
    message = CLAIM.codec.pack_observation(CLAIM.start(CLAIM.configure(2, {}), 1).view(0))
    message.deck_size = 1
    root = pb.Root(game="claim", observation=message.SerializeToString())
    with pytest.raises(grpc.RpcError) as caught:
        rules.PlayOut(pb.PlayOutRequest(root=root, lines=[pb.Line()], times=1))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert caught.value.details() == "phase 1 needs two deck cards per trick to come"


def test_rules_that_fail_break_nothing(rules, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("no such card")

    monkeypatch.setattr("engines.claim.rules.ClaimState.apply", fail)
    with pytest.raises(grpc.RpcError) as caught:
        rules.PlayOut(pb.PlayOutRequest(root=pb.Root(**NEW), lines=[pb.Line()], times=1))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert caught.value.details() == "the rules fail in this position: ZeroDivisionError: no such card"


def test_a_call_that_nobody_waits_for_ends(rules):
    """There is one call at a time: the next one would wait for half an hour of play-outs."""
    lines = [pb.Line(world=world) for world in range(10_000)]
    with pytest.raises(grpc.RpcError) as caught:
        rules.PlayOut(pb.PlayOutRequest(root=pb.Root(**NEW), lines=lines, times=MAX_TIMES), timeout=0.2)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert len(rules.Look(pb.LookRequest(root=pb.Root(**NEW), lines=[pb.Line()]), timeout=60).positions) == 1


# The supervisor.


def supervise(*command, **options):
    """A bot with the rules beside it."""
    words = [sys.executable, "-P", "-m", "arena.sdk.rules_service", *command]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize(
    ("script", "code"),
    [("exit 0", 0), ("exit 7", 7), ("kill -SEGV $$", -signal.SIGSEGV), ("kill -KILL $$", -signal.SIGKILL),
     ("kill -TERM $$", -signal.SIGTERM)],
)  # fmt: skip
def test_it_ends_as_its_bot_ends(script, code):
    with supervise("--", "sh", "-c", script) as running:
        assert running.wait(60) == code


def test_it_passes_a_request_to_end_on_to_the_bot():
    script = "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done"
    with supervise("--", "sh", "-c", script) as running:
        assert running.stdout.readline() == "up\n"
        running.terminate()
        assert running.wait(60) == 5
        assert running.stdout.read() == "bye\n"


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [(["--", "/nowhere/bot"], 127, "the bot cannot be started: No such file or directory: /nowhere/bot\n"),
     (["--"], 2, "say how the bot is started"), (["./bot"], 2, "say how the bot is started")],
)  # fmt: skip
def test_what_cannot_run_is_one_sentence(words, code, complaint):
    with supervise(*words) as running:
        _, errors = running.communicate(timeout=60)
        assert running.returncode == code
        assert complaint in errors
        assert errors.count("\n") == 1


USES_RULES = """
import os, sys, grpc
from arena.wire.v1 import rules_pb2 as pb, rules_pb2_grpc
where = os.environ["ARENA_RULES_SOCKET"]
rules = rules_pb2_grpc.RulesServiceStub(grpc.insecure_channel(f"unix:{where}"))
lines = [pb.Line(world=world) for world in range(1000)]
root = pb.Root(game="claim", config=b"")
print(where, len(rules.Look(pb.LookRequest(root=root, lines=lines)).positions), flush=True)
busy = rules.PlayOut.future(pb.PlayOutRequest(root=root, lines=lines, times=1000))
os._exit(3)
"""


def test_a_bot_finds_the_rules_and_need_not_wait_for_them(tmp_path):
    environment = {**os.environ, "ARENA_SOCKET": str(tmp_path / "b.sock")}
    with supervise("--", sys.executable, "-c", USES_RULES, env=environment) as running:
        assert running.wait(60) == 3
        assert running.stdout.read() == f"{tmp_path}/rules.sock 1000\n"


def test_without_a_socket_of_its_own_nothing_is_left(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "ARENA_SOCKET"}
    environment["TMPDIR"] = str(tmp_path)
    with supervise("--", "sh", "-c", 'test -S "$ARENA_RULES_SOCKET"', env=environment) as running:
        assert running.wait(60) == 0
    assert list(tmp_path.iterdir()) == []
