package counterexamples

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// A contrary system has no leader that lists members by number where it could
// list them otherwise.
type contrary struct {
	*scenarios.System
	probe *scenarios.System
}

func (c contrary) Fork() search.System[cluster.State] { return c }

func (c contrary) Next(s, next *cluster.State, emit func(search.Step)) {
	var other cluster.State
	c.System.Next(s, next, func(st search.Step) {
		a := ops.Unpack(st.Arg)
		if a.Order == 0 {
			a.Order = 1
			if _, ok := c.probe.Take(s, &other, search.Step{Op: st.Op, Arg: a.Pack()}); ok {
				return
			}
		}
		emit(st)
	})
}

// The order in which a leader lists the members is a parameter that a file keeps.
func TestOrderIsKept(t *testing.T) {
	base, err := scenarios.ByID("zombie-commit")
	if err != nil {
		t.Fatal(err)
	}
	listed, err := base.Change(func(d *scenarios.Definition) { d.AnyOrder = true })
	if err != nil {
		t.Fatal(err)
	}
	s := listed.With(model.Mutations{}.With(model.ClientLostOnReset))
	o := s.Options()
	o.Goals = nil
	o.Workers = 1
	r := search.BreadthFirst(context.Background(), search.System[cluster.State](contrary{s.System(), s.System()}), o)
	if r.Violation == nil || !slices.ContainsFunc(r.Violation.Trace.Steps, func(st search.Step) bool { return ops.Unpack(st.Arg).Order > 0 }) {
		t.Fatal("found no violation in which a leader lists the members in another order")
	}
	c, err := newCounterexample(context.Background(), s, r.Violation.Property, r.Violation.Trace.Steps)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := Write(&file, c); err != nil {
		t.Fatal(err)
	}
	back, err := Read("x.json", file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	same := func(a, b search.Step) bool { return a.Op == b.Op && a.Arg == b.Arg } // a file has no outcomes
	if !slices.EqualFunc(back.Steps, c.Steps, same) {
		t.Errorf("written\n%v\nread\n%v", c.Steps, back.Steps)
	}
	wrong := strings.Replace(file.String(), `"order": "1"`, `"order": "one"`, 1)
	if _, err := Read("x.json", []byte(wrong)); err == nil || !strings.Contains(err.Error(), `found "one"; right would be 0 to 4095`) {
		t.Errorf("an order in words: %v", err)
	}
}
