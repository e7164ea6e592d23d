package counterexamples

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"fencecheck/model"
	"fencecheck/ops"
)

var reference = regexp.MustCompile(`\{[a-z_]+( -?\d+)*\}`)

// references has the names that a story gives to what the words of an operation,
// or the ending of a property, name in braces.
var references = map[string]func(t *teller, s *step, n []int) string{
	"client":           func(t *teller, _ *step, n []int) string { return t.client(n[0]) },
	"partition":        func(_ *teller, _ *step, n []int) string { return partitionName(n[0]) },
	"partitions":       func(_ *teller, _ *step, n []int) string { return partitionNames(model.PartSet(n[0])) },
	"log":              func(_ *teller, _ *step, n []int) string { return leaderName(uint8(n[0])) },
	"output":           func(_ *teller, _ *step, n []int) string { return logName(n[0]) },
	"logs":             func(_ *teller, _ *step, n []int) string { return leaderNames(model.PartSet(n[0])) },
	"added":            func(_ *teller, _ *step, n []int) string { return logNames(model.PartSet(n[0])) },
	"transactional_id": func(_ *teller, _ *step, n []int) string { return idName(n[0]) },
	"member":           func(t *teller, _ *step, n []int) string { return t.member(model.MemberID(n[0])) },
	"presented":        func(t *teller, _ *step, n []int) string { return t.presented(model.MemberID(n[0])) },
	"generation":       func(_ *teller, _ *step, n []int) string { return presentedGeneration(model.Generation(n[0])) },
	"topics":           func(_ *teller, _ *step, n []int) string { return topicNames(model.Meta(n[0])) },
	"records":          func(_ *teller, _ *step, n []int) string { return count(n[0], "record") },
	"input":            func(_ *teller, _ *step, n []int) string { return inputName(uint8(n[0])) },
	"outputs":          func(t *teller, _ *step, n []int) string { return strings.Join(t.outputs[uint8(n[0])], " and from ") },
	"producer":         func(t *teller, _ *step, n []int) string { return t.producer(model.ProducerID(n[0])) },
	"pair":             func(t *teller, _ *step, n []int) string { return t.pair(model.ProducerID(n[0]), model.Epoch(n[1])) },
	"standing":         func(t *teller, s *step, n []int) string { return t.producerStanding(&s.before.Clients[n[0]].Producer) },
	"roster":           func(t *teller, s *step, _ []int) string { return t.roster(s.before) },
	"state":            func(t *teller, s *step, _ []int) string { return t.summary(s.before) },
	"transactions":     func(t *teller, s *step, _ []int) string { return t.transactionSummary(s.before) },
	"fenced":           func(t *teller, _ *step, _ []int) string { return strings.Join(t.fenced, " and ") },
	"undecided": func(t *teller, s *step, n []int) string {
		return t.undecided(s.before, uint8(n[0]), model.ProducerID(n[1]))
	},
	"transaction": func(t *teller, s *step, n []int) string {
		if len(n) > 0 {
			return t.work(model.WorkID(n[0]))
		}
		return t.current(s)
	},
	"request": func(t *teller, s *step, _ []int) string { return t.requestName(&s.request) },
	"awaited": func(t *teller, s *step, _ []int) string {
		return t.requestName(ops.Awaited(&s.before.Clients[s.args.A], s.args.B))
	},
	"answered": func(_ *teller, s *step, _ []int) string { return s.request.API.String() },
	"marker": func(_ *teller, s *step, _ []int) string {
		if s.request.API != model.WriteTxnMarkers { // it has yet to be sent
			return markerKind(s.before.Txns.IDs[s.args.A].Outbox.Commit)
		}
		return markerKind(s.request.Commit)
	},
	"begins": (*teller).begins,
	"again":  (*teller).again,
}

// named puts names in the place of references. One without a number is the
// step's parameter of that kind.
func (t *teller) named(s *step, text string) string {
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		fields := strings.Fields(strings.Trim(ref, "{}"))
		var numbers []int
		for _, field := range fields[1:] {
			n, _ := strconv.Atoi(field)
			numbers = append(numbers, n)
		}
		for i, kind := range s.op.Params {
			if len(numbers) == 0 && kind.String() == fields[0] {
				numbers = []int{int([2]uint8{s.args.A, s.args.B}[i])}
			}
		}
		return references[fields[0]](t, s, numbers)
	})
}

