"""Build commands run in a sandbox: what they try outside fails, and what they leave is checked."""

import asyncio
import os
import shutil
import socket
from textwrap import dedent

import pytest

from arena.bots.launch import build_of
from arena.bots.manifest import Folder, read_manifest
from arena.errors import UsageError
from arena.intake import folders, go_cache
from arena.intake.folder_storage import FolderStorage
from arena.sandboxes.launched.build import BuildSandbox
from tests.kits.contestants import arena, choosing, need_bubblewrap, write_bot
from tests.kits.needs import need

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="submissions are built in sandboxes")]


@pytest.fixture(autouse=True)
def bubblewrap():
    need_bubblewrap()


@pytest.fixture
def bot(tmp_path):
    """Makes the folder of a bot with this build command."""

    def make(*build, source="", name="mine"):
        folder = write_bot(tmp_path / name, choosing("return turn.legal[0]"))
        words = ", ".join(f'"{word}"' for word in build)
        with (folder / "bot.toml").open("a") as file:
            file.write(f"build = [{words}]\n")
        (folder / "build.py").write_text(dedent(source))
        return folder

    return make


def build(folder, target):
    asyncio.run(folders.build(build_of(Folder(folder, read_manifest(folder))), target, "it"))
    return target


def test_make_runs_programs(bot, tmp_path):
    """It sets its own user id before it starts one, with which most other programs do not bother."""
    folder = bot("make")
    (folder / "Makefile").write_text("all:\n\ttrue\n\techo made >result\n")
    assert (build(folder, tmp_path / "built") / "result").read_text() == "made\n"


NETWORK = """
import errno, socket

def said(action):
    try:
        action()
        return "made"
    except OSError as error:
        return errno.errorcode[error.errno]

with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
    client.sendall(b"over the loopback")
    heard = server.accept()[0].recv(100).decode()
with socket.create_server(("::1", 0), family=socket.AF_INET6) as server:
    pass
others = {said(lambda: socket.socket(family, kind)) for family in (16, 17, 38, 40) for kind in (1, 2, 3, 5)}
pairs = {said(lambda: socket.socketpair(family)) for family in (2, 16, 30, 40)}
open("heard", "w").write(f"{heard} {others} {pairs}")
"""


def test_a_build_has_the_loopback_and_no_other_network(bot, tmp_path):
    built = build(bot("python3", "build.py", source=NETWORK), tmp_path / "built")
    assert (built / "heard").read_text() == "over the loopback {'EAFNOSUPPORT'} {'EAFNOSUPPORT'}"


HOSTILE = """
import os, socket

def attempt(name, action):
    try:
        action()
    except OSError as error:
        print(name, "failed:", error.strerror, flush=True)
    else:
        open("escaped", "a").write(name + " ")

attempt("read", lambda: open({secret!r}).read())
attempt("write", lambda: open({outside!r}, "w").write("x"))
attempt("source", lambda: open("/source/bot.py", "w").write("x"))
attempt("system", lambda: open("/usr/x", "w").write("x"))
attempt("up", lambda: open("../x", "w").write("x"))
attempt("inet", lambda: socket.create_connection(("127.0.0.1", {port}), timeout=2))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0arena-test-{port}"))
attempt("user", lambda: os.setuid(0))
open("made", "w").write("by the build")
open("bot.py", "a").write("# changed by the build")
"""


def test_a_hostile_build_reaches_nothing_but_its_copy(bot, tmp_path):
    secret, outside = tmp_path / "secret", tmp_path / "outside"
    secret.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        port = server.getsockname()[1]
        abstract.bind(f"\0arena-test-{port}")
        abstract.listen()
        source = HOSTILE.format(secret=str(secret), outside=str(outside), port=port)
        folder = bot("python3", "build.py", source=source)
        made = build(folder, tmp_path / "built")
    assert (made / "made").read_text() == "by the build"
    assert not (made / "escaped").exists(), (made / "escaped").read_text()
    assert (made / "bot.py").read_text().endswith("# changed by the build")
    assert "changed" not in (folder / "bot.py").read_text()
    assert not outside.exists()


