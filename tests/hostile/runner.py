"""Plays the hostile bots and says what became of them; `make hostile` prints the table.

Every case is a match on a real table, in a real sandbox. Beyond the verdict it is checked that neither the opponent nor
an honest bot at another table was charged more than without the attack, or more than it took; that the referee did not
grow, that nothing is left on the machine, and that the next match is played normally.
"""

import asyncio
import os
import statistics
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.bots.running import RunningBot, SandboxedBot
from arena.bots.table import Table
from arena.clock import TimeControl
from arena.match import Contestant, Ending, MatchRecord
from arena.referee import looptime
from arena.referee.faults import FaultPolicy
from arena.referee.heartbeat import STEADY, ThreadHeartbeat
from arena.sandboxes.base import Limits
from arena.workers.base import Assignment
from arena.workers.worker import Worker
from engines.claim import GAME
from tests.hostile import backends, cases, neighbour
from tests.hostile.canaries import SECRET, Canaries
from tests.hostile.cases import Case
from tests.hostile.neighbour import CALM, SEED, Witness, inside, make_spec
from tests.hostile.traces import MIB, Traces, socket_memory

MAX_GROWTH = 64 * MIB
MAX_OPPONENT_MEDIAN_S = 0.3
"""What a move of an honest bot that thinks for a millisecond may cost it, on a busy machine."""
MOST_CHARGED_S, MOST_CHARGED_FACTOR = 0.25, 4.0
"""What a move of a bot that thinks for 10 ms may cost it at most: this, or so often what it does without the attack."""
MILLISECOND = 0.001
"""What a move may cost an honest bot at most beyond the time that it took; the table counts replies that are later."""
CLOCK_TRIES = 3
"""A real attack on a clock hits whenever it is made; a busy machine stands still only now and then."""
MAX_LOG = 8 * MIB
MAX_WORDS = 2000
"""Characters that one match may put on the operator's own screen."""
HOME = tempfile.gettempdir()


@dataclass
class Result:
    """What became of one case."""

    case: Case
    backend: str
    verdict: str = "-"
    sentence: str = ""
    seconds: float = 0.0
    log: str = ""
    calm_s: float = 0.0
    """The longest move of the honest bot without the attack."""
    beside_s: float = 0.0
    """And with it, at another table."""
    calm_late: list[float] = field(default_factory=list)
    """Seconds by which the referee's stamps are later than the replies of honest bots, without the attack."""
    late: list[float] = field(default_factory=list)
    """And with it, at its own table and at another."""
    problems: list[str] = field(default_factory=list)
    charges: list[str] = field(default_factory=list)
    """What honest bots were charged beyond measure."""
    skipped: str = ""

    def check(self, holds: object, problem: str) -> None:
        """Note a problem unless this holds."""
        if not holds:
            self.problems.append(problem)


def why_not(case: Case, backend: backends.Backend) -> str | None:
    """Why the case cannot be run here."""
    if reason := backend.missing():
        return reason
    if lacking := sorted(set(case.needs) & backend.weak()):
        return f"{case.name} is dangerous where {', '.join(lacking)} cannot be enforced ({backend.name})"
    return None


def run(case: Case, backend: backends.Backend) -> Result:
    """Play one case in one kind of sandbox, and again where nothing but the clock of an honest bot was hurt."""
    for _ in range(CLOCK_TRIES):
        result = run_once(case, backend)
        if result.problems or not result.charges:
            break
    result.problems += result.charges
    return result


def run_once(case: Case, backend: backends.Backend) -> Result:
    """Play it and look for what it did."""
    result = Result(case, backend.name)
    with private_temp(), Canaries() as canaries, overheard() as words:
        asyncio.run(warm_up(backend))
        traces = Traces(docker=isinstance(backend, backends.Docker))
        started = time.monotonic()
        for _ in range(case.runs):
            try:
                how = play_returns if case.returns else play
                looptime.run(how(case, backend, traces, result))
            except Exception:  # a bot that can raise anything here has brought the whole referee down
                result.problems.append(f"the referee crashed: {traceback.format_exc()}")
        result.check(traces.growth() < MAX_GROWTH, f"the referee grew by {traces.growth() // MIB} MiB")
        result.check(traces.cpu() < case.max_referee_cpu_s, f"the referee used {traces.cpu():.1f} s of processor time")
        result.problems += [f"left behind: {trace}" for trace in traces.left()]
        result.seconds = time.monotonic() - started
        result.problems += canaries.sung()
        result.check(_harmless(words()), f"the referee's own output: {words()[:500]!r}")
    result.check(result.seconds < case.max_seconds, f"it took {result.seconds:.1f} s")
    return result


