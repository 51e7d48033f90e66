"""The files and commands on a page of the documentation."""

import re

BLOCK = re.compile(r"^```(\w*) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(text):
    """The files to write and the commands to run, in order; a comment behind a command is left out."""
    for _, path, content in BLOCK.findall(text):
        if path:
            yield "write", path, content
        else:
            lines = [line.removeprefix("$ ") for line in content.splitlines() if line.startswith("$ ")]
            yield from (("run", re.sub(r"\s+# .*", "", line), "") for line in lines)
