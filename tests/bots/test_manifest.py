"""What a user may call a bot, and what a bot.toml may say."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.bots.manifest import Builtin, Folder, Image, Manifest, Remote, checked_name, locate, read_manifest
from arena.errors import UsageError

GOOD = {"name": '"my-bot"', "version": '"1.0"', "games": '["claim"]', "command": '["python3", "bot.py"]'}


def write(folder: Path, **changes: str) -> Path:
    lines = [f"{key} = {value}" for key, value in {**GOOD, **changes}.items() if value]
    (folder / "bot.toml").write_text("\n".join(lines))
    return folder


def test_a_folder_is_read(tmp_path):
    manifest = Manifest("my-bot", "1.0", ("claim",), ("python3", "bot.py"))
    assert read_manifest(write(tmp_path)) == manifest
    assert locate(str(tmp_path), ["random"]) == Folder(tmp_path, manifest)


def test_a_bot_may_ask_for_the_rules(tmp_path):
    assert not read_manifest(write(tmp_path)).rules
    assert read_manifest(write(tmp_path, rules="true")).rules


def test_an_image_may_stand_for_the_command(tmp_path):
    manifest = read_manifest(write(tmp_path, command="", image='"my-bot:1"'))
    assert (manifest.command, manifest.image) == ((), "my-bot:1")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"name": ""}, "name must be"),
        ({"command": '["python3", "bot.py\\u0000"]'}, "command must not contain the character NUL"),
        ({"build": '["make\\u0000"]'}, "build must not contain the character NUL"),
        ({"name": "7"}, "name must be"),
        ({"name": '"<script>"'}, "name must be"),
        ({"version": '""'}, "version must be"),
        ({"games": '"claim"'}, "games must be a list"),
        ({"games": "[]"}, "games must be a list"),
        ({"command": '["python3", 7]'}, "command must be a list"),
        ({"command": ""}, "command must be a list"),
        ({"image": '"my-bot"'}, "a command or an image, not both"),
        ({"command": "", "image": '"-v /:/host"'}, "image must be the name"),
        ({"rules": '"yes"'}, "rules must be true or false"),
        ({"command": "", "image": '"my-bot"', "rules": "true"}, "an image starts the rules itself"),
        ({"colour": '"red"'}, "unknown key 'colour'"),
        ({"name": '"x'}, "not valid TOML"),
    ],
)
def test_a_bad_manifest_is_refused_with_the_reason(tmp_path, changes, complaint):
    with pytest.raises(UsageError, match=complaint):
        read_manifest(write(tmp_path, **changes))


def test_a_folder_without_a_manifest_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"has no bot\.toml"):
        locate(str(tmp_path), [])


@pytest.mark.parametrize(
    "name",
    ["", " ", "<script>alert(1)</script>", '"onload=x', "{{7*7}}", "=cmd()", "../up", "a/b", "-rf", ".hidden",
     "\u202eevil", "x" * 41, "a\nb", "a\0b", "ä", 7, None],
)  # fmt: skip
def test_names_that_something_might_obey_are_refused(name):
    with pytest.raises(UsageError, match="must be 1 to 40"):
        checked_name(name, "name")


def test_other_kinds_of_bots():
    assert locate("random", ["random"]) == Builtin("random")
    assert locate("grpc://127.0.0.1:5000", []) == Remote("127.0.0.1", 5000)
    assert locate("grpc://[::1]:5000", []) == Remote("::1", 5000)
    assert locate("arena-bot/my-bot:1", []) == Image("arena-bot/my-bot:1")
    assert locate("my-bot@sha256:00ff", []) == Image("my-bot@sha256:00ff")


@pytest.mark.parametrize("text", ["grpc://", "grpc://host", "grpc://host:0", "grpc://host:99999", "grpc:host:1"])
def test_a_bad_address_is_refused(text):
    with pytest.raises(UsageError, match="write grpc://host:port"):
        locate(text, [])


@pytest.mark.parametrize("text", ["./nothing", "/nothing/there", "Upper Case", "--privileged", ""])
def test_what_is_no_bot_is_refused(text):
    with pytest.raises(UsageError, match="there is no bot"):
        locate(text, ["random"])


# -- a bot.toml that is dear to parse --------------------------------------------------------------------------

PIECES = st.sampled_from([
    "a", "a.", "'a'.", '"a".', "[", "]", "[[", "]]", "{", "}", "=", " = ", "\n", ",", '"', "'", '"""', "'''", "#", "_",
    "\\", "\\u0041", "1", "0x", "f", "9" * 50, "1e9", "1979-05-27", "T07:32:00", ".", "true", "inf", " ", "é",
])  # fmt: skip
SPENDTHRIFT = """
import resource, sys
from pathlib import Path
from arena.bots.manifest import read_manifest
from arena.errors import UsageError
pages = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (pages + (48 << 20),) * 2)
resource.setrlimit(resource.RLIMIT_CPU, (10 + 2 * len(sys.argv),) * 2)
for name in sys.argv[1:]:
    try:
        read_manifest(Path(name))
    except UsageError:
        pass
"""


