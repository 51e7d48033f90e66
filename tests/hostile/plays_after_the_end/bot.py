"""Goes on talking when the match is over."""

from raw import Peer, good, serve


class Talker(Peer):
    turn = None

    def on_turn(self, stream, turn):
        self.turn = turn
        super().on_turn(stream, turn)

    def on_end(self, stream, end):
        for _ in range(3):
            self.reply(stream, good(self.turn))


serve(Talker)
