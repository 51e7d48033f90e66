"""`python -m arena.service FOLDER`: the web process of a contest, for whoever starts it under a user of its own."""

import argparse
import sys
from pathlib import Path

from arena import registry
from arena.contest.settings import read_contest
from arena.errors import ArenaError
from arena.service.server import serve_contest


def main() -> int:
    """Serve until interrupted; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m arena.service", description="Serve a contest.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the contest: the folder with its contest.toml")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="the port to listen on (default: 8000)")
    proxy = "believe the X-Forwarded-For and X-Forwarded-Proto of the proxy before it"
    parser.add_argument("--behind-proxy", action="store_true", help=proxy)
    parser.add_argument("--insecure", action="store_true", help="listen without https where others can reach it")
    given = parser.parse_args()
    shown = f"[{given.host}]" if ":" in given.host else given.host

    def started() -> None:
        sys.stdout.write(f"serving on http://{shown}:{given.port}/ (Ctrl-C ends it)\n")
        sys.stdout.flush()

    try:
        serve_contest(
            read_contest(given.folder, registry.games()), host=given.host, port=given.port, started=started,
            behind_proxy=given.behind_proxy, insecure=given.insecure,
        )  # fmt: skip
    except ArenaError as error:
        sys.stderr.write(f"Error: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
