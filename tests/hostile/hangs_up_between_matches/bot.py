"""Closes its connection after every match, or when the next one begins, as servers may do with an idle connection."""

import socket
import sys

from raw import Peer, serve

met = []


class Leaver(Peer):
    def on_start(self, stream, start):
        if sys.argv[1] == "when_it_begins" and met.count(start.match_id) == 0:
            met.append(start.match_id)
            self.sock.shutdown(socket.SHUT_RDWR)
            raise SystemExit
        super().on_start(stream, start)

    def on_end(self, stream, end):
        super().on_end(stream, end)
        if sys.argv[1] == "after_the_end":
            self.sock.shutdown(socket.SHUT_RDWR)


serve(Leaver)
