"""A referee and tournament framework for game-playing bots."""

import os

# gRPC reads this when it is loaded. Its core would print what a bot sends, escape codes included, to the terminal of
# whoever runs the referee.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
