package ops

import (
	"fencecheck/model"
	"fencecheck/model/cluster"
)

// moments are a set of what a client can be at, a bit each: the state of its process,
// the phase of its membership, and whether its application waits for an answer.
// That alone rules most steps out.
type moments uint64

const numMoments = 64

// momentOf is the number of the one that a client is at.
func momentOf(cl *cluster.Client) uint8 {
	n := uint8(cl.Process)&3 | uint8(cl.Phase)&7<<2
	if cl.App.API != model.NoAPI {
		n |= 1 << 5
	}
	return n
}

// when is the set of those that a condition is true at, which must depend on nothing
// else.
func when(condition func(cl *cluster.Client) bool) (set moments) {
	for process := cluster.Running; process <= cluster.Down; process++ {
		for phase := cluster.Outside; phase <= cluster.Failed; phase++ {
			for _, api := range [...]model.API{model.NoAPI, model.JoinGroup} {
				cl := cluster.Client{ClientState: cluster.ClientState{Process: process, Phase: phase}, App: cluster.Request{API: api}}
				if condition(&cl) {
					set |= 1 << momentOf(&cl)
				}
			}
		}
	}
	return set
}

// idle tells whether the application thread of a running client can begin a
// request.
func idle(cl *cluster.Client) bool {
	return cl.Process == cluster.Running && cl.App.API == model.NoAPI
}

// idleIn is idle in some phase of the membership.
func idleIn(phase cluster.Phase) moments {
	return when(func(cl *cluster.Client) bool { return idle(cl) && cl.Phase == phase })
}

// waiting: a request of the application is under way.
func waiting(cl *cluster.Client) bool {
	return cl.Process == cluster.Running && cl.App.API != model.NoAPI
}

// awake: the heartbeat thread runs.
func awake(cl *cluster.Client) bool { return cl.Process <= cluster.Stalled }

// beating: there is a membership to keep up, and a thread to do it.
func beating(cl *cluster.Client) bool {
	return awake(cl) && inGroup(cl)
}

// inGroup: the client was given a place in the group.
func inGroup(cl *cluster.Client) bool {
	return cl.Phase == cluster.Joined || cl.Phase == cluster.Syncing || cl.Phase == cluster.MemberPhase
}

// processIs is a state of the process.
func processIs(p cluster.Process) moments {
	return when(func(cl *cluster.Client) bool { return cl.Process == p })
}

// at tells whether the step may be enabled for a client at some moment, by its number.
func (o *Op) at(moment uint8) bool { return o.when == 0 || o.when>>moment&1 == 1 }

// by tells whether a value of the first parameter is of a client that may take the step.
func (o *Op) by(c *cluster.Config, client int) bool { return o.who == nil || o.who(c, client) }
