package counterexamples

import (
	"fmt"
	"slices"
	"strings"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/scenarios"
)

// Summaries says in one line each where the group and its clients are, for the
// first few states whose lines differ: offsets, positions and what is on its way
// are left out.
func Summaries(s *scenarios.Scenario, states []cluster.State, most int) []string {
	t := &teller{g: &trial{cfg: &s.Config}}
	var lines []string
	for i := range states {
		if line := t.summary(&states[i]); len(lines) < most && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// summary is a state in one line.
func (t *teller) summary(s *cluster.State) string {
	var all facts
	all.add(t.g.cfg.Consuming(), "%s at generation %d with %s; %s", s.Group.State, s.Group.Generation, t.roster(s), t.standings(s))
	if t.g.cfg.Producing() {
		all = append(all, t.producerSummary(s)...)
	}
	return strings.Join(all, "; ")
}

// standings says where each client is.
func (t *teller) standings(s *cluster.State) string {
	var words []string
	for i := range t.g.cfg.Clients() {
		words = append(words, t.client(i)+" "+standing(&s.Clients[i]))
	}
	return strings.Join(words, ", ")
}

func standing(cl *cluster.Client) string {
	switch cl.Process {
	case cluster.Down:
		return "is down"
	case cluster.Paused:
		return "is paused"
	case cluster.Stalled:
		return "is stalled"
	}
	switch {
	case cl.App.Status == cluster.Parked && cl.App.API != model.NoAPI:
		return "waits for the answer to its " + cl.App.API.String()
	case cl.Phase == cluster.Outside:
		return "is not subscribed"
	case cl.Phase == cluster.Failed:
		return "has failed"
	case cl.Phase == cluster.Joined:
		return "has yet to send SyncGroup"
	case cl.Phase == cluster.MemberPhase:
		return fmt.Sprintf("is a member in generation %d and owns %s", cl.Generation, orNothing(cl.Owned))
	}
	return "has to join"
}

func (t *teller) producerSummary(s *cluster.State) facts {
	all := facts{"transaction coordinator: " + t.transactionSummary(s)}
	for i := range t.g.cfg.Clients() {
		all.add(t.g.cfg.HasProducer(i), "%s %s", t.client(i), t.producerStanding(&s.Clients[i].Producer))
	}
	for p := range s.Txns.Logs {
		for _, e := range s.Txns.Logs[p].Entries {
			all.add(e.Open, "%s has a transaction open for %s", leaderName(uint8(p)), t.pair(e.PID, e.Epoch))
		}
	}
	return all
}

// transactionSummary is where the transactional ids are.
func (t *teller) transactionSummary(s *cluster.State) string {
	if s.Txns.Loading {
		return "not read its log"
	}
	var words []string
	for id := range t.g.cfg.TransactionalIDs() {
		words = append(words, idName(id)+" "+t.standingOf(&s.Txns.IDs[id].Txn))
	}
	return strings.Join(words, ", ")
}

// producerStanding is how far a producer is.
func (t *teller) producerStanding(p *cluster.Producer) string {
	switch p.Phase {
	case cluster.Ready:
		return "is ready for a transaction"
	case cluster.InTransaction:
		return "is in " + t.work(p.Work)
	case cluster.Committing:
		return "is committing " + t.work(p.Work)
	case cluster.Aborting:
		return "is aborting " + t.work(p.Work)
	case cluster.AbortableError:
		return "must abort " + t.work(p.Work)
	case cluster.FatalError:
		return "has failed for good"
	}
	if p.Renew {
		return "must raise its epoch"
	}
	return "is not initialised"
}
