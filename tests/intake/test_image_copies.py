"""Copies of images: what docker is given is written by us, whatever bytes were handed in."""

import gzip
import hashlib
import io
import json
import os
import re
import tarfile
from contextlib import suppress

import pytest

from arena.errors import InfraError, UsageError
from arena.intake import image_archive
from arena.sandboxes.docker import image_files, images
from arena.sandboxes.docker.client import DockerClient
from arena.untrusted.streams import SizeLimited
from arena.untrusted.tar import Kind, Member, read_members
from arena.untrusted.units import MIB
from tests.intake.hostile_archives import END, extended, member, raw_header, tar
from tests.intake.hostile_layers import (
    AMBIGUOUS,
    DIR,
    FORBIDDEN,
    HARD,
    LINK,
    PIPE,
    bomb,
    entries,
    nul_then_octal,
    with_field,
)
from tests.kits.contestants import arena, need_image

pytestmark = pytest.mark.slow

DEV = tarfile.CHRTYPE


def saved(*layers, often=1, **config):
    """What `docker save` would write of an image with these layers and settings."""
    digests = [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers] * often
    names = [f"{number}/layer.tar" for number in range(len(layers))]
    configuration = {
        "architecture": "arm64", "os": "linux", "created": "2030-01-01T00:00:00Z", "author": "\x1b[2J",
        "config": {"Entrypoint": ["/bot"], **config}, "rootfs": {"type": "layers", "diff_ids": digests},
        "history": [{"created_by": "x" * 1000}], "container_config": {"Privileged": True},
    }  # fmt: skip
    listed = [{"Config": "c.json", "RepoTags": ["evil:1"], "Layers": names * often}]
    files = {"c.json": json.dumps(configuration).encode(), "manifest.json": json.dumps(listed).encode()}
    return tar(*(member(name, data=data) for name, data in [*files.items(), *zip(names, layers)]))


def copied(folder, packed, name="i.tar"):
    """The copy that is made of an archive, by the names in it, and what was said of it."""
    (folder / name).write_bytes(packed)
    said = image_archive.copy_image(str(folder / name), str(folder / f"{name}.copy"), ["i.tar", "in i.tar", "our:1"])
    with tarfile.open(folder / f"{name}.copy") as archive:
        return {part.name: archive.extractfile(part).read() for part in archive}, said


def stream(data):
    """These bytes, to be read from front to back."""
    return io.BufferedReader(SizeLimited(io.BytesIO(data), len(data), "it"))


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_what_could_be_read_in_two_ways_is_not_read(name):
    make, complaint = AMBIGUOUS[name]
    with pytest.raises(UsageError, match=re.escape(complaint)):
        list(read_members(stream(make()), "it"))


@pytest.mark.parametrize("name", [*AMBIGUOUS, *FORBIDDEN])
def test_a_layer_that_is_refused(name, tmp_path):
    make, complaint = {**AMBIGUOUS, **FORBIDDEN}[name]
    with pytest.raises(UsageError, match=re.escape(complaint)):
        copied(tmp_path, saved(make()))


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_honest_archives_are_read_as_python_reads_them(form):
    deep = "/".join(["folder"] * 14) + "/file"
    packed = tar(
        member("a", data=b"abc", mode=0o755), member("d", DIR), member("s", LINK, link="d/x"),
        member(deep, data=bytes(1000)), member("h", HARD, link="a"), form=form,
    )  # fmt: skip
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        expected = [(part.name, part.size, part.mode, part.linkname) for part in archive]
    found = [(part.name, part.size, part.mode, part.target) for part, _ in read_members(stream(packed), "it")]
    assert [(name.rstrip("/"), *rest) for name, *rest in found] == expected


def test_names_and_times_of_pax_headers_count_and_the_others_do_not():
    records = ((b"path", "é".encode() * 200), (b"mtime", b"12.75"), (b"SCHILY.xattr.user.x", b"\0\1"), (b"uid", b"7"))
    packed = extended(tarfile.XHDTYPE, *records) + raw_header(b"0", b"data") + END
    ((found, content),) = ((part, data.read()) for part, data in read_members(stream(packed), "it"))
    assert found == Member(name="é" * 200, kind=Kind.FILE, size=4, uid=7, modified=12)
    assert content == b"data"


