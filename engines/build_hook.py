"""Puts compiled rules into a wheel for this platform, if it is asked for.

    HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 pip wheel --no-deps .

Without that variable the wheel holds the sources alone and runs everywhere. ARENA_COMPILE_LEVEL=1 compiles faster and
makes slower rules.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledRules(BuildHookInterface[Any]):
    """Compiles before the wheel is written."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into a temporary folder, and add what is found there to the wheel; an editable one stays as it is."""
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        compiler = Path(self.root) / "engines" / "compiling.py"
        level = os.environ.get("ARENA_COMPILE_LEVEL", "3")
        subprocess.run(  # noqa: S603
            [sys.executable, compiler, "--into", self._folder.name, "--level", level], check=True
        )
        folder = Path(self._folder.name)
        made = [path for path in folder.rglob("*") if path.is_file()]
        build_data["force_include"] |= {str(path): path.relative_to(folder).as_posix() for path in made}
        build_data["pure_python"], build_data["infer_tag"] = False, True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if version != "editable":
            self._folder.cleanup()
