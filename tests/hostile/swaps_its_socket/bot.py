"""Puts something else in the place of its socket, to send the referee elsewhere."""

import os
import socket
import sys
import threading
import time

from raw import hang, listen, serve

PATH = os.environ["ARENA_SOCKET"]


def put(make):
    make(PATH + ".new")
    os.rename(PATH + ".new", PATH)


def regular(path):
    with open(path, "w"):
        pass


def race():
    """A good socket and a link to docker's, swapped as fast as it goes."""
    os.rename(PATH, PATH + ".good")
    while True:
        os.link(PATH + ".good", PATH + ".1")
        os.rename(PATH + ".1", PATH)
        os.symlink("/var/run/docker.sock", PATH + ".2")
        os.rename(PATH + ".2", PATH)


def bound_elsewhere():
    """A socket that somebody else of us has bound, behind a hard link."""
    door = socket.socket(socket.AF_UNIX)
    door.bind(PATH + ".other")
    os.link(PATH + ".other", PATH)
    door.listen()
    serve(door=door)


match sys.argv[1]:
    case "link_to_docker":
        put(lambda path: os.symlink("/var/run/docker.sock", path))
    case "link_to_proc":
        put(lambda path: os.symlink("/proc/1/root/run/bot/b.sock", path))
    case "link_to_nothing":
        put(lambda path: os.symlink("/nowhere", path))
    case "fifo":
        put(os.mkfifo)
    case "file":
        put(regular)
    case "directory":
        put(os.mkdir)
    case "deleted":
        door = listen()
        time.sleep(0.5)
        os.unlink(PATH)
        serve(door=door)
    case "race":
        door = listen()
        threading.Thread(target=race, daemon=True).start()
        serve(door=door)
    case "hard_link":
        bound_elsewhere()
    case "datagram":
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind(PATH)
hang()
