"""Plays the first legal move, with grpclib and code that protoc made of proto/; nothing of Arena's SDK."""

# ruff: noqa: E402, I001, N802  (the path comes first, `arena` is the generated one, gRPC names the method)
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "gen"), str(Path(__file__).parent / "vendor")]

import asyncio
import os

from arena.wire.v1 import claim_grpc, claim_pb2, match_pb2
from grpclib.health.service import Health
from grpclib.server import Server


class Bot(claim_grpc.ClaimBotServiceBase):
    async def Play(self, stream):
        async for request in stream:
            if request.HasField("start"):
                await stream.send_message(claim_pb2.ClaimReply(ready=match_pb2.Ready(wants_legal_moves=True)))
            elif request.HasField("turn"):
                moves = claim_pb2.ClaimMoves(turn=request.turn.number, moves=request.turn.legal[:1])
                await stream.send_message(claim_pb2.ClaimReply(moves=moves))


async def main():
    server = Server([Bot(), Health()])
    await server.start(path=os.environ["ARENA_SOCKET"])
    await server.wait_closed()


asyncio.run(main())
