package counterexamples

import (
	"fmt"

	"fencecheck/model"
	"fencecheck/model/cluster"
)

// numbers are those that a story gives to ids and transactions. The model uses
// an id again that nobody knows any more; the story numbers them on, as if they
// were never used again.
type numbers struct {
	ids     map[model.MemberID]int              // which of its client's ids one is
	given   [cluster.MaxClients]int             // how many ids each client has been given
	pids    map[model.ProducerID]int            // of producer ids
	issued  int                                 // producer ids so far
	works   map[cluster.WorkID]int              // which of its client's transactions one is
	begun   [cluster.MaxClients]int             // transactions of each client so far
	givenUp [cluster.MaxClients]cluster.Request // the last request that each client gave up on
}

func newNumbers() numbers {
	return numbers{ids: map[model.MemberID]int{}, pids: map[model.ProducerID]int{}, works: map[cluster.WorkID]int{}}
}

// learn numbers what a step has made up.
func (t *teller) learn(s *step) {
	for i := range s.after.Members {
		id := s.after.Members[i].ID
		if id == 0 || s.before.Member(id) != nil || s.after.Last.ID == id {
			continue
		}
		client := cluster.ClientOf(id)
		t.given[client]++
		t.ids[id] = t.given[client]
	}
	switch {
	case s.op.Name == "give-up" && s.args.B == 0:
		t.givenUp[s.args.A] = s.before.Clients[s.args.A].App
	case s.op.Name == "crash":
		t.givenUp[s.args.A] = cluster.Request{}
	}
	fresh := s.after.ProducerIDs(t.g.cfg) &^ s.before.ProducerIDs(t.g.cfg)
	for id := model.ProducerID(1); fresh>>id != 0; id++ {
		if fresh>>id&1 == 1 {
			t.issued++
			t.pids[id] = t.issued
		}
	}
	begun := t.newTransaction(s.before, s.after)
	if begun == 0 { // one that failed at once is forgotten at once
		begun = t.newTransaction(s.before, &s.sent)
	}
	if begun != 0 {
		client := cluster.WorkClient(begun)
		t.begun[client]++
		t.works[begun] = t.begun[client]
	}
}

// newTransaction finds the transaction that has begun from one state to another.
func (t *teller) newTransaction(before, after *cluster.State) cluster.WorkID {
	for i := range t.g.cfg.Clients() {
		for place := range after.Txns.Works[i] {
			if before.Txns.Works[i][place].Told == cluster.NoWork && after.Txns.Works[i][place].Told != cluster.NoWork {
				return cluster.NewWorkID(i, place)
			}
		}
	}
	return 0
}

func (t *teller) client(i int) string { return clientName(t.g.cfg, i) }

// member names an id.
func (t *teller) member(id model.MemberID) string {
	if n, ok := t.ids[id]; ok {
		return t.client(cluster.ClientOf(id)) + "." + number(n)
	}
	return memberName(t.g.cfg, id)
}

// producer is a producer id.
func (t *teller) producer(id model.ProducerID) string {
	n, ok := t.pids[id]
	if !ok {
		n = t.issued + 1
	}
	return fmt.Sprintf("producer id %d", n)
}

// pair is a producer id with its epoch.
func (t *teller) pair(id model.ProducerID, e model.Epoch) string {
	if id == 0 {
		return "no producer id"
	}
	return fmt.Sprintf("%s, epoch %d", t.producer(id), e)
}

// work names a transaction: w1:t2 is the second one of w1.
func (t *teller) work(w cluster.WorkID) string {
	if w == 0 {
		return "no transaction"
	}
	return fmt.Sprintf("%s:t%d", t.client(cluster.WorkClient(w)), t.works[w])
}

// idOf is the transactional id of a client.
func (t *teller) idOf(client uint8) string { return idName(int(t.g.cfg.IDs[client])) }

// legend says what stands for what in a story of transactions.
func (t *teller) legend() string {
	if !t.g.cfg.Producing() {
		return ""
	}
	who := t.client(0)
	text := fmt.Sprintf("x0 is a transactional id, o0 the leader of an output partition, %s:t2 the second transaction of %s", who, who)
	if t.g.cfg.Transactional {
		text += ", p0@1 the input record at offset 1 of p0"
	}
	return text
}

// record is what a transaction writes to an output.
func (t *teller) record(w cluster.WorkID, value uint8) string {
	if value == 0 {
		return "the record of " + t.work(w)
	}
	return fmt.Sprintf("the output of %s (in %s)", inputName(value), t.work(w))
}
