package linearize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// localise explains a history that breaks no necessary condition and has no
// legal order: which answer is the first that cannot be explained, and which
// other answers, one at a time, would make it legal.
func (j *judge) localise() []Finding {
	j.diagnose()
	if found := j.projections(); len(found) > 0 {
		return found
	}
	broken := j.breakingPoint()
	if broken < 0 {
		last := j.h.Ops[j.c.ops[len(j.c.ops)-1]]
		return []Finding{{NotLinearizable, []int{last.Inv}, "no order of the requests of " + j.c.name + " explains every answer"}}
	}
	reason := j.reason(broken)
	named := map[string]bool{}
	var all []Finding
	for _, op := range j.candidates(broken) {
		anomaly, right := j.verdictOn(op)
		if anomaly == "" || named[anomaly] {
			continue
		}
		named[anomaly] = true
		n := facts{h: j.h}
		why := fmt.Sprintf("%s: no order explains it; %s would be explained. The first answer that cannot be explained is that of op %d%s", n.says(op), right, j.h.Ops[broken].ID, reason)
		c := newConflict(suspect{op: op}, suspect{op: broken})
		all = append(all, Finding{anomaly, c.events(j.h), why})
	}
	if len(all) == 0 {
		c := newConflict(suspect{op: broken})
		n := facts{h: j.h}
		all = append(all, Finding{NotLinearizable, c.events(j.h), n.says(broken) + ": no order of the requests before it explains it" + reason})
	}
	return all
}

// candidates are the answers that may be the wrong one, the latest first.
func (j *judge) candidates(broken int) []int {
	all := []int{broken}
	for k := len(j.c.ops) - 1; k >= 0; k-- {
		i := j.c.ops[k]
		if o := &j.h.Ops[i]; i != broken && !o.open() && !o.Local && o.Inv < j.h.Ops[broken].Ret && len(all) < maxRepairs {
			all = append(all, i)
		}
	}
	return all
}

// verdictOn tells whether the history is legal but for this answer; the anomaly
// follows from the answer that would be right.
func (j *judge) verdictOn(op int) (anomaly, right string) {
	if !j.legal(j.without(j.h, op)) {
		return "", ""
	}
	o := &j.h.Ops[op]
	switch {
	case o.Outcome == Failed:
		return "unjustified-fence", "another answer"
	case o.F == fFetch:
		return "offset-regression", "another offset"
	case o.F == fSync:
		return "dual-owner", "another assignment"
	case o.F == fJoin:
		return "generation-regression", "another generation"
	}
	// A timer that nobody saw can explain UNKNOWN_MEMBER_ID nearly everywhere, so
	// that it comes last.
	for _, err := range []string{"ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "UNKNOWN_MEMBER_ID"} {
		refused := j.edited(j.h, op, func(o *Op) {
			o.Outcome, o.Out = Failed, noAnswer()
			o.Out.Err = err
		})
		if !j.legal(refused) {
			continue
		}
		switch err {
		case "UNKNOWN_MEMBER_ID":
			return "unknown-member-" + o.kind(), err
		case "ILLEGAL_GENERATION":
			return "stale-generation-" + o.kind(), err
		}
		return NotLinearizable, err
	}
	return NotLinearizable, "another answer"
}

// registerFinding words an illegal projection.
func (j *judge) registerFinding(h *History, c component, tp string) Finding {
	read := map[int64]bool{}
	var f Finding
	var reads []string
	for _, i := range c.ops {
		if o := &h.Ops[i]; o.F == fFetch {
			read[o.Out.Offsets[tp]] = true
			reads = append(reads, fmt.Sprintf("%d (op %d)", o.Out.Offsets[tp], o.ID))
		}
	}
	proof := conflict{}
	for _, i := range c.ops {
		if o := &h.Ops[i]; o.F == fFetch || read[o.In.Offsets[tp]] {
			proof = proof.with(i)
		}
	}
	f.Anomaly, f.Events = "offset-regression", proof.events(h)
	f.Why = fmt.Sprintf("no order of the accepted commits of %s explains the fetches that returned %s", tp, strings.Join(reads, ", "))
	return f
}

// reason replays the longest partial order and asks the model why it does not
// go on with the given request.
func (j *judge) reason(broken int) string {
	h, c := j.prefix(j.h.Ops[broken].Ret)
	s := newSpec(compile(h, c))
	s.bounded, s.fuel = true, j.ration
	_, info := porcupine.CheckOperationsVerbose(s.porcupineModel(), s.operations(), 0)
	var best []porcupine.Operation
	for _, partial := range info.PartialLinearizationsOperations()[0] {
		if len(partial) > len(best) || len(partial) == len(best) && orderOf(partial) < orderOf(best) {
			best = partial
		}
	}
	s.bounded = false
	state := s.init()
	for _, o := range best {
		state = s.next(noDeadline, state, o.Input.(int))
	}
	for i, st := range s.steps {
		if s.calls[st.call].op != broken || state.done[i/64]>>(i%64)&1 == 1 {
			continue
		}
		if why := s.refusals(state, st); why != "" {
			return ": " + why
		}
	}
	return ""
}

// orderOf makes partial orders comparable, so that the same one is always told.
func orderOf(all []porcupine.Operation) string {
	var b strings.Builder
	for _, o := range all {
		fmt.Fprintf(&b, "%06d ", o.Input)
	}
	return b.String()
}

// refusals collects the reasons why no world takes a step.
func (s *spec) refusals(c *config, st step) string {
	var why []string
	n := &config{owed: c.owed, asked: c.asked, lived: c.lived, horizon: noHorizon}
	for _, at := range c.worlds {
		t := turn{spec: s, config: n, before: &s.atlas.all[at], why: &why}
		t.step(st)
	}
	slices.Sort(why)
	why = slices.Compact(why)
	const most = 3
	return strings.Join(why[:min(len(why), most)], "; or ")
}
