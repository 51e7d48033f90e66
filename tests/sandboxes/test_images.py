"""Images: built for their owner, looked through before they are run, run by their content."""

import ast
import asyncio
import contextlib
import io
import os
import subprocess
import tarfile
import time

import pytest

from arena.errors import UsageError
from arena.sandboxes.base import BotImage, Limits
from arena.sandboxes.docker import image_builds, image_files, images
from arena.sandboxes.docker.client import DockerClient, NotFound
from arena.sandboxes.docker.gvisor import GvisorSandbox
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.untrusted.tar import read_members
from tests.sandboxes.sandbox_kit import BASE_IMAGE, OBEDIENT, processes_with, tell, until

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="asks a docker daemon")]


@pytest.fixture
def build(docker, request):
    """Builds a folder with a Dockerfile and forgets the image afterwards."""
    tag = f"arena-test/{request.function.__name__}:{os.getpid()}"

    def run(dockerfile: str, **options):
        (docker.folder / "Dockerfile").write_text(dockerfile)
        (docker.folder / "main.py").write_text(OBEDIENT)
        return image_builds.build(docker.folder, tag=tag, **options)

    yield run
    with DockerClient(60) as client, contextlib.suppress(NotFound):
        client.call(client.api.remove_image, tag, force=True)


def ask(image: str, code: str) -> str:
    async def play():
        async with DockerSandbox(BotImage(image), Limits()) as sandbox:
            return await tell(await sandbox.start(), code)

    return asyncio.run(play())


def test_a_folder_becomes_an_image_that_plays(build):
    image = build(f'FROM {BASE_IMAGE}\nCOPY main.py /bot/main.py\nENTRYPOINT ["python3", "/bot/main.py"]\n')
    assert image.digest.startswith("sha256:")
    assert ask(image.digest, "result = 'plays'") == "'plays'"


