"""Plays the hostile bots and prints the table of what became of them: `python -m tools.hostile [NAME ...]`."""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from tests.hostile import backends, cases
from tests.hostile.cases import Case
from tests.hostile.runner import MILLISECOND, Result, run, why_not

LINE = "{:<36} {:<11} {:<14} {:<30} {:>11} {:>26} {:>7}  {}"
"""A line of the table, what is without the attack before what is with it: `charged` is the longest move of a bot at
another table, `late` how long after an honest bot sent a reply its clock was stopped, in the median and at most."""


def run_or_skip(case: Case, name: str) -> Result:
    backend = backends.BACKENDS[name]
    if reason := why_not(case, backend):
        return Result(case, name, skipped=reason)
    return run(case, backend)


def show(result: Result) -> None:
    """Print one line of the table, and what is wrong with it."""
    expected = "/".join(result.case.verdict)
    verdict = "skipped" if result.skipped else result.verdict
    mark = "-" if result.skipped else "FAILED" if result.problems else "ok"
    charged = f"{1e3 * result.calm_s:.0f} > {1e3 * result.beside_s:.0f}"
    late = f"{_spread(result.calm_late)} > {_spread(result.late)}"
    words = (result.case.label, result.backend, verdict, expected, charged, late, f"{result.seconds:.1f} s", mark)
    print(LINE.format(*words), flush=True)
    for line in filter(None, [result.skipped, *result.problems]):
        print(f"    {line}", flush=True)


def _spread(seconds: Sequence[float]) -> str:
    return f"{1e3 * statistics.median(seconds):.2f} {1e3 * max(seconds):.2f}" if seconds else "-"


def main() -> None:
    """Run the chosen cases on all kinds of sandbox and print the table."""
    parser = argparse.ArgumentParser(description="Play the hostile bots and print what became of them.")
    parser.add_argument("names", nargs="*", help="folders to run; all if none is named")
    parser.add_argument("--backend", choices=backends.BACKENDS, action="append", help="only this sandbox")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at the same time")
    parser.add_argument("--show", action="store_true", help="print the bots' logs too")
    chosen = parser.parse_args()
    todo = [
        (case, name)
        for case in cases.all_cases()
        if not chosen.names or case.name in chosen.names or case.label in chosen.names
        for name in case.backends
        if name in (chosen.backend or backends.BACKENDS)
    ]
    started, failed = time.monotonic(), 0
    calm_late: list[float] = []
    late: list[float] = []
    print(LINE.format("bot", "backend", "verdict", "expected", "charged ms", "late ms", "time", ""))
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for result in pool.map(run_or_skip, *zip(*todo)) if todo else ():
            show(result)
            failed += bool(result.problems)
            calm_late += result.calm_late
            late += result.late
            if chosen.show:
                print(f"    [{result.sentence}]\n{result.log[-3000:]}")
    for kind, moves in (("calm", calm_late), ("attacked", late)):
        within = sum(seconds < MILLISECOND for seconds in moves) / max(1, len(moves))
        print(f"late ms, {kind}: {_spread(moves)} in {len(moves)} moves, {within:.1%} of them below 1 ms")
    print(f"{len(todo)} cases, {failed} failed, {time.monotonic() - started:.0f} s")
    sys.exit(1 if failed or not todo else 0)


if __name__ == "__main__":
    main()
