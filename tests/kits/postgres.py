"""A PostgreSQL for tests, of their own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from glob import glob
from pathlib import Path

from tests.kits.needs import need


def _as_postgres():
    """PostgreSQL refuses to run as root, so root runs it as its own user."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Server:
    """A PostgreSQL that listens on a socket in a folder of its own."""

    def __init__(self):
        found = glob("/usr/lib/postgresql/*/bin/pg_ctl") or [shutil.which("pg_ctl") or ""]
        need(None if Path(found[-1]).is_file() else "PostgreSQL is not installed: apt-get install postgresql")
        self._programs, self._who = Path(found[-1]).parent, _as_postgres()
        self.folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))
        if self._who:
            os.chown(self.folder, self._who["user"], self._who["group"])
        self.data = self.folder / "data"
        self._run("initdb", "-D", self.data, "-U", "arena", "--auth=trust", "--no-sync")
        self.start()

    @property
    def url(self):
        return f"postgresql://arena@/postgres?host={self.folder}"

    def start(self):
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off"
        self._run("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o", options, "start")

    def stop(self):
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder)

    def _run(self, *args):
        command = [self._programs / args[0], *args[1:]]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder, **self._who)
