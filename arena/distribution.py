"""What Arena is called where Python packages are installed, and how more of it is installed.

On package indexes the names `arena` and `engines` belong to other people, and ours is not there yet: so every
instruction names the folder, the wheel or the repository from which Arena came.
"""

import shlex
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "botarena"
_CHECKOUT = Path(__file__).resolve().parents[1]


def install_hint(extra: str) -> str:
    """The command that installs an extra of this very Arena."""
    if (_CHECKOUT / "pyproject.toml").is_file():
        return f"pip install -e {shlex.quote(f'{_CHECKOUT}[{extra}]')}"
    return f"pip install {shlex.quote(_requirement(extra))}"


def version() -> str:
    """The version that is installed."""
    from importlib import metadata  # noqa: PLC0415  (a bot that starts does not need it)

    try:
        return metadata.version(NAME)
    except metadata.PackageNotFoundError:
        return "unknown (checkout, not installed)"


def _requirement(extra: str) -> str:
    match _direct_url():
        case {"url": str(url), "vcs_info": {"vcs": str(vcs), "commit_id": str(commit)}}:
            return f"{NAME}[{extra}] @ {vcs}+{url}@{commit}"
        case {"url": str(url)} if url.startswith("file:"):
            return f"{unquote(urlsplit(url).path)}[{extra}]"
        case {"url": str(url)}:
            return f"{NAME}[{extra}] @ {url}"
    return f"/path/to/{NAME}.whl[{extra}]"


def _direct_url() -> object:
    """What the installer noted about the place from which Arena came, if it was not an index."""
    import json  # noqa: PLC0415  (see above)
    from importlib import metadata  # noqa: PLC0415

    try:
        return json.loads(metadata.distribution(NAME).read_text("direct_url.json") or "null")
    except (metadata.PackageNotFoundError, ValueError):
        return None
