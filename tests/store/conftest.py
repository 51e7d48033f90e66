"""The store's tests run on SQLite and on a PostgreSQL of their own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from glob import glob
from pathlib import Path

import pytest

from arena.store.sql import SqlStore
from tests.needs import need


def _as_postgres():
    """PostgreSQL refuses to run as root, so root runs it as its own user."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@pytest.fixture(scope="session")
def postgres():
    """The URL of a fresh PostgreSQL that listens on a socket in a folder of its own."""
    found = glob("/usr/lib/postgresql/*/bin/pg_ctl") or [shutil.which("pg_ctl") or ""]
    need(None if Path(found[-1]).is_file() else "PostgreSQL is not installed: apt-get install postgresql")
    programs, who = Path(found[-1]).parent, _as_postgres()
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))
    if who:
        os.chown(folder, who["user"], who["group"])
    data = folder / "data"

    def run(*args):
        subprocess.run([programs / args[0], *args[1:]], check=True, capture_output=True, cwd=folder, **who)

    run("initdb", "-D", data, "-U", "arena", "--auth=trust", "--no-sync")
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    run("pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
    yield f"postgresql://arena@/postgres?host={folder}"
    run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgres"])
def address(request, tmp_path):
    """Where an empty store is."""
    if request.param == "sqlite":
        yield str(tmp_path / "arena.db")
        return
    url = request.getfixturevalue("postgres")
    yield url
    store = SqlStore(url)
    with store._engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    store.close()


@pytest.fixture
def store(address):
    """An empty store."""
    opened = SqlStore(address)
    yield opened
    opened.close()
