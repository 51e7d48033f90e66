"""Replaces its socket while the match is played, and drops the connection to make the referee look again."""

import os
import socket

from probe import say
from raw import Peer, hang, serve

PATH = os.environ["ARENA_SOCKET"]


class Swapper(Peer):
    def on_turn(self, stream, turn):
        if turn.number < 3:
            super().on_turn(stream, turn)
            return
        try:
            os.unlink(PATH)
            os.symlink("/var/run/docker.sock", PATH)
        except OSError as error:
            say(f"the socket cannot be swapped: {error}")  # gVisor keeps the socket that its file server made
        self.sock.shutdown(socket.SHUT_RDWR)
        hang()


serve(Swapper)
