"""Sandboxes for untrusted programs: docker, gVisor, bubblewrap, or a plain process, and every record says which."""

from arena.referee.holding import Enforcement, weaknesses
from arena.sandboxes.base import BotDirectory, BotImage, BotProgram, Death, Limits, Sandbox
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
