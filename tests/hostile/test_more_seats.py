"""Hostile bots at tables of three and four, in real sandboxes: the others play on, and who crashed is gone for good."""

import json

import pytest

from arena.bots.launch import SandboxOptions, make_bot, plan_bot
from arena.bots.manifest import locate
from arena.bots.running import LocalBot
from arena.bots.table import Table
from arena.clock import TimeControl
from arena.match import Contestant, Ending, MatchSpec
from arena.referee.replay import verify
from arena.registry import find
from arena.sandboxes.base import Limits
from arena.sdk import Bot, Session
from tests.kits.contestants import arena, choosing, need_bubblewrap, write_bot

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="hostile bots attack real sandboxes")]

GAME = find("kingdoms")
FAIR = choosing("return min(turn.legal)", "kingdoms")
CRASHES = choosing(
    """
    print(f"turn {turn.number}", flush=True)
    if turn.number == 3:
        import os
        os._exit(3)
    return min(turn.legal)
    """,
    "kingdoms",
)
ILLEGAL = choosing("return 99 if turn.number == 2 else min(turn.legal)", "kingdoms")
NEVER = "raise SystemExit('not today')"


def match(tmp_path, sources, *options):
    """The answer of `arena match --json` and the record's file."""
    need_bubblewrap()
    folders = [write_bot(tmp_path / f"bot{number}", source, "kingdoms") for number, source in enumerate(sources)]
    bots = [part for folder in folders for part in ("--bot", folder)]
    kept = tmp_path / "kept.arena"
    done = arena("match", "--game", "kingdoms", *bots, "--seed", 7, "--json", "--out", kept, *options)
    assert done.exit_code == 0, done.output
    assert arena("replay", "verify", kept).exit_code == 0
    return json.loads(done.stdout[: done.stdout.rindex("}") + 1])["seats"], kept


def test_one_crashes_one_cheats_and_two_play_on(tmp_path):
    seats, kept = match(tmp_path, [FAIR, CRASHES, ILLEGAL, FAIR])
    assert [seat["ending"] for seat in seats] == ["NORMAL", "CRASH", "ILLEGAL", "NORMAL"]
    assert [seat["rank"] for seat in seats][1:3] == [3, 3]
    assert 1 in (seats[0]["rank"], seats[3]["rank"])
    shown = [json.loads(line) for line in arena("replay", "show", "--json", kept).stdout.splitlines()]
    assert {fault["seat"] for fault in shown[-1]["faults"]} == {1, 2}
    printed = [line["printed"] for line in shown[:-1] if line["seat"] == 1 and "printed" in line]
    assert printed == ["turn 1", "turn 2", "turn 3"]  # the last one beside the move that was played for it
    pages = arena("replay", "show", "--all", kept).stdout
    assert "a random move was played for it: it exited with code 3" in pages


def test_one_never_starts_and_the_others_play(tmp_path):
    seats, _ = match(tmp_path, [FAIR, NEVER, FAIR])
    assert [seat["ending"] for seat in seats] == ["NORMAL", "NO_START", "NORMAL"]
    assert seats[1]["rank"] == 3
    assert seats[1]["moves"] > 0


async def test_whoever_is_at_fault_is_ended_at_once(tmp_path):
    """After an illegal move it lives on, frozen; it must be dead when the next seat is asked, and the others alive."""
    need_bubblewrap()
    folders = [write_bot(tmp_path / f"bot{seat}", source, "kingdoms") for seat, source in enumerate((FAIR, ILLEGAL))]
    plans = [
        plan_bot(GAME, str(folder), locate(str(folder), ()), SandboxOptions("auto", Limits(), ponder=False))
        for folder in folders
    ]
    bots = [make_bot(GAME, plan, 1) for plan in plans]
    lives = []

    class Observer(Bot):
        def choose(self, turn):
            lives.append([bot.sandbox.death() is None for bot in bots])
            return turn.legal[0]

    bots_and_observer = [*bots, LocalBot(Contestant("observer"), lambda: Session(GAME, Observer()).handle)]
    contestants = tuple(bot.contestant for bot in bots_and_observer)
    spec = MatchSpec("m", "kingdoms", GAME.configure(3, {}), 7, contestants, TimeControl.parse("5s/move"))
    async with Table(bots_and_observer) as table:
        kept = await table.play(GAME, spec, [0, 1, 2])
    verify(GAME, kept)
    assert [verdict.ending for verdict in kept.verdicts] == [Ending.NORMAL, Ending.ILLEGAL, Ending.NORMAL]
    before = sum(move.seat == 2 for move in kept.played[: kept.faults[0].ply])
    assert lives == [[True, True]] * before + [[True, False]] * (len(lives) - before)
    assert len(lives) > before
    assert kept.sandboxes[1].kind == "bubblewrap"
    assert "unfrozen" not in kept.sandboxes[1].enforcement
