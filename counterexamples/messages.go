package counterexamples

import (
	"fmt"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/ops"
)

// requestWords has the words for one kind of request: a row of a part's table.
type requestWords struct {
	// at is the lane of whoever decides it.
	at func(r *cluster.Request) int
	// presents is what it carries, and brings what its answer adds to the error.
	// nil: nothing.
	presents, brings func(t *teller, r *cluster.Request) string
	// stale says what is wrong with its token, against what whoever decides it
	// knows; "" where nothing is. nil: it has no token.
	stale func(t *teller, s *step) string
	// held says until when the coordinator may hold it.
	held string
}

// wordsOf finds the row of a request in the table of its part.
func wordsOf(api model.API) requestWords {
	if api.Part() == model.TransactionsPart {
		return transactionRequests[api]
	}
	return groupRequests[api]
}

// messages finds out what was sent and answered in a step. Requests that do
// not travel are decided within the step in which they are sent, so the step is
// taken again in parts, with requests that travel.
func (t *teller) messages(s *step) []Message {
	var all []Message
	switch r := &s.request; {
	case s.op.Sends:
		return t.sent(s)
	case r.API == model.NoAPI:
	case r.API == model.WriteTxnMarkers:
		return t.marked(s)
	case s.op.Params[0] == ops.Late:
		all = t.decidedLate(s)
	case s.op.Actor != ops.ByClient:
		return t.decided(s)
	case r.API == model.LeaveGroup:
		all = t.leaving(s)
	default: // it takes the answer
		return []Message{t.answer(r)}
	}
	var seen cluster.State
	if _, ok := t.probe.Take(s.before, &seen, s.Op, s.args); ok {
		all = append(all, t.deliveries(s.before, &seen, -1)...)
	}
	return all
}

// sent is a request, and unless it travels, its answer.
func (t *teller) sent(s *step) []Message {
	r, a := &s.request, s.args
	if r.API == model.NoAPI {
		return nil
	}
	travels := t.g.cfg.Travels[r.API]
	all := []Message{t.request(r, travels)}
	if travels {
		return all
	}
	sent := s.sent
	if s.lane == 0 { // what does not travel overtakes a heartbeat that does
		sent.Clients[a.A].Beat, sent.Clients[a.A].BeatFirst = cluster.Request{}, false
	}
	all = append(all, t.consulted(&sent, r, false)...)
	decided, ok := t.deciding(&sent, decideOp, ops.Args{A: a.A, B: s.lane, Pick: a.Pick, Order: a.Order})
	if !ok {
		return all
	}
	return append(all, t.outcome(s.before, &decided, a.A, s.lane)...)
}

var decideOp = func() uint16 {
	op, _ := ops.ByName("decide")
	return uint16(op)
}()

// deciding lets a request be decided, its answer not yet taken. A batch that is
// appended at once is decided in two halves here.
func (t *teller) deciding(before *cluster.State, op uint16, a ops.Args) (decided cluster.State, ok bool) {
	if _, ok = t.probe.Take(before, &decided, op, a); !ok {
		return decided, false
	}
	if r := &decided.Clients[a.A].App; r.Status == cluster.Admitted && !t.g.cfg.Travels[model.AddPartitionsToTxn] {
		half := decided
		_, ok = t.probe.Take(&half, &decided, decideOp, ops.Args{A: a.A})
	}
	return decided, ok
}

// decided is what becomes of a request in flight.
func (t *teller) decided(s *step) []Message {
	r, client, lane := &s.request, s.args.A, uint8(0)
	if s.op.Params[1] == ops.Lane {
		lane = s.args.B
	}
	seen, ok := t.deciding(s.before, s.Op, s.args)
	if !ok {
		return nil
	}
	byOld := s.op.Actor == ops.ByOldCoordinator
	inner := t.consulted(s.before, r, byOld)
	if err := seen.Clients[client].App.Err; len(inner) > 0 && err == model.CoordinatorNotAvailable {
		inner[1].Text = err.String() // its log did not answer
	}
	all := append([]Message{t.request(r, false)}, inner...)
	for _, m := range t.outcome(s.before, &seen, client, lane) {
		awaits := ops.Awaited(&s.after.Clients[client], lane).API != model.NoAPI
		m.Delayed = m.Delayed || !m.Held && m.To == t.client(int(client)) && awaits
		all = append(all, m)
	}
	if byOld && len(inner) == 0 {
		all[0].To, all[1].From = oldCoordinator, oldCoordinator
	}
	return all
}

// decidedLate is a request that its sender gave up on, and an answer that nobody
// awaits.
func (t *teller) decidedLate(s *step) []Message {
	r, ev := &s.request, &s.after.Last
	m := t.reply(r, ev.Err.String())
	if ev.Repeated {
		m.Text += takenForRepeat
	}
	m.Text += ", which nobody awaits"
	if ev.Parked || t.splits(r) {
		m.Text, m.Held = "none that anybody awaits", true
	}
	return append(append([]Message{t.request(r, false)}, t.consulted(s.before, r, false)...), m)
}

