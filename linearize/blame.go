package linearize

import (
	"cmp"
	"slices"

	"github.com/anishathalye/porcupine"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
	"fencecheck/linearize/txns"
)

// maxRepairs bounds how many variations of a history are tried to find the
// wrong answer. The verdict stands already.
const maxRepairs = 200

// blame turns conflicts into findings. The answers to blame are those without
// which the whole history is legal: single ones, else pairs. If even more
// answers are wrong, those are blamed that take part in most conflicts.
func (j *judge) blame(conflicts []proof.Conflict) []Finding {
	j.diagnose()
	weight := map[int]int{}
	var ops []int
	for i := range conflicts {
		for _, s := range conflicts[i].Suspects {
			if weight[s.Op] == 0 {
				ops = append(ops, s.Op)
			}
			weight[s.Op]++
		}
	}
	slices.SortFunc(ops, func(a, b int) int { return cmp.Or(weight[b]-weight[a], a-b) })
	guilty := j.repairs(conflicts, ops)
	if len(guilty) > 0 {
		return j.findings(conflicts, guilty, weight)
	}
	guilty = j.heaviest(conflicts)
	return append(j.findings(conflicts, guilty, weight), j.beyond(guilty)...)
}

// beyond explains what is illegal besides the guilty answers: something that
// breaks no necessary condition.
func (j *judge) beyond(guilty map[int]bool) []Finding {
	if plain(j.h, j.c) {
		return nil
	}
	n := *j
	for _, op := range kfh.SortedKeys(guilty) {
		n.h = n.without(n.h, op)
	}
	if len(necessary(n.h, n.whole)) > 0 || n.search(n.h, n.c) != porcupine.Illegal {
		return nil
	}
	return n.localise()
}

// repairs finds the answers that, forgotten alone or in pairs, leave a legal
// history.
func (j *judge) repairs(conflicts []proof.Conflict, ops []int) map[int]bool {
	guilty := map[int]bool{}
	tried := 0
	try := func(set ...int) {
		if tried >= maxRepairs || !hitAll(conflicts, set) {
			return
		}
		tried++
		h := j.h
		for _, op := range set {
			h = j.without(h, op)
		}
		if j.legal(h) {
			for _, op := range set {
				guilty[op] = true
			}
		}
	}
	for _, op := range ops {
		try(op)
	}
	if len(guilty) > 0 {
		return guilty
	}
	const mostPaired = 60
	ops = ops[:min(len(ops), mostPaired)]
	for k, a := range ops {
		for _, b := range ops[:k] {
			try(b, a)
		}
	}
	return guilty
}

// hitAll tells whether every conflict is gone without the given answers.
func hitAll(conflicts []proof.Conflict, set []int) bool {
	for i := range conflicts {
		if !slices.ContainsFunc(set, func(op int) bool { return slices.Contains(conflicts[i].Ops, op) }) {
			return false
		}
	}
	return true
}

// heaviest covers all conflicts by few suspects: again and again the one against
// which those that are left speak most.
func (j *judge) heaviest(conflicts []proof.Conflict) map[int]bool {
	guilty := map[int]bool{}
	left := slices.Clone(conflicts)
	for len(left) > 0 {
		weight := map[int]int{}
		best := left[0].Suspects[0].Op
		for i := range left {
			for _, s := range left[i].Suspects {
				weight[s.Op] += j.suspicion(s.Op)
			}
		}
		for _, op := range kfh.SortedKeys(weight) {
			if weight[op] > weight[best] {
				best = op
			}
		}
		guilty[best] = true
		left = slices.DeleteFunc(left, func(c proof.Conflict) bool {
			return slices.ContainsFunc(c.Suspects, func(s proof.Suspect) bool { return s.Op == best })
		})
	}
	return guilty
}

// suspicion is how much each conflict speaks against an answer. The members bear
// out what a JoinGroup or SyncGroup answered by what they do with it, so that
// such an answer has to be in more conflicts than others to be blamed.
func (j *judge) suspicion(op int) int {
	if j.h.Ops[op].Row.BorneOut {
		return 1
	}
	return 4
}

// charge is an answer under the name of an anomaly.
type charge struct {
	op      int
	anomaly string
}

// covers lists the more special names beside which the same answer needs no
// further finding.
func covers(k charge) []string {
	switch k.anomaly {
	case "unknown-member-heartbeat":
		return []string{"stale-generation-heartbeat"}
	case "unknown-member-join":
		return []string{"generation-regression"}
	case "torn-transaction":
		return []string{"stale-epoch-write", txns.WrongTransaction}
	}
	return nil
}

// blames tells that the conflict has no other guilty suspect.
func blames(c *proof.Conflict, op int, guilty map[int]bool) bool {
	return !slices.ContainsFunc(c.Suspects, func(s proof.Suspect) bool { return s.Op != op && guilty[s.Op] })
}

// ownConflicts tells which answers contradict some that are not to blame. What
// they contradict besides may be the other's fault.
func ownConflicts(conflicts []proof.Conflict, guilty map[int]bool) map[int]bool {
	own := map[int]bool{}
	for i := range conflicts {
		for _, s := range conflicts[i].Suspects {
			if guilty[s.Op] && blames(&conflicts[i], s.Op, guilty) {
				own[s.Op] = true
			}
		}
	}
	return own
}

// findings lists one finding for each guilty answer and each name that fits it,
// with the smallest and then earliest proof.
func (j *judge) findings(conflicts []proof.Conflict, guilty map[int]bool, weight map[int]int) []Finding {
	proofs := map[charge]Finding{}
	var order []charge
	unlikely, likely := map[charge]bool{}, false
	own := ownConflicts(conflicts, guilty)
	for i := range conflicts {
		c := &conflicts[i]
		events := c.Events(j.h)
		for _, s := range c.Suspects {
			if !guilty[s.Op] || own[s.Op] && !blames(c, s.Op, guilty) {
				continue
			}
			k := charge{s.Op, s.Anomaly}
			likely = likely || !s.Unlikely
			old, known := proofs[k]
			unlikely[k] = s.Unlikely && (!known || unlikely[k])
			if !known {
				order = append(order, k)
			}
			if !known || shorter(events, old.Events) {
				proofs[k] = Finding{s.Anomaly, events, s.Why}
			}
		}
	}
	order = slices.DeleteFunc(order, func(k charge) bool {
		return likely && unlikely[k] || slices.ContainsFunc(covers(k), func(name string) bool {
			_, special := proofs[charge{k.op, name}]
			return special
		})
	})
	slices.SortStableFunc(order, func(a, b charge) int { return weight[b.op]*j.suspicion(b.op) - weight[a.op]*j.suspicion(a.op) })
	var all []Finding
	for _, k := range order {
		f := proofs[k]
		same := func(g Finding) bool { return g.Anomaly == f.Anomaly && slices.Equal(g.Events, f.Events) }
		if !slices.ContainsFunc(all, same) {
			all = append(all, f)
		}
	}
	return all
}

// shorter prefers fewer events, then those that end early, then those that lie
// close together.
func shorter(a, b []int) bool {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a[len(a)-1], b[len(b)-1]), slices.Compare(b, a)) < 0
}
