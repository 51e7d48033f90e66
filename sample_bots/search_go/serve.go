// Searches in every game: it imagines positions that fit what it knows, and tries moves in them as long as it may.
// It knows no game: the rules service has the rules, and observations and moves are bytes to it.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand"
	"net"
	"os"
	"strings"
	"time"

	"arena/shape"
	"arena/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

const (
	margin    = 0.15             // the share of its time after which it begins nothing new
	reserve   = 0.05             // the share that it keeps for the way back, whatever is under way
	bankShare = 0.05             // the share of its bank that it spends on one decision
	longest   = 10 * time.Second // of thinking, for matches without a clock
)

func main() {
	rules, err := connect()
	if err != nil {
		log.Fatal(err)
	}
	// One handler for the services of all games, whatever they are called.
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ interface{}, stream grpc.ServerStream) error {
		return play(rules, stream)
	}))
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
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

// play answers the requests of one match; every match has a stream, and so a call of this function, of its own.
func play(rules rules, stream grpc.ServerStream) error {
	game, err := gameOf(stream)
	if err != nil {
		return err
	}
	var seat uint32
	var rng *rand.Rand
	for {
		request, reply := &shape.Request{}, &shape.Reply{}
		if err := stream.RecvMsg(request); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch event := request.Event.(type) {
		case *shape.Request_Start: // Get ready; the clock does not run yet.
			seat = event.Start.Match.Seat
			rng = rand.New(rand.NewSource(int64(seat)))
			reply.Answer = &shape.Reply_Ready{Ready: &wire.Ready{WantsLegalMoves: true}}
		case *shape.Request_Turn:
			turn := event.Turn
			root := &wire.Root{Game: game, Known: &wire.Root_Observation{Observation: turn.Observation}}
			search := search{rules: rules, root: root, seat: seat, legal: turn.Legal, rng: rng}
			move, err := search.choose(budget(turn.Clock, margin), budget(turn.Clock, reserve))
			if err != nil {
				return err
			}
			reply.Answer = &shape.Reply_Moves{Moves: &shape.Moves{Turn: turn.Number, Moves: [][]byte{move}}}
		default:
			continue
		}
		if err := stream.SendMsg(reply); err != nil {
			return err
		}
	}
}

// gameOf is "claim" for the method /arena.wire.v1.ClaimBotService/Play.
func gameOf(stream grpc.ServerStream) (string, error) {
	method, _ := grpc.MethodFromServerStream(stream)
	name := strings.TrimSuffix(strings.TrimPrefix(method, "/arena.wire.v1."), "BotService/Play")
	if method != "/arena.wire.v1."+name+"BotService/Play" {
		return "", status.Errorf(codes.Unimplemented, "there is no method %s", method)
	}
	return strings.ToLower(name), nil
}

// budget is the free time of the move and a little of the bank, less the share that is kept.
func budget(clock *wire.Clock, kept float64) time.Duration {
	free := float64(clock.AvailableUs-clock.BankUs) + bankShare*float64(clock.BankUs)
	return time.Duration(math.Min(free*float64(time.Microsecond), float64(longest)) * (1 - kept))
}
