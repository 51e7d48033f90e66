"""The program of a worker process: `python -m … N`, with N the descriptor of its socket."""

import asyncio
import gc
import socket
import sys
from contextlib import suppress

from arena import registry
from arena.bots.launch import make_bot
from arena.errors import ArenaError
from arena.game import AnyGame
from arena.referee import looptime
from arena.referee.faults import FaultPolicy
from arena.referee.heartbeat import ThreadHeartbeat
from arena.workers.base import FinishedMatch, VoidMatch
from arena.workers.messages import READY, Failure, PlayMatch, WorkerPlan, pack, receive
from arena.workers.reports import Reporter
from arena.workers.worker import Worker, finish


async def serve(sock: socket.socket) -> None:
    """Play what the tournament asks for, until it hangs up; then end all bots, even in the middle of a match."""
    reader, writer = await asyncio.open_connection(sock=sock)
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        plan: WorkerPlan = await receive(reader)
        game = registry.find(plan.game)
        reporter = Reporter(writer) if plan.reports else None
        with ThreadHeartbeat() as heartbeat:
            worker = Worker(
                game,
                lambda number: make_bot(game, plan.bots[number], plan.seed),
                policy=FaultPolicy(plan.strikes),
                heartbeat=heartbeat,
                fresh=plan.fresh,
                extra_enforcement=plan.extra_enforcement,
                watch=reporter.watch if reporter else None,
            )
            # All that was imported stays for good: it need not be looked through again while a bot's time runs.
            gc.freeze()
            writer.write(pack(READY))
            try:
                await _answer(reader, writer, plan, game, worker, reporter)
            finally:
                await worker.clear()
    writer.close()


async def _answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, plan: WorkerPlan, game: AnyGame, worker: Worker,
    reporter: Reporter | None,
) -> None:  # fmt: skip
    request = await receive(reader)
    while True:
        playing = asyncio.create_task(_play(plan, game, worker, request))
        asking = asyncio.create_task(receive(reader))
        try:
            # The tournament asks for one match after the other: what comes meanwhile is the end of the connection.
            await asyncio.wait({playing, asking}, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                asking.result()
            answer = await playing
            if reporter is not None:
                reporter.stop()
            writer.write(pack(answer))
            await writer.drain()
            await worker.tidy()
            request = await asking
        finally:
            playing.cancel()
            asking.cancel()
            await asyncio.gather(playing, asking, return_exceptions=True)


async def _play(
    plan: WorkerPlan, game: AnyGame, worker: Worker, request: PlayMatch
) -> FinishedMatch | VoidMatch | Failure:
    assignment = request.assignment
    places = tuple(request.bots[place] for place in assignment.seating)
    try:
        played = await worker.play(request.bots, assignment, new_leg=request.new_leg)
        ids = tuple(plan.bot_ids[place] for place in places)
        return finish(game, played, assignment, tournament=plan.tournament, places=places, bot_ids=ids)
    except ArenaError as error:
        return Failure.of(error)


def main() -> None:
    looptime.run(serve(socket.socket(fileno=int(sys.argv[1]))))


if __name__ == "__main__":
    main()
