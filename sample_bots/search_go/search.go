// Information-set Monte Carlo tree search: the tree is here, the positions are the rules service's.
//
// Every walk takes a world of its own, a full position that fits what the seat knows. It goes down one tree that all
// worlds share, adds a node, and is played out at random from there. A call of the service takes a while however little
// it asks for, so many walks go down in step: one call per level of the tree for all of them.
package main

import (
	"context"
	"math"
	"math/rand"
	"time"

	"arena/wire"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	exploration = 0.7
	firstRound  = 8  // walks of the first round, which shows how fast the rules are
	maxRound    = 64 // walks that go down together know nothing of each other's results
	rounds      = 10 // how many rounds the time shall be enough for
)

// node is a move in the tree, with what came of it for the seat that made it.
type node struct {
	seat              uint32
	visits, available float64 // walks that made the move, and walks in which it was legal
	reward            float64
	children          map[string]*node
}

// walk is one way down the tree in a world of its own.
type walk struct {
	line *wire.Line
	path []*node
}

// search looks for the best move of one turn.
type search struct {
	rules rules
	root  *wire.Root
	seat  uint32   // whose turn it is
	legal [][]byte // its moves
	rng   *rand.Rand
	tree  node
}

// choose returns the move that was tried most within the budget; a round that is not over by the deadline is given up.
func (s *search) choose(budget, deadline time.Duration) ([]byte, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	walks, took := firstRound, time.Duration(0)
	for len(s.legal) > 1 && time.Since(began)+took < budget {
		start := time.Now()
		if err := s.round(ctx, walks); status.Code(err) == codes.DeadlineExceeded {
			break
		} else if err != nil {
			return nil, err
		}
		took = time.Since(start)
		walks = clamp(int(float64(walks) * float64(budget) / float64(took) / rounds))
	}
	return s.best(), nil
}

// round takes some walks down the tree in step, plays them out, and tells the tree what came of it.
func (s *search) round(ctx context.Context, count int) error {
	walks := make([]*walk, count)
	var descending []*walk
	for i := range walks {
		walks[i] = &walk{line: &wire.Line{World: s.rng.Uint64()}, path: []*node{&s.tree}}
		if s.step(walks[i], s.seat, s.legal) {
			descending = append(descending, walks[i])
		}
	}
	for len(descending) > 0 {
		positions, err := s.rules.look(ctx, s.root, lines(descending))
		if err != nil {
			return err
		}
		var deeper []*walk
		for i, position := range positions {
			if position.ToMove != nil && s.step(descending[i], *position.ToMove, position.Legal) {
				deeper = append(deeper, descending[i])
			}
		}
		descending = deeper
	}
	results, err := s.rules.playOut(ctx, s.root, lines(walks), s.rng.Uint64())
	if err != nil {
		return err
	}
	for i, walk := range walks {
		for _, passed := range walk.path[1:] {
			passed.reward += results[i].Seats[passed.seat]
		}
	}
	return nil
}

// step makes one move of a walk: any that was never tried, else the most promising; false if it made a new node.
func (s *search) step(w *walk, seat uint32, legal [][]byte) bool {
	parent := w.path[len(w.path)-1]
	var fresh [][]byte
	var move []byte
	best := math.Inf(-1)
	for _, each := range legal {
		child, known := parent.children[string(each)]
		if !known {
			fresh = append(fresh, each)
			continue
		}
		child.available++
		if promise := child.promise(); promise > best {
			best, move = promise, each
		}
	}
	if len(fresh) > 0 {
		move = fresh[s.rng.Intn(len(fresh))]
		if parent.children == nil {
			parent.children = map[string]*node{}
		}
		parent.children[string(move)] = &node{seat: seat, available: 1}
	}
	child := parent.children[string(move)]
	// Counted before its reward is known, it looks like a loss: the next walks of this round try something else.
	child.visits++
	w.line.Moves = append(w.line.Moves, move)
	w.path = append(w.path, child)
	return len(fresh) == 0
}

// promise is the upper confidence bound, counted over the walks in which the move was legal.
func (n *node) promise() float64 {
	return n.reward/n.visits + exploration*math.Sqrt(math.Log(n.available)/n.visits)
}

// best is the move that was tried most, and of equals the one that did better.
func (s *search) best() []byte {
	best, most := s.legal[0], -1.0
	for _, move := range s.legal {
		if child, known := s.tree.children[string(move)]; known {
			if worth := child.visits + child.reward/child.visits; worth > most {
				best, most = move, worth
			}
		}
	}
	return best
}

func lines(walks []*walk) []*wire.Line {
	found := make([]*wire.Line, len(walks))
	for i, walk := range walks {
		found[i] = walk.line
	}
	return found
}

func clamp(walks int) int {
	if walks < 1 {
		return 1
	}
	if walks > maxRound {
		return maxRound
	}
	return walks
}