def test_docker_is_given_plain_headers_of_ours_alone(tmp_path):
    capability = extended(tarfile.XHDTYPE, (b"SCHILY.xattr.security.capability", b"\1\0\0\2"), (b"mtime", b"-3.5"))
    layer = (
        capability + raw_header(b"0", b"su", "bin/su")
        + entries(
            member("./bin/mount", mode=0o6755, data=b"m" * 700), member("/etc/passwd", data=b"root"), member("./", DIR),
            member("tmp", DIR, mode=0o1777), member("dev/null", DEV), member("bin/sh", LINK, link="../../usr/bin/dash"),
            member("hard", HARD, link="./bin/mount"), member("n" * 300), member("usr/.wh.gone"),
            member("usr/.wh..wh..opq"), member("tmp", DIR, mode=0o1777),
        )
    )  # fmt: skip
    parts, said = copied(tmp_path, saved(layer))
    with tarfile.open(fileobj=io.BytesIO(parts["0.tar"]), format=tarfile.GNU_FORMAT) as archive:
        found = {part.name.removeprefix("./"): (part.mode, part.linkname) for part in archive}
        assert all(not part.pax_headers for part in archive)
        assert archive.getmember("./bin/su").mtime == 0
        assert archive.extractfile("./hard").read() == b"m" * 700
    assert found == {
        "bin/su": (0o644, ""), "bin/mount": (0o755, ""), "etc/passwd": (0o644, ""), "tmp": (0o1777, ""),
        "bin/sh": (0o644, "../../usr/bin/dash"), "hard": (0o644, "./bin/mount"), "n" * 300: (0o644, ""),
        "usr/.wh.gone": (0o644, ""), "usr/.wh..wh..opq": (0o644, ""),
    }  # fmt: skip
    assert b"SCHILY" not in parts["0.tar"]
    assert said["size"] == 2 + 700 + 4


@pytest.mark.parametrize("name", [b"\x1f\x8b\x08", b"BZh91AY&SY", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"{"])
def test_the_name_of_a_file_is_never_taken_for_a_compressed_layer(tmp_path, name):
    parts, _ = copied(tmp_path, saved(with_field(raw_header(b"0", b""), 0, b"./" + name + b"\0") + END))
    assert parts["0.tar"].startswith(b"./" + name)


SETTINGS = {
    "Cmd": ["--depth=4"], "Env": ["A=1"], "WorkingDir": "/bot", "User": "0", "ExposedPorts": {"80/tcp": {}},
    "OnBuild": ["RUN evil"], "Healthcheck": {"Test": ["CMD", "evil"]}, "StopSignal": "SIGINT", "Labels": {"a": "b"},
    "Shell": ["/evil"], "Hostname": "evil", "NetworkDisabled": False, "Domainname": "evil", "Image": "evil",
}  # fmt: skip


def test_of_the_settings_only_those_are_kept_that_a_bot_needs(tmp_path):
    parts, _ = copied(tmp_path, saved(entries(member("bot/main")), **SETTINGS))
    digest = f"sha256:{hashlib.sha256(parts['0.tar']).hexdigest()}"
    assert json.loads(parts["config.json"]) == {
        "architecture": "arm64", "os": "linux", "created": "1970-01-01T00:00:00Z",
        "config": {"Entrypoint": ["/bot"], "Cmd": ["--depth=4"], "Env": ["A=1"], "WorkingDir": "/bot"},
        "rootfs": {"type": "layers", "diff_ids": [digest]},
    }  # fmt: skip
    assert json.loads(parts["manifest.json"]) == [{"Config": "config.json", "RepoTags": ["our:1"], "Layers": ["0.tar"]}]


def test_a_copy_of_a_copy_is_the_same(tmp_path):
    first, _ = copied(tmp_path, saved(entries(member("bot/main")), timed_layer(), **SETTINGS))
    again, said = copied(tmp_path, (tmp_path / "i.tar.copy").read_bytes(), "again.tar")
    assert again == first
    assert said["source"] == f"sha256:{hashlib.sha256(first['config.json']).hexdigest()}"


def timed_layer():
    return extended(tarfile.XHDTYPE, (b"mtime", b"7.5")) + raw_header(b"0", b"data", "later") + END


