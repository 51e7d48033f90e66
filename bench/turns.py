"""Measures several things in turns, so that whatever else the machine does slows all of them alike."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

Measure = Callable[[], float]
"""Takes one measurement."""
Ask = Callable[[str], float]
"""Takes the measurement that a word asks for."""


@contextmanager
def program(command: Sequence[str | Path], paths: Sequence[Path] = ()) -> Iterator[Measure]:
    """A process that answers every empty line with a number; `paths` are where its Python looks for modules first."""
    with conversation(command, paths) as ask:
        yield lambda: ask("")


@contextmanager
def conversation(command: Sequence[str | Path], paths: Sequence[Path] = ()) -> Iterator[Ask]:
    """A process that answers every line with a number."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(  # noqa: S603
        list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None and stdout is not None  # noqa: S101, PT018  (both are pipes)

        def ask(words: str) -> float:
            stdin.write(f"{words}\n")
            stdin.flush()
            return float(stdout.readline())

        yield ask
        process.communicate()


def in_turns(measures: Mapping[str, Measure], rounds: int) -> dict[str, list[float]]:
    """What each of them measured in every round, after a round that fills tables and caches and is not counted."""
    found: dict[str, list[float]] = {name: [] for name in measures}
    for number in range(rounds + 1):
        for name, measure in measures.items():
            value = measure()
            if number:
                found[name].append(value)
    return found


def ratio(ours: Sequence[float], others: Sequence[float]) -> float:
    """The median over the rounds of the ratios within a round."""
    return median(own / other for own, other in zip(ours, others, strict=True))
