import time

from raw import serve

time.sleep(5)
serve()
