"""Properties of King & Assassins; the single rules are cases in tests/data/assassins."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from arena.errors import BadMessage, IllegalMove
from arena.rng import choice, shuffle, stream
from engines.assassins import board as boards
from engines.assassins import determinize
from engines.assassins.board import CITIZENS, FIGURES, KING, KNIGHTS, OFF, SQUARES
from engines.assassins.game import GAME
from engines.assassins.moves import CHOOSE, END_TURN, ENTER, HIDDEN_CHOICE, KILL
from engines.assassins.rules import (
    ASSASSINS_GONE,
    ASSASSINS_TURN,
    CARDS,
    CHOOSING,
    ENTERED,
    KING_DEAD,
    KINGS_TURN,
    OVER,
    STARTING,
    TOO_LATE,
    AssassinsState,
    Config,
    Observation,
)

CODEC = GAME.codec
BOARDS = ("a", "b")
PROTO = Path(__file__).parents[2] / "proto/arena/wire/v1/assassins.proto"


def play(board: str, seed: int) -> Iterator[AssassinsState]:
    """Every position of a game in which blows and the king's way home are chosen so often that all endings occur."""
    rng = stream(seed, "test")
    state = GAME.start(Config(board), seed)
    home = state.board.steps_home
    yield state
    while state.to_move() is not None:
        legal = state.legal()
        eager = [move for move in legal if KILL <= move < CHOOSE or move == ENTER]
        eager += [move for move in legal if move < SQUARES and home[move] < home[state.where[KING]]]
        state.apply(choice(rng, eager if eager and rng.random() < 0.8 else legal))
        yield state


def sampled(board: str, seed: int) -> Iterator[AssassinsState]:
    """Some positions of a game, the first and the last ones included."""
    states = [state.clone() for state in play(board, seed)]
    yield from (*states[:4], *states[4:-6:7], *states[-6:])


def seen(state: AssassinsState, seat: int) -> bytes:
    return CODEC.dump_observation(state.view(seat))


def possible_assassins(observation: Observation) -> list[tuple[int, ...]]:
    """Every three that seat 0 cannot rule out."""
    return [tuple(sorted((*observation.revealed, *group))) for group in determinize.possible_secrets(observation)]


def check_conservation(state: AssassinsState) -> None:
    """Every figure, card and point is where it can be, and all tables tell the same."""
    where, board = state.where, state.board
    assert len(where) == FIGURES
    standing = {square: figure for figure, square in enumerate(where) if square != OFF}
    assert {square: figure for square, figure in enumerate(state.at) if figure >= 0} == standing
    assert len(standing) == sum(square != OFF for square in where)
    assert sorted(state.removed) == [citizen for citizen in CITIZENS if where[citizen] == OFF]
    present = [citizen for citizen in CITIZENS if where[citizen] != OFF]
    assert sorted(state.hidden + state.hunters) == present
    assert state.hunters == [figure for figure in present if figure in state.revealed]
    assert state.hidden == sorted(state.hidden)
    assert set(state.revealed) <= set(state.assassins)
    assert len(state.assassins) == (0 if state.phase == CHOOSING else 3)
    assert sorted(state.deck) == list(board.deck)
    assert where[KING] == OFF or not board.roof[where[KING]]
    if state.drawn:
        most = CARDS[state.deck[state.drawn - 1]]
        assert 0 <= state.king_points <= most[0]
        assert 0 <= state.knight_points <= most[1]
        assert 0 <= state.crowd_points <= most[3]
    assert state.captured is False or CARDS[state.deck[state.drawn - 1]][2]
    assert state.kills <= 2
    assert (state.wounds == 2) == (state.ending == KING_DEAD)
    assert where[KING] == OFF or state.ending not in (ENTERED, KING_DEAD)
    gone = state.phase != CHOOSING and all(where[figure] == OFF for figure in state.assassins)
    assert gone == (state.ending == ASSASSINS_GONE)


# -- games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", BOARDS)
def test_games_conserve_everything_and_end_in_time(board):
    endings = Counter()
    for seed in range(30):
        moves = -1
        for state in play(board, seed):
            moves += 1
            check_conservation(state)
            assert (state.to_move() is None) == (state.outcome() is not None) == (not state.legal())
        assert moves <= GAME.info.max_moves
        assert state.drawn <= len(state.board.deck)
        endings[state.ending] += 1
    assert set(endings) == {ENTERED, ASSASSINS_GONE, KING_DEAD, TOO_LATE}


