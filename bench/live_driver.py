"""A tournament that writes down its processor time after every match, and what the live feed took of it.

    python -m bench.live_driver WORDS…      as `arena WORDS…`, with workers that are metered, too

What the event loop needs to come to a call of the feed, some microseconds each, is not in the feed's time.
"""

from typing import Any

from arena.cli import main as arena
from arena.store.sql import Store
from arena.tournaments.live_feed import LiveFeed
from arena.workers import worker_process
from arena.workers.local import LocalExecutor
from arena.workers.messages import MovesReport
from arena.workers.worker_process import WorkerProcess
from bench.live_meter import NO_FEED, Meter, in_steps


def measure_reports(meter: Meter) -> None:
    """Measure what it takes to read reports, and note the end of every match."""
    play, receive = WorkerProcess.play, WorkerProcess._receive

    async def noted_play(self: WorkerProcess, *args: Any, **options: Any) -> Any:
        answer: Any = await play(self, *args, **options)
        meter.note(answer.entry.moves, reported=meter.kind != NO_FEED)
        return answer

    async def metered_receive(self: WorkerProcess) -> Any:
        steps: list[float] = []
        answer = await in_steps(receive(self), steps.append)
        if isinstance(answer, MovesReport):
            meter.add(sum(steps))
        return answer

    WorkerProcess.play = noted_play  # type: ignore[method-assign]
    WorkerProcess._receive = metered_receive  # type: ignore[method-assign]


def measure_feed(meter: Meter) -> None:
    """Measure what it takes to show what was reported."""
    write = LiveFeed._write_again_and_again

    async def metered_write(self: LiveFeed) -> None:
        await in_steps(write(self), meter.add)

    LiveFeed._write_again_and_again = metered_write  # type: ignore[method-assign]
    meter.measure(LiveFeed, "begun", "watches", "played", "ended")
    meter.measure(Store, "show_running", "clear_running")


def leave_out_feed() -> None:
    """Play without any spectator."""
    make = LocalExecutor.__init__

    def make_unwatched(self: LocalExecutor, *args: Any, spectator: object, **options: Any) -> None:  # noqa: ARG001
        make(self, *args, **options)

    LocalExecutor.__init__ = make_unwatched  # type: ignore[assignment, method-assign]


def main() -> None:
    """Be the process of a tournament."""
    meter = Meter("driver")
    measure_reports(meter)
    measure_feed(meter)
    if meter.kind == NO_FEED:
        leave_out_feed()
    worker_process.PROGRAM = "bench.live_worker"
    arena()


if __name__ == "__main__":
    main()
