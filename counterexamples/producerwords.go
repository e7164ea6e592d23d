package counterexamples

import (
	"fmt"
	"strings"

	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

// names says what stands for what in a story of transactions.
func (t *teller) names() string {
	if !t.g.cfg.Producing() {
		return ""
	}
	who := "w1"
	if t.g.cfg.Writers == 0 {
		who = "m1"
	}
	text := fmt.Sprintf("x0 is a transactional id, o0 the leader of an output partition, %s:t2 the second transaction of %s", who, who)
	if t.g.cfg.Transactional {
		text += ", p0@1 the input record at offset 1 of p0"
	}
	return text
}

// learnProducers numbers the producer ids and the transactions that a step has
// begun, as if none were ever used again.
func (t *teller) learnProducers(before, after *model.State, st search.Step) {
	if !t.g.cfg.Producing() {
		return
	}
	switch a, name := ops.Unpack(st.Arg), OpName(st); {
	case name == "give-up" && a.B == 0:
		t.givenUp[a.A] = before.Clients[a.A].App
	case name == "crash":
		t.givenUp[a.A] = model.Request{}
	}
	fresh := after.ProducerIDs(t.g.cfg) &^ before.ProducerIDs(t.g.cfg)
	for id := model.ProducerID(1); fresh>>id != 0; id++ {
		if fresh>>id&1 == 1 {
			t.issued++
			t.pids[id] = t.issued
		}
	}
	begun := t.begins(before, after)
	if sends[OpName(st)] { // one that failed at once is forgotten at once
		if sent, _, ok := t.sending(before, st); ok && begun == 0 {
			begun = t.begins(before, &sent)
		}
	}
	if begun != 0 {
		client := model.WorkClient(begun)
		t.begun[client]++
		t.works[begun] = t.begun[client]
	}
}

// begins finds the transaction that has begun from one state to another.
func (t *teller) begins(before, after *model.State) model.WorkID {
	for i := range t.g.cfg.Clients() {
		for place := range after.Txns.Works[i] {
			if before.Txns.Works[i][place].Told == model.NoWork && after.Txns.Works[i][place].Told != model.NoWork {
				return model.NewWorkID(i, place)
			}
		}
	}
	return 0
}

// pid is the number of a producer id in this story.
func (t *teller) pid(id model.ProducerID) int {
	if n, ok := t.pids[id]; ok {
		return n
	}
	return t.issued + 1
}

// pair is a producer id with its epoch.
func (t *teller) pair(id model.ProducerID, e model.Epoch) string {
	if id == 0 {
		return "no producer id"
	}
	return fmt.Sprintf("producer id %d, epoch %d", t.pid(id), e)
}

// work names a transaction: w1:t2 is the second one of w1.
func (t *teller) work(w model.WorkID) string {
	if w == 0 {
		return "no transaction"
	}
	return fmt.Sprintf("%s:t%d", t.client(model.WorkClient(w)), t.works[w])
}

// idOf is the transactional id of a client.
func (t *teller) idOf(client int) string { return idName(int(t.g.cfg.IDs[client])) }

// record is what a transaction writes to an output.
func (t *teller) record(w model.WorkID, value uint8) string {
	if value == 0 {
		return "the record of " + t.work(w)
	}
	return fmt.Sprintf("the output of %s (in %s)", inputName(value), t.work(w))
}

// inputName is an input record by its partition and offset.
func inputName(value uint8) string {
	v := int(value - 1)
	return fmt.Sprintf("%s@%d", partitionName(v/model.MaxRecords), v%model.MaxRecords)
}

// named is a request with the transaction that its sender means.
func (t *teller) named(r *model.Request) string {
	if r.Work == 0 || r.API.Part() != model.TransactionsPart {
		return r.API.String()
	}
	return fmt.Sprintf("%s of %s", r.API, t.work(r.Work))
}

// producerRequest is what a producer's request presents.
func (t *teller) producerRequest(r *model.Request) string {
	id, pair := t.idOf(int(r.Client)), t.pair(r.PID, r.Epoch)
	switch r.API {
	case model.InitProducerID:
		if r.PID == 0 {
			return id
		}
		return fmt.Sprintf("%s, in place of %s", id, pair)
	case model.AddPartitionsToTxn:
		return fmt.Sprintf("%s, %s, partition %s", id, pair, logName(int(r.Log)))
	case model.AddOffsetsToTxn:
		return fmt.Sprintf("%s, %s, the group", id, pair)
	case model.Produce:
		text := fmt.Sprintf("to %s, %s, sequence %d", logName(int(r.Log)), pair, r.Sequence)
		if r.Value > 0 {
			text += ", the output of " + inputName(r.Value)
		}
		return text
	case model.TxnOffsetCommit:
		return fmt.Sprintf("%s, %s, %s, %s, %s", t.offsets(r, "nothing"), id, pair, t.presented(r.ID), presentedGeneration(r.Generation))
	case model.EndTxn:
		return fmt.Sprintf("%s, %s, %s", id, pair, outcomeWord(r.Commit))
	}
	return ""
}

func outcomeWord(commit bool) string {
	if commit {
		return "commit"
	}
	return "abort"
}

// producerAnswer is what an answer brings besides its error.
func (t *teller) producerAnswer(r *model.Request) string {
	switch {
	case r.NewPID == 0 || r.Err != model.None:
	case r.API == model.InitProducerID:
		return ": " + t.pair(r.NewPID, r.NewEpoch)
	case r.API == model.EndTxn:
		return ": go on with " + t.pair(r.NewPID, r.NewEpoch)
	}
	return ""
}

// consulted is what a partition's leader asks the transaction coordinator before
// it takes a batch, and the answer.
func (t *teller) consulted(before *model.State, r *model.Request, zombie bool) []Message {
	if r.API != model.Produce && r.API != model.TxnOffsetCommit || r.Status != model.InFlight {
		return nil
	}
	var scratch model.State
	asks, answer := t.probe.Consults(before, &scratch, r, zombie)
	if !asks {
		return nil
	}
	to := transactions
	if zombie {
		to = deposed
	}
	leader := t.lane(brokerOf(r))
	text := fmt.Sprintf("%s, %s, partition %s", t.idOf(int(r.Client)), t.pair(r.PID, r.Epoch), logName(int(r.Log)))
	if !t.g.cfg.Version.Adds() {
		text = "verify only, " + text
	}
	api := model.AddPartitionsToTxn.String()
	return []Message{
		{From: leader, To: to, API: api, Text: text, Request: true, Inner: true},
		{From: to, To: leader, API: api, Text: answer.String(), Inner: true},
	}
}

// A sentMarker is a marker on its way from a coordinator to one partition.
type sentMarker struct {
	model.Marker
	log  uint8
	from string
	late bool
	lost bool
}

// marker finds the marker that a partition decides in a step.
func (t *teller) marker(before *model.State, st search.Step) (m sentMarker, ok bool) {
	a := ops.Unpack(st.Arg)
	switch OpName(st) {
	case "deliver-marker":
		return sentMarker{Marker: before.Txns.IDs[a.A].Outbox, log: a.B, from: transactions}, true
	case "lose-marker-answer":
		return sentMarker{Marker: before.Txns.IDs[a.A].Outbox, log: a.B, from: transactions, lost: true}, true
	case "zombie-marker":
		return sentMarker{Marker: before.Txns.Old[a.A].Outbox, log: a.B, from: deposed}, true
	case "decide-late":
		if r := &before.Late[a.A]; r.API == model.WriteTxnMarkers {
			m := model.Marker{PID: r.PID, Epoch: r.Epoch, Commit: r.Commit, CoordinatorEpoch: r.Elected}
			return sentMarker{Marker: m, log: r.Log, from: transactions, late: true}, true
		}
	}
	return m, false
}

func (m *sentMarker) kind() string { return strings.ToUpper(outcomeWord(m.Commit)) }

// marked is a marker and its answer.
func (t *teller) marked(m sentMarker, after *model.State) []Message {
	api, to := model.WriteTxnMarkers.String(), t.lane(logLane(m.log))
	text := fmt.Sprintf("%s for %s, coordinator epoch %d", m.kind(), t.pair(m.PID, m.Epoch), m.CoordinatorEpoch)
	if m.log == model.OffsetsLog {
		text += ", in the group's offsets"
	}
	answer := after.Last.Err.String()
	switch {
	case m.late:
		answer += ", which nobody awaits"
	case m.lost:
		answer += ", which is lost"
	}
	return []Message{
		{From: m.from, To: to, API: api, Text: text, Request: true},
		{From: to, To: m.from, API: api, Text: answer},
	}
}
