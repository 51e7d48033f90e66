// How fast a bot in Go gets positions from the rules service: one side of `bench.rules_service`.
//
// The arguments are a game and a file with an observation. Every line of input is answered with the positions, or after
// the word "playout" the play-outs, per second of processor time of this process and the service, its parent: both are
// the bot's.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"math/rand"
	"os"
	"syscall"
	"time"
	"unsafe"

	"arena/wire"
)

const (
	walks   = 64 // as many worlds in one call as sample_bots/search_go asks for at most
	depth   = 8  // moves from the observation to the last position of a walk
	seconds = 0.25
)

func main() {
	observation, err := os.ReadFile(os.Args[2])
	check(err)
	rules, err := connect()
	check(err)
	root := &wire.Root{Game: os.Args[1], Known: &wire.Root_Observation{Observation: observation}}
	rng := rand.New(rand.NewSource(1))
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		ask := descend
		if input.Text() == "playout" {
			ask = playOut
		}
		start, count := used(), 0
		for used()-start < seconds {
			count += ask(rules, root, rng)
		}
		fmt.Println(float64(count) / (used() - start))
	}
}

// descend takes worlds down by random moves, with one call per level as a search does, and counts the positions.
func descend(rules rules, root *wire.Root, rng *rand.Rand) int {
	lines, count := worlds(rng), 0
	for level := 0; level < depth && len(lines) > 0; level++ {
		positions, err := rules.look(context.Background(), root, lines)
		check(err)
		count += len(positions)
		var deeper []*wire.Line
		for i, position := range positions {
			if legal := position.Legal; len(legal) > 0 {
				lines[i].Moves = append(lines[i].Moves, legal[rng.Intn(len(legal))])
				deeper = append(deeper, lines[i])
			}
		}
		lines = deeper
	}
	return count
}

// playOut plays worlds out at random and counts them.
func playOut(rules rules, root *wire.Root, rng *rand.Rand) int {
	results, err := rules.playOut(context.Background(), root, worlds(rng), rng.Uint64())
	check(err)
	return len(results)
}

// used is the processor time of this process and its parent in seconds.
func used() float64 {
	return processorTime(os.Getpid()) + processorTime(os.Getppid())
}

// processorTime asks the clock that Linux keeps for every process, whose number is made of the process's.
func processorTime(pid int) float64 {
	var spent syscall.Timespec
	_, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(^pid<<3|2), uintptr(unsafe.Pointer(&spent)), 0)
	if failed != 0 {
		log.Fatal(failed)
	}
	return time.Duration(spent.Nano()).Seconds()
}

func worlds(rng *rand.Rand) []*wire.Line {
	lines := make([]*wire.Line, walks)
	for i := range lines {
		lines[i] = &wire.Line{World: rng.Uint64()}
	}
	return lines
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
