"""Moves that the rules do not allow."""

import sys

from raw import Peer, moves, serve

CARDS = {*range(10), *range(10, 20), *range(20, 30), *range(30, 40), *range(42, 50)}


class Cheat(Peer):
    def on_turn(self, stream, turn):
        hand = turn.observation.hand
        foreign = min(CARDS - {*hand})
        chosen = {
            "not_in_hand": (foreign,),
            "no_such_card": (41,),
            "largest_number": (2**32 - 1,),
            "twice_the_same": (turn.legal[0], turn.legal[0]),
            "for_the_opponent_too": (turn.legal[0], foreign),
        }[sys.argv[1]]
        self.reply(stream, moves(turn, *chosen))


serve(Cheat)