async def warm_up(backend: backends.Backend) -> None:
    """Play without an attacker, once per process and sandbox, so that what libraries load is not held against a bot."""
    key = (os.getpid(), backend.name)
    if key not in _WARM:
        _WARM.add(key)
        await neighbour.calm(STEADY)
        sandboxed = honest(backend, backends.ROOT / "sample_bots" / "random")
        async with neighbour.at_another_table(), Table([sandboxed, inside("calm")]) as table:
            await table.play(GAME, make_spec(("opponent", "calm"), SEED, CALM), (0, 1))


_WARM: set[tuple[int, str]] = set()


async def play(case: Case, backend: backends.Backend, traces: Traces, result: Result) -> None:
    """The matches of a case, the end of the hostile bot, and the next match of the others."""
    bots = [hostile(case, backend), opponent(case, backend), inside("next")]
    seating = (0, 1) if case.seat == 0 else (1, 0)
    names = tuple(bots[place].contestant.name for place in seating)
    against = Witness()
    with ThreadHeartbeat() as heartbeat:
        calm = await neighbour.calm(heartbeat)
        async with (
            neighbour.at_another_table() as beside,
            Table(bots, heartbeat=heartbeat, policy=FaultPolicy(case.strikes)) as table,
        ):
            for number in range(case.matches):
                spec = make_spec(names, SEED + number, TimeControl.parse(case.clock))
                record = await table.play(GAME, spec, seating)
                if case.opponent == "inside" and not record.void:
                    against.note(record, 1 - case.seat, bots[1])
                for bot in bots:
                    await bot.read_log()  # as after every match of a tournament
            traces.note()
            loss, buffers = traces.host_loss() // MIB, socket_memory() // MIB
            result.check(loss < case.max_host_mib, f"the machine lost {loss} MiB of memory")
            result.check(buffers < case.max_socket_mib, f"{buffers} MiB are in the buffers of sockets")
            await bots[0].close()
            if case.opponent_verdict == ("NORMAL",):
                after = await table.play(GAME, make_spec(("b", "c"), SEED + 99, CALM), (1, 2))
                result.check(_normal(after), f"the next match: {after.verdicts}")
    judge(case, record, bots, result)
    judge_neighbours({"the opponent": against, "a bot at another table": beside}, calm, result)
    strays = asyncio.all_tasks() - {asyncio.current_task()}
    result.check(not strays, f"tasks that nobody waits for: {strays}")


async def play_returns(case: Case, backend: backends.Backend, traces: Traces, result: Result) -> None:
    """The deals of a case from one seat and then from the other, by a worker that is not told where a leg begins."""
    make = (hostile, opponent)
    names, logs = (case.name, "opponent"), ["", ""]
    with ThreadHeartbeat() as heartbeat:
        worker = Worker(
            GAME, lambda number: make[number](case, backend), policy=FaultPolicy(case.strikes), heartbeat=heartbeat
        )
        for seating in ((0, 1), (1, 0)):
            for number in range(case.matches):
                spec = make_spec([names[place] for place in seating], SEED + number, TimeControl.parse(case.clock))
                played = await worker.play((0, 1), Assignment(number, seating, spec), new_leg=False)
                for place, log in zip(seating, played.logs):
                    logs[place] += log
                verdict = played.record.verdicts[seating.index(0)]
                result.verdict, result.sentence = verdict.ending.name, verdict.sentence
                result.check(_normal(played.record), f"match {number}, seats {seating}: {played.record.verdicts}")
        traces.note()
        await worker.clear()
    result.log = logs[0]
    judge_logs(case, logs, result)


