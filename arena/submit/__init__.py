"""Submission of bots: read without trust, built in a sandbox, kept unchanged, until they can be registered."""
