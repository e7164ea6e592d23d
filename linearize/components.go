package linearize

// component is a part of a history that is judged on its own: one group with
// its offsets. Every modelled request names exactly one group, and groups share
// no state, so the split is exact (porcupine's verdict is void on parts that
// are not). Requests that tie groups together, as TxnOffsetCommit ties a group
// to a transactional id, are refused before.
type component struct {
	group string
	ops   []int // indexes into History.Ops, in the order of invocation
}

// split finds the components, in the order in which they first appear.
func split(h *History) []component {
	at := map[string]int{}
	var all []component
	for i := range h.Ops {
		g := h.Ops[i].In.Group
		n, known := at[g]
		if !known {
			n = len(all)
			at[g] = n
			all = append(all, component{group: g})
		}
		all[n].ops = append(all[n].ops, i)
	}
	return all
}
