"""From what a stranger hands in to a bot that can be registered: read without trust, built in a box, kept unchanged."""
