"""A command in a terminal of its own, as a person has it in front of him."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """Starts the command in a window of this size, types, and reads what is shown."""

    def __init__(self, *words, columns=120, lines=50, term="xterm"):
        self.ours, theirs = pty.openpty()
        self.resize(columns, lines)
        env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self.running = subprocess.Popen(
            [sys.executable, "-m", "arena", *map(str, words)], stdin=theirs, stdout=theirs, stderr=theirs,
            env={**env, "TERM": term}, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)

    def resize(self, columns, lines):
        """Give the window another size, and tell the program as a terminal does."""
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        if hasattr(self, "running"):
            self.running.send_signal(signal.SIGWINCH)

    def wait_for(self, pattern, typed=""):
        """Type, and read until the pattern was shown."""
        os.write(self.ours, typed.encode())
        shown = ""
        while not re.search(pattern, re.sub(r"\x1b\[[0-9;]*m", "", shown)):
            assert select.select([self.ours], [], [], 60)[0], f"{pattern} was never shown, but {shown}"
            shown += os.read(self.ours, 65536).decode(errors="ignore")
        return shown

    def screen(self, pattern, typed=""):
        """Type, and read until a whole screen with this pattern was drawn: its lines."""
        os.write(self.ours, typed.encode())
        shown, frame = "", ""
        while not re.search(pattern, frame):
            assert select.select([self.ours], [], [], 60)[0], f"{pattern} was never drawn, but {frame}"
            shown += os.read(self.ours, 65536).decode(errors="ignore")
            whole = [part.partition("\x1b[J")[0] for part in shown.split("\x1b[H")[1:] if "\x1b[J" in part]
            frame = next((CODES.sub("", part) for part in whole if re.search(pattern, CODES.sub("", part))), "")
        return frame.split("\r\n")

    def quit(self, typed="q"):
        """Type the last key and wait for the end."""
        os.write(self.ours, typed.encode())
        code = self.running.wait(30)
        os.close(self.ours)
        return code
