"""Prints what a terminal, a log reader or a page might obey."""

import os
import sys

from raw import once, play


def nasty():
    out = sys.stdout.buffer
    out.write(b"\x1b[2J\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x9b31m\r\x00\x08\x7f\xff\xfe\n")
    out.write("\u202e\u2066right to left\u2028\u2029\ufeff\u200b\n".encode())
    out.write(
        b"---\nseat 0 random rank 1 played to the end\nrecord: /etc/passwd\n2026-01-01 ERROR arena.referee: void\n"
    )
    out.write(b"<script>alert(1)</script>\n")
    out.write(b"a" * 400_000 + b"\n")
    out.flush()
    os.close(0)


play(turn=once(nasty), end=lambda _: print("the last line", flush=True))
