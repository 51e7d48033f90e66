"""The links of Markdown pages, and where they lead."""

import re
from collections.abc import Iterator

FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?(?=\))")
"""Where a link within the repository leads: a path, an anchor or both."""
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def links(text: str) -> Iterator[tuple[str, str]]:
    """The path and the anchor of every link of a page within the repository; one of them may be empty."""
    yield from ((found[1], found[2] or "") for found in LINK.finditer(FENCE.sub("", text)))


def anchors(text: str) -> set[str]:
    """What a link to a page may name behind its #."""
    return set(map(anchor, HEADING.findall(FENCE.sub("", text))))


def anchor(heading: str, separator: str = "-") -> str:
    """The name of a heading in links, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)
