"""Boxes for programs that nobody trusts: docker, gVisor, bubblewrap, or none at all, and then every record says so."""

from arena.sandboxes.base import (
    BotDirectory,
    BotImage,
    BotProgram,
    Death,
    Enforcement,
    Limits,
    Sandbox,
    weaknesses,
)
from arena.sandboxes.docker.gvisor import GvisorSandbox
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.endpoint import Endpoint
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox
from arena.sandboxes.launched.process import ProcessSandbox
from arena.sandboxes.sweeping import sweep

__all__ = [
    "BotDirectory",
    "BotImage",
    "BotProgram",
    "BubblewrapSandbox",
    "Death",
    "DockerSandbox",
    "Endpoint",
    "Enforcement",
    "GvisorSandbox",
    "Limits",
    "ProcessSandbox",
    "Sandbox",
    "sweep",
    "weaknesses",
]
