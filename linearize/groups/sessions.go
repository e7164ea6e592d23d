package groups

import (
	"fmt"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
)

// A clock that can be trusted limits what silence explains. Every accepted
// request of a member begins its session anew, and a rebalance that has not
// begun cannot drop it before its own timeout; so a member that was heard less
// than both ago, and did not leave, is in the group (groups.md 2.7).

// tooEarly finds fences that no timer can explain yet.
func (n *facts) tooEarly() []proof.Conflict {
	c := n.H.Clock()
	if !c.Trusted || c.Session <= 0 || c.Rebalance <= 0 {
		return nil
	}
	limit := min(c.Session, c.Rebalance) - kfh.ClockGrain
	heard := map[string][]int{}  // by member, requests that re-arm its session while no rebalance is prepared
	synced := map[string]int32{} // by member, the generation that it is certain to have synced in
	leaves := map[string]int{}   // by member, the first event after which it may have left
	for _, o := range n.H.Each(n.Ops) {
		if o.F == kfh.Leave || o.RefusedAs("GROUP_MAX_SIZE_REACHED") {
			if at, known := leaves[o.Member()]; !known || o.Inv < at {
				leaves[o.Member()] = o.Inv
			}
		}
	}
	var all []proof.Conflict
	for i, o := range n.H.Each(n.Ops) {
		m := o.Member()
		switch {
		case o.F == kfh.Sync && o.Outcome == kfh.OK:
			synced[m] = o.In.Generation
			heard[m] = append(heard[m], i)
		case o.F == kfh.Heartbeat && o.Outcome == kfh.OK && synced[m] == o.In.Generation:
			heard[m] = append(heard[m], i)
		case m != "" && o.RefusedAs("UNKNOWN_MEMBER_ID"):
			if at, known := leaves[m]; known && at < o.Ret {
				continue
			}
			for k := len(heard[m]) - 1; k >= 0; k-- {
				if a := heard[m][k]; n.Before(a, i) {
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
func (n *facts) between(a, b int) (ns int64, known bool) {
	from, to := n.H.Events[n.H.Ops[a].Inv].T, n.H.Events[n.H.Ops[b].Ret].T
	return to - from, from >= 0 && to >= 0
}

func (n *facts) earlyConflict(m string, heard, refused int, ago, limit int64) proof.Conflict {
	why := fmt.Sprintf("%s, although %s was heard at most %.1f ms before (op %d), it did not leave, and no timer removes it within %.1f ms",
		n.Says(refused), m, float64(ago)/1e6, n.H.Ops[heard].ID, float64(limit)/1e6)
	return proof.NewConflict(proof.Suspect{Op: refused, Anomaly: "unjustified-fence", Why: why},
		proof.Suspect{Op: heard, Anomaly: "unknown-member-" + n.H.Ops[heard].Kind(), Why: why, Unlikely: true})
}
