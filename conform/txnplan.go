package conform

import (
	"context"

	"fencecheck/search"
)

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

// txnExplorer notes what a breadth-first search passes.
type txnExplorer struct {
	trail[string, txnStep] // states by their encodings
	game                   *txnGame
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
	e.pass(from, to, s, t, from == to)
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
	e := &txnExplorer{newTrail[string, txnStep](string(start.append(nil))), g}
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
	for _, s := range e.routes() {
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