USUAL = f"""
FROM {BASE_IMAGE}
WORKDIR /usr/src/bot
COPY main.py .
RUN echo read >data && chmod 777 . && chmod 700 /usr/src/bot/data && chown 1000:1000 /usr/src/bot/data
USER 1000:1000
ENV HOME=/root LEVEL=3 ARENA_SOCKET=/elsewhere
EXPOSE 80 443/udp
HEALTHCHECK --interval=1s CMD kill 1
STOPSIGNAL SIGINT
ENTRYPOINT ["python3"]
CMD ["main.py", "--depth=4"]
"""
ASKED = """
import signal
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: print("asked to stop", flush=True))
def attempt(call):
    try:
        return call() or "done"
    except OSError as error:
        return errno.errorcode[error.errno]
result = {
    "WORKDIR": os.getcwd(), "USER": os.getuid() in (0, 1000), "CMD": sys.argv[1:],
    "ENV": [os.environ[name] for name in ("HOME", "LEVEL", "ARENA_SOCKET")],
    "EXPOSE": [line.partition(":")[0].strip() for line in open("/proc/self/net/dev").readlines()[2:]],
    "files of USER": attempt(lambda: open("data").read()),
    "writes beside itself": attempt(lambda: open("x", "w")),
    "writes in /tmp": attempt(lambda: open("/tmp/x", "w").close()),
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", [DockerSandbox, GvisorSandbox])
async def test_what_a_usual_dockerfile_means(build, kind, request):
    """docs/bots.md says it line by line: WORKDIR, ENTRYPOINT, CMD and ENV hold; USER, EXPOSE and the others do not."""
    if kind is GvisorSandbox:
        request.getfixturevalue("gvisor")
    image = build(USUAL)
    async with kind(BotImage(image.digest), Limits()) as sandbox:
        endpoint = await sandbox.start()
        with DockerClient() as client:
            (found,) = client.call(client.api.containers, filters={"ancestor": image.digest})
            state = client.call(client.api.inspect_container, found["Id"])
        health = state["State"].get("Health"), state["Config"]["Healthcheck"]["Test"]
        seen = found["Ports"], *health, ast.literal_eval(await tell(endpoint, ASKED))
    assert (*seen, "asked to stop" in sandbox.log()) == (
        [],
        None,
        ["NONE"],
        {
            "WORKDIR": "/usr/src/bot",
            "USER": False,
            "CMD": ["--depth=4"],
            "ENV": ["/tmp", "3", "/run/bot/b.sock"],
            "EXPOSE": ["lo"],
            "files of USER": "EACCES",
            "writes beside itself": "EROFS",
            "writes in /tmp": "done",
        },
        False,
    )


@pytest.mark.slow
def test_nothing_that_runs_during_a_build_has_a_network(build):
    image = build(
        f"FROM {BASE_IMAGE}\nCOPY main.py /bot/main.py\n"
        "RUN python3 -c \"import os; open('/links', 'w').write(' '.join(os.listdir('/sys/class/net')))\"\n"
        'ENTRYPOINT ["python3", "/bot/main.py"]\n'
    )
    assert ask(image.digest, "result = open('/links').read()") == "'lo'"


def test_a_build_that_fails_shows_its_output(build):
    with pytest.raises(UsageError, match=r"(?s)cannot be built.*returned a non-zero code.*\\x1b\[31mred"):
        build(f"FROM {BASE_IMAGE}\nRUN printf '\\033[31mred' && exit 3\nCMD true\n")


@pytest.mark.parametrize(
    ("dockerfile", "message"),
    [
        ("FROM {base}\nVOLUME /data\nCMD true\n", "declares volumes"),
        ("FROM {base}\nENTRYPOINT []\nCMD []\n", "does not say what to run"),
        ("FROM {base}\nWORKDIR /proc/self/fd\nCMD true\n", "WORKDIR /proc/self/fd: choose a folder of its own"),
        ("FROM {base}\nRUN ln -s / /bot\nWORKDIR /bot/tmp\nCMD true\n", "has a link at /bot, which must be a folder"),
        ("FROM arena/no-such-image\n", "cannot be built"),
        ("FROM {base}\nNONSENSE\n", "unknown instruction"),
    ],
)
def test_images_that_are_refused(build, dockerfile, message):
    with pytest.raises(UsageError, match=message):
        build(dockerfile.format(base=BASE_IMAGE))


def entry(name, kind=tarfile.REGTYPE, *, link="", size=0, device=(0, 0)):
    """One file of a layer."""
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, link, size
    made.devmajor, made.devminor = device
    return made


def layer(*entries):
    """The bytes of a layer with these files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for made in entries:
            archive.addfile(made, io.BytesIO(bytes(made.size)))
    return buffer.getvalue()


BAD_LAYERS = {
    "pipe at group": (layer(entry("etc/group", tarfile.FIFOTYPE)), "a pipe, socket or device at /etc/group"),
    "pipe at passwd": (layer(entry("./etc/passwd", tarfile.FIFOTYPE)), "a pipe, socket or device at /etc/passwd"),
    "link to a pipe": (
        layer(entry("x", tarfile.FIFOTYPE), entry("etc/group", tarfile.SYMTYPE, link="/x")),
        "a link at /etc/group",
    ),
    "device at group": (
        layer(entry("etc/group", tarfile.CHRTYPE, device=(1, 5))),
        "a pipe, socket or device at /etc/group",
    ),
    "folder at group": (layer(entry("etc/group", tarfile.DIRTYPE)), "a folder at /etc/group"),
    "huge group": (layer(entry("etc/group", size=2 << 20)), "2097152 bytes at /etc/group"),
    "pipe deep in etc": (layer(entry("etc/x/y", tarfile.FIFOTYPE)), "a pipe, socket or device at /etc/x/y"),
    "run is a link": (layer(entry("run", tarfile.SYMTYPE, link="proc")), "a link at /run"),
    "socket place is a link": (layer(entry("run/bot", tarfile.SYMTYPE, link="/etc")), "a link at /run/bot"),
    "tmp is a link": (layer(entry("tmp", tarfile.SYMTYPE, link="etc")), "a link at /tmp"),
    "etc is a link": (layer(entry("etc", tarfile.SYMTYPE, link="/e")), "a link at /etc"),
}


HARMLESS = ("tmp is a link", "huge group")


