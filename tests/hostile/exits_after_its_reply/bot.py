"""Replies and is gone before the referee can look."""

import os
import signal
import sys

from raw import Peer, serve


class Hasty(Peer):
    def on_turn(self, stream, turn):
        super().on_turn(stream, turn)
        if turn.number == 2:
            match sys.argv[1]:
                case "exit":
                    os._exit(0)
                case "kill":
                    os.kill(os.getpid(), signal.SIGKILL)


serve(Hasty)
