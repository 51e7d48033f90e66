"""What a user may call a bot, and what a bot.toml may say."""

from pathlib import Path

import pytest

from arena.bots import Builtin, Folder, Image, Manifest, Remote, checked_name, locate, read_manifest
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
        ({"name": '"x'}, "no valid TOML"),
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
