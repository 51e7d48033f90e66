package main

// This file speaks with the referee, in every game; it can stay as it is.

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"os"
	"time"

	_ "arena/wire" // the messages of every game; make generates them from proto/
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

func main() {
	rand.Seed(time.Now().UnixNano())
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	protoregistry.GlobalFiles.RangeFilesByPackage("arena.wire.v1", func(file protoreflect.FileDescriptor) bool {
		for i := 0; i < file.Services().Len(); i++ {
			offer(server, file.Services().Get(i))
		}
		return true
	})
	log.Fatal(server.Serve(listen()))
}

// listen opens the socket that the referee names by ARENA_SOCKET; for a debugger give --port 5000.
func listen() net.Listener {
	port := flag.Int("port", 0, "listen on this port of 127.0.0.1, if ARENA_SOCKET is not set")
	flag.Parse()
	network, address := "unix", os.Getenv("ARENA_SOCKET")
	if address == "" {
		if *port == 0 {
			log.Fatal("where shall the bot listen? Give --port 5000, or set ARENA_SOCKET as the referee does")
		}
		network, address = "tcp", fmt.Sprintf("127.0.0.1:%d", *port)
	}
	listener, err := net.Listen(network, address)
	if err != nil {
		log.Fatal(err)
	}
	return listener
}

// offer adds the service of one game to the server; all games have the same one, with messages of their own.
func offer(server *grpc.Server, service protoreflect.ServiceDescriptor) {
	method := service.Methods().ByName("Play")
	if method == nil {
		return
	}
	handler := func(_ interface{}, stream grpc.ServerStream) error { return play(method, stream) }
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: string(service.FullName()),
		HandlerType: (*interface{})(nil),
		Streams:     []grpc.StreamDesc{{StreamName: "Play", Handler: handler, ServerStreams: true, ClientStreams: true}},
	}, struct{}{})
}

// play answers the requests of one match; every match has a stream, and so a call of this function, of its own.
func play(method protoreflect.MethodDescriptor, stream grpc.ServerStream) error {
	var seat protoreflect.Value
	for {
		request, reply := create(method.Input()), create(method.Output())
		if err := stream.RecvMsg(request.Interface()); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch name := event(request); name {
		case "start": // Get ready; the clock does not run yet.
			seat = at(request, "start", "match", "seat")
			set(part(reply, "ready"), "wants_legal_moves", protoreflect.ValueOfBool(true))
		case "turn":
			moves, turn := part(reply, "moves"), part(request, "turn")
			set(moves, "turn", at(turn, "number"))
			moves.Mutable(field(moves, "moves")).List().Append(choose(turn))
		default: // What a bot prints is shown when something went wrong.
			end := part(request, name)
			fmt.Printf("seat %v: %v; %v\n", seat, at(end, "outcome", "reason"), at(end, "verdict", "sentence"))
			continue
		}
		if err := stream.SendMsg(reply.Interface()); err != nil {
			return err
		}
	}
}

// event names the field of a request that is set: start, turn or end.
func event(request protoreflect.Message) protoreflect.Name {
	return request.WhichOneof(request.Descriptor().Oneofs().ByName("event")).Name()
}

// at follows a path of fields: at(request, "start", "match", "seat") is request.start.match.seat.
func at(message protoreflect.Message, path ...protoreflect.Name) protoreflect.Value {
	value := protoreflect.ValueOfMessage(message)
	for _, name := range path {
		value = value.Message().Get(field(value.Message(), name))
	}
	return value
}

func part(message protoreflect.Message, name protoreflect.Name) protoreflect.Message {
	return message.Mutable(field(message, name)).Message()
}

func set(message protoreflect.Message, name protoreflect.Name, value protoreflect.Value) {
	message.Set(field(message, name), value)
}

func field(message protoreflect.Message, name protoreflect.Name) protoreflect.FieldDescriptor {
	return message.Descriptor().Fields().ByName(name)
}

// create makes an empty message of a kind that only the descriptor names.
func create(kind protoreflect.MessageDescriptor) protoreflect.Message {
	found, err := protoregistry.GlobalTypes.FindMessageByName(kind.FullName())
	if err != nil {
		log.Fatal(err)
	}
	return found.New()
}
