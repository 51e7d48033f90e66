"""Learns the same policy with a library, MaskablePPO of sb3-contrib, against fixed opponents one after the other.

pip install 'arena[rl]' sb3-contrib
python train_ppo.py --game claim --steps 300000 --against random greedy     # writes policy.npz, which bot.py plays

The network is that of model.py, so the bot needs neither torch nor Stable-Baselines3: only its weights are taken along.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from model import Policy
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecEnv

from arena.rl import SingleAgent

HIDDEN, TABLES, STEPS = 128, 16, 256
"""Width of the network, games at once, and decisions in each of them between two lessons."""


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


def learner(game: str, opponent: str, seed: int) -> MaskablePPO:
    """A MaskablePPO with the network of model.py."""
    torch.set_num_threads(1)  # a small network is faster so
    network = {"net_arch": {"pi": [HIDDEN], "vf": [HIDDEN]}, "activation_fn": torch.nn.ReLU}
    return MaskablePPO(
        "MlpPolicy", tables(game, opponent, seed), n_steps=STEPS, batch_size=1024, n_epochs=4, gamma=1.0, ent_coef=0.01,
        learning_rate=lambda left: 1e-3 * left, policy_kwargs=network, seed=seed, device="cpu",
    )  # fmt: skip


def tables(game: str, opponent: str, seed: int) -> VecEnv:
    """Many games at once, in this process, as Stable-Baselines3 wants them."""
    return make_vec_env(lambda: SingleAgent(game, opponent), n_envs=TABLES, seed=seed)


def main() -> None:
    """Learn against one opponent after the other, tell how it goes, and save the policy."""
    parser = argparse.ArgumentParser(description="Learn a policy with MaskablePPO against fixed opponents.")
    parser.add_argument("--game", default="claim")
    parser.add_argument("--steps", type=int, default=300_000, help="how many decisions to learn from")
    parser.add_argument("--against", nargs="+", default=["random", "greedy"], help="sample bots, or folders of bots")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=400, help="how many games to measure it in")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("policy.npz"))
    given = parser.parse_args()
    model = learner(given.game, given.against[0], given.seed)
    for opponent in given.against:
        model.set_env(tables(given.game, opponent, given.seed))
        model.learn(given.steps // len(given.against))
        policy = Policy.of_torch(
            given.game, {name: values.numpy() for name, values in model.policy.state_dict().items()}
        )
        rates = ", ".join(f"{win_rate(policy, other, given.games):.1%} against {other}" for other in given.against)
        print(f"after {opponent}: wins {rates}; {time.process_time():.0f} s of processor time", flush=True)
    policy.save(given.out)
    print(f"saved {given.out}")


if __name__ == "__main__":
    main()
