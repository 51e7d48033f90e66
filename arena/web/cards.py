"""Cards to cut out: one for every account, with its token; the only place where tokens can be read."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.distribution import install_hint
from arena.errors import UsageError
from arena.web.rendering import render_alone

QR_QUIET = 2
"""Modules of white around a QR code; the card around it is white, too."""


@dataclass(frozen=True, slots=True)
class Card:
    """What somebody needs to log in."""

    display: str
    account: str
    team: str
    token: str


@dataclass(frozen=True, slots=True)
class _Shown:
    card: Card
    code: Markup


@dataclass(frozen=True, slots=True)
class _Sheet:
    title: str
    address: str
    shown: Sequence[_Shown]


def check_cards() -> None:
    """UsageError unless QR codes can be drawn here; to be asked before tokens are made."""
    try:
        import segno  # noqa: F401, PLC0415  (only contests need it)
    except ModuleNotFoundError as error:
        raise UsageError(f"cards need a library for QR codes ({error.name}): {install_hint('contest')}") from error


def cards_page(title: str, address: str, login: str, cards: Sequence[Card]) -> str:
    """A page that prints on A4, without a script, and without anything from elsewhere.

    A QR code leads to the login with the token behind a #, which browsers send to nobody.
    """
    shown = [_Shown(card, _qr_code(f"{login}#{card.token}" if login else card.token)) for card in cards]
    return render_alone("cards.html", _Sheet(title, address, shown))


def _qr_code(text: str) -> Markup:
    import segno  # noqa: PLC0415  (see above)

    drawing = io.BytesIO()
    segno.make_qr(text, error="m").save(
        drawing, kind="svg", border=QR_QUIET, xmldecl=False, svgns=False, omitsize=True, svgclass=None, lineclass=None,
        nl=False,
    )  # fmt: skip
    return Markup(drawing.getvalue().decode("ascii"))  # noqa: S704  (numbers only, made here)
