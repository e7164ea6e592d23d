package linearize

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"fencecheck/model"

	"github.com/anishathalye/porcupine"
)

// refute notes why a world does not explain an answer. The hot path has no
// place for it, and pays nothing.
func (t *turn) refute(why func() string) {
	if t.why != nil {
		*t.why = append(*t.why, why())
	}
}

// describe tells a world in a sentence.
func describe(v *vocabulary, w *world) string {
	if w.group.State == model.Absent {
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
func waitingFor(w *world) string {
	if w.group.State == model.CompletingRebalance {
		return "waits for the leader's plan"
	}
	return "waits for the rebalance to complete"
}

func (v *vocabulary) partNames(s model.PartSet) string {
	var all []string
	for _, tp := range slices.Sorted(maps.Keys(v.partitions)) {
		if s.Has(v.partitions[tp]) {
			all = append(all, tp)
		}
	}
	return "[" + strings.Join(all, " ") + "]"
}

// offsetNames tells the offsets of the partitions that a fetch names.
func (v *vocabulary) offsetNames(c *call, offsets []model.Offset) string {
	var all []string
	for _, tp := range slices.Sorted(maps.Keys(v.partitions)) {
		for _, r := range c.values {
			if r.part == v.partitions[tp] {
				all = append(all, tp+":"+v.offsetName(offsets[r.part]))
			}
		}
	}
	return "[" + strings.Join(all, " ") + "]"
}

func (v *vocabulary) offsetName(o model.Offset) string {
	for n, known := range v.offsets {
		if known == o {
			return strconv.FormatInt(n, 10)
		}
	}
	return "-1"
}

// refusals asks each world.
func (s *spec) refusals(order []porcupine.Operation, op int) []refusal {
	state := s.init()
	for _, o := range order {
		state = s.next(noDeadline, state, o.Input.(int))
	}
	var why []string
	for i, st := range s.stepList {
		if s.calls[st.call].op != op || state.done.has(i) {
			continue
		}
		n := &config{owed: state.owed, asked: state.asked, lived: state.lived, horizon: noHorizon}
		for _, at := range state.worlds {
			t := turn{spec: s, config: n, before: &s.atlas.all[at], why: &why}
			t.step(st)
		}
		if len(why) > 0 {
			break
		}
	}
	var all []refusal
	for _, text := range why {
		all = append(all, refusal{text: text})
	}
	return all
}
