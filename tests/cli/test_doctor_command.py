"""`arena doctor`, on this very machine."""

import errno
import json
import socket

import pytest

from arena.cli import doctor as command
from arena.cli.doctor import usable
from arena.sandboxes import doctor
from arena.sandboxes.docker import client
from arena.sandboxes.doctor import Finding, Status
from tests.kits.contestants import arena

SANDBOX, DOCKER = "a whole sandbox", "docker daemon"
(DOCKER_PROBE,) = (probe for probe in doctor.PROBES if probe.name == DOCKER)


@pytest.mark.slow
def test_the_table_and_the_json_say_the_same():
    told = arena("doctor", "--json")
    found = json.loads(told.output)
    assert told.exit_code == (0 if found["sandboxes"] else 1)
    assert {"name", "status", "found", "reason", "remedy"} == set(found["findings"][0])
    # The lines that decide are shared by their names only.
    assert {SANDBOX, DOCKER} <= {finding["name"] for finding in found["findings"]}
    table = arena("doctor")
    assert table.exit_code == told.exit_code
    assert f"sandboxes that can be used here: {', '.join(found['sandboxes']) or 'none'}" in table.output
    for finding in found["findings"]:
        assert finding["name"].split()[0] in table.output
        if finding["status"] != "ok":
            assert finding["reason"]


def test_what_is_forbidden_is_not_missing(monkeypatch):
    """The same failure with and without a missing permission behind it."""

    class Socket(socket.socket):
        def connect(self, address):
            raise failure

    monkeypatch.setattr(client.socket, "socket", Socket)
    failure = PermissionError(errno.EACCES, "Permission denied")
    (forbidden,) = doctor.run_probe(DOCKER_PROBE)
    assert (forbidden.name, forbidden.status) == (DOCKER, Status.FORBIDDEN)
    assert "usermod -aG docker" in forbidden.remedy
    failure = FileNotFoundError(errno.ENOENT, "No such file or directory")
    (missing,) = doctor.run_probe(DOCKER_PROBE)
    assert (missing.name, missing.status) == (DOCKER, Status.MISSING)
    assert "apt-get install docker.io" in missing.remedy
    assert usable([forbidden, missing]) == []


@pytest.mark.parametrize(
    ("sandbox", "daemon", "kinds"),
    [
        (Status.OK, Status.OK, ["bubblewrap", "docker"]),
        (Status.WEAK, Status.MISSING, ["bubblewrap"]),
        (Status.MISSING, Status.OK, ["docker"]),
        (Status.MISSING, Status.MISSING, []),
    ],
)
def test_a_machine_without_any_sandbox_is_a_failure(sandbox, daemon, kinds, monkeypatch):
    findings = [
        Finding(SANDBOX, sandbox, "x", "no [red]sandbox", "install it"),
        Finding(DOCKER, daemon, "y", "no daemon", "start it"),
    ]

    def examine():
        return findings

    monkeypatch.setattr(command, "examine", examine)
    assert usable(findings) == kinds
    result = arena("doctor")
    assert result.exit_code == (0 if kinds else 1)
    assert "no [red]sandbox" in result.output
    assert "remedy: install it" in result.output


def test_the_same_remedy_is_said_once(monkeypatch):
    findings = [Finding(f"control group: {name}", Status.WEAK, "x", "y", "run as root") for name in ("memory", "pids")]
    findings.append(Finding(DOCKER, Status.MISSING, "x", "y", "start it"))
    monkeypatch.setattr(command, "examine", lambda: findings)
    said = [line.partition("remedy: ")[2].strip() for line in arena("doctor").output.splitlines() if "remedy: " in line]
    assert said == ["run as root", "as above", "start it"]
