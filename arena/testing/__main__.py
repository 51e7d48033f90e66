"""Check one game from the command line: `python -m arena.testing GAME [FOLDER]`."""

import sys
from pathlib import Path

from arena.registry import find
from arena.testing import check_data, check_game

game = find(sys.argv[1])
check_game(game)
sys.stdout.write(f"{game.info.title} keeps the contract\n")
if len(sys.argv) > 2:
    check_data(game, Path(sys.argv[2]))
    sys.stdout.write("its rule cases and golden records hold\n")
