package scenarios

import (
	"fmt"

	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/search"
)

// Reductions says how a search may see fewer states and still find the same.
type Reductions struct {
	// Symmetry: states in which alike clients or partitions have changed places
	// are one state (cluster.Config.Symmetry).
	Symmetry bool
	// PartialOrder: a step that concerns its client alone is taken at once, not
	// at every later moment too (ops.Exec.Urgent).
	PartialOrder bool
}

// Names lists the reductions.
func (r Reductions) Names() []string {
	var names []string
	if r.Symmetry {
		names = append(names, "symmetry")
	}
	if r.PartialOrder {
		names = append(names, "partial-order")
	}
	return names
}

// Reduced is a scenario as a search with reductions explores it: a search.Canonizer
// and a search.Reducer.
type Reduced struct {
	*System
	want     Reductions
	ahead    *ops.Exec // takes urgent steps while that of System is still trying others
	symmetry *cluster.Symmetry
	canon    *cluster.Canon
}

// Reduced makes the scenario a transition system with reductions. The error says
// why one of them would be unsound, or change nothing.
func (s *Scenario) Reduced(want Reductions) (*Reduced, error) {
	sys := s.System()
	r := &Reduced{System: sys, want: want, ahead: ops.NewExec(sys.cfg)}
	if want.Symmetry {
		var why string
		if r.symmetry, why = r.cfg.Symmetry(); r.symmetry == nil {
			return nil, fmt.Errorf("symmetry: %s", why)
		}
		r.canon = r.symmetry.NewCanon()
	}
	if why := r.ahead.NeverUrgent(); want.PartialOrder && why != "" {
		return nil, fmt.Errorf("partial order: %s", why)
	}
	return r, nil
}

// Fork gives a worker scratch memory of its own.
func (r *Reduced) Fork() search.System[cluster.State] {
	f := &Reduced{System: newSystem(r.cfg, r.shared), want: r.want, ahead: ops.NewExec(r.cfg), symmetry: r.symmetry}
	if r.symmetry != nil {
		f.canon = r.symmetry.NewCanon()
	}
	return f
}

// Canonize brings a state to its canonical form.
func (r *Reduced) Canonize(st *cluster.State) {
	if r.want.PartialOrder {
		r.ahead.Tidy(st)
	}
	if r.canon != nil {
		r.canon.Canonize(st)
	}
}

// Urgent takes a step that concerns its client alone.
func (r *Reduced) Urgent(st, next *cluster.State) (search.Step, bool) {
	if !r.want.PartialOrder {
		return search.Step{}, false
	}
	t, ok := r.ahead.Urgent(st, next)
	return asStep(t), ok
}

// Permutations is how many the symmetry has.
func (r *Reduced) Permutations() int {
	if r.symmetry == nil {
		return 1
	}
	return r.symmetry.Size()
}
