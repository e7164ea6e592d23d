package counterexamples

import (
	"fmt"
	"strings"

	"fencecheck/model"
)

// request is a request in words.
func (t *teller) request(r *model.Request, delayed bool) Message {
	m := Message{From: t.client(int(r.Client)), To: t.lane(brokerOf(r)), API: r.API.String(), Request: true, Delayed: delayed}
	switch r.API {
	case model.JoinGroup:
		m.Text = t.presented(r.ID)
		if t.g.cfg.Topics > 1 {
			m.Text += ", topics " + topicNames(r.Meta)
		}
		m.Text += t.offered(int(r.Client))
	case model.SyncGroup:
		m.Text = fmt.Sprintf("%s, generation %d", t.presented(r.ID), r.Generation)
		if r.Leads {
			m.Text += ", the plan " + t.plan(r)
		}
	case model.Heartbeat:
		m.Text = fmt.Sprintf("%s, generation %d", t.presented(r.ID), r.Generation)
	case model.LeaveGroup:
		m.Text = t.presented(r.ID)
	case model.OffsetCommit:
		m.Text = fmt.Sprintf("%s, %s, %s", t.presented(r.ID), presentedGeneration(r.Generation), t.offsets(r, "nothing"))
	default:
		m.Text = t.producerRequest(r)
	}
	return m
}

func (t *teller) presented(id model.MemberID) string {
	if id == 0 {
		return "no member id"
	}
	return "member " + t.member(id)
}

func presentedGeneration(g model.Generation) string {
	if g < 0 {
		return "no generation"
	}
	return fmt.Sprintf("generation %d", g)
}

// offered names the assignors where the members differ in them.
func (t *teller) offered(client int) string {
	differ := false
	for i := range t.g.cfg.Members {
		differ = differ || t.g.cfg.Protocols[i] != t.g.cfg.Protocols[0]
	}
	if !differ {
		return ""
	}
	var names []string
	for l := t.g.cfg.Protocols[client]; l != 0; l = l.Rest() {
		names = append(names, protocolName(l.First()))
	}
	return ", assignors " + strings.Join(names, ", ")
}

func protocolName(p model.Protocol) string {
	switch p {
	case model.Range:
		return "range"
	case model.RoundRobin:
		return "roundrobin"
	}
	return "none"
}

// plan is what a leader sends: the owner of each partition.
func (t *teller) plan(r *model.Request) string {
	var words []string
	for p := range int(r.Seen) {
		if id := r.Plan[p]; id != 0 {
			words = append(words, fmt.Sprintf("%s to %s", partitionName(p), t.member(id)))
		}
	}
	if len(words) == 0 {
		return "without assignments"
	}
	return strings.Join(words, ", ")
}

// offsets lists those that a request or an answer names.
func (t *teller) offsets(r *model.Request, none string) string {
	var words []string
	for p := range t.g.cfg.AllPartitions() {
		if r.Offsets[p] != model.NoOffset {
			words = append(words, fmt.Sprintf("%s = %d", partitionName(p), r.Offsets[p]))
		}
	}
	if len(words) == 0 {
		return none
	}
	return strings.Join(words, ", ")
}

// answer is an answer in words.
func (t *teller) answer(r *model.Request) Message {
	text := r.Err.String()
	switch {
	case r.API == model.JoinGroup && r.Err == model.None:
		text += fmt.Sprintf(": member %s, generation %d", t.member(r.NewID), r.NewGen)
		if r.Protocol == 0 {
			text += ", no assignor"
		}
		if r.Leads {
			text += ", leads the group"
		}
	case r.API == model.JoinGroup && r.Err == model.MemberIDRequired:
		text += ": join again as " + t.member(r.NewID)
	case r.API == model.SyncGroup && r.Err == model.None:
		text += ": the assignment is " + orNothing(r.Assignment)
	case r.API == model.OffsetFetch && r.Err == model.None:
		text += ": " + t.offsets(r, "nothing is committed")
	default:
		text += t.producerAnswer(r)
	}
	return Message{From: t.lane(brokerOf(r)), To: t.client(int(r.Client)), API: r.API.String(), Text: text}
}

func orNothing(set model.PartSet) string {
	if set == 0 {
		return "nothing"
	}
	return partitionNames(set)
}

