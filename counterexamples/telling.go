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
	t.learn(before, after)
	told := Told{
		Lane:     t.lane(laneOf(st)),
		Deed:     t.deed(before, after, st),
		Messages: t.messages(before, after, st),
		Changes:  t.changes(before, after),
		Stale:    t.stale(before, &after.Last),
	}
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
		return fmt.Sprintf("with the rule %s in force, this step would not have been possible", b.mutation)
	case taken.Outcome != st.Outcome:
		return fmt.Sprintf("the missing check %s would have answered %s", b.mutation, wouldAnswer(answerOf(ops.Outcomes[taken.Outcome])))
	}
	if changes := t.changes(after, &other); len(changes) > 0 {
		return fmt.Sprintf("with the rule %s in force: %s", b.mutation, joinChanges(changes))
	}
	return ""
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
var sends = map[string]bool{"join": true, "sync": true, "fetch": true, "commit": true, "heartbeat": true}

// messages finds out what was sent and answered in a step. Requests that do
// not travel are decided within the step in which they are sent, so the step is
// taken again in parts, with requests that travel.
func (t *teller) messages(before, after *model.State, st search.Step) []Message {
	name, a := OpName(st), ops.Unpack(st.Arg)
	seen := *before
	var all []Message
	switch {
	case sends[name]:
		return t.sent(before, after, st)
	case name == "decide":
		return t.decided(before, after, a)
	case name == "decide-late":
		r := before.Late[a.A]
		all = append(all, t.request(&r, false))
		m := Message{From: coordinator, To: t.client(int(r.Client)), API: r.API.String(), Text: after.Last.Err.String() + ", which nobody awaits"}
		if after.Last.Parked {
			m.Text, m.Held = "none that anybody awaits", true
		}
		all = append(all, m)
	case name == "receive":
		cl := &before.Clients[a.A]
		return append(all, t.answer(t.awaited(cl, a.B)))
	case name == "leave" || name == "poll-timeout":
		all = t.leaving(before, after, a)
	}
	if _, ok := t.probe.Take(before, &seen, st.Op, a); ok {
		all = append(all, t.deliveries(before, &seen, -1)...)
	}
	return all
}

func (t *teller) awaited(cl *model.Client, lane uint8) *model.Request {
	if lane == 1 {
		return &cl.Beat
	}
	return &cl.App
}

// sent is a request, and unless it travels, its answer.
func (t *teller) sent(before, after *model.State, st search.Step) []Message {
	a := ops.Unpack(st.Arg)
	var sent, decided model.State
	if _, ok := t.probe.Take(before, &sent, st.Op, ops.Args{A: a.A}); !ok {
		return nil
	}
	lane := uint8(0)
	if OpName(st) == "heartbeat" {
		lane = 1
	}
	r := *t.awaited(&sent.Clients[a.A], lane)
	if r.API == model.NoAPI {
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
	decide, _ := ops.ByName("decide")
	if _, ok := t.probe.Take(&sent, &decided, uint16(decide), ops.Args{A: a.A, B: lane, Pick: a.Pick, Order: a.Order}); !ok {
		return all
	}
	return append(all, t.outcome(before, &decided, a.A, lane)...)
}

// decided is what the coordinator makes of a request in flight.
func (t *teller) decided(before, after *model.State, a ops.Args) []Message {
	r := *t.awaited(&before.Clients[a.A], a.B)
	decide, _ := ops.ByName("decide")
	var seen model.State
	if _, ok := t.probe.Take(before, &seen, uint16(decide), a); !ok {
		return nil
	}
	all := []Message{t.request(&r, false)}
	for _, m := range t.outcome(before, &seen, a.A, a.B) {
		if cl := &after.Clients[a.A]; !m.Held && m.To == t.client(int(a.A)) && t.awaited(cl, a.B).API != model.NoAPI {
			m.Delayed = true
		}
		all = append(all, m)
	}
	return all
}

// outcome is the answer to the request just decided, and the answers to those
// that waited.
func (t *teller) outcome(before, decided *model.State, client, lane uint8) []Message {
	var all []Message
	r := t.awaited(&decided.Clients[client], lane)
	if r.Status == model.Parked {
		all = append(all, Message{From: coordinator, To: t.client(int(client)), API: r.API.String(), Text: heldUntil(r.API), Held: true})
	} else if r.API != model.NoAPI {
		all = append(all, t.answer(r))
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
	return []Message{m, {From: coordinator, To: m.From, API: m.API, Text: after.Last.Err.String()}}
}
