"""The ways to reach a bot."""
