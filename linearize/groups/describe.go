package groups

import (
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/sequential"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// refute notes why a state does not explain an answer. The hot path has no
// place for it, and pays nothing.
func (t *turn) refute(why func() string) {
	if t.why != nil {
		*t.why = append(*t.why, why())
	}
}

// describe tells a state in a sentence.
func describe(v *tables, w *state) string {
	if w.group.State == classic.Absent {
		return "there is no such group"
	}
	s := "the group is " + w.group.State.String() + " in generation " + strconv.Itoa(int(w.group.Generation))
	var in []string
	for _, id := range w.ids() {
		in = append(in, v.names[id])
	}
	if len(in) == 0 {
		return s + " without members"
	}
	return s + " with members " + strings.Join(in, ", ")
}

// waitingFor tells what holds up the answer of a parked request.
func waitingFor(w *state) string {
	if w.group.State == classic.CompletingRebalance {
		return "waits for the leader's plan"
	}
	return "waits for the rebalance to complete"
}

func (v *tables) partNames(s model.PartSet) string {
	var all []string
	for _, tp := range kfh.SortedKeys(v.partitions) {
		if s.Has(v.partitions[tp]) {
			all = append(all, tp)
		}
	}
	return "[" + strings.Join(all, " ") + "]"
}

// offsetNames tells the offsets of the partitions that a fetch names.
func (v *tables) offsetNames(c *Call, offsets []model.Offset) string {
	var all []string
	for _, tp := range kfh.SortedKeys(v.partitions) {
		for _, r := range c.Values {
			if r.Part == v.partitions[tp] {
				all = append(all, tp+":"+v.offsetName(offsets[r.Part]))
			}
		}
	}
	return "[" + strings.Join(all, " ") + "]"
}

func (v *tables) offsetName(o model.Offset) string {
	for n, known := range v.offsets {
		if known == o {
			return strconv.FormatInt(n, 10)
		}
	}
	return "-1"
}

// Refusals asks each state.
func (s *spec) Refusals(order []porcupine.Operation, op int) []sequential.Refusal {
	state := s.init()
	for _, o := range order {
		state = s.next(sequential.NoDeadline, state, o.Input.(int))
	}
	var why []string
	for i, st := range s.Steps {
		if s.Calls[st.Call].Op != op || state.done.Has(i) {
			continue
		}
		n := &config{needs: state.needs}
		n.oldest = nothingNeeded
		for _, at := range state.states {
			t := s.turn(n, &s.states.All[at])
			t.why = &why
			t.step(st)
		}
		if len(why) > 0 {
			break
		}
	}
	var all []sequential.Refusal
	for _, text := range why {
		all = append(all, sequential.Refusal{Text: text})
	}
	return all
}
