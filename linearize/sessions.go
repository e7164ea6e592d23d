package linearize

import (
	"fmt"
)

// A clock that can be trusted limits what silence explains. Every accepted
// request of a member begins its session anew, and a rebalance that has not
// begun cannot drop it before its own timeout; so a member that was heard less
// than both ago, and did not leave, is in the group (groups.md 2.7).

// tooEarly finds fences that no timer can explain yet.
func (n *groupFacts) tooEarly() []conflict {
	c := n.h.clock()
	if !c.trusted || c.session <= 0 || c.rebalance <= 0 {
		return nil
	}
	limit := min(c.session, c.rebalance) - clockGrain
	heard := map[string][]int{}  // by member, requests that re-arm its session while no rebalance is prepared
	synced := map[string]int32{} // by member, the generation that it is certain to have synced in
	leaves := map[string]int{}   // by member, the first event after which it may have left
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		if o.F == fLeave || o.refusedAs("GROUP_MAX_SIZE_REACHED") {
			if at, known := leaves[o.member()]; !known || o.Inv < at {
				leaves[o.member()] = o.Inv
			}
		}
	}
	var all []conflict
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		m := o.member()
		switch {
		case o.F == fSync && o.Outcome == OK:
			synced[m] = o.In.Generation
			heard[m] = append(heard[m], i)
		case o.F == fHeartbeat && o.Outcome == OK && synced[m] == o.In.Generation:
			heard[m] = append(heard[m], i)
		case m != "" && o.refusedAs("UNKNOWN_MEMBER_ID"):
			if at, known := leaves[m]; known && at < o.Ret {
				continue
			}
			for k := len(heard[m]) - 1; k >= 0; k-- {
				if a := heard[m][k]; n.before(a, i) {
					if ago, known := n.between(a, i); known && ago < limit {
						all = append(all, n.earlyConflict(m, a, i, ago, limit))
					}
					break
				}
			}
		}
	}
	return all
}

// between is the longest time that can lie between the decisions of two
// requests.
func (n *groupFacts) between(a, b int) (ns int64, known bool) {
	from, to := n.h.Events[n.h.Ops[a].Inv].T, n.h.Events[n.h.Ops[b].Ret].T
	return to - from, from >= 0 && to >= 0
}

func (n *groupFacts) earlyConflict(m string, heard, refused int, ago, limit int64) conflict {
	why := fmt.Sprintf("%s, although %s was heard at most %.1f ms before (op %d), it did not leave, and no timer removes it within %.1f ms",
		n.says(refused), m, float64(ago)/1e6, n.h.Ops[heard].ID, float64(limit)/1e6)
	return newConflict(suspect{op: refused, anomaly: "unjustified-fence", why: why},
		suspect{op: heard, anomaly: "unknown-member-" + n.h.Ops[heard].kind(), why: why, unlikely: true})
}
