"""What it costs at most to read what a stranger made: peak memory and processor time of the whole command."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from tests.intake.hostile_archives import COSTLY, RECORDS, TOURNAMENTS
from tests.kits.contestants import choosing, write_bot

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="measures time and memory of processes")]

PEAK_MIB = 300
CPU_S = 30.0


@dataclass
class Cost:
    """What a command said, and what it and its children took."""

    code: int
    words: str
    mib: float
    cpu_s: float


MEASURE = """
import json, os, subprocess, sys
done = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
_, status, usage = os.wait4(done.pid, 0)
cpu = usage.ru_utime + usage.ru_stime
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024, cpu]), file=open("cost", "w"))
"""
"""What wait4 says holds for a command and the children it waited for, but also for what the process that forked it had
in memory; so a small one forks it, and not pytest, which has just made an archive."""


def run(*words, cwd):
    """The command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, sys.executable, "-m", "arena", *map(str, words)],
        cwd=cwd, env={**os.environ, "ARENA_DB": "store/arena.db"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    code, mib, cpu_s = json.loads((cwd / "cost").read_text())
    return Cost(code, done.stdout + done.stderr, mib, cpu_s)


def check(cost, complaint, code=2):
    """One sentence, and cheap."""
    assert cost.code == code, cost.words
    assert complaint in cost.words
    assert cost.words.count("\n") == 1
    assert cost.words.startswith("Error: ")
    assert cost.words[:-1].isprintable()
    assert len(cost.words) < 500
    assert cost.mib < PEAK_MIB
    assert cost.cpu_s < CPU_S


@pytest.mark.slow
@pytest.mark.parametrize("name", COSTLY)
def test_a_small_archive_costs_little(name, tmp_path):
    make, complaint = COSTLY[name]
    (tmp_path / "evil.tar").write_bytes(make())
    check(run("submit", "evil.tar", "--owner", "me", cwd=tmp_path), complaint)
    assert list((tmp_path / "store/bots").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDS)
def test_a_record_costs_little(name, tmp_path):
    make, complaint = RECORDS[name]
    (tmp_path / "evil.arena").write_bytes(make())
    check(run("replay", "show", "evil.arena", cwd=tmp_path), complaint, code=1)
    cost = run("replay", "verify", "evil.arena", "evil.arena", cwd=tmp_path)
    assert (cost.code, cost.words.count(f"evil.arena: FAILED: the record has {complaint}")) == (1, 2)
    assert cost.mib < PEAK_MIB
    bot = ("bot", "reproduce", "evil.arena", "--seat", 0, "--bot", "mine")
    check(run(*bot, cwd=tmp_path), complaint, code=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", TOURNAMENTS)
def test_a_tournament_costs_little(name, tmp_path):
    make, complaint = TOURNAMENTS[name]
    (tmp_path / "evil.gz").write_bytes(make())
    check(run("import", "evil.gz", cwd=tmp_path), complaint)
    assert not (tmp_path / "store").exists()


def put_levels(folder):
    here = os.getcwd()
    os.chdir(folder)
    for _ in range(1500):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(here)


def put_long_path(folder):
    here = os.getcwd()
    os.chdir(folder)
    for _ in range(20):
        os.mkdir("d" * 250)
        os.chdir("d" * 250)
    os.chdir(here)


def put_hole(folder):
    with (folder / "hole").open("wb") as file:
        file.truncate(1 << 40)


def put_pipe_for_manifest(folder):
    (folder / "bot.toml").unlink()
    os.mkfifo(folder / "bot.toml")


def put_loop_for_manifest(folder):
    (folder / "bot.toml").unlink()
    (folder / "bot.toml").symlink_to("bot.toml")


def put_kernel_messages(folder):
    (folder / "bot.toml").unlink()
    (folder / "bot.toml").symlink_to("/proc/kmsg")


def put_dots(folder):
    (folder / "bot.toml").write_text("a." * 5000 + "a = 1")


def put_many(folder):
    for number in range(50_001):
        os.mknod(folder / str(number))


FOLDERS = {
    put_levels: "lies too deep",
    put_long_path: "lies too deep",
    put_hole: " MiB",
    put_pipe_for_manifest: "bot.toml",
    put_loop_for_manifest: "has no bot.toml",
    put_kernel_messages: "bot.toml",
    put_dots: "dots in one line",
    put_many: "more than",
}


@pytest.mark.slow
@pytest.mark.parametrize("put", FOLDERS, ids=lambda put: put.__name__)
def test_a_strange_folder_gets_one_sentence(put, tmp_path):
    folder = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    put(folder)
    try:
        for words in (
            ("match", "--game", "claim", "--bot", "mine", "--bot", "first"),
            ("bot", "check", "mine", "--game", "claim"),
            ("submit", "mine", "--owner", "me"),
        ):
            check(run(*words, cwd=tmp_path), FOLDERS[put])
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)  # Python itself cannot go so deep


@pytest.mark.parametrize("name", ["loop", "x" * 5000, "d/" * 3000])
def test_a_strange_name_gets_one_sentence(name, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    check(run("match", "--game", "claim", "--bot", f"./{name}", "--bot", "first", cwd=tmp_path), "")
