// Plays any legal move. Copy this folder with `arena bot new --lang ts`, and make `choose` better.
import { serve } from "./serve.js";
import type { Move, Turn } from "./types/games.js";

/** Decide on one move: `turn.observation` is all you may know, `turn.clock.available_us` the microseconds you have. */
function choose(turn: Turn): Move {
  const move = turn.legal[Math.floor(Math.random() * turn.legal.length)];
  if (move === undefined) throw new Error("a turn has at least one legal move");
  return move;
}

serve(choose);
