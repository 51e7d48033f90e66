import os
import signal

from raw import once, play

play(turn=once(lambda: os.kill(os.getpid(), signal.SIGSTOP)))
