"""A terminal as a screen: single keys, a line that is edited, and pages that are drawn in place of each other."""

import asyncio
import os
import re
import select
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

UP, DOWN = ("\x1b[A", "\x1bOA"), ("\x1b[B", "\x1bOB")
RIGHT, LEFT = ("\x1b[C", "\x1bOC"), ("\x1b[D", "\x1bOD")
HOME, END = ("\x1b[H", "\x1bOH", "\x1b[1~"), ("\x1b[F", "\x1bOF", "\x1b[4~")
PAGE_UP, PAGE_DOWN = ("\x1b[5~",), ("\x1b[6~", "\t")
ENTER, BACKSPACE = ("\r", "\n"), ("\x7f", "\x08")
ESCAPE, CLOSED, RESIZED = "\x1b", "\x04", ""
"""Terminals send keys in one of these forms; a lone escape is the Escape key. CLOSED is Ctrl-D, or the input's end.
RESIZED is no key: the window has another size."""


def is_screen() -> bool:
    """Whether there is a terminal for keys and for drawing, and not one that can only print lines."""
    return (
        sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb" and os.name == "posix"
    )


def wrapped(console: Console, markup: str | Text) -> list[Text]:
    """Lines that fit into the window."""
    text = Text.from_markup(markup, emoji=False) if isinstance(markup, str) else markup
    return list(text.wrap(console, console.width, overflow="fold"))


def draw(console: Console, lines: Sequence[Text], cursor: int | None = None) -> None:
    """Show these lines, or the last ones that fit, in place of what was there; the cursor may stand in the last."""
    lines = lines[-console.height :]
    with console.capture() as captured:
        console.print(Text("\n").join(lines), end="", soft_wrap=True)
    place = f"\x1b[{len(lines)};{cursor + 1}H" if cursor is not None else ""
    console.file.write("\x1b[H" + captured.get().replace("\n", "\x1b[K\r\n") + "\x1b[K\x1b[J" + place)
    console.file.flush()


class Keyboard:
    """Reads single keys from a terminal that hands them over at once."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting: list[str] = []
        self._size = os.get_terminal_size(descriptor)

    def read(self, wait: float | None) -> str | None:
        """The next key, or None if none was pressed within this many seconds."""
        if not self._waiting:
            self._take(wait)
        return self._waiting.pop(0) if self._waiting else None

    async def next(self) -> str:
        """The next key, or RESIZED, without holding up what else goes on."""
        if not self._waiting:
            loop, ready = asyncio.get_running_loop(), asyncio.Event()
            loop.add_reader(self._descriptor, ready.set)
            loop.add_signal_handler(signal.SIGWINCH, ready.set)
            if os.get_terminal_size(self._descriptor) != self._size:  # while nobody waited here
                ready.set()
            try:
                await ready.wait()
            finally:
                loop.remove_reader(self._descriptor)
                loop.remove_signal_handler(signal.SIGWINCH)
            self._size = os.get_terminal_size(self._descriptor)
            self._take(0)
        return self._waiting.pop(0) if self._waiting else RESIZED

    def _take(self, wait: float | None) -> None:
        if select.select([self._descriptor], [], [], wait)[0]:
            data = b""
            with suppress(OSError):  # Linux says so when the terminal is gone
                data = os.read(self._descriptor, 1024)
            self._waiting = split_keys(data.decode(errors="ignore")) if data else [CLOSED]


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


class LineEditor:
    """A line that is typed, with the keys of readline, and those that were entered before."""

    def __init__(self) -> None:
        self.text = ""
        self._at = 0
        self._history: list[str] = []
        self._back = 0
        """How many lines back in the history the text was taken from."""

    @property
    def cursor(self) -> int:
        """How many columns of the text are before the cursor."""
        return cell_len(self.text[: self._at])

    def take(self) -> str:
        """The line that was entered; a new one begins."""
        line = self.text.strip()
        if line and self._history[-1:] != [line]:
            self._history.append(line)
        self.set("")
        self._back = 0
        return line

    def part_words(self) -> None:
        """After words comes a space, so that a number that is typed next is not one more letter of the last."""
        if not self.text.strip().isdecimal():
            self.set(f"{self.text.strip()} ".lstrip())

    def set(self, text: str) -> None:
        """Another text, with the cursor at its end."""
        self.text, self._at = text, len(text)

    def press(self, key: str) -> None:
        """Edit the line as this key says; keys without a meaning do nothing."""
        before, after = self.text[: self._at], self.text[self._at :]
        if key in (*UP, *DOWN, "\x10", "\x0e"):
            self._remember(1 if key in (*UP, "\x10") else -1)
        elif key in (*LEFT, *RIGHT, *HOME, *END, "\x02", "\x06", "\x01", "\x05"):
            places = ((LEFT, "\x02", self._at - 1), (RIGHT, "\x06", self._at + 1), (HOME, "\x01", 0))
            place = next((place for keys, control, place in places if key in (*keys, control)), len(self.text))
            self._at = min(max(place, 0), len(self.text))
        elif key in BACKSPACE:
            self._cut(before[:-1], after)
        elif key in ("\x1b[3~", "\x04"):
            self._cut(before, after[1:])
        elif key in ("\x15", ESCAPE):
            self._cut("", after if key == "\x15" else "")
        elif key == "\x0b":
            self._cut(before, "")
        elif key == "\x17":
            self._cut(re.sub(r"\S*\s*$", "", before), after)
        elif len(key) == 1 and key.isprintable():
            self._cut(before + key, after)

    def _cut(self, before: str, after: str) -> None:
        self.text, self._at = before + after, len(before)

    def _remember(self, step: int) -> None:
        self._back = min(max(self._back + step, 0), len(self._history))
        self.set(self._history[-self._back] if self._back else "")
