"""Images: built without network, run by their content, refused when they ask for too much."""

import asyncio
import contextlib
import os

import pytest
from sandbox_kit import BASE_IMAGE, OBEDIENT, tell

from arena.errors import UsageError
from arena.sandboxes import BotImage, DockerSandbox, Limits, image_builds
from arena.sandboxes.engine import Engine, NotFound


@pytest.fixture
def build(docker, request):
    """Builds a folder with a Dockerfile and forgets the image afterwards."""
    tag = f"arena-test/{request.function.__name__}:{os.getpid()}"

    def run(dockerfile: str, **options):
        (docker.folder / "Dockerfile").write_text(dockerfile)
        (docker.folder / "main.py").write_text(OBEDIENT)
        return image_builds.build(docker.folder, tag=tag, **options)

    yield run
    with Engine() as engine, contextlib.suppress(NotFound):
        engine.call(engine.api.remove_image, tag, force=True)


def ask(image: str, code: str) -> str:
    async def play():
        async with DockerSandbox(BotImage(image), Limits()) as box:
            return await tell(await box.start(), code)

    return asyncio.run(play())


def test_a_folder_becomes_an_image_that_plays(build):
    image = build(f'FROM {BASE_IMAGE}\nCOPY main.py /bot/main.py\nENTRYPOINT ["python3", "/bot/main.py"]\n')
    assert image.digest.startswith("sha256:")
    assert ask(image.digest, "result = 'plays'") == "'plays'"


@pytest.mark.slow
def test_what_an_image_says_about_user_and_place_is_overridden(build):
    image = build(
        f"FROM {BASE_IMAGE}\nCOPY main.py /bot/main.py\nUSER root\nWORKDIR /proc/self/fd\n"
        'HEALTHCHECK CMD true\nSTOPSIGNAL SIGINT\nENV HOME=/root\nENTRYPOINT ["python3", "/bot/main.py"]\n'
    )
    assert ask(image.digest, "result = os.getuid() != 0, os.getcwd(), os.environ['HOME']") == "(True, '/tmp', '/tmp')"


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
        ("FROM arena/no-such-image\n", "cannot be built"),
        ("FROM {base}\nNONSENSE\n", "unknown instruction"),
    ],
)
def test_images_that_are_refused(build, dockerfile, message):
    with pytest.raises(UsageError, match=message):
        build(dockerfile.format(base=BASE_IMAGE))


def test_a_folder_without_a_dockerfile(docker):
    with pytest.raises(UsageError, match="no Dockerfile"):
        image_builds.check_context(docker.folder)


def test_a_folder_that_is_too_large(docker):
    (docker.folder / "Dockerfile").touch()
    with (docker.folder / "huge").open("wb") as file:
        file.truncate(image_builds.MAX_CONTEXT_BYTES + 1)
    with pytest.raises(UsageError, match="more than 256 MiB"):
        image_builds.check_context(docker.folder)
