"""`arena contest run` and `arena contest serve`: the processes of a contest."""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from arena import registry
from arena.cli.params import Whole
from arena.cli.site import check_free
from arena.contest.settings import read_contest
from arena.distribution import install_hint
from arena.errors import UsageError
from arena.runner.as_web import as_web
from arena.runner.log import log_line, take_over_warnings
from arena.runner.runner import listen
from arena.runner.runner import run as run_contest
from arena.runner.shift import Stop
from arena.runner.supervisor import Plan, keep_running
from arena.runner.web_user import prepare_for_web
from arena.sandboxes.systemd_scope import enter_scope


def folder_argument(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument that says which contest is meant."""
    return click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))(command)


@click.command()
@folder_argument
def run(folder: Path) -> None:
    """Work off what people hand in to a contest.

    One runner is active; a second one waits and takes over when the first is gone. Every submission is checked in a
    process of its own, with the clock and the limits of contest.toml. What happens is told on stderr, a line of JSON
    each. Ctrl-C or SIGTERM lets the submission in work end, within a minute, and begins nothing more; what could not
    end waits for the next runner.

    \b
    arena contest run my-cup
    """
    contest = read_contest(folder, registry.games())
    enter_scope()
    take_over_warnings()
    stop = Stop()
    listen(stop)
    run_contest(contest, log_line, stop)


@click.command()
@folder_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 is everywhere.")
@click.option("--port", type=Whole(0, 65535), default=8000, show_default=True, help="The port to listen on.")
@click.option("--behind-proxy", is_flag=True, help="Believe the proxy in front of it where a request comes from.")
@click.option("--insecure", is_flag=True, help="Listen without https where others can reach it.")
def serve(folder: Path, host: str, port: int, behind_proxy: bool, insecure: bool) -> None:
    """Start all that a contest needs: its pages and its runner.

    Each is a process of its own, and is started again if it ends. As root the pages run under a user of their own, who
    can write no result. Ctrl-C or SIGTERM ends both: the submission in work is finished or waits for the next start.

    \b
    arena contest serve my-cup
    arena contest serve my-cup --behind-proxy              if a proxy has TLS
    arena contest serve my-cup --host 0.0.0.0 --insecure   where you trust all
    """
    contest = read_contest(folder, registry.games())
    try:
        from arena.service.server import check_exposure  # noqa: PLC0415  (see the message)
    except ModuleNotFoundError as error:
        raise UsageError(f"serving a contest needs more ({error.name}): {install_hint('contest')}") from error
    check_exposure(host, contest.settings.address, insecure=insecure)
    check_free(host, port)
    contest.open_people().dispose()  # before its files are given to whom they belong
    results = contest.open_results_to_write()  # kept open, see web_user
    take_over_warnings()
    stop = Stop()
    listen(stop)
    told = {"--behind-proxy": behind_proxy, "--insecure": insecure}
    address = ["--host", host, "--port", str(port), *(word for word, given in told.items() if given)]
    web = [sys.executable, "-P", "-m", "arena.service", str(contest.folder), *address]
    try:
        results.all_bots()  # a file is open only once it was read
        prepare_for_web(contest)
        plans = [
            Plan("web process", as_web(contest.folder, web)),
            Plan("runner", [sys.executable, "-P", "-m", "arena", "contest", "run", str(contest.folder)]),
        ]
        keep_running(plans, log_line, lambda: stop.asked)
    finally:
        results.close()
