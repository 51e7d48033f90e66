"""Check one game from the command line: `python -m arena.testing GAME [FOLDER]`."""

import sys
from pathlib import Path

from arena.errors import ArenaError
from arena.registry import find
from arena.testing import check_data, check_game

if len(sys.argv) not in (2, 3):
    sys.exit("usage: python -m arena.testing GAME [FOLDER], with the folder of its rule cases and golden records")
try:
    game = find(sys.argv[1])
except ArenaError as error:
    sys.exit(f"Error: {error}")
check_game(game)
sys.stdout.write(f"{game.info.title} keeps the contract\n")
if len(sys.argv) > 2:
    check_data(game, Path(sys.argv[2]))
    sys.stdout.write("its rule cases and golden records hold\n")
