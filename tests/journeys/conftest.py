"""Journeys of new users: Arena from its wheel in a virtual environment of its own, an empty home, an empty folder."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOBODY = 65534
"""The user id of an ordinary user without a name, a group or files of its own."""
PYTHONS = ("/usr/bin/python3", sys.executable)
"""The interpreter of the system goes first: that in the home of root is closed to others."""


@dataclass(frozen=True)
class Installation:
    """A virtual environment into which a wheel was installed."""

    folder: Path
    wheel: Path

    @property
    def bin(self):
        return self.folder / "venv/bin"


@dataclass(frozen=True)
class Traveller:
    """A user with an empty home who works in an empty folder."""

    home: Path
    installation: Installation
    user: int

    @property
    def thorough(self):
        """Whether long matches are played: one user does it, and another only goes the same way."""
        return self.user == os.getuid()

    @property
    def folder(self):
        return self.home / "work"

    def run(self, command, typed=""):
        """What a command prints; it must succeed."""
        done = self.attempt(command, typed)
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return done.stdout

    def attempt(self, command, typed=""):
        """The command, run by a shell with nothing in the environment but the home and the paths."""
        environment = {
            "HOME": str(self.home), "PATH": f"{self.installation.bin}:/usr/bin:/bin", "LANG": "C.UTF-8",
        }  # fmt: skip
        identity = {"user": self.user, "group": self.user, "extra_groups": []} if self.user != os.getuid() else {}
        return subprocess.run(
            command, shell=True, cwd=self.folder, env=environment, input=typed, capture_output=True, text=True,
            timeout=600, check=False, **identity,
        )  # fmt: skip

    def write(self, name, content):
        """A file that this user writes into the folder."""
        path = self.folder / name
        path.write_text(content)
        os.chown(path, self.user, -1)


def uv(*words):
    subprocess.run([sys.executable, "-m", "uv", *map(str, words)], check=True, capture_output=True, text=True)


def interpreter():
    """A Python that every user may run and that is new enough."""
    for name in PYTHONS:
        check = "import sys; sys.exit(sys.version_info < (3, 11))"
        if Path(name).exists() and subprocess.run([name, "-c", check], check=False).returncode == 0:
            return name
    raise AssertionError("no Python is new enough")


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    """Arena's wheel, installed as pip would do it, where every user can read it; made once for all pytest workers."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"{os.getpid()}-{time.monotonic_ns()}")
    folder = Path(tempfile.gettempdir(), f"arena-journey-{run}")
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    with (shared / "journeys-made.lock").open("w") as making, (shared / "journeys-used.lock").open("w") as using:
        with locked(making):
            made = ready(folder)
            fcntl.flock(using, fcntl.LOCK_SH)
        yield made
        with locked(making), contextlib.suppress(BlockingIOError):  # another worker still travels, and removes it
            fcntl.flock(using, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)


@contextlib.contextmanager
def locked(file):
    """For one worker at a time."""
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def ready(folder):
    """The installation in this folder, made if it is not there."""
    if not (folder / "venv/bin/arena").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o755)
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        install(folder, *folder.glob("*.whl"))
    (wheel,) = folder.glob("*.whl")
    return Installation(folder, wheel)


def install(folder, *requirements):
    """A virtual environment in this folder, with these packages and what they ask for."""
    uv("venv", "--python", interpreter(), folder / "venv")
    # Compiled as by pip: neither another user nor a bot in a sandbox can keep what it compiles there.
    uv("pip", "install", "--compile-bytecode", "--python", folder / "venv/bin/python", *requirements)


@pytest.fixture(scope="module")
def larger_installation(installation):
    """Makes an installation with more packages than the shared one, which stays as it is."""
    folder = Path(tempfile.mkdtemp(prefix="arena-journey-more-"))
    folder.chmod(0o755)

    def make(extra="", *packages):
        install(folder, f"botarena{extra} @ file://{installation.wheel}", *packages)
        return Installation(folder, installation.wheel)

    yield make
    shutil.rmtree(folder)


def users():
    """Who travels: whoever runs the tests, and if that is root an ordinary user as well."""
    return [os.getuid(), NOBODY] if os.getuid() == 0 else [os.getuid()]


@pytest.fixture(params=users(), ids=lambda user: "root" if user == 0 else "user")
def traveller(request, installation):
    home = Path(tempfile.mkdtemp(prefix="arena-home-"))
    try:
        (home / "work").mkdir()
        for path in (home, home / "work"):
            os.chown(path, request.param, -1)
        yield Traveller(home, installation, request.param)
    finally:
        shutil.rmtree(home)
