package counterexamples

import (
	"fmt"
	"strings"

	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

// tell puts one step into words.
func (t *teller) tell(before, after *model.State, st search.Step) Told {
	t.op = OpName(st)
	t.learn(before, after, st)
	told := Told{
		Lane:     t.lane(laneOf(before, st)),
		Deed:     t.deed(before, after, st),
		Messages: t.messages(before, after, st),
		Changes:  t.changes(before, after),
		Stale:    t.stale(before, st, &after.Last),
	}
	told.Changes = append(told.Changes, t.reading(before, after, st)...)
	for i := range t.back {
		if text := t.missing(&t.back[i], before, after, st); text != "" {
			told.Missing = append(told.Missing, text)
		}
	}
	return told
}

// missing compares a step with the same one where a mutation is taken back.
func (t *teller) missing(b *takenBack, before, after *model.State, st search.Step) string {
	var other model.State
	taken, ok := b.exec.Take(before, &other, st.Op, ops.Unpack(st.Arg))
	switch {
	case !ok:
		return inForce(b.mutation) + ", this step would not have been possible"
	case taken.Outcome != st.Outcome:
		answer := wouldAnswer(answerOf(ops.Outcomes[taken.Outcome]))
		if isDefect(b.mutation) {
			return fmt.Sprintf("%s, the answer would have been %s", inForce(b.mutation), answer)
		}
		return fmt.Sprintf("the missing check %s would have answered %s", b.mutation, answer)
	}
	if changes := t.changes(after, &other); len(changes) > 0 {
		return fmt.Sprintf("%s: %s", inForce(b.mutation), joinChanges(changes))
	}
	return t.missingOfTransactions(b, before, after, &other, st)
}

// inForce is the condition that a rule were there.
func inForce(m model.Mutation) string {
	if isDefect(m) {
		return fmt.Sprintf("without the defect %s", m)
	}
	return fmt.Sprintf("with the rule %s in force", m)
}

func wouldAnswer(answer string) string {
	switch answer {
	case "parked":
		return "nothing yet"
	case "":
		return "nothing"
	}
	return answer
}

// joinChanges is how things would be, against how they are.
func joinChanges(changes []Change) string {
	var words []string
	for _, c := range changes {
		words = append(words, c.Who+" "+strings.ReplaceAll(c.What, "(was ", "(not "))
	}
	return strings.Join(words, "; ")
}

// sends has the operations by which a client sends a request and waits for it.
var sends = map[string]bool{"join": true, "sync": true, "fetch": true, "commit": true, "heartbeat": true,
	"init-producer": true, "add-partition-to-txn": true, "produce": true, "resend": true, "process": true, "send-offsets": true,
	"commit-transaction": true, "abort-transaction": true, "abort-anyway": true}

// decisions has the operations by which a request in flight is decided.
var decisions = map[string]bool{"decide": true, "lose-append": true, "decide-by-zombie": true}

// messages finds out what was sent and answered in a step. Requests that do
// not travel are decided within the step in which they are sent, so the step is
// taken again in parts, with requests that travel.
func (t *teller) messages(before, after *model.State, st search.Step) []Message {
	name, a := OpName(st), ops.Unpack(st.Arg)
	seen := *before
	var all []Message
	switch {
	case sends[name]:
		return t.sent(before, st)
	case decisions[name]:
		return t.decided(before, after, st)
	case name == "decide-late" && before.Late[a.A].API != model.WriteTxnMarkers:
		all = t.decidedLate(before, after, &before.Late[a.A])
	case name == "receive":
		cl := &before.Clients[a.A]
		return append(all, t.answer(awaited(cl, a.B)))
	case name == "leave" || name == "poll-timeout":
		all = t.leaving(before, after, a)
	default:
		if m, ok := t.marker(before, st); ok {
			return t.marked(m, after)
		}
	}
	if _, ok := t.probe.Take(before, &seen, st.Op, a); ok {
		all = append(all, t.deliveries(before, &seen, -1)...)
	}
	return all
}

// decidedLate is a request that its sender gave up on, and an answer that nobody
// awaits.
func (t *teller) decidedLate(before, after *model.State, r *model.Request) []Message {
	all := append([]Message{t.request(r, false)}, t.consulted(before, r, false)...)
	m := Message{From: t.lane(brokerOf(r)), To: t.client(int(r.Client)), API: r.API.String(), Text: after.Last.Err.String() + ", which nobody awaits"}
	if after.Last.Repeated {
		m.Text = after.Last.Err.String() + ", taken for a repeat, which nobody awaits"
	}
	if after.Last.Parked || t.splits(r) {
		m.Text, m.Held = "none that anybody awaits", true
	}
	return append(all, m)
}

// splits tells whether a batch is only admitted now, and appended in a later
// step.
func (t *teller) splits(r *model.Request) bool {
	batch := r.API == model.Produce || r.API == model.TxnOffsetCommit
	return batch && r.Status == model.InFlight && t.g.cfg.Travels[model.AddPartitionsToTxn]
}

// sent is a request, and unless it travels, its answer.
func (t *teller) sent(before *model.State, st search.Step) []Message {
	a := ops.Unpack(st.Arg)
	sent, lane, ok := t.sending(before, st)
	r := *awaited(&sent.Clients[a.A], lane)
	if !ok || r.API == model.NoAPI {
		return nil
	}
	travels := t.g.cfg.Travels[r.API]
	all := []Message{t.request(&r, travels)}
	if travels {
		return all
	}
	if lane == 0 { // what does not travel overtakes a heartbeat that does
		sent.Clients[a.A].Beat, sent.Clients[a.A].BeatFirst = model.Request{}, false
	}
	all = append(all, t.consulted(&sent, &r, false)...)
	decided, ok := t.deciding(&sent, decideOp, ops.Args{A: a.A, B: lane, Pick: a.Pick, Order: a.Order})
	if !ok {
		return all
	}
	return append(all, t.outcome(before, &decided, a.A, lane)...)
}

// sending is a step by which a client sends a request, as if that travelled.
func (t *teller) sending(before *model.State, st search.Step) (sent model.State, lane uint8, ok bool) {
	a := ops.Unpack(st.Arg)
	if OpName(st) == "heartbeat" {
		lane = 1
	}
	_, ok = t.probe.Take(before, &sent, st.Op, ops.Args{A: a.A, B: a.B})
	return sent, lane, ok
}

var decideOp = func() uint16 {
	op, _ := ops.ByName("decide")
	return uint16(op)
}()

// deciding lets a request be decided, its answer not yet taken. A batch that is
// appended at once is decided in two halves here.
func (t *teller) deciding(before *model.State, op uint16, a ops.Args) (decided model.State, ok bool) {
	if _, ok = t.probe.Take(before, &decided, op, a); !ok {
		return decided, false
	}
	if r := awaited(&decided.Clients[a.A], 0); r.Status == model.Admitted && !t.g.cfg.Travels[model.AddPartitionsToTxn] {
		half := decided
		_, ok = t.probe.Take(&half, &decided, decideOp, ops.Args{A: a.A})
	}
	return decided, ok
}

// decided is what becomes of a request in flight.
func (t *teller) decided(before, after *model.State, st search.Step) []Message {
	a, name := ops.Unpack(st.Arg), OpName(st)
	lane := uint8(0)
	if name == "decide" {
		lane = a.B
	}
	r := *awaited(&before.Clients[a.A], lane)
	seen, ok := t.deciding(before, st.Op, a)
	if !ok {
		return nil
	}
	all := []Message{t.request(&r, false)}
	inner := t.consulted(before, &r, name == "decide-by-zombie")
	if name == "lose-append" && len(inner) > 0 {
		inner[1].Text = model.CoordinatorNotAvailable.String()
	}
	all = append(all, inner...)
	for _, m := range t.outcome(before, &seen, a.A, lane) {
		if cl := &after.Clients[a.A]; !m.Held && m.To == t.client(int(a.A)) && awaited(cl, lane).API != model.NoAPI {
			m.Delayed = true
		}
		all = append(all, m)
	}
	if name == "decide-by-zombie" && len(inner) == 0 {
		all[0].To, all[1].From = deposed, deposed
	}
	return all
}

// outcome is the answer to the request just decided, and the answers to those
// that waited.
func (t *teller) outcome(before, decided *model.State, client, lane uint8) []Message {
	var all []Message
	r := awaited(&decided.Clients[client], lane)
	switch {
	case r.Status == model.Parked:
		all = append(all, Message{From: t.lane(brokerOf(r)), To: t.client(int(client)), API: r.API.String(), Text: heldUntil(r.API), Held: true})
	case r.Status == model.Admitted:
		all = append(all, Message{From: t.lane(brokerOf(r)), To: t.client(int(client)), API: r.API.String(), Text: "none yet: it may be appended, in a step of its own", Held: true})
	case r.API != model.NoAPI:
		m := t.answer(r)
		if decided.Last.Repeated {
			m.Text += ", taken for a repeat"
		}
		all = append(all, m)
	}
	return append(all, t.deliveries(before, decided, int(client))...)
}

func heldUntil(api model.API) string {
	if api == model.SyncGroup {
		return "none yet: the request is held until the leader's plan is there"
	}
	return "none yet: the request is held until the join phase ends"
}

// deliveries are the answers to requests that the coordinator held.
func (t *teller) deliveries(before, seen *model.State, but int) []Message {
	var all []Message
	for i := range t.g.cfg.Clients() {
		was, is := &before.Clients[i].App, &seen.Clients[i].App
		if i == but || was.Status != model.Parked || is.Status != model.Answered {
			continue
		}
		m := t.answer(is)
		m.Delayed = t.g.cfg.Travels[is.API] || seen.Clients[i].Process != model.Running
		all = append(all, m)
	}
	return all
}

func (t *teller) leaving(before, after *model.State, a ops.Args) []Message {
	id := before.Clients[a.A].ID
	if id == 0 {
		return nil
	}
	m := t.request(&model.Request{API: model.LeaveGroup, Client: a.A, ID: id}, after.Last.API == model.NoAPI)
	if m.Delayed {
		return []Message{m}
	}
	return []Message{m, {From: m.To, To: m.From, API: m.API, Text: after.Last.Err.String()}}
}
