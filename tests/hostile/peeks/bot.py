"""Prints every byte that the referee sends it."""

from probe import say
from raw import Peer, serve


class Peeker(Peer):
    def on_message(self, stream, request):
        say(request.hex())
        say(ascii(request.decode("latin-1")))
        super().on_message(stream, request)


serve(Peeker)
