"""`python -m arena.sdk.rules_service -- COMMAND`: runs a bot with the rules on a second socket, and ends as it ends."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.errors import UsageError
from arena.sdk.rules_service.service import make_server

SOCKET_VARIABLE = "ARENA_RULES_SOCKET"
SOCKET_NAME = "rules.sock"


def main() -> None:
    """Serve the rules for as long as the bot of the command line runs."""
    try:
        command = bot_command(sys.argv[1:])
        with socket_path(os.environ) as socket:
            server = make_server(f"unix:{socket}")
            server.start()
            code = run(command, {**os.environ, SOCKET_VARIABLE: str(socket)})
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    exit_like(code)


def bot_command(arguments: Sequence[str]) -> Sequence[str]:
    """What stands after the two dashes."""
    if len(arguments) < 2 or arguments[0] != "--":
        raise UsageError("say how the bot is started: python3 -m arena.sdk.rules_service -- ./my_bot")
    return arguments[1:]


@contextmanager
def socket_path(environment: Mapping[str, str]) -> Iterator[Path]:
    """A path beside the bot's own socket, which goes away with the sandbox, or in a temporary folder if it has none."""
    if own := environment.get("ARENA_SOCKET"):
        yield Path(own).with_name(SOCKET_NAME)
    else:
        with tempfile.TemporaryDirectory(prefix="arena-rules-") as folder:
            yield Path(folder, SOCKET_NAME)


def run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the bot to its end; its exit code, negative for a signal, 127 as of a shell if it cannot be started."""
    early: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: early.append(number))
    # A terminal sends this one to both of us, and the bot may want to say something before it ends.
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        bot = subprocess.Popen(command, env=environment)  # noqa: S603  (we are in the bot's own sandbox)
    except OSError as error:
        sys.stderr.write(f"the bot cannot be started: {error.strerror}: {command[0]}\n")
        return 127
    signal.signal(signal.SIGTERM, lambda number, _frame: bot.send_signal(number))
    for number in early:
        bot.send_signal(number)
    return bot.wait()


def exit_like(code: int) -> None:
    """Exit with the same code or signal as the bot, which our parent takes for the bot's own."""
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    # A thread that still plays games out would keep a normal exit waiting; 128 more is how shells tell of a signal.
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
