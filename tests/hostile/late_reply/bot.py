"""Answers its first turn when that turn is long over."""

import threading
import time

from raw import Peer, good, serve


class Late(Peer):
    def on_turn(self, stream, turn):
        if turn.number > 1:
            time.sleep(0.02)  # so that the late reply comes while a later turn is open
            self.reply(stream, good(turn))
            return

        def later():
            time.sleep(0.8)
            self.reply(stream, good(turn))

        threading.Thread(target=later, daemon=True).start()


serve(Late)
