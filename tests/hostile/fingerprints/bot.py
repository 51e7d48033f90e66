"""Prints all by which it could tell a test from a tournament, or itself from another bot."""

import os
import socket

from probe import say
from raw import once, play


def look():
    say("host", socket.gethostname())
    say("folder", os.getcwd() in ("/bot", "/tmp"))
    say("environment", " ".join(sorted(set(os.environ) - {"PYTHONPATH", "PWD", "HOSTNAME", "LANG", "GRPC_VERBOSITY"})))
    say("few processes", os.getpid() < 20)
    say("one line", len(os.listdir("/proc/self/net")) > 0 and not os.path.exists("/sys/class/net/eth0"))


play(turn=once(look))
