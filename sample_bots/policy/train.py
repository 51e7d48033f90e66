"""Learns a policy by playing against itself, with nothing but numpy: proximal policy optimisation in its simplest form.

python train.py --game claim --games 20000        # writes policy.npz, which bot.py plays

Ctrl-C writes the best policy so far, and the same command goes on where the run was stopped, by whatever.

Many games are played at once, so that the network sees all their positions as one matrix. Each decision is then judged
by the result and by what the network expected on the way; decisions that went better than expected become more likely.
"""

import argparse
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# The matrices are small: several threads of numpy's would wait for each other, and take thrice the processor time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from model import Array, Policy
from numpy.typing import NDArray

from arena.rl import BoardGame

TABLES, EPOCHS, BATCH = 128, 4, 1024
RATE, CLIP, TRACE, ENTROPY = 4e-3, 0.2, 0.95, 5e-3
"""The first step of Adam, how far a chance may move at once, how far back a result counts, how much to go on trying."""


@dataclass
class Decisions:
    """One row per decision, in the order in which they were made."""

    player: NDArray[np.int64]
    """Who decided: seats times the number of the table, plus the seat."""
    seen: Array
    mask: NDArray[np.bool_]
    action: NDArray[np.int64]
    chance: Array
    value: Array


def chances(scores: Array, mask: NDArray[np.bool_]) -> Array:
    """How likely each action is: the softmax over the legal ones."""
    weights = np.exp(scores - np.where(mask, scores, -np.inf).max(1, keepdims=True)) * mask
    return np.asarray(weights / weights.sum(1, keepdims=True), np.float32)


def draw(likely: Array, rng: np.random.Generator) -> NDArray[np.int64]:
    """One action per row."""
    drawn = rng.random((len(likely), 1)) * likely.sum(1, keepdims=True)
    return np.asarray(np.argmax(likely.cumsum(1) > drawn, axis=1))


def play(policy: Policy, tables: list[BoardGame], rng: np.random.Generator, *, test: bool) -> tuple[Decisions, Array]:
    """A game at every table, and the reward of every player; in a test one seat per table plays at random."""
    seats = len(tables[0].possible_agents)
    rewards = np.zeros(len(tables) * seats, np.float32)
    rows = []
    for table in tables:
        table.reset(seed=int(rng.integers(1 << 31)))
    live = list(enumerate(tables))
    while live:
        shown = [table.observe(table.agent_selection) for _, table in live]
        seen = np.stack([each["observation"] for each in shown])
        mask = np.stack([each["action_mask"] for each in shown]).astype(bool)
        player = np.array([seats * at + table.possible_agents.index(table.agent_selection) for at, table in live])
        _, scores, value = policy(seen)
        likely = chances(scores, mask)
        action = draw(likely, rng)
        if test:
            learned = player % seats == player // seats % seats
            action = np.where(learned, np.where(mask, scores, -np.inf).argmax(1), draw(mask.astype(np.float32), rng))
        rows.append((player, seen, mask, action, likely[np.arange(len(live)), action], value))
        for (at, table), number in zip(live, action):
            table.step(int(number))
            rewards[seats * at : seats * (at + 1)] = list(table.rewards.values())
        live = [(at, table) for at, table in live if not any(table.terminations.values())]
    return Decisions(*map(np.concatenate, zip(*rows))), rewards


def advantages(made: Decisions, rewards: Array) -> Array:
    """How much better each decision turned out than expected: later ones count less the further away they are."""
    result, follows, trace = np.zeros_like(made.value), rewards.copy(), np.zeros_like(rewards)
    for row in reversed(range(len(result))):
        player = made.player[row]
        trace[player] = follows[player] - made.value[row] + TRACE * trace[player]
        follows[player] = made.value[row]
        result[row] = trace[player]
    return result