@given(seed=st.integers(0, 2**64 - 1), board=st.sampled_from(BOARDS))
@settings(max_examples=15, deadline=None)
def test_any_seed_gives_a_sound_game(seed, board):
    for state in islice(play(board, seed), 0, None, 5):
        check_conservation(state)
        legal = state.legal()
        assert len(set(legal)) == len(legal)
        assert state.phase not in (KINGS_TURN, ASSASSINS_TURN) or legal[-1] == END_TURN


def test_points_are_never_spent_twice():
    for state in play("a", 11):
        if state.phase in (KINGS_TURN, ASSASSINS_TURN):
            for move in state.legal():
                after = state.clone()
                after.apply(move)
                check_conservation(after)


def test_whatever_is_not_legal_is_refused_and_changes_nothing():
    for state in islice(play("a", 5), 1, 60, 12):
        legal = set(state.legal())
        before = CODEC.dump_state(state)
        for move in (*range(-3, END_TURN + 3), 10**9, None, "x"):
            if move not in legal:
                with pytest.raises(IllegalMove):
                    state.apply(move)
        assert CODEC.dump_state(state) == before


def test_a_clone_lives_its_own_life():
    for state in sampled("b", 3):
        before = CODEC.dump_state(state)
        twin = state.clone()
        for _ in range(6):
            if twin.legal():
                twin.apply(twin.legal()[0])
        assert CODEC.dump_state(state) == before


# -- secrets ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", BOARDS)
def test_the_king_sees_nothing_of_the_assassins_and_nobody_the_deck(board):
    rng = Random(7)
    for seed in range(6):
        for state in sampled(board, seed):
            views = seen(state, 0), seen(state, 1)
            other = state.clone()
            rest = list(other.deck[other.drawn :])
            shuffle(rng, rest)
            other.deck = [*other.deck[: other.drawn], *rest]
            assert seen(other, 1) == views[1]
            if state.phase != CHOOSING:
                other.assassins = choice(rng, possible_assassins(state.view(0)))
                if other.log and CHOOSE <= other.log[0] < HIDDEN_CHOICE:
                    other.log[0] = CHOOSE + rng.randrange(220)
            assert seen(other, 0) == views[0]


def test_no_identity_is_shown_that_was_not_revealed():
    for seed in range(12):
        for state in play("a", seed):
            view = CODEC.observation_to_json(state.view(0))
            assert view["assassins"] == []
            assert set(view["revealed"]) == set(state.revealed)
            chosen = [e["move"]["choose"]["citizens"] for e in view["events"] if "choose" in e["move"]]
            assert not any(chosen)
        assert state.phase == OVER


def test_a_capture_looks_the_same_whoever_was_caught():
    position = {"king": 99, "citizens": [33, 82, 52, 44], "knights": [43], "cards": [0], "deck": [0]}
    move = CODEC.move_from_json({"capture": {"figure": 13, "square": 33}})
    views = set()
    for assassins in ([1, 2, 3], [2, 3, 4], [1, 2, 12], [3, 4, 5]):
        state = CODEC.state_from_json({**position, "assassins": assassins})
        state.apply(move)
        views.add(seen(state, 0))
    assert len(views) == 1


def test_legal_moves_of_the_king_tell_nothing():
    rng = Random(3)
    for state in play("a", 8):
        if state.phase == KINGS_TURN:
            other = state.clone()
            other._legal = None
            other.assassins = choice(rng, possible_assassins(state.view(0)))
            assert other.legal() == state.legal()


@pytest.mark.parametrize("board", BOARDS)
def test_what_the_figures_remember_of_their_steps_is_what_they_find_when_they_look_again(board):
    for seed in range(30):
        for state in play(board, seed):
            twin = state.clone()
            twin.recompute()
            assert twin.legal() == state.legal()


# -- imagination ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", BOARDS)
def test_an_imagined_position_looks_exactly_like_the_observed_one(board):
    for seed in range(4):
        rng = Random(seed)
        for state in play(board, seed):
            for seat in (0, 1):
                observation = state.view(seat)
                imagined = GAME.imagine(observation, rng)
                assert imagined.view(seat) == observation
                assert seen(imagined, seat) == CODEC.dump_observation(observation)
                assert imagined.to_move() == state.to_move()
                check_conservation(imagined)
                if state.to_move() == seat:
                    assert imagined.legal() == state.legal()


def test_an_imagined_game_can_be_played_to_its_end():
    rng = Random(1)
    for state in sampled("b", 9):
        for seat in (0, 1):
            twin = GAME.imagine(state.view(seat), rng)
            while twin.to_move() is not None:
                twin.apply(choice(rng, twin.legal()))
            check_conservation(twin)


