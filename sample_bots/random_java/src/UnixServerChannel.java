import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FileRegion;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.AbstractNioByteChannel;
import io.netty.channel.nio.AbstractNioMessageChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/** Netty on the Unix sockets of the JDK; Netty's own ones need a native library that Debian does not ship. */
public final class UnixServerChannel extends AbstractNioMessageChannel implements ServerChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
  private final ChannelConfig config = new DefaultChannelConfig(this);

  public UnixServerChannel() throws IOException {
    super(null, ServerSocketChannel.open(StandardProtocolFamily.UNIX), SelectionKey.OP_ACCEPT);
  }

  @Override protected ServerSocketChannel javaChannel() { return (ServerSocketChannel) super.javaChannel(); }
  @Override protected void doBind(SocketAddress address) throws IOException { javaChannel().bind(address); }
  @Override protected void doClose() throws IOException { javaChannel().close(); }
  @Override public boolean isActive() { return isOpen() && localAddress0() != null; }
  @Override protected SocketAddress remoteAddress0() { return null; }
  @Override public ChannelConfig config() { return config; }
  @Override public ChannelMetadata metadata() { return METADATA; }

  @Override protected SocketAddress localAddress0() {
    try {
      return javaChannel().getLocalAddress();
    } catch (IOException closed) {
      return null;
    }
  }

  @Override protected int doReadMessages(List<Object> connections) throws IOException {
    SocketChannel socket = javaChannel().accept();
    return socket != null && connections.add(new Connection(this, socket)) ? 1 : 0;
  }

  @Override protected boolean doConnect(SocketAddress remote, SocketAddress local) { throw never(); }
  @Override protected void doFinishConnect() { throw never(); }
  @Override protected void doDisconnect() { throw never(); }
  @Override protected boolean doWriteMessage(Object message, ChannelOutboundBuffer buffer) { throw never(); }

  /** What a channel must be able to say, and a server never asks for. */
  private static RuntimeException never() { return new UnsupportedOperationException(); }

  /** The connection of one referee. */
  private static final class Connection extends AbstractNioByteChannel {
    private final ChannelConfig config = new DefaultChannelConfig(this) {
      @Override public <T> boolean setOption(ChannelOption<T> option, T value) {
        return option == ChannelOption.SO_KEEPALIVE || super.setOption(option, value); // gRPC thinks of TCP alone
      }
    };

    Connection(Channel parent, SocketChannel socket) { super(parent, socket); }

    @Override protected int doReadBytes(ByteBuf buffer) throws IOException {
      return buffer.writeBytes(javaChannel(), buffer.writableBytes());
    }

    @Override protected int doWriteBytes(ByteBuf buffer) throws IOException {
      return buffer.readBytes(javaChannel(), buffer.readableBytes());
    }

    @Override protected SocketChannel javaChannel() { return (SocketChannel) super.javaChannel(); }
    @Override protected ChannelFuture shutdownInput() { return newSucceededFuture(); }
    @Override protected boolean isInputShutdown0() { return false; }
    @Override protected void doClose() throws IOException { javaChannel().close(); }
    @Override protected void doDisconnect() throws IOException { doClose(); }
    @Override public boolean isActive() { return javaChannel().isConnected(); }
    @Override protected SocketAddress localAddress0() { return parent().localAddress(); }
    @Override protected SocketAddress remoteAddress0() { return parent().localAddress(); }
    @Override public ChannelConfig config() { return config; }
    @Override protected long doWriteFileRegion(FileRegion region) { throw never(); }
    @Override protected void doBind(SocketAddress address) { throw never(); }
    @Override protected boolean doConnect(SocketAddress remote, SocketAddress local) { throw never(); }
    @Override protected void doFinishConnect() { throw never(); }
  }
}
