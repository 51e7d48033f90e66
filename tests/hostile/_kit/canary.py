"""Where the traps of the host are (see canaries.py); the secret itself is known to the host alone."""

ABSTRACT = "\0arena-hostile-canary"
PORT = 61999
VARIABLE = "ARENA_HOSTILE_CANARY"
FILE = "arena-hostile-canary"