LEAVES = {
    "a pipe": ("os.mkfifo('odd')", "'odd' is a pipe, socket"),
    "a link out": ("os.symlink('/etc/passwd', 'odd')", "'odd' is a link to '/etc/passwd', out of the folder"),
    "a setuid program": ("open('odd', 'w'); os.chmod('odd', 0o4755)", "'odd' has a setuid"),
    "too many files": ("[open(f'{n}', 'w') for n in range(200)]; [os.mkdir(f'd{n}') for n in range(20_000)]", "20000"),
    "a huge hole": ("open('odd', 'wb').truncate(200 << 20)", "'odd' has 200 MiB"),
    "another name": ("s = open('bot.toml').read(); open('bot.toml', 'w').write(s.replace('mine', 'other'))", "changed"),
    "no manifest": ("os.remove('bot.toml')", "changed its bot.toml"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LEAVES)
def test_what_a_build_leaves_is_not_trusted(name, bot, tmp_path):
    source, complaint = LEAVES[name]
    folder = bot("python3", "build.py", source=f"import os\n{source}\n")
    result = arena("submit", folder, "--owner", "me", "--db", tmp_path / "store/arena.db")
    assert result.exit_code == 2, result.output
    assert complaint in result.stderr
    assert list((tmp_path / "store/bots").iterdir()) == []


def test_a_build_that_fails_shows_its_output_escaped(bot, tmp_path):
    folder = bot("python3", "build.py", source="print('\\x1b[31mno compiler'); raise SystemExit(3)")
    with pytest.raises(UsageError, match=r"(?s)the build failed: it exited with code 3\n.*\\x1b\[31mno compiler"):
        build(folder, tmp_path / "built")
    assert not (tmp_path / "built").exists()


def test_a_build_that_fills_its_disk_fails_alone(bot, tmp_path):
    source = """
        for n in range(40):
            with open(str(n), "wb") as file:
                for _ in range(32):
                    file.write(bytes(1 << 20))
    """
    with pytest.raises(UsageError, match=r"(?s)the build failed.*(No space left|more memory than it had)"):
        build(bot("python3", "build.py", source=source), tmp_path / "built")


def test_a_build_that_never_ends_is_ended(bot):
    folder = bot("python3", "build.py", source="import time; time.sleep(600)")

    async def run():
        await BuildSandbox(build_of(Folder(folder, read_manifest(folder)))).build(print, within_s=0.5)

    with pytest.raises(UsageError, match=r"took longer than 0\.5 s"):
        asyncio.run(run())


def test_a_folder_is_built_in_place(bot, monkeypatch, tmp_path):
    folder = bot("python3", "build.py", source="import os\nopen('made', 'w').write('x')\nos.symlink('made', 'link')\n")
    before = (folder / "bot.py").stat().st_mtime_ns
    result = arena("bot", "build", folder, "--no-image")
    assert result.exit_code == 0, result.output
    assert "made or changed 2 files" in result.output
    assert os.readlink(folder / "link") == "made"
    assert (folder / "bot.py").stat().st_mtime_ns == before


def test_a_folder_without_a_build_command_says_so(tmp_path):
    result = arena("bot", "build", write_bot(tmp_path / "mine", ""), "--no-image")
    assert result.exit_code == 2
    assert "needs no build" in result.stderr


GO = """package main

import "unicode/utf8"

func main() { println(utf8.RuneLen('x')) }
"""


GO_BUILD = """
find ~/.cache/go-build -type l | wc -l >linked
(echo x >"$(readlink -f "$(find ~/.cache/go-build -type l | head -1)")") 2>refused
GO111MODULE=off CGO_ENABLED=0 go build -trimpath -x -o program main.go 2>log
"""


def test_go_begins_with_what_we_have_compiled_and_cannot_change_it(bot, tmp_path, monkeypatch):
    need(None if shutil.which("go") else "go is missing")
    monkeypatch.setattr(go_cache, "PACKAGES", ("unicode/utf8",))  # gRPC takes a minute
    storage = FolderStorage(tmp_path / "bots")
    folder = bot("sh", "build.sh")
    (folder / "build.sh").write_text(GO_BUILD)
    (folder / "main.go").write_text(GO)
    made = []
    for name in ("first", "second"):
        program = asyncio.run(go_cache.with_go_cache(build_of(Folder(folder, read_manifest(folder))), storage))
        asyncio.run(folders.build(program, tmp_path / name, "it"))
        (cache,) = storage.folder.glob(".go-*")
        made.append({path: (path.read_bytes(), path.stat().st_mtime_ns) for path in cache.rglob("*") if path.is_file()})
        assert int((tmp_path / name / "linked").read_text()) == len(made[0]) > 2
        assert "Read-only file system" in (tmp_path / name / "refused").read_text()
        assert "-p unicode/utf8 " not in (tmp_path / name / "log").read_text()
    assert made[0] == made[1]
