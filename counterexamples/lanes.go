package counterexamples

import (
	"slices"

	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/search"
)

// The lanes that are no client's, in the order in which a diagram has them. A
// partition's leader has a lane, but that of the group's offsets partition is the
// group coordinator.
const (
	transactionLane = cluster.MaxClients + iota
	oldLane
	outputLane
	coordinatorLane   = outputLane + cluster.MaxOutputs
	administratorLane = coordinatorLane + 1
)

// The actors that are no clients. Without producers there is one coordinator.
const (
	coordinator      = "coordinator"
	groupCoordinator = "group coordinator"
	transactions     = "txn coordinator"
	oldCoordinator   = "old coordinator"
	administrator    = "administrator"
)

var laneNames = map[int]string{
	transactionLane: transactions, oldLane: oldCoordinator, coordinatorLane: groupCoordinator, administratorLane: administrator,
}

// laneOf is whose story a step belongs to.
func laneOf(before *cluster.State, st search.Step) int {
	op, a := &ops.Table[st.Op], ops.Unpack(st.Arg)
	switch op.Actor {
	case ops.ByBroker:
		r := op.Request(before, a)
		return wordsOf(r.API).at(&r)
	case ops.ByGroupCoordinator:
		return coordinatorLane
	case ops.ByTransactionCoordinator:
		return transactionLane
	case ops.ByOldCoordinator:
		return oldLane
	case ops.ByLeader:
		return leaderLane(a.A)
	case ops.ByAdministrator:
		return administratorLane
	}
	return int(a.A)
}

// atGroup, atTransactions and atLog are who decides a request.
func atGroup(*cluster.Request) int { return coordinatorLane }

func atTransactions(*cluster.Request) int { return transactionLane }

func atLog(r *cluster.Request) int { return leaderLane(r.Log) }

func leaderLane(p uint8) int {
	if p == cluster.OffsetsLog {
		return coordinatorLane
	}
	return outputLane + int(p)
}

func (t *teller) lane(lane int) string {
	switch {
	case lane < cluster.MaxClients:
		return t.client(lane)
	case lane >= outputLane && lane < coordinatorLane:
		return logName(lane - outputLane)
	case lane == coordinatorLane && !t.g.cfg.Producing():
		return coordinator
	}
	return laneNames[lane]
}

// lanes lists who acts in the story, is spoken to, or changes, in a fixed order.
// A client that never acts needs no lane, and the coordinator that a scenario is
// about always has one.
func (t *teller) lanes(steps []StoryStep) []string {
	var act, named []string
	for i := range steps {
		act = append(act, steps[i].Lane)
		for _, m := range steps[i].Messages {
			named = append(named, m.To)
		}
		for _, c := range steps[i].Changes {
			named = append(named, c.At)
		}
	}
	always := coordinatorLane
	if t.g.cfg.Producing() {
		always = transactionLane
	}
	var names []string
	for lane := range administratorLane + 1 {
		name := t.lane(lane)
		if slices.Contains(act, name) || lane >= cluster.MaxClients && (lane == always || slices.Contains(named, name)) {
			names = append(names, name)
		}
	}
	return names
}
