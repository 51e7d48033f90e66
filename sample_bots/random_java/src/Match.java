import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.grpc.stub.StreamObserver;

/** Answers the requests of one match; every match has a stream, and so an object of this class, of its own. */
final class Match<Request extends Message, Reply extends Message> implements StreamObserver<Request> {
  private final Bot bot = new Bot();
  private final StreamObserver<Reply> replies;
  private final Reply empty;
  private Object seat;

  Match(StreamObserver<Reply> replies, Reply empty) {
    this.replies = replies;
    this.empty = empty;
  }

  @Override
  public void onNext(Request request) {
    FieldDescriptor event = request.getOneofFieldDescriptor(request.getDescriptorForType().getOneofs().get(0));
    Message content = (Message) request.getField(event);
    Message.Builder reply = empty.newBuilderForType();
    switch (event.getName()) {
      case "start": // Get ready; the clock does not run yet.
        seat = get(content, "match", "seat");
        set(part(reply, "ready"), "wants_legal_moves", true);
        break;
      case "turn":
        Message.Builder moves = part(reply, "moves");
        set(moves, "turn", get(content, "number"));
        moves.addRepeatedField(field(moves, "moves"), bot.choose(content));
        break;
      default: // What a bot prints is shown when something went wrong.
        Object reason = get(content, "outcome", "reason");
        System.out.printf("seat %s: %s; %s%n", seat, reason, get(content, "verdict", "sentence"));
        return;
    }
    send(reply.build());
  }

  @SuppressWarnings("unchecked")
  private void send(Message reply) {
    replies.onNext((Reply) reply);
  }

  @Override
  public void onCompleted() {
    replies.onCompleted();
  }

  @Override
  public void onError(Throwable error) {} // the referee left

  /** Follows a path of fields: get(request, "start", "match", "seat") is request.start.match.seat. */
  static Object get(Object message, String... path) {
    for (String name : path) {
      message = ((Message) message).getField(field((Message) message, name));
    }
    return message;
  }

  private static Message.Builder part(Message.Builder message, String name) {
    return message.getFieldBuilder(field(message, name));
  }

  private static void set(Message.Builder message, String name, Object value) {
    message.setField(field(message, name), value);
  }

  private static FieldDescriptor field(MessageOrBuilder message, String name) {
    return message.getDescriptorForType().findFieldByName(name);
  }
}
