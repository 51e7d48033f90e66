"""Accepts, and then does not speak HTTP/2."""

import os
import sys

from raw import Peer, hang, serve


class Silent(Peer):
    def run(self):
        match sys.argv[1]:
            case "silent":
                hang()
            case "hangs_up":
                self.sock.close()
            case "http1":
                self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
                hang()
            case "noise":
                self.raw(os.urandom(4096))
                hang()


serve(Silent)
