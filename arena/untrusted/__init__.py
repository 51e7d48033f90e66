"""Handling of untrusted input: text, folders, and anything that is parsed in a process with limits."""
