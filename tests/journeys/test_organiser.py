"""An organiser: three bots are handed in, a tournament is played, one bot is retired, and the site is built."""

import json
import os
from pathlib import Path

import pytest

from tests.kits.contestants import need_bubblewrap

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a user's commands start processes and sandboxes")]

QUICK = "--clock 10s/move"
BOTS = ("ann", "bob", "cem")


def names(rows):
    return sorted((row["name"], row["version"], row["games"]) for row in json.loads(rows))


@pytest.mark.timeout(600)
def test_an_organiser_runs_a_cup_and_shows_it(traveller):
    need_bubblewrap()
    assert "no bot is on the ladder" in traveller.run("arena bots list")
    for name in BOTS:
        traveller.run(f"arena bot new {name} --game claim")
        assert f"{name} 1 of {name} is on the ladder" in traveller.run(f"arena submit {name} --owner {name} {QUICK}")
    played = traveller.run(f"arena tournament --game claim --rounds 1 --seed 3 {QUICK}")
    assert "all 6 matches are played" in played
    assert names(traveller.run("arena ratings --game claim --json")) == [(name, "1", 4) for name in BOTS]
    (cup,) = json.loads(traveller.run("arena tournament list --json"))
    assert (cup["state"], cup["matches"], cup["leader"] in BOTS) == ("finished", 6, True)
    for command in ("ratings --game claim", "crosstable --game claim", "tournament list", "bots list", "history ann"):
        shown = traveller.run(f"COLUMNS=80 arena {command}")
        assert max(map(len, shown.splitlines())) <= 80, shown
    check_weak_limits(traveller, cup["weak_limits"])

    assert "no version of bob is on the ladder" in traveller.run("arena bots retire bob")
    assert names(traveller.run("arena ratings --game claim --json")) == [("ann", "1", 4), ("cem", "1", 4)]
    assert "1 retired" in traveller.run("arena ratings --game claim")
    refused = traveller.attempt(f"arena submit bob --owner bob {QUICK}")
    assert (refused.returncode, "arena bots restore bob@1" in refused.stderr) == (2, True)
    traveller.run("arena site build public")
    ladder = (traveller.folder / "public/ladders/claim.html").read_text()
    assert [f'data-name="{name} 1' in ladder for name in BOTS] == [True, False, True]
    assert ("Not fully enforced" in ladder) is bool(cup["weak_limits"])


def check_weak_limits(traveller, weak_limits):
    """An ordinary user cannot enforce everything: the table says so, and so does `arena doctor`."""
    assert ("Not fully enforced" in traveller.run("arena ratings --game claim")) is bool(weak_limits)
    if traveller.user == 0:
        return
    assert weak_limits
    findings = json.loads(traveller.attempt("arena doctor --json").stdout)["findings"]
    (docker,) = [finding for finding in findings if finding["name"] == "docker daemon"]
    socket = Path("/var/run/docker.sock")
    if socket.exists() and not socket.stat().st_mode & 0o002 and os.getuid() == 0:
        assert (docker["status"], "usermod -aG docker" in docker["remedy"]) == ("forbidden", True)
