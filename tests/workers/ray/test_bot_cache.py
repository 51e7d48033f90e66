"""Bots on a node: the same digest after the journey, kept while somebody holds them, and gone afterwards."""

import hashlib
import io
import json
import os
import shutil
import socket
import subprocess
import tarfile
import time
from dataclasses import replace

import pytest

from arena.bots.files import folder_digest
from arena.bots.launch import BotPlan, SandboxOptions
from arena.bots.manifest import Builtin, Folder, Image, read_manifest
from arena.errors import InfraError, UsageError
from arena.match import Contestant
from arena.sandboxes.base import Limits
from arena.sandboxes.docker.client import DockerClient
from arena.workers.ray.bot_archives import pack_folder, pack_image
from arena.workers.ray.bot_cache import BotCache
from arena.workers.ray.bot_registry import find_reference
from tests.kits.contestants import write_bot
from tests.kits.needs import need

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a process is killed, and a docker daemon asked")]

OPTIONS = SandboxOptions("process", Limits(), ponder=False)


@pytest.fixture
def bot(tmp_path):
    folder = write_bot(tmp_path / "bot", "print('hello')")
    (folder / "data").mkdir()
    (folder / "data/run").write_text("#!/bin/sh\n")
    (folder / "data/run").chmod(0o700)
    (folder / "link").symlink_to("data/run")
    return BotPlan(Contestant("bot", "1", folder_digest(folder)), Folder(folder, read_manifest(folder)), OPTIONS)


def test_the_same_files_give_the_same_archive_whatever_their_times(bot):
    before = list(pack_folder(bot.source.path))
    (bot.source.path / "bot.py").touch()
    assert list(pack_folder(bot.source.path)) == before


def test_what_is_no_part_of_a_bot_is_not_sent(bot):
    before = list(pack_folder(bot.source.path))
    (bot.source.path / ".git").mkdir()
    (bot.source.path / ".git/HEAD").touch()
    (bot.source.path / "bot.py~").touch()
    assert list(pack_folder(bot.source.path)) == before


def test_a_bot_is_fetched_once_kept_while_it_is_held_and_removed_when_it_is_not(bot, tmp_path):
    first, second = BotCache(tmp_path / "node"), BotCache(tmp_path / "node")
    assert first.lease([bot, BotPlan(Contestant("random"), Builtin("random"), OPTIONS)]) == (bot.contestant.digest,)
    first.add(bot, pack_folder(bot.source.path))
    here = first.localized(bot).source.path
    assert here.is_relative_to(tmp_path / "node")
    assert folder_digest(here) == bot.contestant.digest
    assert second.lease([bot]) == ()
    first.release()
    assert here.is_dir()
    second.release()
    assert [path.name for path in (tmp_path / "node").iterdir()] == [".lock"]


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_bot_that_was_damaged_on_the_node_is_sent_again(bot, tmp_path, damage):
    first, second = BotCache(tmp_path / "node"), BotCache(tmp_path / "node")
    first.lease([bot])
    first.add(bot, pack_folder(bot.source.path))
    here = first.localized(bot).source.path
    here.chmod(0o755)
    (here / "bot.py").unlink()
    if damage == "changed":
        (here / "bot.py").write_text("print('HELLO')")
    assert second.lease([bot]) == (bot.contestant.digest,)
    second.add(bot, pack_folder(bot.source.path))
    assert folder_digest(here) == bot.contestant.digest
    assert second.lease([bot]) == ()


def test_what_a_killed_process_held_is_removed_by_the_next_one(bot, tmp_path):
    pid = os.fork()
    if not pid:
        cache = BotCache(tmp_path / "node")
        cache.lease([bot])
        cache.add(bot, pack_folder(bot.source.path))
        os._exit(0)  # with its lease
    assert os.waitpid(pid, 0)[1] == 0
    other = BotCache(tmp_path / "node")
    here = other.localized(bot).source.path
    assert here.is_dir()
    other.lease([])
    assert not here.exists()


def test_something_else_than_the_digest_says_is_refused(bot, tmp_path):
    cache, wrong = BotCache(tmp_path / "node"), write_bot(tmp_path / "wrong", "print('other')")
    cache.lease([bot])
    with pytest.raises(InfraError, match="is not what its digest says, as it arrived on this node"):
        cache.add(bot, pack_folder(wrong))
    assert not cache.localized(bot).source.path.exists()
    with pytest.raises(InfraError):
        cache.add(bot, [b"no archive"])


