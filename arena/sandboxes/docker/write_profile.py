"""Regenerate docker/seccomp.json from the lists of system calls: python -m arena.sandboxes.docker.write_profile."""

from pathlib import Path

from arena.sandboxes.kernel.seccomp import docker_text

PROFILE = Path(__file__).parents[3] / "docker" / "seccomp.json"


def main() -> None:
    """Write the file."""
    PROFILE.write_text(docker_text(file_locks=False), encoding="utf-8")


if __name__ == "__main__":
    main()
