"""A dialog with a person that only prints and reads lines: for screen readers, programs, and dumb terminals."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from rich.console import Console

from arena.cli.choosing import HELP, MANUAL, QUITS, Menu, Question
from arena.cli.output import marked
from arena.match import Seat

MOST_LISTED = 40
"""Moves that are listed at once."""


class Lines(Protocol):
    """Where lines come from."""

    async def read(self, prompt: str) -> str | None:
        """Ask for the next line; None when there are no more."""


class LineDialog:
    """Prints everything below what was printed before."""

    def __init__(self, console: Console, lines: Lines, show_rules: Callable[[], None]) -> None:
        self._console = console
        self._lines = lines
        self._show_rules = show_rules

    async def ask(self, question: Question) -> int | None:
        """Print the position and ask until a move is chosen."""
        menu, found = question.menu, question.menu.matching("")
        self._print(*(f"  {line}" for line in question.news), "", question.picture, "")
        self._list(menu, found)
        while True:
            typed = await self._lines.read(f"seat {question.seat}, your move > ")
            if typed is None or (typed.lower() in QUITS and await self._gives_up()):
                return None
            if (number := menu.number(typed)) is not None:
                return number
            if not typed and len(found) == 1:
                return found[0]
            if typed.lower() == "p":
                self._print(question.picture, "")
            elif typed == "?":
                self._print(*MANUAL)
            elif typed.lower() == "rules":
                self._show_rules()
            elif typed.lower() not in QUITS:
                found = self._narrow(menu, typed, found)

    async def hand_over(self, seat: Seat) -> None:
        """Hide what was shown to another person, and wait for this one."""
        self._console.clear()
        await self._lines.read(f"seat {seat}: press Enter when you are at the keyboard ")

    def show_end(self, picture: str | None, news: Sequence[str], result: str) -> None:
        """The last position, what led to it, and the result in words."""
        self._print(*(f"  {line}" for line in news), "", *([picture, ""] if picture else []))
        self._print(f"[bold]The match is over: {marked(result)}[/bold]", "")

    def _print(self, *lines: str) -> None:
        for line in lines:
            self._console.print(line, soft_wrap=True)

    async def _gives_up(self) -> bool:
        answer = await self._lines.read("give up? y or n > ")
        return answer is None or answer.lower() in ("y", "yes", *QUITS)

    def _narrow(self, menu: Menu, typed: str, before: list[int]) -> list[int]:
        found = menu.matching(typed)
        if not found:
            self._print("no move has these words")
            return before
        self._list(menu, found)
        if len(found) == 1 and typed:
            self._print("Enter plays it")
        return found

    def _list(self, menu: Menu, found: Sequence[int]) -> None:
        for number in found[:MOST_LISTED]:
            self._console.print(f"{number + 1:>4} ", menu.words[number], soft_wrap=True)
        if (more := len(found) - MOST_LISTED) > 0:
            self._print(f"      … and {more} more: type some of their words to narrow the list")
        self._print(f"[dim]{HELP}[/dim]")


class LineReader:
    """Reads lines from standard input without holding up what else goes on."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._kept = b""
        self._ended = False

    async def read(self, prompt: str) -> str | None:
        """The next line without its end; None when there are no more."""
        self._console.print(f"[bold]{prompt}[/bold]", end="")
        while b"\n" not in self._kept and not self._ended:
            data = await self._wait()
            self._ended = not data
            self._kept += data
        if not self._kept:
            return None
        line, _, self._kept = self._kept.partition(b"\n")
        return line.decode(errors="replace").strip()

    async def _wait(self) -> bytes:
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        try:
            descriptor = sys.stdin.fileno()
            loop.add_reader(descriptor, ready.set)
        except (OSError, ValueError):  # a plain file is always ready, and what replaces the input has no descriptor
            return sys.stdin.readline().encode()
        try:
            await ready.wait()
            return os.read(descriptor, 4096)
        finally:
            loop.remove_reader(descriptor)
