"""A worker process that writes down its processor time after every match, and what its reports took of it."""

from typing import Any

from arena.referee.progress import Progress
from arena.workers import worker_main
from arena.workers.reports import Reporter
from bench.live_meter import ALTERNATING, NO_FEED, Meter

UNREPORTED = (1, 2)
"""Which matches of every four are not reported when reports alternate: so neither kind comes first more often."""


def main() -> None:
    """Be a worker, as `worker_main` is."""
    meter, matches = Meter("worker"), 0
    play, watch = worker_main._play, Reporter.watch

    def is_reported() -> bool:
        return meter.kind != NO_FEED and not (meter.kind == ALTERNATING and matches % 4 in UNREPORTED)

    async def noted_play(*args: Any) -> Any:
        nonlocal matches
        answer: Any = await play(*args)
        meter.note(answer.entry.moves, reported=is_reported())
        matches += 1
        return answer

    def watch_or_not(self: Reporter, progress: Progress) -> None:
        if is_reported():
            watch(self, progress)

    worker_main._play = noted_play  # type: ignore[assignment]
    Reporter.watch = watch_or_not  # type: ignore[method-assign]
    meter.measure(Reporter, "watch", "stop", "_report")
    worker_main.main()


if __name__ == "__main__":
    main()
