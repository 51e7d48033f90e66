"""Images that are submitted, from the daemon and as archives, and a tournament among bots of both kinds."""

import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
from contextlib import closing

import pytest

from arena.errors import UsageError
from arena.intake import image_archive, image_storage
from arena.sandboxes.docker import image_builds
from arena.sandboxes.docker.client import DockerClient, NotFound
from arena.store.sql import Store
from tests.kits.contestants import SDK_IMAGE, arena, choosing, need_bubblewrap, need_image, write_bot

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="asks a docker daemon")]

PATIENT = ("--clock", "30s/move")


def packed(**files):
    """The bytes of a tar archive; double underscores in the names are dots."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            header = tarfile.TarInfo(name.replace("__", "."))
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))
    return buffer.getvalue()


LAYER = packed(bot__py=b"print()")
SETTINGS = {"config": {"Entrypoint": ["/bot"]}}


def saved(layers=(LAYER,), listed=None, settings=SETTINGS, **more):
    """The bytes of what `docker save` would write of such an image."""
    if isinstance(settings, dict):
        plain = [gzip.decompress(layer) if layer.startswith(b"\x1f\x8b") else layer for layer in layers]
        digests = [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in plain]
        settings = {"rootfs": {"type": "layers", "diff_ids": digests}, **settings}
    names = [f"{number}__tar" for number in range(len(layers))]
    entry = {"Config": "c.json", "RepoTags": ["evil:1"], "Layers": [name.replace("__", ".") for name in names]}
    manifest = [entry] if listed is None else listed
    parts = {"c__json": json.dumps(settings).encode(), "manifest__json": json.dumps(manifest).encode()}
    return packed(**{**parts, **dict(zip(names, layers)), **more})


def with_config(**config):
    return saved(settings={"config": {"Entrypoint": ["/bot"], **config}})


REFUSED = {
    "volumes": (lambda: with_config(Volumes={"/data": {}}), "declares volumes"),
    "workdir": (lambda: with_config(WorkingDir="/proc/self/fd/8"), "choose a folder of its own, such as /bot"),
    "workdir is none": (lambda: with_config(WorkingDir=["/x"]), "choose a folder such as /bot"),
    "nothing to run": (lambda: with_config(Entrypoint=None), "does not say what to run"),
    "two images": (lambda: saved(listed=[{}, {}]), "must hold exactly one image"),
    "no image": (lambda: saved(listed=[]), "must hold exactly one image"),
    "no list": (lambda: saved(listed={"Config": 7}), "must hold exactly one image"),
    "no layers": (lambda: saved(layers=()), "1 to 128 layers"),
    "too many layers": (lambda: saved(layers=[LAYER] * 129), "1 to 128 layers"),
    "missing layer": (
        lambda: saved(listed=[{"Config": "c.json", "Layers": ["x.tar"]}]),
        "'x.tar' of the image is missing",
    ),
    "path out": (
        lambda: saved(listed=[{"Config": "../../etc/passwd", "Layers": ["0.tar"]}]),
        "'../../etc/passwd' of the image is missing",
    ),
    "no JSON": (lambda: saved(c__json=b"{"), "is not valid JSON"),
    "deep JSON": (lambda: saved(c__json=b"[" * 100_000), "is not valid JSON"),
    "long JSON": (lambda: saved(manifest__json=b" " * (2 << 20)), "no image as `docker save` writes it"),
    "no settings": (lambda: saved(settings=[1]), "configuration of the image cannot be read"),
    "layer is nonsense": (lambda: saved(layers=[b"nonsense" * 100]), "not plain octal"),
    "layer is a bomb": (
        lambda: saved(layers=[gzip.compress(packed(x=bytes(60 << 20)))]),
        "a layer of i.tar unpacks to more than",
    ),
    "pipe in etc": (
        lambda: saved(layers=[special("etc/group", tarfile.FIFOTYPE)]),
        "a pipe, socket or device at /etc/g",
    ),
    "device in etc": (
        lambda: saved(layers=[special("./etc/x", tarfile.BLKTYPE)]),
        "a pipe, socket or device at /etc/x",
    ),
    "socket place": (lambda: saved(layers=[special("run/bot", tarfile.SYMTYPE)]), "a link at /run/bot"),
    "behind a link": (
        lambda: saved(layers=[special("a", tarfile.SYMTYPE), special("a/group", tarfile.DIRTYPE)]),
        "files below /a, which is not a folder",
    ),
    "layer says a lot": (lambda: saved(layers=[huge_layer()]), "unpacks to more than 4096 MiB"),
    "layer of another image": (
        lambda: saved(settings={**SETTINGS, "rootfs": {"diff_ids": ["sha256:" + "0" * 64]}}),
        "its layers are not those that its configuration names",
    ),
    "no digests": (lambda: saved(settings={**SETTINGS, "rootfs": 7}), "its layers are not those that"),
    "other system": (lambda: saved(settings={**SETTINGS, "os": "windows"}), "must hold an image for Linux"),
    "command is no list": (lambda: with_config(Cmd="rm -rf /"), "Cmd must be a list of words"),
    "command of numbers": (lambda: with_config(Entrypoint=[7]), "Entrypoint must be a list of words"),
    "NUL in a variable": (lambda: with_config(Env=["A=\0"]), "Env must be a list of words"),
    "long variable": (lambda: with_config(Env=["A=" + "x" * 70_000]), "more than 65536 characters"),
}


def special(name, kind):
    """A layer with one thing that is no file."""
    header = tarfile.TarInfo(name)
    header.type, header.linkname = kind, "etc" if kind == tarfile.SYMTYPE else ""
    return header.tobuf() + bytes(1024)


def huge_layer():
    header = tarfile.TarInfo("x")
    header.size = 50 << 30
    return header.tobuf() + bytes(512)


def load(path):
    return image_archive.load(path, working_folder=path.parent, tag="arena-test/never:1")


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_image_is_refused_before_the_engine_sees_it(name, tmp_path):
    make, complaint = REFUSED[name]
    (tmp_path / "i.tar").write_bytes(make())
    assert image_archive.holds_image(tmp_path / "i.tar", "bot.toml")
    with pytest.raises(UsageError, match=re.escape(complaint)):
        load(tmp_path / "i.tar")
    assert [path.name for path in tmp_path.iterdir()] == ["i.tar"]


def test_a_link_to_itself_is_no_layer(tmp_path):
    data = io.BytesIO(saved(listed=[{"Config": "c.json", "Layers": ["l"]}]))
    with tarfile.open(fileobj=data, mode="a") as archive:
        link = tarfile.TarInfo("l")
        link.type, link.linkname = tarfile.SYMTYPE, "l"
        archive.addfile(link)
    (tmp_path / "i.tar").write_bytes(data.getvalue())
    with pytest.raises(UsageError, match="'l' of the image is missing"):
        load(tmp_path / "i.tar")


@pytest.fixture
def client():
    need_image()
    with closing(DockerClient()) as opened:
        yield opened


@pytest.fixture
def image(client, tmp_path, monkeypatch):
    """An image of a bot of its own, and a store of its own; both are gone afterwards."""
    monkeypatch.setenv("ARENA_DB", str(tmp_path / "store/arena.db"))
    folder = write_bot(tmp_path / "imaged", choosing(f"return turn.legal[0]  # {os.getpid()} {tmp_path}"))
    (folder / "Dockerfile").write_text(
        f'FROM {SDK_IMAGE}\nCOPY . /bot\nENV PYTHONPATH=/opt/arena/site\nENTRYPOINT ["python3", "/bot/bot.py"]\n'
    )
    tag = f"arena-test/submitted:{os.getpid()}"
    built = image_builds.build(folder, tag=tag)
    yield tag, built.digest, folder
    for name in (tag, *map(image_storage.permanent_tag, registered(tmp_path))):
        subprocess.run(["docker", "image", "rm", "--force", name], capture_output=True, check=False)


def registered(folder):
    """The digests of the images that the store in this folder knows."""
    if not (folder / "store/arena.db").exists():
        return []
    with closing(Store(folder / "store/arena.db")) as store:
        return [bot.digest for bot in store.all_bots() if bot.kind == "image"]


def names_of(client, digest):
    try:
        return sorted(client.call(client.api.inspect_image, digest)["RepoTags"])
    except NotFound:
        return None


@pytest.mark.slow
def test_bots_of_both_kinds_play_a_tournament(client, image, tmp_path):
    need_bubblewrap()
    tag, original, folder = image
    first = arena("submit", tag, "--owner", "alice", "--name", "boxed", "--game", "claim", *PATIENT)
    assert first.exit_code == 0, first.output
    again = arena("submit", tag, "--owner", "alice", "--name", "boxed", "--game", "claim", *PATIENT)
    assert "exactly this is registered already" in again.output
    (digest,) = registered(tmp_path)
    assert names_of(client, digest) == [image_storage.permanent_tag(digest)]
    assert names_of(client, original) == [tag]
    assert arena("submit", folder, "--owner", "bob", "--name", "plain", *PATIENT).exit_code == 0
    listed = arena("bots", "list").output
    assert re.search(r"boxed .* image ", listed)
    assert re.search(r"plain .* folder ", listed)
    # The name may go elsewhere, and the folder may change: what was submitted is what plays.
    subprocess.run(["docker", "tag", SDK_IMAGE, tag], check=True)
    (folder / "bot.py").write_text("broken")
    played = arena("tournament", "--game", "claim", "--rounds", 1, *PATIENT)
    assert played.exit_code == 0, played.output
    store = Store(tmp_path / "store/arena.db")
    matches = store.matches(game="claim")
    store.close()
    assert [seat.ending for match in matches for seat in match.seats] == ["NORMAL"] * 4


@pytest.mark.slow
def test_an_archive_of_an_image_brings_no_names(client, image, tmp_path):
    tag, digest, _ = image
    stolen = f"arena-test/stolen:{os.getpid()}"
    try:
        subprocess.run(["docker", "tag", tag, stolen], check=True)
        subprocess.run(["docker", "save", "--output", tmp_path / "i.tar", stolen], check=True)
        subprocess.run(["docker", "image", "rm", tag, stolen], check=True, capture_output=True)
        subprocess.run(["docker", "tag", SDK_IMAGE, stolen], check=True)
        assert names_of(client, digest) is None
        refused = arena("submit", tmp_path / "i.tar", "--owner", "alice", "--name", "loaded", "--game", "rrr", *PATIENT)
        assert refused.exit_code == 2, refused.output
        assert "does not serve rrr" in refused.stderr
        assert names_of(client, digest) is None
        taken = arena("submit", tmp_path / "i.tar", "--owner", "alice", "--name", "loaded", "--game", "claim", *PATIENT)
        assert taken.exit_code == 0, taken.output
        assert names_of(client, digest) is None
        (kept,) = registered(tmp_path)
        assert names_of(client, kept) == [image_storage.permanent_tag(kept)]
        assert names_of(client, SDK_IMAGE) == names_of(client, stolen)
    finally:
        subprocess.run(["docker", "image", "rm", stolen], capture_output=True, check=False)


@pytest.mark.slow
def test_the_dockerfile_of_a_stranger_is_never_built(client, image, tmp_path):
    """Nor is anything kept of it: docker's builder is no sandbox."""
    _, _, folder = image
    ran = tmp_path / "ran"
    (folder / "Dockerfile").write_text(f"FROM {SDK_IMAGE}\nRUN touch {ran} && sleep 600\nCMD true\n")
    before = client.call(client.api.images, quiet=True, all=True)
    refused = arena("submit", folder, "--owner", "alice", "--sandbox", "docker", *PATIENT)
    assert refused.exit_code == 2, refused.output
    assert "Dockerfiles are not built here: submit an image as `docker save` writes it" in refused.stderr
    made = set(client.call(client.api.images, quiet=True, all=True)) - set(before)
    assert not [digest for digest in made if str(ran) in str(client.call(client.api.history, digest))]


@pytest.mark.slow
def test_an_image_that_was_kept_and_is_gone(image):
    tag, digest, _ = image
    subprocess.run(["docker", "image", "rm", "--force", tag], check=True, capture_output=True)
    gone = arena("match", "--game", "claim", "--bot", digest, "--bot", "random")
    assert gone.exit_code == 2
    assert "there is no image" in gone.stderr


@pytest.mark.slow
def test_names_of_a_killed_submission_are_swept(client, image):
    tag, _, _ = image
    left = f"{image_storage.REPOSITORY}:new-{os.stat('/proc/self/ns/pid').st_ino}-4194304-1"
    subprocess.run(["docker", "tag", tag, left], check=True)
    with image_storage.temporary_tag(client):
        assert left not in names_of(client, tag)


def test_an_image_must_say_who_it_is(client, tmp_path):
    where = ("--db", tmp_path / "arena.db", "--owner", "me")
    for words, complaint in (
        ((), "an image does not say who it is: give --name"),
        (("--name", "x"), "an image does not say what it plays: give --game"),
        (("--name", "x", "--game", "chess"), "there is no game 'chess'"),
    ):
        result = arena("submit", SDK_IMAGE, *where, *words)
        assert result.exit_code == 2
        assert complaint in result.stderr
