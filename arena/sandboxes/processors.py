"""Which processors a bot may run on: few enough that no runtime starts more threads than a bot may have.

Go, Java, .NET, Rust, OpenMP and BLAS libraries start threads by the number of processors that they may run on, and only
some of them look at a quota. On a machine with 64 processors that is more than the limit on processes.
"""

import math
import os

from arena.sandboxes.base import Limits

MAX_PROCESSORS = 4
"""So many, or as many as a bot may use at once: its threads can still move away from a processor that others use."""


def for_bot(limits: Limits) -> list[int]:
    """The processors of a bot, among those of this process; the same for all its bots, so that none has better ones."""
    own, wanted = sorted(os.sched_getaffinity(0)), max(MAX_PROCESSORS, math.ceil(limits.cpus))
    if len(own) <= wanted:
        return own
    first = os.getpid() % len(own)  # others that play on this machine begin elsewhere
    return sorted((own + own)[first : first + wanted])


def environment(limits: Limits) -> dict[str, str]:
    """What tells the number of processors to those that do not ask the kernel which they may run on."""
    count = str(len(for_bot(limits)))
    return {"OMP_NUM_THREADS": count, "PYTHON_CPU_COUNT": count}