def chi_square(counts: Counter, cells: int, draws: int) -> float:
    expected = draws / cells
    return sum((count - expected) ** 2 / expected for count in counts.values()) + (cells - len(counts)) * expected


SMALL = {
    "king": 99, "knights": [13], "citizens": [100, 100, 100, 33, 44], "assassins": [1, 4, 9], "revealed": [1],
    "removed": [9, 1], "cards": [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4], "deck": [5, 6],
}  # fmt: skip


def test_the_king_imagines_all_that_fits_equally_often():
    # One assassin was killed, nine citizens were captured and two are left: the other two assassins are any pair of
    # these eleven that has not been captured whole (55 - 36), and two cards are to come in two orders.
    observation = CODEC.state_from_json(SMALL).view(0)
    assert len(possible_assassins(observation)) == 19
    rng, draws = Random(2024), 7600
    counts = Counter()
    for _ in range(draws):
        state = GAME.imagine(observation, rng)
        counts[state.assassins, tuple(state.deck[state.drawn :])] += 1
    assert len(counts) == 38
    assert all(1 in assassins and {4, 5} & set(assassins) for assassins, _ in counts)
    assert chi_square(counts, 38, draws) < 69.3  # 37 degrees of freedom, one in a thousand


def test_the_assassins_imagine_only_the_deck_and_equally_often():
    position = {**SMALL, "cards": SMALL["cards"][2:], "deck": [5, 6, 0, 0]}
    observation = CODEC.state_from_json(position).view(1)
    rng, draws = Random(5), 2400
    counts = Counter()
    for _ in range(draws):
        state = GAME.imagine(observation, rng)
        assert state.assassins == (1, 4, 9)
        counts[tuple(state.deck[state.drawn :])] += 1
    assert chi_square(counts, 12, draws) < 31.3  # 11 degrees of freedom, one in a thousand


def test_at_the_start_every_choice_is_as_likely():
    state = GAME.start(Config("b"), 1)
    state.apply(CHOOSE)
    assert state.phase == STARTING
    rng, draws = Random(9), 4400
    counts = Counter(GAME.imagine(state.view(0), rng).assassins for _ in range(draws))
    assert chi_square(counts, 220, draws) < 289  # 219 degrees of freedom, one in a thousand


def gone(removed: list[int], revealed: list[int], assassins: list[int]) -> set[tuple[int, ...]]:
    """What seat 0 can believe after a game that ended because all assassins are gone."""
    squares = [OFF if citizen in removed else 20 + citizen for citizen in CITIZENS]
    state = CODEC.state_from_json({
        "phase": "ASSASSINS_PHASE_OVER", "ending": "ASSASSINS_ENDING_ASSASSINS_GONE", "citizens": squares,
        "assassins": assassins, "revealed": revealed, "removed": removed, "cards": [0], "king": 99,
    })  # fmt: skip
    return set(possible_assassins(state.view(0)))


def test_the_last_to_leave_was_an_assassin_when_that_ended_the_game():
    assert gone([2, 4, 5, 3], [], [2, 3, 4]) == {(2, 3, 4), (2, 3, 5), (3, 4, 5)}
    assert gone([7, 8, 9, 1], [1], [1, 7, 8]) == {(1, 7, 8), (1, 7, 9), (1, 8, 9)}
    assert gone([7, 8, 1, 9], [1], [1, 7, 9]) == {(1, 7, 9), (1, 8, 9)}
    assert gone([7, 8, 1, 9], [1, 8], [1, 8, 9]) == {(1, 8, 9)}


def test_captured_citizens_cannot_be_all_that_is_missing_while_the_game_goes_on():
    observation = CODEC.state_from_json({
        "citizens": [100, 100, 33, 34, 35, 36, 37, 38, 42, 43, 44, 100], "assassins": [1, 2, 3], "revealed": [1, 2],
        "removed": [1, 12, 2], "cards": [0], "king": 99,
    }).view(0)  # fmt: skip
    assert {triple[2] for triple in possible_assassins(observation)} == set(range(3, 12))


def test_what_cannot_have_been_seen_cannot_be_imagined():
    message = CODEC.pack_observation(CODEC.state_from_json(SMALL).view(0))
    del message.citizens[3:]
    with pytest.raises(BadMessage, match="no three assassins"):
        GAME.imagine(CODEC.unpack_observation(message), Random(1))


# -- messages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", BOARDS)
def test_a_position_survives_its_message_and_goes_on_the_same(board):
    for state in sampled(board, 21):
        data = CODEC.dump_state(state)
        twin = CODEC.load_state(data)
        assert CODEC.dump_state(twin) == data
        assert [seen(twin, seat) for seat in (0, 1)] == [seen(state, seat) for seat in (0, 1)]
        rng = Random(4)
        while state.to_move() is not None:
            assert twin.legal() == state.legal()
            move = choice(rng, state.legal())
            state.apply(move)
            twin.apply(move)
        assert CODEC.dump_state(twin) == CODEC.dump_state(state)


