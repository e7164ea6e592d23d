package invariants

import (
	"fmt"
	"math/bits"
	"strings"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

// An Ending says in one sentence, with numbers, how a step violates a property,
// or for a goal, what keeps it out of reach: then both states are the last one.
// As in ops.Words, what is named by its number in braces gets its name from the
// story. It is empty where nothing is violated; a property whose ending has to
// find the culprit anyway is stated by that alone.
type Ending func(c *cluster.Config, before, after *cluster.State) string

// says has an ending that is the same for each violation.
func says(text string) Ending {
	return func(*cluster.Config, *cluster.State, *cluster.State) string { return text }
}

func twoOwners(c *cluster.Config, _, after *cluster.State) string {
	for i := range c.Members {
		for j := i + 1; j < c.Members; j++ {
			a, b := &after.Clients[i], &after.Clients[j]
			both := a.Owned & b.Owned
			switch {
			case both == 0 || a.Generation < 0 || b.Generation < 0:
			case a.Generation == b.Generation:
				return fmt.Sprintf("{client %d} and {client %d} both believe to own {partitions %d} in generation %d", i, j, both, a.Generation)
			default:
				return fmt.Sprintf("{client %d} and {client %d} both believe to own {partitions %d}, {client %d} in generation %d and {client %d} in generation %d",
					i, j, both, i, a.Generation, j, b.Generation)
			}
		}
	}
	return ""
}

func staleCommit(_ *cluster.Config, before, after *cluster.State) string {
	ev := &after.Last
	if ev.API == model.WriteTxnMarkers {
		return staleByMarker(before, after)
	}
	return fmt.Sprintf("the coordinator took %s from {client %d} ({presented %d}, {generation %d}), whose assignment had been replaced: the group was at generation %d with {roster}",
		committed(after), ev.Client, ev.ID, ev.Generation, before.Group.Generation)
}

// committed lists what the last commit set.
func committed(s *cluster.State) string {
	var words []string
	for p, o := range s.Offsets {
		if s.Last.Committed.Has(p) {
			words = append(words, fmt.Sprintf("the commit of offset %d for {partition %d}", o, p))
		}
	}
	return strings.Join(words, " and ")
}

func movedBack(_ *cluster.Config, before, after *cluster.State) string {
	return backward("", before, after)
}

// backward says which committed offset moved back, and who moved it.
func backward(who string, before, after *cluster.State) string {
	for p, b := range before.Offsets {
		if a := after.Offsets[p]; a < b {
			subject := fmt.Sprintf("the committed offset of {partition %d} moved back", p)
			if who != "" {
				subject = fmt.Sprintf("%s moved the committed offset of {partition %d} back", who, p)
			}
			return fmt.Sprintf("%s from %d to %d: whoever reads on from it consumes {records %d} again", subject, b, a, b-a)
		}
	}
	return ""
}

func strangersCommit(_ *cluster.Config, _, after *cluster.State) string {
	return fmt.Sprintf("the coordinator took %s from {client %d}, which presented no member and no generation, while the group had {roster}",
		committed(after), after.Last.Client)
}

func lostInput(c *cluster.Config, _, after *cluster.State) string {
	for p := range c.AllPartitions() {
		if o := after.Offsets[p]; o > 0 {
			if lost := (1<<o - 1) &^ done(c, after, p); lost != 0 {
				return fmt.Sprintf("the committed offset of {partition %d} is %d, yet record %d has no output: whoever reads on from the offset never processes it",
					p, o, bits.TrailingZeros8(lost))
			}
		}
	}
	return ""
}

func duplicateOutput(c *cluster.Config, _, after *cluster.State) string {
	for p, twice := range after.Ghost.Twice {
		record := bits.TrailingZeros8(twice)
		switch {
		case twice == 0:
		case c.Producing():
			value := p*cluster.MaxRecords + record + 1
			return fmt.Sprintf("readers have got the output of {input %d} twice, from {outputs %d}: it was not processed exactly once", value, value)
		default:
			return fmt.Sprintf("record %d of {partition %d} has been processed twice", record, p)
		}
	}
	return ""
}

func sameGeneration(_ *cluster.Config, before, after *cluster.State) string {
	return fmt.Sprintf("the join phase was completed, and the generation went from %d to %d: old and new members cannot be told apart by it",
		before.Group.Generation, after.Group.Generation)
}

func falseFence(c *cluster.Config, before, after *cluster.State) string {
	var names []string
	for i := range c.Clients() {
		if after.Last.Fenced>>i&1 == 0 {
			continue
		}
		if after.Clients[i].Producer.Phase == cluster.FatalError && before.Clients[i].Producer.Phase != cluster.FatalError {
			return fmt.Sprintf("{client %d} is told %s, which is fatal to its producer, although nobody else asked for {transactional_id %d} and no transaction of its timed out",
				i, after.Last.ToldErr, c.IDs[i])
		}
		names = append(names, fmt.Sprintf("{client %d}", i))
	}
	return strings.Join(names, " and ") + " is shut out of the group, although it runs, is not late and did not leave"
}

func ghostMember(_ *cluster.Config, _, after *cluster.State) string {
	for i := range after.Members {
		if m := &after.Members[i]; m.ID != 0 && !m.Is(classic.Pending) && after.Holder(m.ID) == nil {
			return fmt.Sprintf("the coordinator counts {member %d} as a member, yet no process acts under that id: the group waits for it until its session is over", m.ID)
		}
	}
	return ""
}

var groupStuck = says("from here the group cannot get there any more, whatever the actors do and even without further faults: it is {state}")
