"""A referee and tournament framework for game-playing bots."""

import os

# gRPC reads this when it is loaded, which the SDK does in a bot and the rules service beside it. Its core would print
# warnings of its own into the output of the bot.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