def test_an_image_is_loaded_under_a_tag_of_the_node_and_removed_when_nobody_holds_it(tmp_path):
    need_docker()
    packed, digest = tiny_image(str(tmp_path))
    bot = BotPlan(Contestant("bot", "1", digest), Image(digest), replace(OPTIONS, sandbox="docker"))
    first = BotCache(tmp_path / "node")
    assert first.lease([bot]) == (digest,)
    first.add(bot, [packed])
    assert BotCache(tmp_path / "other").lease([bot]) == ()
    here = first.localized(bot).source.reference
    assert here == f"arena-node:{digest.removeprefix('sha256:')}"
    with DockerClient() as client:
        loaded = client.api.inspect_image(here)
        kept = loaded["Id"]
        # The node loads a copy of its own, never the bytes that were sent; a copy of a copy is the same image.
        assert kept != digest
        assert loaded["Config"]["Entrypoint"] == ["/bot"]
    submitted = BotPlan(Contestant("bot", "1", kept), Image(kept), bot.sandbox_options)
    again = list(pack_image(kept))
    first.release()
    second = BotCache(tmp_path / "node")
    assert second.lease([bot, submitted]) == (digest, kept)
    second.add(submitted, again)
    with DockerClient() as client:
        assert client.api.inspect_image(second.localized(submitted).source.reference)["Id"] == kept
    second.release()
    assert BotCache(tmp_path / "node").lease([bot, submitted]) == (digest, kept)


def test_an_image_that_is_not_what_its_digest_says_is_not_kept(tmp_path):
    need_docker()
    (packed, _), (_, other) = tiny_image(str(tmp_path)), tiny_image("another")
    bot = BotPlan(Contestant("bot", "1", other), Image(other), replace(OPTIONS, sandbox="docker"))
    cache = BotCache(tmp_path / "node")
    cache.lease([bot])
    with pytest.raises(InfraError, match="arrived with another digest"):
        cache.add(bot, [packed])
    assert BotCache(tmp_path / "node").lease([bot]) == (other,)


class Registry:
    """A registry on this machine."""

    def __init__(self, folder):
        program = shutil.which("docker-registry")
        need(None if program else "a registry is not installed: apt-get install docker-registry")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        config = {
            "version": 0.1, "log": {"level": "error"}, "http": {"addr": self.address},
            "storage": {"filesystem": {"rootdirectory": str(folder / "images")}},
        }  # fmt: skip
        (folder / "registry.yml").write_text(json.dumps(config))
        with (folder / "registry.log").open("wb") as log:
            self.process = subprocess.Popen([program, "serve", folder / "registry.yml"], stdout=log, stderr=log)

    def push(self, client, digest, name):
        """Put an image of the daemon into it; the daemon remembers its name there."""
        client.api.tag(digest, f"{self.address}/{name}", "1")
        for _ in range(100):  # until the registry listens
            steps = list(client.api.push(f"{self.address}/{name}", "1", stream=True, decode=True))
            if not (errors := [step for step in steps if "error" in step]):
                return
            time.sleep(0.1)
        raise AssertionError(errors)


@pytest.fixture
def registry(tmp_path):
    need_docker()
    running = Registry(tmp_path)
    yield running
    running.process.kill()
    running.process.wait()


def test_an_image_is_pulled_by_its_digest_and_removed_when_nobody_holds_it(tmp_path, registry):
    (packed, digest), (_, other) = tiny_image(str(tmp_path)), tiny_image("another")
    bot = BotPlan(Contestant("bot", "1", digest), Image(digest), replace(OPTIONS, sandbox="docker"))
    with DockerClient(60) as client:
        client.api.load_image(packed)
        with pytest.raises(UsageError, match=f"not in the registry {registry.address}: tag it for there and"):
            find_reference(digest, registry.address)
        registry.push(client, digest, "cup/bot")
        reference = find_reference(digest, registry.address)
        assert reference.startswith(f"{registry.address}/cup/bot@sha256:")
        client.api.remove_image(digest, force=True)

        cache = BotCache(tmp_path / "node")
        assert cache.lease([bot]) == (digest,)
        cache.pull(bot, reference)
        found = client.api.inspect_image(digest)
        assert [name.partition(":")[0] for name in found["RepoTags"]] == ["arena-node"]
        assert BotCache(tmp_path / "other").lease([bot]) == ()
        cache.release()
        assert BotCache(tmp_path / "node").lease([bot]) == (digest,)

    for wrong, why in {
        f"{registry.address}/cup/bot:1": "only name@sha256",
        f"{registry.address}/cup/bot": "only name@sha256",
        f"{registry.address}/cup/other@{digest}": "cannot be pulled|docker: ",
        reference.replace(registry.address, "127.0.0.1:1"): "docker: ",
    }.items():
        with pytest.raises(InfraError, match=why):
            cache.pull(bot, wrong)
    with pytest.raises(InfraError, match="arrived with another digest"):
        cache.pull(replace(bot, contestant=Contestant("bot", "1", other)), reference)
    assert BotCache(tmp_path / "node").lease([bot]) == (digest,)  # what was refused is not kept


def tiny_image(name):
    """What `docker save` would write of an image with one file, and its digest."""
    layer = tar_of({"bot": name.encode()})
    config = json.dumps({
        "architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["/bot"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
    }).encode()  # fmt: skip
    listed = json.dumps([{"Config": "config.json", "RepoTags": None, "Layers": ["layer.tar"]}]).encode()
    packed = tar_of({"manifest.json": listed, "config.json": config, "layer.tar": layer})
    return packed, f"sha256:{hashlib.sha256(config).hexdigest()}"


def tar_of(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))
    return buffer.getvalue()


def need_docker():
    try:
        DockerClient().close()
    except InfraError as error:
        need(str(error))
