"""Looks for a way out to the network."""

import ctypes
import socket
import struct

from canary import ABSTRACT, PORT
from probe import attempts
from raw import once, play

ANY = ("127.0.0.1", PORT)


def connect(family, kind, address, protocol=0):
    with socket.socket(family, kind, protocol) as line:
        line.settimeout(0.3)
        line.connect(address)
        line.send(b"x")
        return True


def opened(family, kind=socket.SOCK_RAW, protocol=0):
    with socket.socket(family, kind, protocol):
        return True


def paired(family, kind=socket.SOCK_STREAM):
    one, two = socket.socketpair(family, kind)
    one.close()
    two.close()
    return True


def sent(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        return line.sendto(b"x", address)


def filtered():
    """Attach a program that lets everything through."""
    program = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 65535), 8)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.setsockopt(socket.SOL_SOCKET, 26, struct.pack("=HxxxxxxQ", 1, ctypes.addressof(program)))
    return True


TABLE = {
    "the loopback of the host": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ANY),
    "the internet": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("1.1.1.1", 80)),
    "the internet, version 6": lambda: connect(socket.AF_INET6, socket.SOCK_STREAM, ("2606:4700:4700::1111", 80)),
    "metadata of the cloud": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("169.254.169.254", 80)),
    "docker over TCP": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("172.17.0.1", 2375)),
    "datagrams": lambda: sent(("8.8.8.8", 53)),
    "broadcast": lambda: sent(("255.255.255.255", 9)),
    "names": lambda: socket.getaddrinfo("example.org", 80),
    "ping": lambda: opened(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "the abstract socket of the host": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, ABSTRACT),
    "dbus": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "/run/dbus/system_bus_socket"),
    "docker": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "/var/run/docker.sock"),
    "vsock": lambda: opened(40, socket.SOCK_STREAM),
    "netlink": lambda: opened(16),
    "packets": lambda: opened(17),
    "alg": lambda: opened(38, socket.SOCK_SEQPACKET),
    "bluetooth": lambda: opened(31),
    "xdp": lambda: opened(44),
    "tipc": lambda: opened(30, socket.SOCK_SEQPACKET),
    "vsock with a high bit": lambda: opened(40 | 1 << 31, socket.SOCK_STREAM),
    "TCP of its own": lambda: opened(socket.AF_INET, socket.SOCK_STREAM),
    "UDP of its own": lambda: opened(socket.AF_INET6, socket.SOCK_DGRAM),
    "MPTCP": lambda: opened(socket.AF_INET, socket.SOCK_STREAM, 262),
    "UDPLITE": lambda: opened(socket.AF_INET, socket.SOCK_DGRAM, 136),
    "SCTP": lambda: opened(socket.AF_INET6, socket.SOCK_STREAM, 132),
    "a pair of netlink": lambda: paired(16, socket.SOCK_RAW),
    "a pair of vsock": lambda: paired(40),
    "a pair of tipc": lambda: paired(30, socket.SOCK_SEQPACKET),
    "a filter on a socket": filtered,
}
play(turn=once(lambda: attempts(TABLE)))
