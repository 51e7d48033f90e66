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
from arena.sandboxes.bubblewrap import BubblewrapSandbox
from arena.sandboxes.docker import DockerSandbox
from arena.sandboxes.endpoint import Endpoint
from arena.sandboxes.gvisor import GvisorSandbox
from arena.sandboxes.process import ProcessSandbox
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
