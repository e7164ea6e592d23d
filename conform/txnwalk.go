package conform

import (
	"context"
	"errors"
	"math/rand/v2"
)

// txnWalkSteps is how long a random walk is.
const txnWalkSteps = 40

// txnWeights say how often a walk takes a step of each kind. Those that bring a
// transaction on are taken more often than those that only ask.
var txnWeights = [numTxnOps]int{initProducer: 3, addPartition: 5, addOffsets: 2, produce: 12, txnCommit: 6, endTxn: 8,
	writeMarker: 1, memberCommit: 1, readRecords: 2, lastOffset: 1, readOffset: 2, describe: 1, txnTimer: 2}

// everything is who takes part in a walk.
var everything = cast{outs: outs, offsets: true, plain: true}

// txnWalk draws the steps of one random walk.
type txnWalk struct {
	random *rand.Rand
	waits  bool // it lets transactions take too long
	quiet  bool // it sends no markers of its own
	spent  bool // it begins where no epoch is left
	style  int  // the style that it prefers: 0 the new one, 1 the old one, 2 none
}

// newTxnWalk is walk number i of a seed. Most walks let nothing time out, and
// leave the markers to the coordinator: what follows a stray marker is soon
// stuck.
//
// The first ones begin where no epoch is left, which takes a real broker seconds.
func newTxnWalk(seed uint64, i int, embedded bool) *txnWalk {
	r := rand.New(rand.NewPCG(seed, uint64(i)))
	return &txnWalk{random: r, waits: r.IntN(16) == 0, quiet: r.IntN(4) != 0, style: r.IntN(3), spent: i < spentWalks && !embedded}
}

// spentWalks is how many walks begin where no epoch is left.
const spentWalks = 3

// wander plays the steps that a walk draws.
func (p *txnPlay) wander(ctx context.Context, w *txnWalk) (bool, error) {
	for range txnWalkSteps {
		on, err := p.step(ctx, w.draw(&p.state, p.game))
		if errors.Is(err, errImpossible) {
			continue // the broker would die of it, or lacks what it needs
		}
		if !on {
			return false, err
		}
	}
	return true, nil
}

// draw chooses a step: first its kind, then one of that kind, and most often
// one that a client in good standing would send.
func (w *txnWalk) draw(s *txnState, g *txnGame) txnStep {
	if s.Txn.PID == 0 && w.spent {
		return txnStep{Op: exhaust}
	}
	if s.Txn.PID == 0 {
		return txnStep{Op: initProducer}
	}
	var by [numTxnOps][]txnStep
	everything.steps(func(st txnStep) {
		if _, ok := s.resolveTxn(st, g); ok && w.allowed(st) {
			by[st.Op] = append(by[st.Op], st)
		}
	})
	return draw(w.random, by[:], txnWeights[:], w.sound, 8)
}

// sound: the tokens are those of a client that has not missed anything, and
// that speaks in the walk's style.
func (w *txnWalk) sound(st txnStep) bool {
	styled := w.style == 2 || (speech[st.Op][st.Style].txnV == 2) == (w.style == 0)
	switch st.Op {
	case produce:
		return styled && st.Pair == ours && st.Nth == next
	case txnCommit:
		return styled && st.Pair == ours && (st.Cred == member || st.Cred == bare)
	case endTxn:
		return styled && st.Pair == ours
	case addPartition, addOffsets:
		return st.Pair == ours
	case initProducer:
		return st.Pair == noPair || st.Pair == ours
	}
	return true
}

func (w *txnWalk) allowed(st txnStep) bool {
	switch st.Op {
	case txnTimer:
		return w.waits
	case writeMarker:
		return !w.quiet
	}
	return true
}
