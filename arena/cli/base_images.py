"""`arena bot base`: builds the images that bots start from."""

import os
import subprocess
import sys
from collections.abc import Sequence

import click

from arena.bots.shipped import shipped
from arena.errors import InfraError

BASES = ("sdk", "node", "cpp", "go", "java")


@click.command()
@click.argument("bases", nargs=-1, type=click.Choice(BASES))
@click.option("--force", is_flag=True, help="Build them even if nothing has changed.")
def base(bases: Sequence[str], force: bool) -> None:
    """Build the images that bots start from: Debian with Python, and what BASES add to it.

    They are made of Debian's packages by mmdebstrap and docker, and come from no registry; sdk is for Python bots. What
    is up to date is left as it is. MIRROR=http://… names a Debian mirror of your own.

    \b
    arena bot base sdk
    arena bot base node cpp go java
    """
    script = shipped("docker") / "build-base.sh"
    options = [f"--{name}" for name in bases] + (["--force"] if force else [])
    # By bash and not by itself: a wheel does not keep the permission to run a file.
    done = subprocess.run(  # noqa: S603  (a script of ours, and options that were checked)
        ["/bin/bash", str(script), *options], env={**os.environ, "PYTHON": sys.executable}, check=False
    )
    if done.returncode:
        raise InfraError(f"the base images could not be built ({script} ended with code {done.returncode})")