// changes lists what is different after a step, actor by actor.
func (t *teller) changes(before, after *model.State) []Change {
	var all []Change
	add := func(who string, words []string) {
		if len(words) > 0 {
			all = append(all, Change{who, strings.Join(words, ", "), t.home(who)})
		}
	}
	add("group", t.groupChanges(before, after))
	for id := range t.g.cfg.TransactionalIDs() {
		add(idName(id), t.transactionChanges(before, after, id))
	}
	for p := range model.MaxOutputs {
		add(logName(p), t.leaderChanges(before, after, p))
	}
	add("offsets", append(t.offsetChanges(before, after), t.leaderChanges(before, after, model.OffsetsLog)...))
	add("pending", t.pendingChanges(before, after))
	for i := range t.g.cfg.Clients() {
		add(t.client(i), append(t.clientChanges(&before.Clients[i], &after.Clients[i]), t.producerChanges(before, after, i)...))
	}
	return all
}

func (t *teller) groupChanges(before, after *model.State) []string {
	b, a := &before.Group, &after.Group
	var words []string
	if b.State != a.State {
		words = append(words, a.State.String())
	}
	if b.Generation != a.Generation {
		words = append(words, fmt.Sprintf("generation %d (was %d)", a.Generation, b.Generation))
	}
	if was, is := t.roster(before), t.roster(after); was != is {
		words = append(words, is)
	}
	if was, is := t.assignment(before), t.assignment(after); was != is && a.State == model.Stable {
		words = append(words, is)
	}
	return words
}

// roster lists the members that the coordinator counts, and the ids that it
// has only handed out.
func (t *teller) roster(s *model.State) string {
	var members, pending []string
	for i := range s.Members {
		switch m := &s.Members[i]; {
		case m.ID == 0:
		case m.Is(model.Pending):
			pending = append(pending, t.member(m.ID))
		default:
			members = append(members, t.member(m.ID))
		}
	}
	text := "no members"
	if len(members) > 0 {
		text = "members " + strings.Join(members, " ")
	}
	if len(pending) > 0 {
		text += ", handed out to a newcomer " + strings.Join(pending, " ")
	}
	return text
}

func (t *teller) assignment(s *model.State) string {
	var words []string
	for i := range s.Members {
		if m := &s.Members[i]; m.ID != 0 && !m.Is(model.Pending) {
			words = append(words, t.member(m.ID)+" has "+orNothing(m.Assignment))
		}
	}
	return strings.Join(words, ", ")
}

func (t *teller) offsetChanges(before, after *model.State) []string {
	var words []string
	for p := range t.g.cfg.AllPartitions() {
		if b, a := before.Offsets[p], after.Offsets[p]; b != a {
			words = append(words, fmt.Sprintf("%s committed %s (was %s)", partitionName(p), offsetText(a), offsetText(b)))
		}
	}
	return words
}

func offsetText(o model.Offset) string {
	if o == model.NoOffset {
		return "none"
	}
	return number(int(o))
}

func (t *teller) clientChanges(b, a *model.Client) []string {
	var words []string
	switch {
	case b.ID != a.ID && a.ID == 0:
		words = append(words, "has no member id")
	case b.ID != a.ID:
		words = append(words, "member id "+t.member(a.ID))
	}
	switch {
	case b.Generation != a.Generation && a.Generation < 0:
		words = append(words, "has no generation")
	case b.Generation != a.Generation:
		words = append(words, fmt.Sprintf("generation %d", a.Generation))
	}
	if b.Owned != a.Owned {
		words = append(words, "owns "+orNothing(a.Owned))
	}
	for p := range t.g.cfg.AllPartitions() {
		if read := a.Owned &^ a.Unfetched; read.Has(p) && (b.Position[p] != a.Position[p] || !(b.Owned &^ b.Unfetched).Has(p)) {
			words = append(words, fmt.Sprintf("position %s = %d", partitionName(p), a.Position[p]))
		}
	}
	if a.Rejoin && !b.Rejoin {
		words = append(words, "knows that it must join again")
	}
	if a.Phase == model.Failed && b.Phase != model.Failed {
		words = append(words, "has failed: the application gets an exception")
	}
	return words
}
