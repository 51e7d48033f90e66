import com.google.protobuf.Message;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Plays any legal move, in every game. Copy this folder with `arena bot new --lang java`, and make choose better. */
final class Bot {
  /**
   * Decides on one move, an element of turn.legal. All that you may know is in turn.observation, and
   * turn.clock.available_us are the microseconds that you have. Fields are found by their names, because this bot plays
   * every game; within `if (turn instanceof ClaimTurn claim)` you have Java's own types.
   */
  Message choose(Message turn) {
    List<?> legal = (List<?>) Match.get(turn, "legal");
    return (Message) legal.get(ThreadLocalRandom.current().nextInt(legal.size()));
  }
}
