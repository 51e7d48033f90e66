"""Pages of cards in the folder of a contest: for its owner's eyes only, and none ever replaces another."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from arena.contest.people import Issued
from arena.contest.settings import Contest
from arena.errors import UsageError
from arena.web.cards import Card, cards_page, check_cards

CARDS = "cards*.html"
"""What pages of cards are called."""


def issue_cards(contest: Contest, issue: Callable[[], Sequence[Issued]]) -> tuple[Path, Sequence[Issued]]:
    """Issue tokens onto a new page of cards: its path, and to whom.

    The file is there before the tokens are: so what cannot be written loses nobody the token that they have.
    """
    check_cards()
    path, descriptor = _new_file(contest.folder)
    with open(descriptor, "w", encoding="utf-8") as file:
        try:
            issued = issue()
            file.write(_page(contest, issued))
            file.flush()
            os.fsync(descriptor)
        except OSError as error:
            with suppress(OSError):
                path.unlink()
            raise UsageError(
                f"the cards cannot be written to {path}: {error.strerror}; make room, and make new tokens with `arena "
                f"contest people renew --all --contest {contest.folder}`"
            ) from error
        except BaseException:
            path.unlink()
            raise
    return path, issued


def _new_file(folder: Path) -> tuple[Path, int]:
    for number in count(1):
        path = folder / ("cards.html" if number == 1 else f"cards-{number}.html")
        try:
            return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    raise AssertionError  # numbers do not end


def _page(contest: Contest, issued: Sequence[Issued]) -> str:
    cards = [Card(each.person.display, each.person.name, each.person.team.name, each.token) for each in issued]
    settings = contest.settings
    return cards_page(settings.title, settings.address, settings.login_address, cards)
