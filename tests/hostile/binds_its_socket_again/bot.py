"""Binds its socket twice, with an unlink between, as servers do that a supervisor starts anew."""

import os
import socket
import time

from raw import listen, serve

first = socket.socket(socket.AF_UNIX)
first.bind(os.environ["ARENA_SOCKET"])
time.sleep(0.3)
first.close()
os.unlink(os.environ["ARENA_SOCKET"])
serve(door=listen())
