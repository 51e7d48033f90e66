"""What is said when a tournament is interrupted."""

import asyncio
import signal

import pytest

from arena.tournaments.session import Halt, Interrupts

pytestmark = pytest.mark.real(reason="signals come while a loop runs")


class Running:
    """An executor with so many running matches."""

    def __init__(self, running):
        self.running = running
        self.calls = []

    def stop(self):
        self.calls.append("stop")

    def abort(self):
        self.calls.append("abort")


@pytest.mark.parametrize(
    ("running", "said"),
    [
        (0, "stopping, no match is running; press Ctrl-C again to stop at once"),
        (1, "finishing 1 running match; press Ctrl-C again to stop at once"),
        (2, "finishing 2 running matches; press Ctrl-C again to stop at once"),
    ],
)
async def test_the_first_lets_matches_end_and_the_second_drops_them(running, said):
    executor, sentences = Running(running), []
    interrupts = Interrupts(executor, sentences.append)
    for _ in range(2):
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0.05)
    assert interrupts.halt is Halt.INTERRUPTED
    assert sentences == [said, "stopping at once; every match that was over is kept"]
    assert executor.calls == ["stop", "abort"]
