"""A referee and tournament framework for game-playing bots."""
