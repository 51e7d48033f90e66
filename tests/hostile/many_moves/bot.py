"""One reply with as many moves as fit into a message."""

from arena.sdk import Bot, serve


class Many(Bot):
    def choose(self, turn):
        return turn.legal[0]

    def choose_several(self, turn):
        return turn.legal[:1] * 250_000


serve(Many, game="claim")
