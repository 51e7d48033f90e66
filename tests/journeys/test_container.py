"""A user who knows docker: an ordinary Dockerfile becomes a bot that is handed in and plays."""

import subprocess

import pytest

from tests.kits.contestants import SDK_IMAGE, need_image

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a user's commands start processes and sandboxes")]

DOCKERFILE = f"""
FROM {SDK_IMAGE}
WORKDIR /app
COPY . .
ENV PYTHONPATH=/opt/arena/site
USER nobody
EXPOSE 50051
CMD ["python3", "bot.py"]
"""
IMAGE = "arena-bot/boxed:1"
PATIENT = "--clock 10s/move"


@pytest.fixture
def removed_images():
    """Removes what docker keeps of this journey."""
    tags = [IMAGE]
    yield tags
    subprocess.run(["docker", "image", "rm", "--force", *tags], capture_output=True, check=False)


@pytest.mark.timeout(600)
def test_a_dockerfile_becomes_a_bot_that_plays(traveller, removed_images):
    need_image()
    traveller.run("arena bot new boxed --game claim")
    traveller.write("boxed/Dockerfile", DOCKERFILE)
    if not traveller.thorough:  # whoever may not use docker is told so, and can still play the folder
        refused = traveller.attempt("arena bot build boxed")
        assert (refused.returncode, refused.stderr.count("Error: ")) == (1, 1)
        assert "Permission denied" in refused.stderr
        assert "played to the end" in traveller.run(f"arena match --game claim --bot boxed --bot random {PATIENT}")
        return
    assert f"arena match --game claim --bot {IMAGE}" in traveller.run("arena bot build boxed")
    traveller.run(f"arena submit {IMAGE} --owner me --name boxed --game claim {PATIENT}")
    digest = traveller.run(f"docker image inspect --format '{{{{.Id}}}}' {IMAGE}").strip().removeprefix("sha256:")
    removed_images.append(f"arena-submitted:{digest}")
    played = traveller.run(f"arena tournament --game claim --bots boxed@1,random --rounds 1 {PATIENT}")
    assert "boxed" in played
