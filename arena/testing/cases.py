"""Rule cases: positions, moves and what must follow, as data in TOML files.

[positions.NAME]                 # a State message as protobuf JSON, to start cases from
[[case]]
rule = "C4"                      # the rule or ruling that the case tests
why = "…"                        # one sentence
from = "NAME"                    # a named position; `state` is merged over it
state = { … }                    # a State; or `options`, `seats` and `seed` for a fresh game
moves = [ … ]                    # Move messages, played first
legal / includes / illegal = [ … ]   # exactly these are legal, these are among them, these are not
to_move = 0                      # -1 when the game is over
after = { … }                    # a part of the State
outcome = { … }                  # a part of the Outcome, or false if the game must go on
views = [ {…}, {…} ]             # a part of each seat's Observation
"""

import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.codec import Json
from arena.errors import IllegalMove
from arena.game import AnyGame, AnyState

GIVEN = {"rule", "why", "from", "state", "options", "seats", "seed", "moves"}


@dataclass(frozen=True, slots=True)
class Case:
    """One rule case."""

    name: str
    rule: str
    why: str
    body: Json
    """The case as written, with its position already merged."""


def load_cases(folder: Path) -> list[Case]:
    """Every case in cases.toml and cases/*.toml below this folder."""
    files = [path for path in (folder / "cases.toml", *sorted((folder / "cases").glob("*.toml"))) if path.is_file()]
    return [case for path in files for case in _load_file(path)]


def run_case(game: AnyGame, case: Case) -> None:
    """Raise AssertionError unless the game does what the case says."""
    state = _position(game, case.body)
    for move in case.body.get("moves", ()):
        state.apply(game.codec.move_from_json(move))
    for key, expected in case.body.items():
        if key not in GIVEN:
            EXPECTATIONS[key](game, state, expected)


def _load_file(path: Path) -> list[Case]:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    positions = document.get("positions", {})
    cases = []
    for number, body in enumerate(document["case"], 1):
        name = f"{path.stem} {number}"
        assert {"rule", "why"} <= body.keys(), f"{name}: a case names its rule and says why"
        unknown = body.keys() - GIVEN - EXPECTATIONS.keys()
        assert not unknown, f"{name}: unknown keys {sorted(unknown)}"
        assert body.keys() & EXPECTATIONS.keys(), f"{name}: the case expects nothing"
        if "from" in body:
            body["state"] = _merge(positions[body["from"]], body.get("state", {}))
        cases.append(Case(name, body["rule"], body["why"], body))
    return cases


def _merge(base: Any, over: Any) -> Any:
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    return {key: _merge(base.get(key), over[key]) if key in over else base[key] for key in base.keys() | over.keys()}


def _position(game: AnyGame, body: Json) -> AnyState:
    if "state" in body:
        state: AnyState = game.codec.state_from_json(body["state"])
        return state
    config = game.configure(body.get("seats", game.info.min_seats), body.get("options", {}))
    return game.start(config, body.get("seed", 0))


def _expect_legal(game: AnyGame, state: AnyState, expected: list[Json]) -> None:
    got, wanted = _listed(game, state), _known(game, expected)
    assert got == wanted, (
        f"legal moves: missing {_readable(game, wanted - got)}, surplus {_readable(game, got - wanted)}"
    )


def _expect_includes(game: AnyGame, state: AnyState, expected: list[Json]) -> None:
    missing = _known(game, expected) - _listed(game, state)
    assert not missing, f"not among the legal moves: {_readable(game, missing)}"


def _expect_illegal(game: AnyGame, state: AnyState, expected: list[Json]) -> None:
    before = game.codec.dump_state(state)
    for each in expected:
        try:
            state.apply(game.codec.move_from_json(each))
        except IllegalMove:
            assert game.codec.dump_state(state) == before, f"the illegal {each} changed the state"
        else:
            raise AssertionError(f"{each} was applied but must be illegal")


def _expect_to_move(game: AnyGame, state: AnyState, expected: int) -> None:  # noqa: ARG001
    mover = state.to_move()
    assert (-1 if mover is None else mover) == expected, f"to move is {mover}, not {expected}"


def _expect_after(game: AnyGame, state: AnyState, expected: Json) -> None:
    assert_part(game.codec.state_to_json(state), expected, "state")


def _expect_outcome(game: AnyGame, state: AnyState, expected: Json | bool) -> None:  # noqa: ARG001
    outcome = state.outcome()
    if isinstance(expected, bool):
        assert (outcome is not None) == expected, f"the outcome is {outcome}"
        return
    assert outcome is not None, "the game is not over"
    got = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(outcome).items()}
    assert_part(got, expected, "outcome")


def _expect_views(game: AnyGame, state: AnyState, expected: list[Json]) -> None:
    for seat, part in enumerate(expected):
        assert_part(game.codec.observation_to_json(state.view(seat)), part, f"view of seat {seat}")


EXPECTATIONS: dict[str, Callable[[AnyGame, AnyState, Any], None]] = {
    "legal": _expect_legal,
    "includes": _expect_includes,
    "illegal": _expect_illegal,
    "to_move": _expect_to_move,
    "after": _expect_after,
    "outcome": _expect_outcome,
    "views": _expect_views,
}


def assert_part(got: Any, part: Any, where: str) -> None:
    """Raise AssertionError unless `part` stands in `got`: dicts by their keys, lists element by element."""
    if isinstance(part, dict):
        assert isinstance(got, dict), f"{where} is {got}, not a message"
        for key, value in part.items():
            assert key in got, f"{where} has no {key}"
            assert_part(got[key], value, f"{where}.{key}")
    elif isinstance(part, list):
        assert len(got) == len(part), f"{where} is {got}, not {part}"
        for place, value in enumerate(part):
            assert_part(got[place], value, f"{where}[{place}]")
    else:
        assert got == part, f"{where} is {got}, not {part}"


def _known(game: AnyGame, moves: list[Json]) -> set[bytes]:
    return {game.codec.dump_move(game.codec.move_from_json(move)) for move in moves}


def _listed(game: AnyGame, state: AnyState) -> set[bytes]:
    return {game.codec.dump_move(move) for move in state.legal()}


def _readable(game: AnyGame, moves: set[bytes]) -> list[Json]:
    return [game.codec.move_to_json(game.codec.load_move(move)) for move in moves]