// requestName is a request with the transaction that its sender means.
func (t *teller) requestName(r *model.Request) string {
	if r.Work == 0 {
		return r.API.String()
	}
	return fmt.Sprintf("%s of %s", r.API, t.work(r.Work))
}

// current is the transaction that the producer of a step is in, or begins.
func (t *teller) current(s *step) string {
	p := &s.before.Clients[s.args.A].Producer
	if p.Work != 0 {
		return t.work(p.Work)
	}
	return fmt.Sprintf("%s:t%d", t.client(int(s.args.A)), t.begun[s.args.A])
}

// begins introduces a transaction that begins with what its producer does.
func (t *teller) begins(s *step, _ []int) string {
	if s.before.Clients[s.args.A].Producer.Phase == model.InTransaction {
		return ""
	}
	return fmt.Sprintf("begins its %s transaction: ", ordinal(t.begun[s.args.A]))
}

func ordinal(n int) string {
	words := [...]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"}
	if n >= 1 && n <= len(words) {
		return words[n-1]
	}
	return number(n) + "th"
}

// again: a request is sent once more after its sender has given up on it.
func (t *teller) again(s *step, _ []int) string {
	r, last := &s.request, &t.givenUp[s.args.A]
	if r.API != model.NoAPI && last.API == r.API && last.Log == r.Log && last.PID == r.PID && last.Epoch == r.Epoch && last.Work == r.Work {
		return ", once more"
	}
	return ""
}

// numbers are those that a story gives to ids and transactions. The model uses
// an id again that nobody knows any more; the story numbers them on, as if they
// were never used again.
type numbers struct {
	ids     map[model.MemberID]int          // which of its client's ids one is
	given   map[int]int                     // how many ids a client has been given
	pids    map[model.ProducerID]int        // of producer ids
	issued  int                             // producer ids so far
	works   map[model.WorkID]int            // which of its client's transactions one is
	begun   [model.MaxClients]int           // transactions of each client so far
	givenUp [model.MaxClients]model.Request // the last request that each client gave up on
}

func newNumbers() numbers {
	return numbers{ids: map[model.MemberID]int{}, given: map[int]int{}, pids: map[model.ProducerID]int{}, works: map[model.WorkID]int{}}
}

// learn numbers what a step has made up.
func (t *teller) learn(s *step) {
	for i := range s.after.Members {
		id := s.after.Members[i].ID
		if id == 0 || s.before.Member(id) != nil || s.after.Last.ID == id {
			continue
		}
		client := model.ClientOf(id)
		t.given[client]++
		t.ids[id] = t.given[client]
	}
	switch {
	case s.op.Name == "give-up" && s.args.B == 0:
		t.givenUp[s.args.A] = s.before.Clients[s.args.A].App
	case s.op.Name == "crash":
		t.givenUp[s.args.A] = model.Request{}
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
		client := model.WorkClient(begun)
		t.begun[client]++
		t.works[begun] = t.begun[client]
	}
}

// newTransaction finds the transaction that has begun from one state to another.
func (t *teller) newTransaction(before, after *model.State) model.WorkID {
	for i := range t.g.cfg.Clients() {
		for place := range after.Txns.Works[i] {
			if before.Txns.Works[i][place].Told == model.NoWork && after.Txns.Works[i][place].Told != model.NoWork {
				return model.NewWorkID(i, place)
			}
		}
	}
	return 0
}

func (t *teller) client(i int) string { return clientName(t.g.cfg, i) }

// member names an id.
func (t *teller) member(id model.MemberID) string {
	n, ok := t.ids[id]
	if !ok {
		n = model.LifeOf(id) + 1
	}
	return t.client(model.ClientOf(id)) + "." + number(n)
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
func (t *teller) work(w model.WorkID) string {
	if w == 0 {
		return "no transaction"
	}
	return fmt.Sprintf("%s:t%d", t.client(model.WorkClient(w)), t.works[w])
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
func (t *teller) record(w model.WorkID, value uint8) string {
	if value == 0 {
		return "the record of " + t.work(w)
	}
	return fmt.Sprintf("the output of %s (in %s)", inputName(value), t.work(w))
}
