package linearize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
	"fencecheck/linearize/sequential"
)

// localise explains a history that breaks no necessary condition and has no
// legal order: which answer is the first that cannot be explained, and which
// other answers, one at a time, would make it legal.
func (j *judge) localise() []Finding {
	j.diagnose()
	if found := j.projections(); len(found) > 0 {
		return found
	}
	var all []Finding
	for _, p := range partsOf(j.h, j.c) {
		if at := j.within(p); at.search(j.h, at.c) == porcupine.Illegal {
			all = append(all, at.localisePart()...)
		}
	}
	if len(all) == 0 { // within the fuel of a diagnosis
		all = append(all, j.unexplained())
	}
	return all
}

// unexplained is a finding of which only the verdict is known.
func (j *judge) unexplained() Finding {
	last := j.h.Ops[j.c.Ops[len(j.c.Ops)-1]]
	return Finding{NotLinearizable, []int{last.Inv}, "no order of the requests of " + j.c.Name + " explains every answer"}
}

func (j *judge) localisePart() []Finding {
	broken := j.breakingPoint()
	if broken < 0 {
		return []Finding{j.unexplained()}
	}
	refused := j.refusals(broken)
	reason := reasonOf(refused)
	named := map[string]bool{}
	var all []Finding
	for _, op := range j.candidates(broken) {
		anomaly, right := j.verdictOn(op, refused)
		if anomaly == "" || named[anomaly] {
			continue
		}
		named[anomaly] = true
		n := proof.Facts{H: j.h}
		why := fmt.Sprintf("%s: no order explains it; %s would be explained. The first answer that cannot be explained is that of op %d%s", n.Says(op), right, j.h.Ops[broken].ID, reason)
		c := proof.NewConflict(proof.Suspect{Op: op}, proof.Suspect{Op: broken})
		all = append(all, Finding{anomaly, c.Events(j.h), why})
	}
	if len(all) == 0 {
		c := proof.NewConflict(proof.Suspect{Op: broken})
		n := proof.Facts{H: j.h}
		name := NotLinearizable
		if j.only.anomaly != nil {
			name = j.only.anomaly(&j.h.Ops[broken], refused)
		}
		all = append(all, Finding{name, c.Events(j.h), n.Says(broken) + ": no order of the requests before it explains it" + reason})
	}
	return all
}

// candidates are the answers that may be the wrong one, the latest first.
func (j *judge) candidates(broken int) []int {
	all := []int{broken}
	for k := len(j.c.Ops) - 1; k >= 0; k-- {
		i := j.c.Ops[k]
		if o := &j.h.Ops[i]; i != broken && !o.Open() && !o.Local && o.Inv < j.h.Ops[broken].Ret && len(all) < maxRepairs {
			all = append(all, i)
		}
	}
	return all
}

// verdictOn tells whether the history is legal but for this answer; the anomaly
// follows from the answer that would be right.
func (j *judge) verdictOn(op int, refused []sequential.Refusal) (anomaly, right string) {
	if !j.legal(j.without(j.h, op)) {
		return "", ""
	}
	o := &j.h.Ops[op]
	switch {
	case j.only.anomaly != nil:
		return j.only.anomaly(o, refused), "another answer"
	case o.Outcome == kfh.Failed:
		return "unjustified-fence", "another answer"
	case o.Row.Wrong != "":
		return o.Row.Wrong, o.Row.Right
	}
	// A timer that nobody saw can explain UNKNOWN_MEMBER_ID nearly everywhere, so
	// that it comes last.
	for _, err := range []string{"ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "UNKNOWN_MEMBER_ID"} {
		if o.F == kfh.TxnCommit && err == "REBALANCE_IN_PROGRESS" {
			continue // no answer of the group's
		}
		refused := j.edited(j.h, op, func(o *kfh.Op) {
			o.Outcome, o.Out = kfh.Failed, kfh.NoAnswer()
			o.Out.Err = err
		})
		if !j.legal(refused) {
			continue
		}
		switch err {
		case "UNKNOWN_MEMBER_ID":
			return "unknown-member-" + o.Kind(), err
		case "ILLEGAL_GENERATION":
			return "stale-generation-" + o.Kind(), err
		}
		return NotLinearizable, err
	}
	return NotLinearizable, "another answer"
}

// refusals replays the longest partial order and asks the model why it does not
// go on with the given request.
func (j *judge) refusals(broken int) []sequential.Refusal {
	h, c := j.prefix(j.h.Ops[broken].Ret)
	s := j.only.spec(h, c)
	s.Work().Bounded, s.Work().Fuel = true, j.ration
	_, info := porcupine.CheckOperationsVerbose(s.PorcupineModel(), s.Operations(), 0)
	var best []porcupine.Operation
	for _, partial := range info.PartialLinearizationsOperations()[0] {
		if len(partial) > len(best) || len(partial) == len(best) && orderOf(partial) < orderOf(best) {
			best = partial
		}
	}
	s.Work().Bounded = false
	return s.Refusals(best, broken)
}

// reasonOf puts refusals in words.
func reasonOf(all []sequential.Refusal) string {
	var why []string
	for _, r := range all {
		why = append(why, r.Text)
	}
	slices.Sort(why)
	why = slices.Compact(why)
	const most = 3
	if len(why) == 0 {
		return ""
	}
	return ": " + strings.Join(why[:min(len(why), most)], "; or ")
}

// orderOf makes partial orders comparable, so that the same one is always told.
func orderOf(all []porcupine.Operation) string {
	var b strings.Builder
	for _, o := range all {
		fmt.Fprintf(&b, "%06d ", o.Input)
	}
	return b.String()
}
