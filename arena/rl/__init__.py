"""The games as PettingZoo environments, for reinforcement learning; needs the extra `rl`.

import arena.rl
env = arena.rl.env("claim")
"""

from arena.distribution import install_hint

try:
    from arena.rl.environment import BoardGame, env
    from arena.rl.single import SingleAgent, vector_env
except ModuleNotFoundError as error:  # the bot that plays the result needs only arena.vectors
    if error.name not in ("pettingzoo", "gymnasium", "numpy"):
        raise
    raise ImportError(f"arena.rl needs {error.name}: {install_hint('rl')}") from error

__all__ = ["BoardGame", "SingleAgent", "env", "vector_env"]
