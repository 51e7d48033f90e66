// Answers the referee with what `choose` decides; it can stay as it is.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import grpc from "@grpc/grpc-js";
import { loadSync, type Options } from "@grpc/proto-loader";
import { HealthImplementation } from "grpc-health-check";
import type { Move, Reply, Request, Turn } from "./types/games.js";

const PROTO = fileURLToPath(new URL("../proto", import.meta.url));
/** The options of the Makefile, by which the types were made. */
const LOADED: Options = { includeDirs: [PROTO], keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true };

export type Choose = (turn: Turn) => Move;

/** Offer every game whose messages are in proto/, until the referee says that it is over. */
export function serve(choose: Choose): void {
  const server = new grpc.Server();
  const play = (stream: grpc.ServerDuplexStream<Request, Reply>) => answer(stream, choose);
  for (const service of services()) server.addService(service, { Play: play });
  new HealthImplementation({ "": "SERVING" }).addToServer(server);
  server.bindAsync(address(), grpc.ServerCredentials.createInsecure(), (error) => {
    if (error) throw error;
  });
  process.on("SIGTERM", () => process.exit(0));
}

/** Answer the requests of one match; every match has a stream, and so a call of this function, of its own. */
function answer(stream: grpc.ServerDuplexStream<Request, Reply>, choose: Choose): void {
  let seat: number | undefined;
  stream.on("data", (request: Request) => {
    if (request.start) {
      seat = request.start.match?.seat; // Get ready; the clock does not run yet.
      stream.write({ ready: { wants_legal_moves: true } });
    } else if (request.turn) {
      stream.write({ moves: { turn: request.turn.number, moves: [choose(request.turn)] } } as Reply);
    } else if (request.end) {
      // What a bot prints is shown when something went wrong.
      console.log(`seat ${seat}: ${request.end.outcome?.reason}; ${request.end.verdict?.sentence}`);
    }
  });
  stream.on("error", () => {}); // the referee left
  stream.on("end", () => stream.end());
}

/** The services of all games, read from the .proto files. */
function services(): grpc.ServiceDefinition[] {
  const files = readdirSync(join(PROTO, "arena/wire/v1")).map((name) => `arena/wire/v1/${name}`);
  const found = Object.values(loadSync(files, LOADED)).filter((definition) => "Play" in definition);
  return found as unknown as grpc.ServiceDefinition[]; // messages have no method Play
}

/** Where to listen: the referee sets ARENA_SOCKET; for a debugger give --port 5000. */
function address(): string {
  const { values } = parseArgs({ options: { port: { type: "string" } } });
  if (process.env.ARENA_SOCKET) return `unix:${process.env.ARENA_SOCKET}`;
  if (values.port) return `127.0.0.1:${values.port}`;
  console.error("where shall the bot listen? Give --port 5000, or set ARENA_SOCKET as the referee does");
  return process.exit(2);
}
