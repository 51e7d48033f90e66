"""`arena submit --server`: a bot is packed, sent to a contest, and followed until it is decided there."""

import tarfile
import tempfile
from pathlib import Path
from typing import IO

from arena.bots.files import folder_files
from arena.cli.output import echo, print_json, warn
from arena.cli.server_client import Server
from arena.errors import InfraError, UsageError
from arena.intake.packing import plain
from arena.untrusted.filetree import map_read_errors


def submit_there(url: str, thing: str, *, wish: dict[str, str | None], as_json: bool) -> None:
    """Hand a folder or archive in and tell what becomes of it; UsageError if it is refused, InfraError if it fails."""
    server, path = Server(url), Path(thing)
    with map_read_errors(thing), _archive(path) as packed:
        name = f"{path.resolve().name}.tar.gz" if path.is_dir() else path.name
        made = server.post("/submissions", packed, file=name, **wish)
    for step in server.follow(made["id"]):
        echo(f"{step['state']}: {step['text']}", err=as_json)
    found = server.ask(f"/submissions/{made['id']}")
    if as_json:
        print_json(found)
    elif found["output"]:
        warn(f"--- the bot's last output ---\n{found['output']}\n---")
    if found["state"] != "registered":
        kind = InfraError if found["state"] == "failed" else UsageError
        raise kind(f"submission {found['id']} is {found['state']}{': ' if found['reason'] else ''}{found['reason']}")


def _archive(path: Path) -> IO[bytes]:
    """An archive as it is, and a folder packed with the files that are the bot."""
    if path.is_file():
        return path.open("rb")
    if not path.is_dir():
        raise UsageError(f"there is no folder or archive {str(path)!r}: hand an image in as `docker save` writes it")
    packed = tempfile.TemporaryFile()  # noqa: SIM115  (closed by the caller, and gone then)
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for file in folder_files(path):
            archive.add(file, file.relative_to(path).as_posix(), recursive=False, filter=plain)
    packed.seek(0)
    return packed
