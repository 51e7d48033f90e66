from raw import Peer, serve

from arena.match import Moves
from engines.claim import GAME


class Hasty(Peer):
    def on_start(self, stream, start):
        self.headers(stream)
        self.reply(stream, GAME.codec.write_reply(Moves(1, (7,))))


serve(Hasty)
