"""Sites for tests: one in a folder, one served by the real command, both of the same store."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(db):
    """The address of a real `arena serve` of this store."""
    port = free_port()
    command = [sys.executable, "-m", "arena", "serve", "--db", str(db), "--port", str(port)]
    # A new session, so that an interrupt for the tests is none for the server.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        line = process.stdout.readline()
        assert "serving on" in line, line + process.stdout.read()
        yield f"http://127.0.0.1:{port}/", process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        process.stdout.close()


@contextmanager
def plain_server(folder):
    """The address of a plain file server."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class Links(HTMLParser):
    """All that a page refers to, and what no page may have."""

    def __init__(self, text):
        super().__init__()
        self.found, self.forbidden, self.ids, self.text = [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src", "action", "data-replay", "data-viewer") and value:
                self.found.append(value)
            if name == "style" or name.startswith("on"):
                self.forbidden.append((tag, name, value))
            if name == "id":
                self.ids.add(value)

    def handle_data(self, data):
        self.text.append(data)


def pages_in(folder):
    """Every page of a built site by its path."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.html"))}


def lost_links(folder):
    """Links of a built site that lead nowhere, or out of it."""
    lost = []
    for name, text in pages_in(folder).items():
        here = os.path.dirname(name)
        for link in Links(text).found:
            if link.startswith(("#", "data:")):
                continue
            path = re.split(r"[?#]", link)[0]
            target = os.path.normpath(os.path.join(here, path))
            outside = target.startswith("..") or link.startswith("/") or ":" in link
            if outside or not (folder / target).is_file():
                lost.append((name, link))
    return lost
