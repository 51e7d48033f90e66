"""Steps through the pages of a replay in a terminal: by keys, by number, or by itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from arena.cli import screen
from arena.cli.screen import draw, keyboard, wrapped

FORWARD = (*screen.ENTER, " ", "n", *screen.RIGHT, *screen.DOWN, *screen.PAGE_DOWN)
BACK = ("b", *screen.BACKSPACE, *screen.LEFT, *screen.UP, *screen.PAGE_UP)
QUIT = ("q", screen.ESCAPE, screen.CLOSED)
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
        if self.typed is not None:
            return f"go to move (1 to {self.last}, or 0 for the start): {self.typed}_"
        return f"playing, {DELAYS[self.speed]:g} s a move   {PLAYING}" if self.playing else HELP

    def _step(self, key: str) -> None:
        self.playing = False
        at = self.place
        for keys, place in ((FORWARD, at + 1), (BACK, at - 1), (screen.HOME, 0), (screen.END, self.last)):
            if key in keys:
                self._go(place)

    def _type(self, key: str) -> None:
        """A key while a number is typed: move 5 is the page after the fourth move, on which the fifth is told."""
        typed = self.typed or ""
        if key.isdecimal():
            self.typed = (typed + key)[:6]
        elif key in screen.BACKSPACE:
            self.typed = typed[:-1]
        else:
            if key in screen.ENTER and typed:
                self._go(max(int(typed) - 1, 0))
            self.typed = None

    def _go(self, place: int) -> None:
        self.place = min(max(place, 0), self.last)


def page_through(console: Console, pages: Sequence[str]) -> None:
    """Show the pages, in Rich markup, until the user quits."""
    viewer = Viewer(len(pages) - 1)
    with keyboard() as keys:
        while not viewer.done:
            draw(console, [*wrapped(console, pages[viewer.place]), Text(), Text(viewer.status(), "dim")])
            key = keys.read(viewer.delay)
            if key is None:
                viewer.tick()
            else:
                viewer.press(key)