def judge(case: Case, record: MatchRecord[Any, Any], bots: Sequence[RunningBot], result: Result) -> None:
    """Compare what happened with what was expected."""
    verdict, other = record.verdicts[case.seat], record.verdicts[1 - case.seat]
    result.verdict, result.sentence, result.log = verdict.ending.name, verdict.sentence, bots[0].log()
    result.check(verdict.ending.name in case.verdict, f"{verdict.ending.name} instead of {'/'.join(case.verdict)}")
    result.check(case.sentence_contains in verdict.sentence, f"the sentence does not say {case.sentence_contains!r}")
    result.check(
        verdict.sentence.isprintable() and len(verdict.sentence) < 500, f"the sentence is {verdict.sentence!r:.600}"
    )
    result.check(other.ending.name in case.opponent_verdict, f"the opponent: {other.ending.name}: {other.sentence}")
    times = [move.times.charged / 1e6 for move in record.played if move.seat != case.seat]
    if times and case.opponent == "sandboxed":
        spent = statistics.median(times)
        result.check(spent < MAX_OPPONENT_MEDIAN_S, f"the opponent's median move took {spent:.3f} s")
    said = bots[0].sandbox_report().enforcement
    fits = all(said.get(line) in words for line, words in case.enforcement.items())
    result.check(fits, f"the sandbox is said to be {said}")
    judge_logs(case, [bot.log() for bot in bots[:2]], result)


def judge_neighbours(witnesses: dict[str, Witness], calm: Witness, result: Result) -> None:
    """See whether honest bots paid for the attack: the one at another table, and the opponent if it is the same bot."""
    result.calm_s, result.beside_s = calm.longest, witnesses["a bot at another table"].longest
    result.calm_late += calm.late
    most = max(MOST_CHARGED_S, MOST_CHARGED_FACTOR * calm.longest)
    for name, witness in witnesses.items():
        result.late += witness.late
        paid = f"{name} was charged {witness.longest:.3f} s for a move, and {calm.longest:.3f} s without the attack"
        if witness.longest >= most:
            result.charges.append(paid)
        if (beyond := max(witness.overpaid, default=0.0)) > MILLISECOND:
            result.charges.append(f"{name} was charged {1e3 * beyond:.1f} ms more than it took for a move")
        result.problems += [f"{name}: {fault}" for fault in dict.fromkeys(witness.faults)]


def judge_logs(case: Case, logs: Sequence[str], result: Result) -> None:
    """Look into what the hostile bot and its opponent printed, as a person would see it."""
    for log in logs:
        for word in (cases.ESCAPED, SECRET, *case.log_excludes):
            line = next((line for line in log.splitlines() if word in line), "")
            result.check(word not in log, f"in the log: {line:.200}")
        result.check(len(log) < MAX_LOG, f"the log has {len(log)} characters")
        result.check(log.replace("\n", "").isprintable() or not log, "the log holds unprintable characters")
    for word in case.log_contains:
        result.check(word in logs[0], f"not in the log: {word}")


def hostile(case: Case, backend: backends.Backend) -> RunningBot:
    """The bot of a case."""
    limits = case.bot_limits()
    sandbox = backend.sandbox(cases.HERE / case.name, [*case.command, *filter(None, [case.variant])], limits)
    return SandboxedBot(Contestant(case.name), sandbox, ponder=False)


def opponent(case: Case, backend: backends.Backend) -> RunningBot:
    """Whom it plays against."""
    match case.opponent:
        case "inside":
            return neighbour.remote("opponent")
        case "sandboxed":
            return honest(backend, backends.ROOT / "sample_bots" / "random")
        case "sleeper":
            return honest(backend, backends.KIT / "sleeper")
        case other:
            return hostile(cases.find(other), backend)


def honest(backend: backends.Backend, folder: Path) -> RunningBot:
    """A good bot in a sandbox of the same kind."""
    limits = Limits(memory_bytes=256 * MIB, start_s=30.0)
    sandbox = backend.sandbox(folder, ("python3", "{bot}/bot.py"), limits)
    return SandboxedBot(Contestant("opponent"), sandbox, ponder=False)


def _normal(record: MatchRecord[Any, Any]) -> bool:
    return all(verdict.ending is Ending.NORMAL for verdict in record.verdicts)


@contextmanager
def private_temp() -> Iterator[None]:
    """Give this process a folder of its own for temporary files, so that what is left there can be seen."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = before


@contextmanager
def overheard() -> Iterator[Callable[[], str]]:
    """Catch what this process writes to its standard error, also from libraries in other languages."""
    kept = os.dup(2)
    with tempfile.TemporaryFile(dir=HOME) as file:
        os.dup2(file.fileno(), 2)
        try:
            yield lambda: os.pread(file.fileno(), 1 << 20, 0).decode(errors="backslashreplace")
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _harmless(text: str) -> bool:
    """Whether a terminal shows it as it is, and a person can still read it."""
    return not text or (text.replace("\n", "").isprintable() and len(text) < MAX_WORDS)
