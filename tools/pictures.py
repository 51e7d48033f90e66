"""The screenshots of a built site for README and docs: few, small, and the same for the same site.

    python -m tools.pictures SITE FOLDER [--all]

With `--all` every kind of page at the size of a phone, a laptop and a projector, in light and in dark, to look at.
"""

import argparse
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import sync_playwright

LAPTOP, PHONE = (1280, 800), (390, 780)
SIZES = {"phone": (390, 844), "laptop": (1440, 900), "projector": (1920, 1080)}
KINDS = {
    "home": ("index.html", 0), "ladder": ("ladders/assassins.html", 0), "ladder-many": ("ladders/kingdoms.html", 0),
    "bots": ("bots.html", 0), "bot": ("bots/3.html", 0), "pair": ("pairs/1-3.html", 0),
    "tournaments": ("tournaments.html", 0), "tournament": ("tournaments/1.html", 0), "matches": ("matches.html", 0),
    "claim": ("matches/1-*.html", 17), "claim-votes": ("matches/1-*.html", 40), "rrr": ("matches/2-*.html", 14),
    "assassins": ("matches/3-*.html", 25), "kingdoms": ("matches/4-*.html", 20), "kingdoms-3": ("matches/5-*.html", 20),
    "kingdoms-4": ("matches/6-*.html", 60),
    "rules-claim": ("rules/claim.html", 0), "rules-rrr": ("rules/rrr.html", 0), "embed": ("embed/3-*.html", 25),
}  # fmt: skip
"""The kinds of pages of the demonstration, each with a page and the move that it shows."""

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")


@dataclass(frozen=True)
class Picture:
    """A picture of the top of a page."""

    name: str
    page: str
    """Its file; of several that fit a pattern the last one."""
    size: tuple[int, int] = LAPTOP
    theme: Theme = "light"
    move: int = 0


PICTURES = (
    Picture("home", "index.html"),
    Picture("ladder", "ladders/assassins.html"),
    Picture("ladder-dark-phone", "ladders/claim.html", PHONE, "dark"),
    Picture("bot", "bots/3.html"),
    Picture("tournament", "tournaments/1.html"),
    Picture("match-claim", "matches/1-*.html", move=17),
    Picture("match-assassins-dark", "matches/3-*.html", theme="dark", move=25),
    Picture("match-rrr", "matches/2-*.html", move=14),
    Picture("match-kingdoms-phone", "matches/5-*.html", PHONE, move=20),
)


def all_pictures() -> list[Picture]:
    """Every kind of page at every size and in both themes."""
    return [
        Picture(f"{kind}-{name}-{theme}", page, size, theme, move)
        for kind, (page, move) in KINDS.items()
        for name, size in SIZES.items()
        for theme in THEMES
    ]


def take(site: Path, folder: Path, pictures: Sequence[Picture]) -> Iterator[Path]:
    """Take these pictures; the path of each."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for picture in pictures:
            found = sorted(site.glob(picture.page))
            if not found:
                continue
            width, height = picture.size
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=picture.theme, reduced_motion="reduce"
            )
            page.goto(f"{found[-1].absolute().as_uri()}{f'#{picture.move}' if picture.move else ''}")
            if picture.move:
                page.wait_for_selector(".player.ready", state="attached")
            path = folder / f"{picture.name}.png"
            page.screenshot(path=path)
            page.close()
            yield path
        browser.close()


def main() -> None:
    """Take the pictures of the site that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true", help="every kind of page, size and theme, to look at")
    chosen = parser.parse_args()
    for path in take(chosen.site, chosen.folder, all_pictures() if chosen.all else PICTURES):
        print(f"{path}: {path.stat().st_size // 1000} KB")


if __name__ == "__main__":
    main()