@pytest.mark.parametrize("name", BAD_LAYERS)
def test_an_image_that_would_hang_the_engine_is_refused_before_it_is_run(docker, name):
    """Never start one of these, nor RUN anything on top of it: the daemon would not recover."""
    content, complaint = BAD_LAYERS[name]
    tag = f"arena-test/bad-{list(BAD_LAYERS).index(name)}", str(os.getpid())
    with DockerClient(60) as client:
        client.call(client.api.import_image_from_data, content, *tag, changes=['CMD ["/bot"]'])
        try:
            with pytest.raises(UsageError, match=f"has {complaint}"):
                images.resolve(client, ":".join(tag))
            if name in HARMLESS:
                # The sandbox itself looks too, whoever starts it; tried with what would not hurt if it did not.
                with pytest.raises(UsageError, match=f"has {complaint}"):
                    ask(":".join(tag), "")
        finally:
            client.call(client.api.remove_image, ":".join(tag))


@pytest.mark.parametrize("name", BAD_LAYERS)
def test_the_same_in_an_archive_of_a_layer(name):
    content, complaint = BAD_LAYERS[name]
    with pytest.raises(UsageError, match=f"the image has {complaint}"):
        look_through(content)


@pytest.mark.parametrize(
    "layers",
    [
        # A pipe that is mended further up is still in the way of whoever runs something in between.
        [layer(entry("etc/group", tarfile.FIFOTYPE)), layer(entry("etc/group"))],
        # Names that lead to /etc through a link, in the same layer or in another one, in any order.
        [layer(entry("e", tarfile.SYMTYPE, link="etc"), entry("e/group", tarfile.FIFOTYPE))],
        [layer(entry("e", tarfile.SYMTYPE, link="etc")), layer(entry("e/group", tarfile.FIFOTYPE))],
        [layer(entry("e/group", tarfile.FIFOTYPE)), layer(entry("e", tarfile.SYMTYPE, link="etc"))],
        [layer(entry("e", tarfile.SYMTYPE, link="etc")), layer(entry("e/deep/x"))],
        [layer(entry("l", tarfile.SYMTYPE, link="etc"), entry("e", tarfile.LNKTYPE, link="l")), layer(entry("e/x"))],
        [layer(entry("e", tarfile.DIRTYPE), entry("e", tarfile.SYMTYPE, link="etc"), entry("e/x"))],
        [layer(entry("a/../etc/group", tarfile.FIFOTYPE))],
        [layer(entry("//etc//group", tarfile.FIFOTYPE))],
        [layer(entry("x" * 5000))],
    ],
)
def test_layers_that_hide_where_a_file_lands(layers):
    with pytest.raises(UsageError, match="the image has"):
        look_through(*layers)


@pytest.mark.parametrize(
    "workdir", ["/proc/self/fd/7", "/sys", "/dev/x", "/run/bot", "//proc/1", "/./proc", "/a/../proc", "bot", "../x", 7]
)
def test_a_workdir_that_could_lead_out_is_refused(workdir):
    with pytest.raises(UsageError, match=r"choose a folder.* such as /bot"):
        images.workdir_of("x", {"WorkingDir": workdir})


def test_a_workdir_of_the_image_is_kept_and_its_way_has_no_links():
    assert images.workdir_of("x", {"WorkingDir": "/usr/src//bot/"}) == "/usr/src/bot"
    assert images.workdir_of("x", {"WorkingDir": ""}) == images.workdir_of("x", {}) == "/tmp"
    honest, crooked = layer(entry("usr/src", b"5")), layer(entry("usr/src", tarfile.SYMTYPE, link="../proc/self/fd"))
    look_through(honest, workdir="/usr/src/bot")
    with pytest.raises(UsageError, match="a link at /usr/src, which must be a folder"):
        look_through(honest, crooked, workdir="/usr/src/bot")


def test_layers_of_honest_images():
    look_through(
        layer(
            entry("bin", tarfile.SYMTYPE, link="usr/bin"), entry("usr/bin/sh"), entry("etc/group"), entry("tmp", b"5")
        ),
        layer(entry("bin", tarfile.DIRTYPE), entry("bin/x"), entry("etc/.wh.group"), entry("dev/null", b"3")),
    )