def test_observations_and_moves_survive_their_messages():
    for state in sampled("b", 2):
        for seat in (0, 1):
            observation = state.view(seat)
            assert CODEC.load_observation(CODEC.dump_observation(observation)) == observation
        for move in state.legal():
            assert CODEC.load_move(CODEC.dump_move(move)) == move
    assert CODEC.load_move(CODEC.dump_move(HIDDEN_CHOICE)) == HIDDEN_CHOICE
    assert CODEC.load_move(CODEC.dump_move(0)) == 0


@pytest.mark.parametrize(
    "move",
    [
        {},
        {"choose": {"citizens": [1, 1, 2]}},
        {"choose": {"citizens": [1, 2]}},
        {"choose": {"citizens": [1, 2, 13]}},
        {"choose": {"citizens": [0, 1, 2]}},
        {"step": {"figure": 20, "square": 5}},
        {"step": {"figure": 0, "square": 100}},
        {"kill": {"figure": 13, "square": 4000}},
        {"reveal": 0},
        {"reveal": 13},
        {"start": 100},
        {"enter": False},
        {"end_turn": False},
    ],
)
def test_moves_that_cannot_be_are_bad_messages(move):
    with pytest.raises(BadMessage):
        CODEC.move_from_json(move)


@pytest.mark.parametrize(
    "change",
    [
        {"config": {"board": 7}},
        {"phase": 9},
        {"phase": "ASSASSINS_PHASE_CHOOSE"},
        {"phase": "ASSASSINS_PHASE_OVER"},
        {"ending": "ASSASSINS_ENDING_ENTERED"},
        {"phase": "ASSASSINS_PHASE_OVER", "ending": -1},
        {"phase": "ASSASSINS_PHASE_OVER", "ending": 5},
        {"phase": "ASSASSINS_PHASE_OVER", "ending": "ASSASSINS_ENDING_ENTERED"},
        {"phase": "ASSASSINS_PHASE_OVER", "ending": "ASSASSINS_ENDING_KING_DEAD"},
        {"phase": "ASSASSINS_PHASE_OVER", "ending": "ASSASSINS_ENDING_ASSASSINS_GONE"},
        {"king": 33},
        {"king": 0},
        {"king": 101},
        {"knights": [43] * 8},
        {"citizens": [30] * 13},
        {"citizens": [100, 82]},
        {"assassins": [1, 2]},
        {"assassins": [1, 2, 2]},
        {"assassins": [1, 2, 13]},
        {"revealed": [5]},
        {"removed": [1]},
        {"removed": [3, 3]},
        {"wounds": 2},
        {"kills": 3},
        {"cards": []},
        {"cards": [7]},
        {"cards": [3, 3]},
        {"deck": [3, 3]},
        {"king_points": 2},
        {"knight_points": 7},
        {"crowd_points": 6},
        {"events": [{"seat": 2, "move": {"end_turn": True}}]},
        {"events": [{"seat": 0}]},
        {"events": [{"seat": 1, "move": {"choose": {}}}]},
        {"events": [{"seat": 0, "move": {"end_turn": True}}, {"seat": 1, "move": {"end_turn": True}}]},
        {"king": 100},
        {"wounds": 1},
        {"kills": 1},
        {"captured": True, "cards": [1]},
        {"crowd_points": 4},
        {"phase": "ASSASSINS_PHASE_ASSASSINS", "king_points": 1},
        {"phase": "ASSASSINS_PHASE_ASSASSINS", "knight_points": 1},
        {"phase": "ASSASSINS_PHASE_ASSASSINS", "revealed": [1], "kills": 1},
        {"phase": "ASSASSINS_PHASE_ASSASSINS", "knights": [43, 100], "kills": 1, "crowd_points": 4},
        {"phase": "ASSASSINS_PHASE_OVER", "ending": "ASSASSINS_ENDING_TOO_LATE"},
        {"events": [{"seat": 0, "move": {"end_turn": True}}]},
        {"events": [{"seat": 1, "move": {"reveal": 1}}]},
        {"events": [{"seat": 1, "move": {"reveal": 1}}, {"seat": 1, "move": {"end_turn": True}}]},
        {"events": [{"seat": 1, "move": {"end_turn": True}}, {"seat": 1, "move": {"end_turn": True}}]},
        {"events": [{"seat": 1, "move": {"step": {"figure": 13, "square": 43}}}]},
        {"events": [{"seat": 0, "move": {"step": {"figure": 1, "square": 33}}}]},
        {"events": [{"seat": 1, "move": {"choose": {"citizens": [1, 2, 3]}}}]},
    ],
)
def test_positions_that_cannot_be_are_bad_messages(change):
    position = {"king": 99, "citizens": [33, 32], "knights": [43], "assassins": [1, 3, 4], "cards": [0], "deck": [1]}
    CODEC.state_from_json(position)
    with pytest.raises(BadMessage):
        CODEC.state_from_json({**position, **change})