class Learner:
    """Improves a policy from decisions, with the optimiser Adam."""

    def __init__(self, policy: Policy, rng: np.random.Generator) -> None:
        self.policy, self.rng, self.steps = policy, rng, 0
        self.mean = {name: np.zeros_like(weights) for name, weights in policy.weights.items()}
        self.square = {name: np.zeros_like(weights) for name, weights in policy.weights.items()}

    def learn(self, made: Decisions, rewards: Array, *, rate: float) -> None:
        """Go through the decisions a few times, in random order."""
        gain = advantages(made, rewards)
        target, gain = gain + made.value, (gain - gain.mean()) / (gain.std() + 1e-6)
        for _ in range(EPOCHS):
            order = self.rng.permutation(len(gain))
            for rows in np.array_split(order, max(1, len(order) // BATCH)):
                self._step(self._slopes(made, rows, gain[rows], target[rows]), rate)

    def _slopes(self, made: Decisions, rows: NDArray[np.int64], gain: Array, target: Array) -> dict[str, Array]:
        """Which way each weight makes the decisions of these rows worse."""
        seen, mask, action = made.seen[rows], made.mask[rows], made.action[rows]
        hidden, scores, value = self.policy(seen)
        likely = chances(scores, mask)
        each = np.arange(len(rows))
        ratio = likely[each, action] / made.chance[rows]
        moved_enough = np.where(gain > 0, ratio > 1 + CLIP, ratio < 1 - CLIP)
        out = likely.copy()
        out[each, action] -= 1
        out *= (gain * ratio * ~moved_enough)[:, None]
        surprise = np.log(likely + 1e-9)
        out += ENTROPY * likely * (surprise - (likely * surprise).sum(1, keepdims=True))
        missed = 0.5 * (value - target) * (1 - value**2)
        out = np.column_stack((out, missed)) / np.float32(len(rows))
        back = (out @ self.policy.weights["out"].T) * (hidden > 0)
        return {"in": seen.T @ back, "in_bias": back.sum(0), "out": hidden.T @ out, "out_bias": out.sum(0)}

    def _step(self, slopes: dict[str, Array], rate: float) -> None:
        self.steps += 1
        for name, slope in slopes.items():
            mean, square = self.mean[name], self.square[name]
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            step = mean / (1 - 0.9**self.steps) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)
            self.policy.weights[name] -= (rate * step).astype(np.float32)


def win_rate(policy: Policy, tables: list[BoardGame], rounds: int) -> float:
    """The share of games that the policy wins against random play, from every seat; a tie is half a win."""
    seats, rng = len(tables[0].possible_agents), np.random.default_rng(0)
    mine = [seats * at + at % seats for at in range(len(tables))]
    return float(np.mean([play(policy, tables, rng, test=True)[1][mine] for _ in range(rounds)]) / 2 + 0.5)


class Run:
    """A training that can be stopped at any moment: after each round a file beside the policy has all that it needs."""

    def __init__(self, game: str, games: int, seed: int, out: Path) -> None:
        self.game, self.kept = game, out.with_suffix(".training.npz")
        self.options = {"game": game, "games": games, "seed": seed}
        self.rng = np.random.default_rng(seed)
        self.policy = Policy.new(game, self.rng)
        self.learner = Learner(self.policy, self.rng)
        self.tables = [BoardGame(game) for _ in range(TABLES)]
        self.rounds, self.done, self.seconds = max(1, games // TABLES), 0, 0.0
        self.best, self.best_rate = Policy(game, dict(self.policy.weights)), 0.0
        if self.kept.exists():
            self._resume()

    def learn(self) -> None:
        """Learn for a while, and tell how it goes."""
        while self.done < self.rounds:
            if self.done % max(1, self.rounds // 6) == 0:
                rate = self.measure(min(2, self.rounds))
                print(f"{self.done * TABLES:6} games  wins {rate:.0%} against random", flush=True)
            made, rewards = play(self.policy, self.tables, self.rng, test=False)
            self.learner.learn(made, rewards, rate=RATE * (1 - self.done / self.rounds))
            self.done += 1
            self._keep()

    def measure(self, rounds: int) -> float:
        """How the policy fares against random play; the best one is remembered."""
        rate = win_rate(self.policy, self.tables, rounds)
        if rate >= self.best_rate:
            weights = {name: values.copy() for name, values in self.policy.weights.items()}
            self.best, self.best_rate = Policy(self.game, weights), rate
        return rate

    def processor_time(self) -> float:
        """Seconds, with those before the run was stopped."""
        return self.seconds + time.process_time()

    def _keep(self) -> None:
        facts = {"options": self.options, "done": self.done, "steps": self.learner.steps, "best": self.best_rate}
        facts |= {"seconds": self.processor_time(), "rng": self.rng.bit_generator.state}
        parts = self._parts()
        arrays = {f"{part}.{name}": values for part in parts for name, values in parts[part].items()}
        unfinished = self.kept.with_suffix(".part")  # so that what is kept is whole whenever the run is stopped
        with unfinished.open("wb") as file:
            np.savez(file, allow_pickle=False, facts=np.array(json.dumps(facts)), **arrays)
        unfinished.replace(self.kept)

    def _resume(self) -> None:
        with np.load(self.kept) as data:
            facts: dict[str, Any] = json.loads(str(data["facts"]))
            if facts["options"] != self.options:
                was = " ".join(f"--{name} {value}" for name, value in facts["options"].items())
                raise SystemExit(f"{self.kept} has a stopped run of {was}: go on with that one, or delete the file")
            for part, arrays in self._parts().items():
                arrays.update({name: data[f"{part}.{name}"] for name in self.policy.weights})
        self.done, self.seconds, self.best_rate = facts["done"], facts["seconds"], facts["best"]
        self.learner.steps, self.rng.bit_generator.state = facts["steps"], facts["rng"]
        print(f"goes on after {self.done * TABLES} games", flush=True)

    def _parts(self) -> dict[str, dict[str, Array]]:
        learner = self.learner
        weights = {"policy": self.policy.weights, "mean": learner.mean, "square": learner.square}
        return weights | {"best": self.best.weights}


def main() -> None:
    """Learn, and save the policy: the last one at the end, which has learned most, or the best one when stopped."""
    parser = argparse.ArgumentParser(description="Learn a policy by playing against itself.")
    parser.add_argument("--game", default="claim")
    parser.add_argument("--games", type=int, default=20_000, help="how many games to learn from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("policy.npz"))
    given = parser.parse_args()
    run = Run(given.game, given.games, given.seed, given.out)
    try:
        run.learn()
    except KeyboardInterrupt:
        if not run.kept.exists():
            raise SystemExit(f"stopped: nothing is learned yet, and {given.out} is left as it was") from None
        run.best.save(given.out)
        said = f"saved the best policy so far, which won {run.best_rate:.0%}, as {given.out}"
        raise SystemExit(f"stopped: {said}; the same command goes on") from None
    run.policy.save(given.out)
    last = min(8, run.rounds)
    rate = run.measure(last)
    run.kept.unlink()
    print(f"{run.done * TABLES:6} games  wins {rate:.1%} of {last * TABLES} against random; saved {given.out}")
    print(f"{run.processor_time():.0f} s of processor time")


if __name__ == "__main__":
    main()
