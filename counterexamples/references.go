package counterexamples

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"fencecheck/model"
	"fencecheck/model/cluster"
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
			return t.work(cluster.WorkID(n[0]))
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
func (t *teller) requestName(r *cluster.Request) string {
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
	if s.before.Clients[s.args.A].Producer.Phase == cluster.InTransaction {
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
