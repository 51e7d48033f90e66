// Plays the first legal move, with Connect's server for Node.js; `protoc --descriptor_set_out` made messages.binpb.
import { readFileSync } from "node:fs";
import { createServer } from "node:http2";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { connectNodeAdapter } from "@connectrpc/connect-node";

const files = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(new URL("messages.binpb", import.meta.url))),
);

async function* play(requests) {
  for await (const { event } of requests) {
    if (event.case === "start") {
      yield { answer: { case: "ready", value: { wantsLegalMoves: true } } };
    } else if (event.case === "turn") {
      yield { answer: { case: "moves", value: { turn: event.value.number, moves: [event.value.legal[0]] } } };
    }
  }
}

const routes = (router) => {
  router.service(files.getService("grpc.health.v1.Health"), { check: () => ({ status: 1 }) });
  router.service(files.getService("arena.wire.v1.ClaimBotService"), { play });
};

createServer(connectNodeAdapter({ routes })).listen(process.env.ARENA_SOCKET);
