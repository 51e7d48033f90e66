"""Completion in a shell: the script, and the words that it gets."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kits.contestants import arena

pytestmark = pytest.mark.slow

PROGRAM = Path(sys.executable).parent / "arena"


@pytest.mark.parametrize(
    ("shell", "sign"), [("bash", "complete -o"), ("zsh", "#compdef arena"), ("fish", "complete --")]
)
def test_the_script_calls_arena(shell, sign):
    if shell == "bash" and not shutil.which("bash"):
        pytest.skip("there is no bash")
    printed = arena("completion", shell)
    assert printed.exit_code == 0, printed.output
    assert sign in printed.stdout
    assert "_ARENA_COMPLETE" in printed.stdout


@pytest.mark.parametrize(
    ("words", "wanted"),
    [("arena pl", "play"), ("arena replay sh", "show"), ("arena match --se", "--seed"), ("arena completion f", "fish")],
)
def test_words_are_completed(words, wanted):
    asked = {"_ARENA_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        [PROGRAM], env={**os.environ, **asked}, capture_output=True, text=True, timeout=60, check=False
    )
    assert f"plain,{wanted}" in done.stdout.split()


def test_an_unknown_shell_is_one_sentence():
    refused = arena("completion", "dos")
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