// splits tells whether a batch is only admitted now, and appended in a later
// step.
func (t *teller) splits(r *cluster.Request) bool {
	batch := r.API == model.Produce || r.API == model.TxnOffsetCommit
	return batch && r.Status == cluster.InFlight && t.g.cfg.Travels[model.AddPartitionsToTxn]
}

const takenForRepeat = ", taken for a repeat"

// outcome is the answer to the request just decided, and the answers to those
// that waited.
func (t *teller) outcome(before, decided *cluster.State, client, lane uint8) []Message {
	var all []Message
	switch r := ops.Awaited(&decided.Clients[client], lane); {
	case r.Status == cluster.Parked:
		all = append(all, t.holds(r, "the request is held until "+wordsOf(r.API).held))
	case r.Status == cluster.Admitted:
		all = append(all, t.holds(r, "it may be appended, in a step of its own"))
	case r.API != model.NoAPI:
		m := t.answer(r)
		if decided.Last.Repeated {
			m.Text += takenForRepeat
		}
		all = append(all, m)
	}
	return append(all, t.deliveries(before, decided, int(client))...)
}

// deliveries are the answers to requests that the coordinator held.
func (t *teller) deliveries(before, seen *cluster.State, but int) []Message {
	var all []Message
	for i := range t.g.cfg.Clients() {
		was, is := &before.Clients[i].App, &seen.Clients[i].App
		if i == but || was.Status != cluster.Parked || is.Status != cluster.Answered {
			continue
		}
		m := t.answer(is)
		m.Delayed = t.g.cfg.Travels[is.API] || seen.Clients[i].Process != cluster.Running
		all = append(all, m)
	}
	return all
}

// leaving is a LeaveGroup, whose answer nobody awaits.
func (t *teller) leaving(s *step) []Message {
	m := t.request(&s.request, s.after.Last.API == model.NoAPI)
	if m.Delayed {
		return []Message{m}
	}
	return []Message{m, t.reply(&s.request, s.after.Last.Err.String())}
}

// request is a request in words.
func (t *teller) request(r *cluster.Request, delayed bool) Message {
	words := wordsOf(r.API)
	m := Message{From: t.client(int(r.Client)), To: t.lane(words.at(r)), API: r.API.String(), Request: true, Delayed: delayed}
	if words.presents != nil {
		m.Text = words.presents(t, r)
	}
	return m
}

// answer is an answer in words.
func (t *teller) answer(r *cluster.Request) Message {
	m := t.reply(r, r.Err.String())
	if brings := wordsOf(r.API).brings; brings != nil {
		m.Text += brings(t, r)
	}
	return m
}

// holds says that there is no answer yet.
func (t *teller) holds(r *cluster.Request, why string) Message {
	m := t.reply(r, "none yet: "+why)
	m.Held = true
	return m
}

func (t *teller) reply(r *cluster.Request, text string) Message {
	return Message{From: t.lane(wordsOf(r.API).at(r)), To: t.client(int(r.Client)), API: r.API.String(), Text: text}
}

// consulted is what a partition's leader asks the transaction coordinator before
// it takes a batch, and the answer.
func (t *teller) consulted(before *cluster.State, r *cluster.Request, byOld bool) []Message {
	if r.API != model.Produce && r.API != model.TxnOffsetCommit || r.Status != cluster.InFlight {
		return nil
	}
	var scratch cluster.State
	asks, answer := t.probe.Consults(before, &scratch, r, byOld)
	if !asks {
		return nil
	}
	to := transactions
	if byOld {
		to = oldCoordinator
	}
	leader, api := t.lane(atLog(r)), model.AddPartitionsToTxn.String()
	text := fmt.Sprintf("%s, %s, partition %s", t.idOf(r.Client), t.pair(r.PID, r.Epoch), logName(int(r.Log)))
	if !t.g.cfg.Version.Adds() {
		text = "verify only, " + text
	}
	return []Message{
		{From: leader, To: to, API: api, Text: text, Request: true, Inner: true},
		{From: to, To: leader, API: api, Text: answer.String(), Inner: true},
	}
}

// marked is a marker and its answer.
func (t *teller) marked(s *step) []Message {
	m := t.request(&s.request, false)
	m.From = transactions
	if s.op.Actor == ops.ByOldCoordinator {
		m.From = oldCoordinator
	}
	answer := t.reply(&s.request, s.after.Last.Err.String())
	answer.To = m.From
	switch {
	case s.op.Params[0] == ops.Late:
		answer.Text += ", which nobody awaits"
	case s.after.Last.GaveUp:
		answer.Text += ", which is lost"
	}
	return []Message{m, answer}
}
