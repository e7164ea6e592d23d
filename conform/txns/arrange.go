package txns

import (
	"slices"

	"fencecheck/conform/frame"
	"fencecheck/counterexamples"
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/search"
)

// outOfReach has the operations that no client can bring about.
var outOfReach = map[string]string{
	"lose-marker-answer":      "markers travel between brokers",
	"delay-marker":            "markers travel between brokers",
	"lose-append":             "a coordinator's log always answers its coordinator here",
	"fail-over":               "the coordinator would have to move to another broker",
	"load":                    "the coordinator would have to move to another broker",
	"elect-leaders":           "all brokers would have to start again",
	"decide-by-zombie":        "a coordinator would have to go on after another one was elected",
	"zombie-marker":           "a coordinator would have to go on after another one was elected",
	"fail-over-leader":        "the partition would have to move to another broker",
	"expire-producers":        "producer.id.expiration.ms would have to pass, by default a day",
	"expire-transactional-id": "transactional.id.expiration.ms would have to pass, by default a week",
}

const (
	promptMarkers = "the story needs markers that are on their way for a while, and a broker writes them at once"
	oneGo         = "a leader asks the coordinator about a batch and appends it in one go"
)

// act is a step of a counterexample, and its number there.
type act struct {
	number int
	step   search.Step
}

// took is an act and what it did.
type took struct {
	act
	before, after cluster.State
}

// arrange looks for an order of the acts in which every marker is written at
// once and the property is still violated. If the order as it is will not do,
// one act comes earlier.
func arrange(c *counterexamples.Counterexample, acts []act) ([]took, error) {
	trail, problem := prompt(c, acts)
	if problem == nil {
		return trail, nil
	}
	for by := 1; by < len(acts); by++ {
		for i := by; i < len(acts); i++ {
			if trail, p := prompt(c, earlier(acts, i, by)); p == nil {
				return trail, nil
			}
		}
	}
	return nil, problem
}

// earlier brings one act forward by some places.
func earlier(acts []act, i, by int) []act {
	moved := append([]act{}, acts[:i-by]...)
	moved = append(moved, acts[i])
	moved = append(moved, acts[i-by:i]...)
	return append(moved, acts[i+1:]...)
}

// prompt takes acts one by one, and writes the markers that come of each.
func prompt(c *counterexamples.Counterexample, acts []act) ([]took, *frame.Unplayable) {
	sys := c.Scenario.System()
	var trail []took
	var s, next cluster.State
	s.Initial(sys.Config())
	for _, a := range acts {
		name := counterexamples.OpName(a.step)
		if _, ok := sys.Take(&s, &next, a.step); !ok {
			return nil, &frame.Unplayable{Step: a.number, Op: name, Why: promptMarkers}
		}
		decides := next.Last.API != model.NoAPI || next.Last.TimedOut
		if decides && admitted(&s) && !appends(&s, a.step) || halved(sys.Config(), &s, &next, a.step) {
			return nil, &frame.Unplayable{Step: a.number, Op: name, Why: oneGo}
		}
		trail = append(trail, took{a, s, next})
		s = next
		for st, ok := marker(sys.Config(), &s); ok; st, ok = marker(sys.Config(), &s) {
			if _, taken := sys.Take(&s, &next, st); !taken {
				return nil, &frame.Unplayable{Step: a.number, Op: name, Why: promptMarkers}
			}
			trail = append(trail, took{act{a.number, st}, s, next})
			s = next
		}
	}
	if !violated(c, trail) {
		last := acts[len(acts)-1]
		return nil, &frame.Unplayable{Step: last.number, Op: counterexamples.OpName(last.step), Why: promptMarkers}
	}
	return trail, nil
}

// marker is the step that writes the next marker.
func marker(cfg *cluster.Config, s *cluster.State) (search.Step, bool) {
	op, _ := ops.ByName("deliver-marker")
	for id := range cfg.TransactionalIDs() {
		out := &s.Txns.IDs[id].Outbox
		for log := range cluster.NumLogs {
			if out.To.Has(log) && !out.Stuck {
				return search.Step{Op: uint16(op), Arg: ops.Args{A: uint8(id), B: uint8(log)}.Pack()}, true
			}
		}
	}
	return search.Step{}, false
}

// admitted: a leader has asked the coordinator about a batch, and has not
// appended it.
func admitted(s *cluster.State) bool {
	return slices.ContainsFunc(s.Clients[:], func(c cluster.Client) bool { return c.App.Status == cluster.Admitted })
}

// appends is the other half.
func appends(before *cluster.State, st search.Step) bool {
	return counterexamples.OpName(st) == "decide" && before.Clients[ops.Unpack(st.Arg).A].App.Status == cluster.Admitted
}

// halved: a late batch is only admitted, or only appended.
func halved(cfg *cluster.Config, before, after *cluster.State, st search.Step) bool {
	if counterexamples.OpName(st) != "decide-late" {
		return false
	}
	r := &before.Late[ops.Unpack(st.Arg).A]
	batch := r.API == model.Produce || r.API == model.TxnOffsetCommit
	return r.Status == cluster.Admitted || batch && cfg.Travels[model.AddPartitionsToTxn] && after.Last.Err == model.None
}

// violated tells whether the property is.
func violated(c *counterexamples.Counterexample, trail []took) bool {
	if c.Kind == counterexamples.Goal {
		again := *c
		again.Steps = nil
		for i := range trail {
			again.Steps = append(again.Steps, trail[i].step)
		}
		d, err := counterexamples.Replay(&again)
		return d == nil && err == nil
	}
	for _, p := range c.Scenario.Options().Invariants {
		for i := range trail {
			t := &trail[i]
			if p.State != nil && !p.State(&t.after) || p.Step != nil && !p.Step(&t.before, t.step, &t.after) {
				return true
			}
		}
	}
	return false
}
