"""Golden records: games that must come out the same for ever, on every machine and every Python.

A golden file is JSON lines, made to be read in a diff: the variant, then each move with the digest of the
position before it, then the last position in full and the outcome. `make golden` rewrites them.
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from arena.canonical import canonical_json
from arena.codec import Json
from arena.game import AnyGame, AnyState
from arena.testing.play import Variant, pick_variant, walk


def write_golden(game: AnyGame, folder: Path, games: int) -> None:
    """Rewrite the golden records of a game: seeds 0, 1, 2 … over its variants."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.jsonl"):
        old.unlink()
    for seed in range(games):
        variant = pick_variant(game, seed)
        (folder / f"{seed:02}.jsonl").write_text("".join(f"{line}\n" for line in _lines(game, variant, seed)))


def compare_golden(game: AnyGame, path: Path) -> None:
    """Raise AssertionError, naming the first line that differs, unless the file comes out the same today."""
    committed = path.read_text(encoding="utf-8").splitlines()
    head = json.loads(committed[0])
    variant = Variant(head["seats"], head["options"], game.configure(head["seats"], head["options"]))
    for number, (old, new) in enumerate(zip(committed, _lines(game, variant, head["seed"]), strict=True), 1):
        assert old == new, f"{path.name} line {number} was {old} and is now {new}"


def digest(value: Json) -> str:
    """A short digest of a JSON value; of our own JSON, since protobuf bytes promise no canonical form."""
    return hashlib.blake2b(canonical_json(value, ensure_ascii=False), digest_size=8).hexdigest()


def _lines(game: AnyGame, variant: Variant, seed: int) -> list[str]:
    head = {"game": game.info.name, "rules": game.info.version, "seats": variant.seats, "options": variant.options}
    lines: list[Json] = [{**head, "seed": seed}]
    last: AnyState | None = None
    for last, move in walk(game, variant, seed):
        if move is not None:
            before = digest(game.codec.state_to_json(last))
            lines.append({"seat": last.to_move(), "move": game.codec.move_to_json(move), "before": before})
    assert last is not None
    outcome = last.outcome()
    lines.append({"state": game.codec.state_to_json(last), "outcome": asdict(outcome) if outcome else None})
    return [canonical_json(line, ensure_ascii=False).decode() for line in lines]
