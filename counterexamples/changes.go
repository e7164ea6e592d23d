package counterexamples

import (
	"fmt"
	"strings"

	"fencecheck/model/cluster"
)

// facts are told one behind the other.
type facts []string

// add adds a fact, if it is one.
func (f *facts) add(is bool, format string, args ...any) {
	if is {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// A subject is somebody, or something, whose changes a story tells.
type subject struct {
	name    string
	lane    int // who has it
	changes func(before, after *cluster.State) facts
}

// findSubjects lists them in the order in which they are told.
func (t *teller) findSubjects() []subject {
	all := []subject{{"group", coordinatorLane, t.groupChanges}}
	for id := range t.g.cfg.TransactionalIDs() {
		all = append(all, subject{idName(id), transactionLane, func(b, a *cluster.State) facts { return t.transactionChanges(b, a, id) }})
	}
	for p := range uint8(cluster.MaxOutputs) {
		all = append(all, subject{logName(int(p)), leaderLane(p), func(b, a *cluster.State) facts { return t.leaderChanges(b, a, p) }})
	}
	all = append(all, subject{"offsets", coordinatorLane, func(b, a *cluster.State) facts {
		return append(t.offsetChanges(b, a), t.leaderChanges(b, a, cluster.OffsetsLog)...)
	}}, subject{"pending", coordinatorLane, t.pendingChanges})
	for i := range t.g.cfg.Clients() {
		all = append(all, subject{t.client(i), i, func(b, a *cluster.State) facts {
			return append(t.clientChanges(&b.Clients[i], &a.Clients[i]), t.producerChanges(b, a, i)...)
		}})
	}
	return all
}

// changes lists what is different after a step, subject by subject.
func (t *teller) changes(before, after *cluster.State) []Change {
	var all []Change
	for _, s := range t.subjects {
		if words := s.changes(before, after); len(words) > 0 {
			all = append(all, Change{s.name, strings.Join(words, ", "), t.lane(s.lane)})
		}
	}
	return all
}
