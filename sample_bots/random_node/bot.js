// Plays any legal move, in every game. Copy this folder with `arena bot new --lang node`, and make `choose` better.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { HealthImplementation } from "grpc-health-check";

const PROTO = fileURLToPath(new URL("proto", import.meta.url));

/** Decide on one move: `turn.observation` is all you may know, `turn.clock.available_us` the microseconds you have. */
function choose(turn) {
  return turn.legal[Math.floor(Math.random() * turn.legal.length)];
}

/** Answer the requests of one match; every match has a stream, and so a call of this function, of its own. */
function play(stream) {
  let seat;
  stream.on("data", (request) => {
    switch (request.event) {
      case "start": // Get ready; the clock does not run yet.
        seat = request.start.match.seat;
        stream.write({ ready: { wants_legal_moves: true } });
        break;
      case "turn":
        stream.write({ moves: { turn: request.turn.number, moves: [choose(request.turn)] } });
        break;
      case "end": // What a bot prints is shown when something went wrong.
        console.log(`seat ${seat}: ${request.end.outcome.reason}; ${request.end.verdict.sentence}`);
    }
  });
  stream.on("error", () => {}); // the referee left
  stream.on("end", () => stream.end());
}

/** The services of all games, read from the .proto files. */
function services() {
  const files = readdirSync(join(PROTO, "arena/wire/v1")).map((name) => `arena/wire/v1/${name}`);
  const options = { includeDirs: [PROTO], keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true };
  const wire = grpc.loadPackageDefinition(loadSync(files, options)).arena.wire.v1;
  return Object.values(wire).flatMap((kind) => (kind.service?.Play ? [kind.service] : []));
}

/** Where to listen: the referee sets ARENA_SOCKET; for a debugger give --port 5000. */
function address() {
  const { values } = parseArgs({ options: { port: { type: "string" } } });
  if (process.env.ARENA_SOCKET) return `unix:${process.env.ARENA_SOCKET}`;
  if (values.port) return `127.0.0.1:${values.port}`;
  console.error("where shall the bot listen? Give --port 5000, or set ARENA_SOCKET as the referee does");
  process.exit(2);
}

const server = new grpc.Server();
for (const service of services()) server.addService(service, { Play: play });
new HealthImplementation({ "": "SERVING" }).addToServer(server);
server.bindAsync(address(), grpc.ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
process.on("SIGTERM", () => process.exit(0));