def spend(folder, texts):
    """Read all these manifests in one process with little memory and time; what it says if that was not enough."""
    folders = [folder / str(number) for number in range(len(texts))]
    for place, text in zip(folders, texts):
        place.mkdir()
        (place / "bot.toml").write_bytes(text.encode()[:16384])
    done = subprocess.run(
        [sys.executable, "-c", SPENDTHRIFT, *map(str, folders)], capture_output=True, text=True, check=False
    )
    return (done.returncode, done.stderr)


REPEATED = st.builds(lambda pieces, times: "".join(pieces) * times, st.lists(PIECES, max_size=4), st.integers(1, 9000))
TEXTS = st.builds("\n".join, st.lists(REPEATED, max_size=4))


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(st.lists(TEXTS, min_size=40, max_size=40))
def test_no_manifest_is_parsed_that_is_dear(tmp_path_factory, texts):
    """Repeated pieces of TOML, as long as a manifest may be, in 48 MiB beside what Python needs."""
    assert spend(tmp_path_factory.mktemp("dear"), texts) == (0, "")


def worst_manifests():
    """The dearest that the limits let through: keys of as many parts as a line may have, under a header of as many."""
    dotted = ".".join(["a"] * 257)
    yield "\n".join([f"[{dotted}]", *(f"{dotted[4:]}.b{number} = 1" for number in range(30))])
    yield "\n".join(f"[[{dotted}]]" for _ in range(31))
    yield "\n".join(f"{number:03}.{dotted[4:]} = 1" for number in range(31))
    yield "a = " + "[" * 16_000
    yield "a = " + "{a=" * 5000
    yield "a = [" + "{}," * 5400
    yield 'a = "' + "\\t" * 8000 + '"'
    yield "\n".join(f"k{number}=1" for number in range(2000))


def test_the_dearest_manifests_stay_cheap(tmp_path):
    assert spend(tmp_path, list(worst_manifests())) == (0, "")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"name": "9" * 5000}, "not valid TOML"),
        ({"name": "0x" + "f" * 9000}, "name must be 1 to 40 .* not a value of type int that is too long"),
        ({"rules": "0x" + "f" * 9000}, "rules must be true or false, not a value of type int"),
        ({"a.a" * 300: "1"}, "more than 256 dots in one line"),
        ({"k" * 9000: "1"}, "unknown key 'kkk"),
        ({"name": '"' + "x" * 17_000 + '"'}, "longer than 16 KiB"),
    ],
)
def test_a_dear_manifest_is_refused_in_a_short_sentence(tmp_path, changes, complaint):
    with pytest.raises(UsageError, match=complaint) as caught:
        read_manifest(write(tmp_path, **changes))
    assert len(str(caught.value)) < 400 + len(str(tmp_path))