def test_an_archive_of_nothing_that_is_large_for_docker_is_refused(tmp_path):
    """Of 6 GiB packed twice 10 KB are left. Python's tarfile saw an empty file, and the daemon unpacked all of it."""
    layer = bomb(mib=64)
    configuration = json.dumps({"config": {"Entrypoint": ["/x"]}, "rootfs": {"diff_ids": ["sha256:" + "0" * 64]}})
    listed = b'[{"Config": "c.json", "Layers": ["0.tar"]}]'
    files = {"c.json": configuration.encode(), "manifest.json": listed, "0.tar": layer}
    (tmp_path / "i.tar").write_bytes(gzip.compress(tar(*(member(name, data=data) for name, data in files.items()))))
    assert (tmp_path / "i.tar").stat().st_size < 3_000
    with pytest.raises(UsageError, match="not plain octal"):
        image_archive.load(tmp_path / "i.tar", working_folder=tmp_path, tag="arena-test/never:1")
    assert [path.name for path in tmp_path.iterdir()] == ["i.tar"]


def test_a_layer_that_is_listed_often_counts_as_often(tmp_path, monkeypatch):
    """The daemon unpacks it each time."""
    monkeypatch.setattr(images, "MAX_IMAGE_BYTES", 10 << 20)
    copied(tmp_path, saved(entries(member("x", data=bytes(1 << 20))), often=10), "ten.tar")
    with pytest.raises(UsageError, match="unpacks to more than 10 MiB"):
        copied(tmp_path, saved(entries(member("x", data=bytes(1 << 20))), often=11))


def test_of_two_members_with_one_name_none_is_believed(tmp_path):
    files = [("manifest.json", b"[]"), ("manifest.json", b"{}")]
    with pytest.raises(UsageError, match=r"'manifest\.json' is there twice"):
        copied(tmp_path, tar(*(member(name, data=data) for name, data in files)))


@pytest.mark.real(reason="asks a docker daemon")
def test_docker_must_have_room_for_it():
    need_image()
    with DockerClient() as client:
        image_archive.check_room(client, 1)
        with pytest.raises(InfraError, match=r"docker has \d+ MiB left in .*: make room"):
            image_archive.check_room(client, 1 << 60)


def test_a_layer_that_begins_like_json_is_looked_through_or_refused():
    """Daemons from 25 on write layers beside JSON files, and the first bytes of a layer are the name of a file."""
    layers = {"blobs/sha256/a": entries(member("bot")), "blobs/sha256/b": raw_header(b"0", b"", "{") + PIPE + END}
    listed = json.dumps([{"Config": "blobs/sha256/c", "RepoTags": [], "Layers": list(layers)}]).encode()
    files = {**layers, "blobs/sha256/c": b"{}", "manifest.json": listed}
    with pytest.raises(UsageError, match="its layer blobs/sha256/b is hidden"):
        image_files.check_saved("it", stream(tar(*(member(name, data=data) for name, data in files.items()))), "", MIB)
    files["blobs/sha256/b"] = entries(member("x"))
    image_files.check_saved("it", stream(tar(*(member(name, data=data) for name, data in files.items()))), "", MIB)


@pytest.mark.real(reason="asks a docker daemon")
def test_an_image_that_hides_a_pipe_from_python_is_refused_for_a_user_of_docker_too(tmp_path, monkeypatch):
    """The daemon writes out the layer as it was handed in. Never start it: it would hang the daemon."""
    need_image()
    tag = "arena-test/hidden", str(os.getpid())
    name = ":".join(tag)
    with DockerClient(60) as client:
        client.call(client.api.import_image_from_data, nul_then_octal(), *tag, changes=['CMD ["/bot"]'])
        try:
            with pytest.raises(UsageError, match="a pipe, socket or device at /etc/group"):
                images.resolve(client, name)  # the daemon has unpacked it
            # As for a user who may talk to the daemon but not read its folders.
            monkeypatch.setattr(image_files, "check_directories", forbidden)
            with pytest.raises(UsageError, match="not plain octal"):
                images.resolve(client, name)
            refused = arena(
                "submit", name, "--owner", "me", "--name", "x", "--game", "claim", "--db", tmp_path / "a.db"
            )
            assert refused.exit_code == 2
            assert f"a layer of the image {name} has a number in a header that is not plain octal" in refused.stderr
        finally:
            with suppress(InfraError):
                client.call(client.api.remove_image, name)


def forbidden(*_):
    raise PermissionError
