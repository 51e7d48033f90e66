"""RulesService over gRPC: both calls, for every game that is registered."""

from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from functools import cache, lru_cache, wraps
from random import Random
from typing import TypeVar

import grpc

from arena.codec import pack_outcome, require
from arena.errors import ArenaError
from arena.game import AnyState
from arena.registry import find, games
from arena.rng import stream
from arena.sdk.rules_service.positions import MoveCache, Root, play_out
from arena.sdk.search import rewards
from arena.wire.v1 import rules_pb2, rules_pb2_grpc

MAX_TIMES = 1000
"""Few enough that a call which nobody waits for any more ends soon."""
ROOTS = 8
"""Roots that are kept: one for each match that a bot plays at the same time."""

Request = TypeVar("Request")
Reply = TypeVar("Reply")
Verb = Callable[["Rules", Request, grpc.ServicerContext], Reply]


def report_errors(verb: Verb[Request, Reply]) -> Verb[Request, Reply]:
    """Answer every exception with INVALID_ARGUMENT and one sentence."""

    @wraps(verb)
    def answer(self: "Rules", request: Request, context: grpc.ServicerContext) -> Reply:
        try:
            return verb(self, request, context)
        except ArenaError as error:
            why = str(error)
        except Exception as error:  # a position that no game leads to may break any rule
            why = f"the rules fail in this position: {type(error).__name__}: {error}"
        refused: Reply = context.abort(grpc.StatusCode.INVALID_ARGUMENT, why)  # it raises
        return refused

    return answer


class Rules(rules_pb2_grpc.RulesServiceServicer):
    """Answers one call at a time, so that no two of them meet in the positions that are kept."""

    def __init__(self) -> None:
        games()  # loaded now, off the clock, and not by the first call
        self._move_cache = cache(lambda game: MoveCache(find(game)))
        self._root = lru_cache(ROOTS)(lambda game, kind, data: Root(self._move_cache(game), kind, data))

    @report_errors
    def Look(self, request: rules_pb2.LookRequest, context: grpc.ServicerContext) -> rules_pb2.LookReply:  # noqa: N802
        """Who decides, the legal moves and the outcome in each position."""
        root = self._find(request.root)
        positions = _positions(root, request.lines, context)
        return rules_pb2.LookReply(positions=[_describe(root, state, request.states) for state in positions])

    @report_errors
    def PlayOut(self, request: rules_pb2.PlayOutRequest, context: grpc.ServicerContext) -> rules_pb2.PlayOutReply:  # noqa: N802
        """What each seat gets on average when each position is played on at random."""
        require(1 <= request.times <= MAX_TIMES, f"times must be 1 to {MAX_TIMES}, not {request.times}")
        positions = enumerate(_positions(self._find(request.root), request.lines, context))
        return rules_pb2.PlayOutReply(
            results=[
                rules_pb2.Rewards(seats=_average(state, request.times, stream(request.seed, "playout", number)))
                for number, state in positions
            ]
        )

    def _find(self, root: rules_pb2.Root) -> Root:
        kind = root.WhichOneof("known")
        require(kind, "the root says nothing: it must set `observation`, `state` or `config`")
        return self._root(root.game, kind, getattr(root, kind))


def _positions(root: Root, lines: Sequence[rules_pb2.Line], context: grpc.ServicerContext) -> Iterator[AnyState]:
    for number, line in enumerate(lines, start=1):
        # Nobody waits any more: what is left would only eat the time of the next call.
        if not context.is_active():
            return
        try:
            yield root.position(line.world, line.moves)
        except ArenaError as error:
            raise type(error)(f"line {number}: {error}") from error


def _describe(root: Root, state: AnyState, with_state: bool) -> rules_pb2.Position:
    position = rules_pb2.Position(legal=map(root.move_cache.write, state.legal()))
    if (seat := state.to_move()) is not None:
        position.to_move = seat
    if (outcome := state.outcome()) is not None:
        position.outcome.CopyFrom(pack_outcome(outcome))
    if with_state:
        position.state = root.move_cache.game.codec.dump_state(state)
    return position


def _average(state: AnyState, times: int, rng: Random) -> list[float]:
    ends = [rewards(play_out(state.clone(), rng)) for _ in range(times)]
    return [sum(seat) / times for seat in zip(*ends, strict=True)]


def make_server(where: str) -> grpc.Server:
    """A server of the rules at this address in the words of gRPC, not started yet."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=1))
    rules_pb2_grpc.add_RulesServiceServicer_to_server(Rules(), server)  # type: ignore[no-untyped-call]  # generated
    server.add_insecure_port(where)
    return server
