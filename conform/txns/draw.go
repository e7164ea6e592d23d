package txns

import (
	"math/rand/v2"

	"fencecheck/conform/frame"
	"fencecheck/model"
)

// scope says which partitions take part: those that a plan leaves out cannot
// matter to the rest.
type scope struct {
	outputs uint8 // output partitions
	offsets bool  // the group's
	plain   bool  // records outside transactions, and commits
	spent   bool  // it begins where no epoch is left
}

// everything takes part in a walk.
var everything = scope{outputs: numOutputs, offsets: true, plain: true}

// steps calls yield for each step.
func (c scope) steps(yield func(Step)) {
	for o := range numOps {
		row := o.row()
		if row.apart {
			continue
		}
		last := noPair
		if row.pairs != withoutPair {
			last = numPairs - 1
		}
		for p := range last + 1 {
			for _, log := range c.logs(row.logs) {
				for style := range row.versions {
					st := Step{Op: o, Style: uint8(style), Pair: p, Log: log}
					if row.forms == nil {
						yield(st)
					} else {
						row.forms(c, st, yield)
					}
				}
			}
		}
	}
}

// logs are those of a kind that take part; a request that is for none has one
// form all the same.
func (c scope) logs(kind logs) (all []uint8) {
	if kind == 0 {
		return []uint8{0}
	}
	if kind&outputs != 0 {
		for log := range c.outputs {
			all = append(all, log)
		}
	}
	if kind&groupOffsets != 0 && c.offsets {
		all = append(all, offsetsLog)
	}
	return all
}

func (c scope) batches(st Step, yield func(Step)) {
	if st.Style == noTransaction && (!c.plain || st.Pair == foreigner) {
		return
	}
	for st.Nth = range numNths {
		yield(st)
	}
}

func (c scope) credentials(st Step, yield func(Step)) {
	for st.Cred = range numCredentials {
		yield(st)
	}
}

func (c scope) outcomes(st Step, yield func(Step)) {
	for _, st.Commit = range []bool{true, false} {
		yield(st)
	}
}

func (c scope) markers(st Step, yield func(Step)) {
	for st.Epoch = range numRanks {
		for st.Coord = range numRanks {
			c.outcomes(st, yield)
		}
	}
}

func (c scope) isolations(st Step, yield func(Step)) {
	for _, st.Stable = range []bool{true, false} {
		yield(st)
	}
}

func (c scope) stabilities(st Step, yield func(Step)) {
	for _, st.Stable = range []bool{false, true} {
		yield(st)
	}
}

// walkSteps is how long a random walk is.
const walkSteps = 40

// walk draws the steps of one random walk.
type walk struct {
	random *rand.Rand
	waits  bool // it lets transactions take too long
	quiet  bool // it sends no markers of its own
	spent  bool // it begins where no epoch is left
	style  int  // the style that it prefers: 0 the new one, 1 the old one, 2 none
}

// newWalk is walk number i of a seed. Most walks let nothing time out, and
// leave the markers to the coordinator: what follows a stray marker is soon
// stuck.
//
// The first ones begin where no epoch is left, which takes a real broker seconds.
func newWalk(seed uint64, i int, embedded bool) *walk {
	r := rand.New(rand.NewPCG(seed, uint64(i)))
	return &walk{random: r, waits: r.IntN(16) == 0, quiet: r.IntN(4) != 0, style: r.IntN(3), spent: i < spentWalks && !embedded}
}

// spentWalks is how many walks begin where no epoch is left.
const spentWalks = 3

// draw chooses a step: first its kind, then one of that kind, and most often
// one that a client in good standing would send. A row's weight says how often:
// steps that bring a transaction on are taken more often than those that only ask.
func (w *walk) draw(s *state, g *game) Step {
	if s.Txn.PID == 0 {
		if w.spent {
			return Step{Op: exhaust}
		}
		return Step{Op: initProducer}
	}
	by, weights := make([][]Step, numOps), make([]int, numOps)
	everything.steps(func(st Step) {
		if _, ok := s.resolve(st, g); ok && w.allowed(st) {
			by[st.Op], weights[st.Op] = append(by[st.Op], st), st.Op.row().weight
		}
	})
	return frame.Draw(w.random, by, weights, w.sound, 8)
}

// sound: the tokens are those of a client that has not missed anything, and
// that speaks in the walk's style.
func (w *walk) sound(st Step) bool {
	styled := w.style == 2 || (st.Op.row().versions[st.Style].style == model.TV2) == (w.style == 0)
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

func (w *walk) allowed(st Step) bool {
	switch st.Op {
	case timeout:
		return w.waits
	case writeMarker:
		return !w.quiet
	}
	return true
}
