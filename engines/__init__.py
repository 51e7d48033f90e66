"""The games that come with Arena, one package each.

The rules may be compiled (`make compile`): the same sources, twice as fast or more. A compiled module is used only
if it was made of the source that lies beside it.
"""

from pathlib import Path

from arena.errors import RegistryError

BELONGS_TO = "arena"
"""`arena/registry.py` checks this mark, because other packages are called `engines` too."""
FOLDER = Path(__file__).parent


def compiled(folder: Path = FOLDER) -> bool:
    """Whether the rules are compiled; RegistryError if the compiled ones are not those of the sources."""
    if not any(folder.glob("*/*.so")):
        return False
    from engines.compiling import DIGESTS, RULES, digest_of  # noqa: PLC0415  (interpreted rules start without it)

    recorded = folder / DIGESTS
    lines = recorded.read_text(encoding="utf-8").split() if recorded.exists() else []
    digests = dict(zip(lines[1::2], lines[::2]))
    for module in RULES:
        if digests.get(module) != digest_of(folder, module):
            raise RegistryError(
                f"the compiled {module} is older than its source: run `make compile` again, or `make interpret`"
            )
    return True


compiled()
