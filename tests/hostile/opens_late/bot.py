import time

from raw import serve

time.sleep(3)
serve()
