"""Sends something harmless behind every reply: it stays unread until this bot's own next turn."""

import sys

from raw import PING, Peer, frame, good, message, serve

JUNK = {"pings": frame(PING, bytes(8)) * 6, "unknown": frame(0xEE, bytes(16000)) * 3}[sys.argv[1]]


class Behind(Peer):
    def on_turn(self, stream, turn):
        self.raw(frame(0, message(good(turn)), stream=stream) + JUNK)


serve(Behind)
