"""Steps through the pages of a replay in a terminal: by keys, by number, or by itself."""

import os
import re
import select
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console

FORWARD = ("\r", "\n", " ", "n", "\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB")
BACK = ("b", "\x7f", "\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA")
FIRST = ("\x1b[H", "\x1bOH", "\x1b[1~")
LAST = ("\x1b[F", "\x1bOF", "\x1b[4~")
QUIT = ("q", "\x1b", "\x04")
"""Terminals send arrows and Home and End in one of these forms; a lone escape is the Escape key."""
DELAYS = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1)
"""Seconds between two positions when it plays by itself, from slow to fast."""
HELP = "→: on   ←: back   Home End   a number: go to that move   p: play   q: quit"
PLAYING = "p: pause   + -: faster, slower   q: quit"


@dataclass
class Viewer:
    """Which page is shown, whether it goes on by itself, and the number that is being typed."""

    last: int
    """The number of the last page; the first is 0."""
    place: int = 0
    playing: bool = False
    speed: int = 2
    typed: str | None = None
    done: bool = False

    @property
    def delay(self) -> float | None:
        """Seconds until it goes on by itself; None if it waits for a key."""
        return DELAYS[self.speed] if self.playing else None

    def tick(self) -> None:
        """The time is over: show the next page, and stop at the end."""
        self._go(self.place + 1)
        self.playing = self.playing and self.place < self.last

    def press(self, key: str) -> None:
        """Do what a key says; others than those of the help line do nothing."""
        if self.typed is not None:
            self._type(key)
        elif key in QUIT:
            self.done = True
        elif key == "p":
            self.playing = not self.playing and self.place < self.last
        elif key in ("+", "-"):
            self.speed = min(max(self.speed + (1 if key == "+" else -1), 0), len(DELAYS) - 1)
        elif key == "g" or key.isdecimal():
            self.typed, self.playing = key.removeprefix("g"), False
        else:
            self._step(key)

    def status(self) -> str:
        """The line below the page."""
        if self.typed is not None:
            return f"go to move (1 to {self.last}, or 0 for the start): {self.typed}_"
        return f"playing, {DELAYS[self.speed]:g} s a move   {PLAYING}" if self.playing else HELP

    def _step(self, key: str) -> None:
        self.playing = False
        for keys, place in ((FORWARD, self.place + 1), (BACK, self.place - 1), (FIRST, 0), (LAST, self.last)):
            if key in keys:
                self._go(place)

    def _type(self, key: str) -> None:
        """A key while a number is typed: move 5 is the page after the fourth move, on which the fifth is told."""
        typed = self.typed or ""
        if key.isdecimal():
            self.typed = (typed + key)[:6]
        elif key == "\x7f":
            self.typed = typed[:-1]
        else:
            if key in ("\r", "\n") and typed:
                self._go(max(int(typed) - 1, 0))
            self.typed = None

    def _go(self, place: int) -> None:
        self.place = min(max(place, 0), self.last)


def page_through(console: Console, pages: Sequence[str]) -> None:
    """Show the pages, in Rich markup, until the user quits."""
    viewer = Viewer(len(pages) - 1)
    with keyboard() as keys:
        while not viewer.done:
            console.clear()
            console.print(pages[viewer.place])
            console.print(f"\n{viewer.status()}", style="dim", markup=False, soft_wrap=True)
            key = keys.read(viewer.delay)
            if key is None:
                viewer.tick()
            else:
                viewer.press(key)


class Keyboard:
    """Reads single keys from a terminal that hands them over at once."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting: list[str] = []

    def read(self, wait: float | None) -> str | None:
        """The next key, or None if none was pressed within this many seconds; the end of the input is Escape."""
        if not self._waiting:
            if not select.select([self._descriptor], [], [], wait)[0]:
                return None
            data = os.read(self._descriptor, 1024)
            self._waiting = split_keys(data.decode(errors="ignore")) if data else ["\x1b"]
        return self._waiting.pop(0) if self._waiting else ""


def split_keys(text: str) -> list[str]:
    """The keys of what was read at once; the sequence of an unknown key is not taken for Escape and what follows."""
    return re.findall(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", text, re.DOTALL)


@contextmanager
def keyboard() -> Iterator[Keyboard]:
    """The terminal of standard input, without line editing and echo for as long as this is open."""
    import termios  # noqa: PLC0415  (not on Windows, where the rest of the commands can be imported)
    import tty  # noqa: PLC0415

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield Keyboard(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
