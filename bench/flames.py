"""Draws a small flame graph, without scripts, from the stacks that py-spy counted.

py-spy record -F -f raw -o stacks.txt -- python program.py
python -m bench.flames stacks.txt flame.svg --root RrrState.legal
"""

import argparse
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

WIDTH, BAR, LETTER = 900, 16, 6.2
"""The picture's width, the height of a frame and the width of a letter, in pixels."""
SMALLEST = 0.004
"""The share of all samples below which a frame is left out."""
COLOURS = ("#f2b179", "#f6cf8b", "#eda86a", "#f3c17e")


@dataclass(slots=True)
class Frame:
    """A function, how often it was on the stack below the same callers, and what it called."""

    samples: int = 0
    called: dict[str, "Frame"] = field(default_factory=dict)


def read(text: str, root: str) -> Frame:
    """The tree of all stacks; with a root, only what it and its callees did."""
    top = Frame()
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        names = [name.split(" (")[0] for name in stack.split(";")]
        if root in names:
            names = names[names.index(root) :]
        elif root:
            continue
        frame = top
        frame.samples += int(count)
        for name in names:
            frame = frame.called.setdefault(name, Frame())
            frame.samples += int(count)
    return top


def bars(frame: Frame, total: int, left: float, depth: int) -> list[tuple[float, int, float, str]]:
    """Left edge, depth, width and name of every frame that is wide enough, as shares of the whole."""
    found = []
    for name, called in sorted(frame.called.items(), key=lambda item: -item[1].samples):
        share = called.samples / total
        if share >= SMALLEST:
            found += [(left, depth, share, name), *bars(called, total, left, depth + 1)]
        left += share
    return found


def draw(frame: Frame) -> str:
    """The picture, callers above."""
    found = bars(frame, max(1, frame.samples), 0.0, 0)
    height = (max((depth for _, depth, _, _ in found), default=0) + 1) * BAR
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-size="10">']
    for number, (left, depth, share, name) in enumerate(found):
        place = f'x="{left * WIDTH:.1f}" y="{depth * BAR}" width="{share * WIDTH:.1f}" height="{BAR - 1}"'
        lines.append(f'<rect {place} fill="{COLOURS[number % 4]}"><title>{escape(name)} {share:.1%}</title></rect>')
        if shown := name[: max(0, int(share * WIDTH / LETTER) - 1)]:
            lines.append(f'<text x="{left * WIDTH + 2:.1f}" y="{depth * BAR + 11}">{escape(shown)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    """Read the stacks and write the picture."""
    parser = argparse.ArgumentParser(description="Draw a flame graph from the stacks that py-spy counted.")
    parser.add_argument("stacks", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--root", default="", help="draw only this function and what it called")
    given = parser.parse_args()
    given.picture.write_text(draw(read(given.stacks.read_text(), given.root)))


if __name__ == "__main__":
    main()
