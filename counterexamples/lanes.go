package counterexamples

import (
	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

// The lanes that are no client's, in the order in which a diagram has them. A
// partition's leader has a lane, but that of the group's offsets partition is the
// group coordinator.
const (
	transactionLane = model.MaxClients + iota
	deposedLane
	outputLane
	coordinatorLane   = outputLane + model.MaxOutputs
	administratorLane = coordinatorLane + 1
)

// The actors that are no clients. Without producers there is one coordinator.
const (
	coordinator      = "coordinator"
	groupCoordinator = "group coordinator"
	transactions     = "txn coordinator"
	deposed          = "old coordinator"
	administrator    = "administrator"
)

// deposedSteps are taken by a coordinator that does not know of its successor.
var deposedSteps = map[string]bool{"decide-by-zombie": true, "zombie-marker": true}

// laneOf is whose story a step belongs to: what happens to a client's process
// is part of that client's, and a request is decided by whom it was sent to.
func laneOf(before *model.State, st search.Step) int {
	op, a := &ops.Table[st.Op], ops.Unpack(st.Arg)
	switch {
	case deposedSteps[op.Name]:
		return deposedLane
	case op.Name == "decide":
		return brokerOf(awaited(&before.Clients[a.A], a.B))
	case op.Name == "decide-late":
		return brokerOf(&before.Late[a.A])
	case op.Params[0] == ops.TransactionalID, transactionSteps[op.Name]:
		return transactionLane
	case op.Params[0] == ops.Log:
		return logLane(a.A)
	case op.Actor == ops.ByCoordinator:
		return coordinatorLane
	case op.Params[0] == ops.Client:
		return int(a.A)
	}
	return administratorLane
}

// transactionSteps are the transaction coordinator's, though their parameters do
// not say so.
var transactionSteps = map[string]bool{"load": true, "elect-leaders": true, "lose-append": true, "fail-over": true}

// brokerOf is the lane of whoever decides a request.
func brokerOf(r *model.Request) int {
	switch r.API {
	case model.InitProducerID, model.AddPartitionsToTxn, model.AddOffsetsToTxn, model.EndTxn:
		return transactionLane
	case model.Produce, model.TxnOffsetCommit, model.WriteTxnMarkers:
		return logLane(r.Log)
	}
	return coordinatorLane
}

func logLane(p uint8) int {
	if p == model.OffsetsLog {
		return coordinatorLane
	}
	return outputLane + int(p)
}

func awaited(cl *model.Client, lane uint8) *model.Request {
	if lane == 1 {
		return &cl.Beat
	}
	return &cl.App
}

func (t *teller) lane(lane int) string {
	switch lane {
	case transactionLane:
		return transactions
	case deposedLane:
		return deposed
	case coordinatorLane:
		if t.g.cfg.Producing() {
			return groupCoordinator
		}
		return coordinator
	case administratorLane:
		return administrator
	}
	if lane >= outputLane {
		return logName(lane - outputLane)
	}
	return clientName(t.g.cfg, lane)
}

// lanes lists who acts in the story, is spoken to, or changes, in a fixed order.
func (t *teller) lanes(steps []Told) []string {
	acts := map[string]bool{t.lane(transactionLane): t.g.cfg.Producing(), t.lane(coordinatorLane): !t.g.cfg.Producing()}
	for i := range steps {
		acts[steps[i].Lane] = true
		for _, m := range steps[i].Messages {
			acts[m.To] = true
		}
		for _, c := range steps[i].Changes {
			acts[c.At] = true
		}
	}
	var names []string
	for lane := range administratorLane + 1 {
		if name := t.lane(lane); acts[name] && (lane >= model.MaxClients || t.acts(steps, name)) {
			names = append(names, name)
		}
	}
	return names
}

// acts: a client that never does anything needs no lane.
func (t *teller) acts(steps []Told, name string) bool {
	for i := range steps {
		if steps[i].Lane == name {
			return true
		}
	}
	return false
}

// home is the lane that has the state of something.
func (t *teller) home(who string) string {
	for id := range t.g.cfg.TransactionalIDs() {
		if who == idName(id) {
			return transactions
		}
	}
	switch who {
	case "group", "offsets", "pending":
		return t.lane(coordinatorLane)
	}
	return who
}
