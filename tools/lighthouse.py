"""Lighthouse on the pages that matter most, served from a store: every category must reach 95.

python -m tools.lighthouse STORE --program node_modules/.bin/lighthouse
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.spectators import serving

CATEGORIES = ("performance", "accessibility", "best-practices")
LEAST = 95
CHROME = "--headless=new --disable-gpu" + (" --no-sandbox" if os.geteuid() == 0 else "")


def pages(address: str) -> list[str]:
    """A ladder, a bot and a match of this site."""
    home = _text(address)
    ladder = re.search(r'href="(ladders/\w+\.html)"', home)
    bot = re.search(r'href="(bots/\d+\.html)"', home)
    match = re.search(r'href="(matches/[\w-]+\.html)"', _text(f"{address}matches.html"))
    return [found[1] for found in (ladder, bot, match) if found]


def scores(program: str, address: str) -> dict[str, int]:
    """The points of a page in every category."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            program, address, "--quiet", f"--only-categories={','.join(CATEGORIES)}", "--output=json",
            f"--output-path={report}", f"--chrome-flags={CHROME}",
        ]  # fmt: skip
        environment = {**os.environ, "CHROME_PATH": shutil.which("chromium") or ""}
        subprocess.run(command, check=True, env=environment)
        found = json.loads(report.read_text())
    for audit in found["audits"].values():
        if audit["score"] is not None and audit["score"] < 0.9 and audit["scoreDisplayMode"] != "informative":
            print(f"  {address}: {audit['id']}: {audit.get('displayValue', '')}")
    return {name: round(100 * found["categories"][name]["score"]) for name in CATEGORIES}


def _text(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return str(answer.read().decode())


def main() -> None:
    """Measure, print the table, and fail if a page is below what it must reach."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--program", required=True)
    chosen = parser.parse_args()
    table = Table("page", *CATEGORIES)
    worst = 100
    with serving(chosen.store) as port:
        address = f"http://127.0.0.1:{port}/"
        for page in pages(address):
            found = scores(chosen.program, address + page)
            worst = min(worst, *found.values())
            table.add_row(page, *map(str, found.values()))
    Console().print(table)
    sys.exit(worst < LEAST)


if __name__ == "__main__":
    main()
