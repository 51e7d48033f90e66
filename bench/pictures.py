"""The screenshots of a built site for README and docs: few, small, and the same for the same site."""

import argparse
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import sync_playwright

LAPTOP, PHONE = (1280, 800), (390, 780)


@dataclass(frozen=True)
class Picture:
    """A picture of the top of a page."""

    name: str
    page: str
    """Its file; of several that fit a pattern the last one."""
    size: tuple[int, int] = LAPTOP
    theme: Literal["light", "dark"] = "light"
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


def take(site: Path, folder: Path) -> Iterator[Path]:
    """Take all pictures; the path of each."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for picture in PICTURES:
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    for path in take(chosen.site, chosen.folder):
        print(f"{path}: {path.stat().st_size // 1000} KB")


if __name__ == "__main__":
    main()
