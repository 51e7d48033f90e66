"""Long builds are seen to go on."""

from io import StringIO

import pytest

from arena.cli.build_progress import build_status
from arena.cli.output import plain_console
from arena.errors import UsageError
from arena.sandboxes.docker.image_builds import _read_build_output


def test_a_file_gets_a_line_per_step(capsys):
    with build_status("building mine") as report:
        report("Step 1/2 : FROM base")
    assert capsys.readouterr().err.splitlines() == ["building mine …", "Step 1/2 : FROM base"]


def test_a_terminal_shows_the_step_and_the_time():
    console = plain_console(file=StringIO(), force_terminal=True, width=80)
    with build_status("building [mine]", console) as report:
        report("Step 2/2 : COPY . [/bot]")
    shown = console.file.getvalue()
    assert "building [mine]" in shown
    assert "Step 2/2 : COPY . [/bot]" in shown
    assert "0:00:0" in shown


def test_the_steps_of_an_image_are_reported_as_they_come():
    said = []
    events = [{"stream": "Step 1/2 : FROM base"}, {"stream": "\n"}, {"stream": " ---> 0123456789ab\n"}, {"aux": {}},
              {"stream": "Step 2/2 : RUN make"}]  # fmt: skip
    steps = []
    _read_build_output(events, steps, said.append)
    assert said == ["Step 1/2 : FROM base", "Step 2/2 : RUN make"]
    assert steps == ["0123456789ab"]
    with pytest.raises(UsageError, match="cannot be built: no"):
        _read_build_output([{"error": "no"}], [], said.append)
