"""Compile the rules of the games with mypyc and put the modules beside their sources: `make compile`.

The sources stay what is read, tested and changed. `engines/__init__.py` refuses a compiled module whose source has
changed since; so this file is run as a program of its own, which does not import the package. `--remove` goes back to
the interpreter, and `--into FOLDER` leaves the modules of the checkout alone.
"""

import argparse
import os
import shutil
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
RULES = (
    "arena.rng",
    "engines.assassins.board",
    "engines.assassins.moves",
    "engines.assassins.rules",
    "engines.claim.rules",
    "engines.kingdoms.cards",
    "engines.kingdoms.holding",
    "engines.kingdoms.scoring",
    "engines.kingdoms.table",
    "engines.kingdoms.rules",
    "engines.rrr.tiles",
    "engines.rrr.moves",
    "engines.rrr.table",
    "engines.rrr.supply",
    "engines.rrr.powers",
    "engines.rrr.placements",
    "engines.rrr.rules",
)
"""The modules that are compiled: the rules, and the shuffling that every deal begins with."""
DIGESTS = "COMPILED"
"""The file with the digest of every source at the time when it was compiled; absent if none is."""


def digest_of(folder: Path, module: str) -> str:
    """The digest of the source of a module, in this folder of engines or beside it."""
    return sha256(folder.parent.joinpath(*module.split(".")).with_suffix(".py").read_bytes()).hexdigest()


def sources() -> dict[str, list[str]]:
    """The modules that are compiled, by package."""
    found: dict[str, list[str]] = {}
    for name in RULES:
        found.setdefault(name.rpartition(".")[0], []).append(name.replace(".", "/") + ".py")
    return found


def build(folder: Path, level: str) -> None:
    """Compile the copies of the sources in this folder in place: one look at all types, then the games side by side."""
    from mypyc.build import mypycify  # noqa: PLC0415  (only who compiles needs a compiler)
    from setuptools import setup  # noqa: PLC0415

    os.chdir(folder)
    sys.path.insert(0, str(folder))
    groups: list[tuple[list[str], str | None]]
    groups = [(paths, f"{package}.compiled") for package, paths in sources().items()]
    paths = [path for group, _ in groups for path in group]
    extensions = mypycify(["--config-file=mypy.toml", *paths], separate=groups, opt_level=level)
    words = ["-q", "build_ext", "--inplace", f"--parallel={os.cpu_count() or 1}"]
    setup(name="engines", packages=[], ext_modules=extensions, script_args=words)


def stage(folder: Path) -> None:
    """Copy what the compiler reads; the project's own file would make setuptools build the project."""
    for package in ("arena", "engines"):
        ignored = shutil.ignore_patterns("__pycache__", "*.so", DIGESTS)
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder / "mypy.toml")


def compiled_modules(folder: Path) -> list[Path]:
    """The files of the compiled modules in this folder."""
    return [path for package in sources() for path in folder.joinpath(*package.split(".")).glob("*.so")]


def remove(folder: Path) -> None:
    for path in [*compiled_modules(folder), folder / "engines" / DIGESTS]:
        path.unlink(missing_ok=True)


def compile_into(target: Path, level: str) -> None:
    """Compile in a temporary copy, then replace what was compiled before in the engines of this folder."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        stage(folder)
        build(folder, level)
        os.chdir(target)
        remove(target)
        for path in compiled_modules(folder):
            place = target / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
        lines = [f"{digest_of(folder / 'engines', module)}  {module}\n" for module in RULES]
        (target / "engines" / DIGESTS).write_text("".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compile the rules of the games, or go back to the interpreter.")
    parser.add_argument("--remove", action="store_true", help="remove what was compiled")
    parser.add_argument("--into", type=Path, default=ROOT, help="the folder whose packages get the modules")
    parser.add_argument("--level", choices="0123", default="3", help="how hard the C compiler tries to make them fast")
    arguments = parser.parse_args()
    if arguments.remove:
        remove(arguments.into)
    else:
        compile_into(arguments.into.resolve(), arguments.level)


if __name__ == "__main__":
    main()
