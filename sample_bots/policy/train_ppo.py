"""Learns the same policy with a library, MaskablePPO of sb3-contrib, against fixed opponents.

pip install '/path/to/arena[rl]' sb3-contrib
python train_ppo.py --game claim --steps 800000 --against random greedy     # writes policy.npz, which bot.py plays

Every opponent sits at as many tables, so that what is learned against one is not forgotten against another.
The network is that of model.py, so the bot needs neither torch nor Stable-Baselines3: only its weights are taken along.
"""

import argparse
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch
from model import Policy
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv

from arena.rl import SingleAgent

HIDDEN, TABLES, STEPS = 128, 64, 128
"""Width of the network, games at once, and decisions in each of them between two lessons."""
RATE = 3e-3
"""The first step of the optimiser; it shrinks to nothing by the end."""


def learner(game: str, opponents: list[str], seed: int) -> MaskablePPO:
    """A MaskablePPO with the network of model.py, at many tables in this process."""
    torch.set_num_threads(1)  # a small network is faster so
    tables = [partial(SingleAgent, game, opponents[number % len(opponents)]) for number in range(TABLES)]
    network = {"net_arch": {"pi": [HIDDEN], "vf": [HIDDEN]}, "activation_fn": torch.nn.ReLU}
    return MaskablePPO(
        "MlpPolicy", DummyVecEnv(tables), n_steps=STEPS, batch_size=1024, n_epochs=4, gamma=1.0, ent_coef=0.005,
        learning_rate=lambda left: RATE * left, policy_kwargs=network, seed=seed, device="cpu",
    )  # fmt: skip


def policy_of(model: MaskablePPO, game: str) -> Policy:
    """What the model has learned so far, for the bot."""
    return Policy.of_torch(game, {name: values.numpy() for name, values in model.policy.state_dict().items()})


def win_rate(policy: Policy, opponent: str, games: int) -> float:
    """The share of games that the policy wins against an opponent; a tie is half a win."""
    env, total = SingleAgent(policy.game.info.name, opponent), 0.0
    for seed in range(games):
        seen, info = env.reset(seed=seed)
        over = False
        while not over:
            scores = policy(seen[np.newaxis])[1][0]
            seen, reward, over, _, info = env.step(int(np.where(info["action_mask"], scores, -np.inf).argmax()))
        total += (float(reward) + 1) / 2
    return total / games


class Progress(BaseCallback):
    """Tells five times on the way how the policy fares."""

    def __init__(self, game: str, opponents: list[str], steps: int, games: int) -> None:
        super().__init__()
        self.game, self.opponents, self.every, self.games = game, opponents, max(1, steps // 5), games
        self.told = 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps // self.every > self.told:
            self.told = self.num_timesteps // self.every
            tell(policy_of(self.model, self.game), self.opponents, self.num_timesteps, self.games)


def tell(policy: Policy, opponents: list[str], decisions: int, games: int) -> None:
    """Print how the policy fares against every opponent."""
    rates = ", ".join(f"{win_rate(policy, other, games):.1%} against {other}" for other in opponents)
    print(f"{decisions:7} decisions  wins {rates}", flush=True)


def main() -> None:
    """Learn, tell how it goes, and save the policy."""
    parser = argparse.ArgumentParser(description="Learn a policy with MaskablePPO against fixed opponents.")
    parser.add_argument("--game", default="claim")
    parser.add_argument("--steps", type=int, default=800_000, help="how many decisions to learn from")
    parser.add_argument("--against", nargs="+", default=["random", "greedy"], help="sample bots, or folders of bots")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=400, help="how many games to measure it in at the end")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("policy.npz"))
    given = parser.parse_args()
    model = learner(given.game, given.against, given.seed)
    model.learn(given.steps, callback=Progress(given.game, given.against, given.steps, given.games // 4))
    policy = policy_of(model, given.game)
    policy.save(given.out)
    tell(policy, given.against, model.num_timesteps, given.games)
    print(f"saved {given.out}; {time.process_time():.0f} s of processor time")


if __name__ == "__main__":
    main()
