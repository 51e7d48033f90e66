import com.google.protobuf.Empty;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;

/** Offers the bot to the referee: the services of all games and the health check, on the socket that it names. */
final class Server {
  private static final int SERVING = 1;

  public static void main(String[] args) throws IOException, InterruptedException {
    Games.offer(listen(args))
        .bossEventLoopGroup(new NioEventLoopGroup(1))
        .workerEventLoopGroup(new NioEventLoopGroup(1))
        .addService(health())
        .build()
        .start()
        .awaitTermination();
  }

  /** Where to listen: the referee sets ARENA_SOCKET; for a debugger give --port 5000. */
  private static NettyServerBuilder listen(String[] args) {
    String socket = System.getenv("ARENA_SOCKET");
    if (socket != null) {
      return NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket)).channelType(UnixServerChannel.class);
    }
    if (args.length == 2 && args[0].equals("--port")) {
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[1]));
      return NettyServerBuilder.forAddress(address).channelType(NioServerSocketChannel.class);
    }
    System.err.println("where shall the bot listen? Give --port 5000, or set ARENA_SOCKET as the referee does");
    System.exit(2);
    return null;
  }

  /** The service of one game. All games have the same one, with messages of their own. */
  static <Request extends Message, Reply extends Message> ServerServiceDefinition game(
      MethodDescriptor<Request, Reply> play) {
    var marshaller = (MethodDescriptor.PrototypeMarshaller<Reply>) play.getResponseMarshaller();
    Reply empty = marshaller.getMessagePrototype();
    return ServerServiceDefinition.builder(play.getServiceName())
        .addMethod(play, ServerCalls.asyncBidiStreamingCall(replies -> new Match<>(replies, empty)))
        .build();
  }

  /**
   * The standard health check. Debian has no package of its messages, and it works without: nobody reads the question,
   * and the answer is a number in field 1.
   */
  private static ServerServiceDefinition health() {
    var check =
        MethodDescriptor.<Empty, Int32Value>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("grpc.health.v1.Health/Check")
            .setRequestMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
            .setResponseMarshaller(ProtoUtils.marshaller(Int32Value.getDefaultInstance()))
            .build();
    return ServerServiceDefinition.builder("grpc.health.v1.Health")
        .addMethod(
            check,
            ServerCalls.asyncUnaryCall(
                (question, answer) -> {
                  answer.onNext(Int32Value.of(SERVING));
                  answer.onCompleted();
                }))
        .build();
  }
}
