"""Ends its first thread, so that /proc calls it a zombie, and plays on in another."""

import threading

from probe import call
from raw import listen, serve

door = listen()
threading.Thread(target=serve, kwargs={"door": door}).start()
call(60, 0)  # the system call ends this thread only