def look_through(*layers, workdir=""):
    check = image_files.LayerCheck("the image", workdir)
    for content in layers:
        check.add(entry for entry, _ in read_members(io.BytesIO(content), "a layer"))
    check.finish()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_where_the_layers_cannot_be_read_the_engine_writes_the_image_out(build, monkeypatch):
    tag = build(f'FROM {BASE_IMAGE}\nENTRYPOINT ["sleep", "9"]\n').digest
    bad = build_unchecked(f'FROM {BASE_IMAGE}\nRUN ln -sf /x /etc/group\nENTRYPOINT ["sleep", "9"]\n')
    with DockerClient(60) as client:
        try:
            # As for a user who may talk to the daemon but not read its folders.
            monkeypatch.setattr(image_files, "check_directories", forbidden)
            monkeypatch.setattr(images, "_checked_digests", set())
            assert images.resolve(client, tag).digest == tag
            with pytest.raises(UsageError, match="a link at /etc/group"):
                images.resolve(client, bad)
        finally:
            client.call(client.api.remove_image, bad)


def forbidden(*_):
    raise PermissionError


def build_unchecked(dockerfile):
    """An image by the daemon alone, as somebody may have made it without us."""
    made = subprocess.run(
        ["docker", "build", "--quiet", "--network", "none", "-"],
        input=dockerfile, capture_output=True, text=True, check=True, env={**os.environ, "DOCKER_BUILDKIT": "0"},
    )  # fmt: skip
    return made.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["", "while true; do echo x; sleep 0.1; done & "])
def test_a_build_that_takes_too_long_is_ended(build, noise):
    mark = f"3{os.getpid()}.{len(noise)}"
    with pytest.raises(UsageError, match="the build took longer than 5 s"):
        build(f"FROM {BASE_IMAGE}\nRUN {noise}sleep {mark}\nCMD true\n", within_s=5)
    assert until(lambda: not processes_with(f"sleep\0{mark}"), 30), "the build goes on"


def images_without_names():
    with DockerClient() as client:
        found = client.call(client.api.images, all=True)
    return {image["Id"] for image in found if not image["RepoTags"] or image["RepoTags"] == ["<none>:<none>"]}


@pytest.mark.slow
def test_builds_leave_no_images_without_names(build):
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    base = f"FROM {BASE_IMAGE} AS first\nRUN echo {mark} >/made\nRUN echo more >>/made\n"
    with pytest.raises(UsageError, match="cannot be built"):
        build(f"{base}RUN false\nCMD true\n")
    assert ours(images_without_names(), mark) == []
    second = f"{base}FROM {BASE_IMAGE}\nCOPY --from=first /made /made\n"
    old = build(f'{second}CMD ["cat", "/made"]\n')
    new = build(f'{second}CMD ["cat", "/made", "{mark}"]\n')
    assert old.digest != new.digest
    left = ours(images_without_names(), mark)
    with DockerClient() as client:
        parents = {layer["Id"] for layer in client.call(client.api.history, new.digest)}
    # What the daemon shows as its steps belongs to the image that has a name, and goes with it.
    assert set(left) <= parents
    assert old.digest not in left


def ours(digests, mark):
    """Those that were made by a step with this mark, in this build."""
    found = []
    with DockerClient() as client:
        for digest in digests:
            with contextlib.suppress(NotFound):
                steps = client.call(client.api.history, digest)
                if any(mark in step["CreatedBy"] for step in steps):
                    found.append(digest)
    return found


def test_a_folder_without_a_dockerfile(docker):
    with pytest.raises(UsageError, match="no Dockerfile"):
        image_builds.check_context(docker.folder)


def test_a_folder_that_is_too_large(docker):
    (docker.folder / "Dockerfile").touch()
    with (docker.folder / "huge").open("wb") as file:
        file.truncate(image_builds.MAX_CONTEXT_BYTES + 1)
    with pytest.raises(UsageError, match="more than 256 MiB"):
        image_builds.check_context(docker.folder)
