package main

import (
	"context"
	"errors"
	"os"
	"time"

	"arena/wire"
	"google.golang.org/grpc"
)

const dialTimeout = 5 * time.Second

// rules is the RulesService that the sandbox offers; rules.proto says what it can do.
type rules struct{ conn *grpc.ClientConn }

// connect reaches the service at start-up, when the clock does not run yet.
func connect() (rules, error) {
	socket := os.Getenv("ARENA_RULES_SOCKET")
	if socket == "" {
		return rules{}, errors.New("there are no rules: by hand, start me with python3 -m arena.sdk.rules_service -- build/bot")
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	conn, err := grpc.DialContext(ctx, "unix:"+socket, grpc.WithInsecure(), grpc.WithBlock())
	return rules{conn}, err
}

// look says of each line who decides, and what the legal moves are.
func (r rules) look(ctx context.Context, root *wire.Root, lines []*wire.Line) ([]*wire.Position, error) {
	reply := &wire.LookReply{}
	err := r.ask(ctx, "Look", &wire.LookRequest{Root: root, Lines: lines}, reply)
	return reply.Positions, err
}

// playOut plays each line once to its end with random moves, and says what each seat gets.
func (r rules) playOut(ctx context.Context, root *wire.Root, lines []*wire.Line, seed uint64) ([]*wire.Rewards, error) {
	reply := &wire.PlayOutReply{}
	err := r.ask(ctx, "PlayOut", &wire.PlayOutRequest{Root: root, Lines: lines, Times: 1, Seed: seed}, reply)
	return reply.Results, err
}

func (r rules) ask(ctx context.Context, verb string, request, reply interface{}) error {
	return r.conn.Invoke(ctx, "/arena.wire.v1.RulesService/"+verb, request, reply)
}
