"""A dialog with a person on a screen: the position stays in sight, and the moves are fitted into the room below it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.cells import cell_len
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from arena.cli import screen
from arena.cli.choosing import MANUAL, QUITS, Dialog, Menu, Question
from arena.cli.line_dialog import LineDialog, LineReader
from arena.cli.output import marked
from arena.cli.replay_viewer import Viewer
from arena.cli.screen import Keyboard, LineEditor, draw, is_screen, keyboard, wrapped
from arena.match import Seat

LEAST_ROOM = 5
"""Lines that must be left below the position: three of moves, one that says how to go on, and the one that is typed."""
KEYS = (
    "Page Down or Tab, and Page Up: the other moves, if not all fit in.",
    "← → Home End and the keys of readline edit the line; ↑ ↓: lines that were typed before; Escape clears it.",
)
READING = "space or →: on   b or ←: back   q: back to the game"
READ = "b or ←: back   q, space or Enter: back to the game"
"""What the keys do on the last page, after which there is nothing but the game."""


@contextmanager
def open_dialog(console: Console, rules: Callable[[], str]) -> Iterator[Dialog]:
    """The dialog of this terminal: on a screen if it can be one, or else by lines."""
    if is_screen():
        with keyboard() as keys:
            yield ScreenDialog(console, keys, rules)
    else:
        yield LineDialog(console, LineReader(console), lambda: console.print(Markdown(rules())))


class ScreenDialog:
    """Draws in place; in a window that is too small for the position it prints lines until the window is larger."""

    def __init__(self, console: Console, keys: Keyboard, rules: Callable[[], str]) -> None:
        self._console = console
        self._keys = keys
        self._rules = rules
        self._editor = LineEditor()
        lines = EditedLines(console, keys, self._editor)
        self._lines = LineDialog(console, lines, lambda: console.print(Markdown(rules())))

    async def ask(self, question: Question) -> int | None:
        """Draw and read keys until a move is chosen."""
        editor, menu, page, hint = self._editor, question.menu, 0, ""
        while self._fits(question):
            page = self._show(question, page, hint)
            key, hint = await self._keys.next(), ""
            entered = editor.text.strip().lower() if key in screen.ENTER else None
            if key in screen.PAGE_DOWN or key in screen.PAGE_UP:
                page += 1 if key in screen.PAGE_DOWN else -1
            elif key == "?" and not editor.text:
                await self._read_pages(wrapped(self._console, "\n".join((*MANUAL, *KEYS))))
            elif entered == "rules":
                editor.take()
                await self._read_pages(self._rule_lines())
            elif entered in QUITS or (key == screen.CLOSED and not editor.text):
                editor.take()
                if await self._gives_up(question):
                    return None
            elif entered is not None:
                chosen, hint = _meant(menu, entered)
                editor.part_words()
                if chosen is not None:
                    editor.take()
                    self._show(question, page, "the others are playing …")
                    return chosen
            elif key != screen.RESIZED:
                editor.press(key)
                page = 0
        return await self._lines.ask(question)

    async def hand_over(self, seat: Seat) -> None:
        """Hide what was shown to another person, and wait for this one."""
        draw(self._console, [Text(f"seat {seat}: press Enter when you are at the keyboard", "bold")])
        while await self._keys.next() not in (*screen.ENTER, screen.CLOSED):
            pass

    def show_end(self, picture: str | None, news: Sequence[str], result: str) -> None:
        """The last position, what led to it, and the result in words; what is printed next comes below."""
        parts = [*([picture] if picture else []), *(f"  {line}" for line in news)]
        parts += [f"[bold]The match is over: {marked(result)}[/bold]"]
        draw(self._console, [line for part in parts for line in wrapped(self._console, part)])
        self._console.print("\n")

    def _fits(self, question: Question) -> bool:
        return len(wrapped(self._console, question.picture)) + LEAST_ROOM <= self._console.height

    def _show(self, question: Question, page: int, hint: str) -> int:
        """Draw it all; the page of moves that is shown, since there may be fewer."""
        console, menu, editor = self._console, question.menu, self._editor
        board = wrapped(console, question.picture)
        found, room = menu.matching(editor.text), console.height - len(board) - 2
        news = [line for told in question.news for line in wrapped(console, f"  {told}")]
        needed = sum(map(len, fit(console, menu, found, room)))
        told = min(len(news), max(room // 3, room - needed))
        news = news[len(news) - told :]
        pages = fit(console, menu, found, room - told) or [[]]
        page %= len(pages)
        lines = [*board, *news, *pages[page]]
        lines += [Text()] * (console.height - 2 - len(lines))
        lines += [Text(hint or _status(menu, editor.text, found, page, len(pages)), "dim", overflow="ellipsis")]
        lines[-1].truncate(console.width)
        prompt = f"seat {question.seat}, your move > "
        draw(console, [*lines, Text.assemble((prompt, "bold"), editor.text)], cell_len(prompt) + editor.cursor)
        return page

    async def _gives_up(self, question: Question) -> bool:
        self._show(question, 0, "give up? y gives up, any other key goes on with the game")
        while (key := await self._keys.next()) == screen.RESIZED:
            self._show(question, 0, "give up? y gives up, any other key goes on with the game")
        return key in ("y", "Y", screen.CLOSED)

    async def _read_pages(self, lines: Sequence[Text]) -> None:
        """Show lines page by page until they are left, in the way of a replay."""
        step = max(1, self._console.height - 2)
        viewer = Viewer((len(lines) - 1) // step)
        while not viewer.done:
            first = viewer.place * step
            at_end = viewer.place == viewer.last
            status = f"page {viewer.place + 1} of {viewer.last + 1}   {READ if at_end else READING}"
            draw(self._console, [*lines[first : first + step], Text(), Text(status, "dim")])
            key = await self._keys.next()
            if at_end and viewer.typed is None and key in (" ", *screen.ENTER):
                return
            viewer.press(key)

    def _rule_lines(self) -> list[Text]:
        with self._console.capture() as captured:
            self._console.print(Markdown(self._rules()))
        return list(Text.from_ansi(captured.get()).split("\n"))


def fit(console: Console, menu: Menu, found: Sequence[int], rows: int) -> list[list[Text]]:
    """The moves on pages of so many rows: in columns if they are short, or else wrapped."""
    entries = [Text.assemble((f"{number + 1:>4}  ", "dim"), menu.words[number]) for number in found]
    widest = max((entry.cell_len for entry in entries), default=0) + 2
    columns = max(1, (console.width + 2) // widest) if entries else 1
    if columns == 1:
        return list(_pages([wrapped(console, entry) for entry in entries], rows))
    pages = []
    for first in range(0, len(entries), columns * rows):
        page = entries[first : first + columns * rows]
        height = -(-len(page) // columns)  # read from top to bottom, as short as can be
        for entry in page[:-1]:
            entry.pad_right(max(0, widest - entry.cell_len))
        pages.append([Text().join(page[row::height]) for row in range(height)])
    return pages


def _pages(blocks: Sequence[Sequence[Text]], rows: int) -> Iterator[list[Text]]:
    page: list[Text] = []
    for block in blocks:
        if page and len(page) + len(block) > rows:
            yield page
            page = []
        page.extend(block[:rows])
    if page:
        yield page


def _meant(menu: Menu, typed: str) -> tuple[int | None, str]:
    """The move that Enter plays, or why it plays none."""
    if (number := menu.number(typed)) is not None:
        return number, ""
    found = menu.matching(typed)
    if len(found) == 1 and not typed.isdecimal():
        return found[0], ""
    if not typed:
        return None, "type the number of a move, or words that it has, and then Enter"
    if typed.isdecimal():
        return None, f"the moves have the numbers 1 to {len(menu.words)}"
    return None, f"{len(found) or 'no'} moves have these words: type {'more' if found else 'other'} words, or a number"


def _status(menu: Menu, typed: str, found: Sequence[int], page: int, pages: int) -> str:
    """What there is to choose from, and what Enter would do."""
    chosen, _ = _meant(menu, typed.strip())
    if chosen is not None:
        return f"Enter plays {chosen + 1}: {menu.words[chosen].plain}"
    counted = f"{len(found)} of {len(menu.words)} moves" if len(found) < len(menu.words) else f"{len(found)} moves"
    more = f", page {page + 1} of {pages}: Page Down" if pages > 1 else ""
    return f"{counted}{more}   type a number or words   ?: help   rules   q: give up"


class EditedLines:
    """Lines that are typed on a terminal without being a screen: the last line is edited in place."""

    def __init__(self, console: Console, keys: Keyboard, editor: LineEditor) -> None:
        self._console = console
        self._keys = keys
        self._editor = editor

    async def read(self, prompt: str) -> str | None:
        """The next line without its end; None when there are no more."""
        while True:
            self._console.file.write(
                f"\r{prompt}{self._editor.text}\x1b[K\r\x1b[{cell_len(prompt) + self._editor.cursor}C"
            )
            self._console.file.flush()
            key = await self._keys.next()
            if key in screen.ENTER or (key == screen.CLOSED and not self._editor.text):
                self._console.print()
                return self._editor.take() if key in screen.ENTER else None
            self._editor.press(key)