@given(
    data=st.binary(max_size=60),
    seed=st.integers(0, 40),
    cut=st.integers(0, 100),
    kind=st.sampled_from(("state", "seen")),
)
@settings(max_examples=150, deadline=None)
def test_nonsense_is_a_bad_message_or_a_position_that_can_be_played(data, seed, cut, kind):
    rng = Random(seed)
    *_, state = islice(play(BOARDS[seed % 2], seed), 2 * seed + 1)
    whole = CODEC.dump_state(state) if kind == "state" else seen(state, seed % 2)
    try:
        # Damage at a random place of a sound message finds more than bytes that are noise from the start.
        damaged = whole[:cut] + data + whole[cut + len(data) :]
        found = CODEC.load_state(damaged) if kind == "state" else GAME.imagine(CODEC.load_observation(damaged), rng)
    except BadMessage:
        return
    GAME.show(found)
    for _ in range(10):
        if found.to_move() is None:
            break
        move = choice(rng, found.legal())
        GAME.describe_move(found, move)
        found.apply(move)
        assert CODEC.load_state(CODEC.dump_state(found)).legal() == found.legal()


# -- boards and looks -------------------------------------------------------------------------------------------


def test_side_a_is_the_published_one():
    board = boards.load("a")
    assert sum(board.roof) == 36
    assert board.doors == {22: "north", 41: "west"}
    assert boards.steps_through([41], board.streets)[99] == 14
    assert boards.steps_through([22], board.streets)[99] == 15
    points = [sum(CARDS[kind][field] for kind in board.deck) for field in range(4)]
    assert (len(board.deck), *points) == (15, 19, 86, 7, 68)


def test_side_b_keeps_what_is_known_of_it():
    board = boards.load("b")
    assert [start.king for start in board.starts] == [90, 99]
    assert list(board.doors.values()) == ["north"]
    assert all(door < 10 for door in board.doors)
    assert abs(sum(board.roof) - 36) <= 6
    assert Counter(boards.load("a").deck) - Counter(board.deck) == {0: 1}
    assert all(start.king in board.steps_home for start in board.starts)


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_is_sound(name):
    board = boards.load(name)
    assert (len(board.roof), len(board.citizens), len(board.marked)) == (SQUARES, 12, 2)
    for number, start in enumerate(board.starts):
        squares = board.squares(number)
        assert len(start.knights) == 5
        assert len(set(squares)) == FIGURES
        assert not board.roof[start.king]
    assert not any(board.roof[door] for door in board.doors)
    assert all(len(table) == SQUARES + 1 and not table[OFF] for table in (*board.marches, board.prowls, board.streets))


def test_the_proto_file_describes_the_boards_as_they_are():
    text = PROTO.read_text(encoding="utf-8")
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith("//   ") and line[5].isdigit()]
    drawn = [(row[1], row[3]) for row in rows if len(row) == 4 and set(row[1]) <= set("#.")]
    for column, name in enumerate(BOARDS):
        board = boards.load(name)
        assert "".join(row[column] for row in drawn) == "".join(".#"[roof] for roof in board.roof)
        for squares in (board.citizens, board.marked, *(start.knights for start in board.starts)):
            assert " ".join(map(str, squares)) in text


@pytest.mark.parametrize("board", BOARDS)
def test_the_terminal_shows_every_figure_and_tells_every_move(board):
    for state in sampled(board, 13):
        lines = Text.from_markup(GAME.show(state)).plain.splitlines()
        for figure, square in enumerate(state.where):
            letter = "K" if figure == KING else "N" if figure in KNIGHTS else "A" if figure in state.revealed else "ac"
            if square != OFF:
                row, column = divmod(square, 10)
                cell = lines[row + 1][4 + 4 * column : 8 + 4 * column].strip(" ▒")
                assert cell[0] in letter
                assert cell[1:] == ("" if figure == KING else str(figure))
        for move in state.legal():
            assert Text.from_markup(GAME.describe_move(state, move)).plain.startswith(f"seat {state.to_move()}: ")
