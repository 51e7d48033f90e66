// Plays any legal move, in every game. Copy this folder with `arena bot new --lang go`, and make choose better.
package main

import (
	"math/rand"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// choose decides on one move, an element of turn.legal. All that you may know is in turn.observation, and
// turn.clock.available_us are the microseconds that you have. serve.go finds fields by their names, because it plays
// every game; with Go's own types turn is turn.Interface().(*wire.ClaimTurn).
func choose(turn protoreflect.Message) protoreflect.Value {
	legal := at(turn, "legal").List()
	return legal.Get(rand.Intn(legal.Len()))
}
