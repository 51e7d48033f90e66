"""Where the pages of a site are: file names below its root, the same in a folder and on a server."""

ASSETS = "assets"
"""The folder of styles and scripts."""
FILES = {
    "home": "index.html",
    "ladder": "ladders/{}.html",
    "rules": "rules/{}.html",
    "bots": "bots.html",
    "bot": "bots/{}.html",
    "pair": "pairs/{}.html",
    "tournaments": "tournaments.html",
    "tournament": "tournaments/{}.html",
    "matches": "matches.html",
    "match": "matches/{}.html",
    "embed": "embed/{}.html",
    "replay": "replays/{}.json.gz",
}
"""A page of each kind; a folder shows no index, so links name files."""


def file_of(kind: str, name: object = "") -> str:
    """The file of a page below the root of its site."""
    return FILES[kind].format(name)


def events_of(path: str) -> str:
    """Where a served page hears what happens to it, below the root of its site."""
    return f"events/{path}"


def pair_name(one: int, two: int) -> str:
    """How the page of two bots is called, whoever is named first."""
    return f"{min(one, two)}-{max(one, two)}"


def up_from(path: str) -> str:
    """The way from a page to the root of its site."""
    return "../" * path.count("/")
