"""One side of `bench.duel`: answers observations with the moves of a search until nobody asks any more.

It uses nothing that older versions lack, so that they can play against the present one.
"""

import sys
from multiprocessing.connection import Client
from time import process_time

from arena.registry import find
from arena.sdk.search import Search


def main() -> None:
    """Think for the same processor time about every decision."""
    address, name, seconds = sys.argv[1:]
    game = find(name)
    search, referee = Search(game, seed=1, now=process_time), Client(address)
    while True:
        try:
            observation = game.codec.load_observation(referee.recv_bytes())
        except EOFError:
            return
        referee.send_bytes(game.codec.dump_move(search.think(observation, float(seconds))))


if __name__ == "__main__":
    main()
