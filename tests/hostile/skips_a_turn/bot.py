from raw import Peer, serve


class Skipper(Peer):
    def on_turn(self, stream, turn):
        if turn.number != 2:
            super().on_turn(stream, turn)


serve(Skipper)
