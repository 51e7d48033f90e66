"""Write docker/seccomp.json anew from the lists of system calls: make seccomp."""

from pathlib import Path

from arena.sandboxes.kernel.seccomp import docker_text

PROFILE = Path(__file__).parents[1] / "docker" / "seccomp.json"


def main() -> None:
    PROFILE.write_text(docker_text(file_locks=False), encoding="utf-8")


if __name__ == "__main__":
    main()
