package conform

import (
	"context"
	"slices"

	"fencecheck/search"
)

// txnSequence is a run of steps from an id that nobody has used.
type txnSequence struct {
	steps []txnStep
	goals []Triple // what it is there to provoke
	// shares: after the first way steps, each step has a goal of its own, and
	// changes nothing.
	shares bool
	way    int
}

// rest is the sequence without the goals up to a difference that ended it, nil if
// nothing is left.
func (s *txnSequence) rest(played int) *txnSequence {
	if !s.shares || played <= s.way || played >= len(s.steps) {
		return nil
	}
	return &txnSequence{append(slices.Clone(s.steps[:s.way]), s.steps[played:]...), nil, true, s.way}
}

// txnPlan is what the model says can happen, and how to make it happen.
type txnPlan struct {
	sequences []txnSequence
	reachable map[Triple]bool
	unreal    map[Triple]string
}

// casts are the explorations of a plan: outputs and offsets know nothing of each
// other but the transaction that they share.
var casts = []cast{{outs: 1, plain: true}, {offsets: true}}

// A plan's depth bounds the sequences that are enumerated; walks go on beyond it.
// The embedded broker differs in so much that a deeper plan shows nothing more.
const (
	planDepth     = 5
	embeddedDepth = 4
	// spentDepth is that of a play that uses up all epochs first.
	spentDepth = 3
)

// spentCast begins where no epoch is left, which takes a broker seconds.
var spentCast = cast{outs: 1, spent: true}

// txnOrigin is how a state is reached first.
type txnOrigin struct {
	from string // its encoding
	by   txnStep
}

// txnExplorer notes what a breadth-first search passes.
type txnExplorer struct {
	game    *txnGame
	origins map[string]txnOrigin
	first   map[Triple]txnOrigin // the first occurrence, so a shortest path leads there
	stays   map[Triple]bool      // that occurrence does not change the state
	unreal  map[Triple]string
}

// observe is called for every transition, in the order of the search.
func (e *txnExplorer) observe(before *txnState, st search.Step, after *txnState) bool {
	s := unpackTxn(txnOp(st.Op), st.Arg)
	r, _ := before.resolveTxn(s, e.game)
	_, a := e.game.decide(before, r)
	t := e.game.triple(before, r, &a)
	if reason := e.game.unprovokable(r, t); reason != "" {
		e.unreal[t] = reason
		return true
	}
	from, to := string(before.append(nil)), string(after.append(nil))
	if _, ok := e.origins[to]; !ok {
		e.origins[to] = txnOrigin{from, s}
	}
	if _, ok := e.first[t]; !ok {
		e.first[t] = txnOrigin{from, s}
		e.stays[t] = from == to
	}
	return true
}

const noOffsetsPartition = "the broker has no partition __consumer_offsets to send a marker to"

// unprovokable says why a step cannot be made on this broker, "" if it can.
func (g *txnGame) unprovokable(r txnRequest, t Triple) string {
	if g.noOffsets && r.Step.Op == writeMarker && r.Step.Place == offsetsPlace {
		return noOffsetsPartition
	}
	return avoided(g.known, t.Request, t.State)
}

// makeTxnPlan enumerates the triples, and the shortest sequences to each.
func makeTxnPlan(ctx context.Context, g *txnGame, depth int) (*txnPlan, error) {
	p := &txnPlan{reachable: map[Triple]bool{}, unreal: map[Triple]string{}}
	for _, c := range casts {
		e, err := exploreTxns(ctx, g, c, depth)
		if err != nil {
			return nil, err
		}
		p.add(e, 1)
	}
	if depth < planDepth { // the vectors have what a broker in this process can bear
		return p, nil
	}
	// Each sequence takes tens of thousands of requests, so that only those are
	// played that have many goals.
	e, err := exploreTxns(ctx, g, spentCast, spentDepth)
	if err == nil {
		p.add(e, manyGoals)
	}
	return p, err
}

// manyGoals are worth the way of 32,766 epochs.
const manyGoals = 12

// exploreTxns enumerates what a cast can go through.
func exploreTxns(ctx context.Context, g *txnGame, c cast, depth int) (*txnExplorer, error) {
	start := txnStart()
	e := &txnExplorer{g, map[string]txnOrigin{string(start.append(nil)): {}}, map[Triple]txnOrigin{}, map[Triple]bool{}, map[Triple]string{}}
	search.BreadthFirst(ctx, txnSystem{*g, c}, search.Options[txnState]{Workers: 1, MaxDepth: depth,
		Invariants: []search.Property[txnState]{{Name: "observed", Step: e.observe}}})
	return e, ctx.Err()
}

// add takes over what an exploration has found beyond the earlier ones, in
// sequences with so many goals at least.
func (p *txnPlan) add(e *txnExplorer, goals int) {
	for t := range p.reachable {
		if p.unreal[t] == "" {
			delete(e.first, t)
		}
	}
	for _, s := range e.sequences() {
		if len(s.goals) < goals {
			continue
		}
		p.sequences = append(p.sequences, s)
		for _, t := range s.goals {
			p.reachable[t] = true
			delete(p.unreal, t)
		}
	}
	for t, reason := range e.unreal {
		if !p.reachable[t] {
			p.reachable[t], p.unreal[t] = true, reason
		}
	}
}

// path is the shortest sequence to a state.
func (e *txnExplorer) path(state string) []txnStep {
	var steps []txnStep
	for o := e.origins[state]; o.from != ""; o = e.origins[o.from] {
		steps = append(steps, o.by)
	}
	slices.Reverse(steps)
	return steps
}

// sequences go to each state that has triples of its own: all requests that
// leave it as it is share one way there, each other step has its own.
func (e *txnExplorer) sequences() []txnSequence {
	at := map[string]*txnSequence{}
	var all []*txnSequence
	for _, t := range sortedTriples(e.first) {
		o := e.first[t]
		if !e.stays[t] {
			all = append(all, &txnSequence{append(e.path(o.from), o.by), []Triple{t}, false, 0})
			continue
		}
		s := at[o.from]
		if s == nil {
			way := e.path(o.from)
			s = &txnSequence{steps: way, shares: true, way: len(way)}
			at[o.from] = s
			all = append(all, s)
		}
		s.steps, s.goals = append(s.steps, o.by), append(s.goals, t)
	}
	out := make([]txnSequence, len(all))
	for i, s := range all {
		out[i] = *s
	}
	return out
}
