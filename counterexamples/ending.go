package counterexamples

import (
	"fmt"
	"math/bits"
	"strings"

	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

// endings say what is violated, with numbers, for each property that has more
// to say than its Doc.
var endings = map[string]func(t *teller, before, after *model.State) string{
	"single-owner": func(t *teller, _, after *model.State) string {
		for i := range t.g.cfg.Members {
			for j := i + 1; j < t.g.cfg.Members; j++ {
				a, b := &after.Clients[i], &after.Clients[j]
				both := a.Owned & b.Owned
				if both == 0 || a.Generation < 0 || b.Generation < 0 {
					continue
				}
				if a.Generation == b.Generation {
					return fmt.Sprintf("%s and %s both believe to own %s in generation %d", t.client(i), t.client(j), partitionNames(both), a.Generation)
				}
				return fmt.Sprintf("%s and %s both believe to own %s, %s in generation %d and %s in generation %d",
					t.client(i), t.client(j), partitionNames(both), t.client(i), a.Generation, t.client(j), b.Generation)
			}
		}
		return "two members own one partition"
	},
	"no-stale-commit": func(t *teller, before, after *model.State) string {
		ev := &after.Last
		if ev.API == model.WriteTxnMarkers {
			return t.staleByMarker(before, after)
		}
		return fmt.Sprintf("the coordinator took %s from %s (%s, %s), whose assignment had been replaced: the group was at generation %d with %s",
			t.committed(after), t.client(int(ev.Client)), t.presented(ev.ID), presentedGeneration(ev.Generation), before.Group.Generation, t.roster(before))
	},
	"offset-monotone": func(t *teller, before, after *model.State) string {
		for p := range after.Offsets {
			if after.Offsets[p] < before.Offsets[p] {
				return fmt.Sprintf("the committed offset of %s moved back from %d to %d: whoever reads on from it consumes %s again",
					partitionName(p), before.Offsets[p], after.Offsets[p], count(int(before.Offsets[p]-after.Offsets[p]), "record"))
			}
		}
		return "a committed offset moved back"
	},
	"no-stranger-commit": func(t *teller, before, after *model.State) string {
		return fmt.Sprintf("the coordinator took %s from %s, which presented no member and no generation, while the group had %s",
			t.committed(after), t.client(int(after.Last.Client)), t.roster(before))
	},
	"no-lost-input": func(t *teller, _, after *model.State) string {
		for p := range t.g.cfg.AllPartitions() {
			for record := range max(after.Offsets[p], 0) {
				if after.Ghost.Done[p]>>record&1 == 0 {
					return fmt.Sprintf("the committed offset of %s is %d, yet record %d has no output: whoever reads on from the offset never processes it",
						partitionName(p), after.Offsets[p], record)
				}
			}
		}
		return "the committed offset passed a record that has no output"
	},
	"no-duplicate-output": func(t *teller, _, after *model.State) string {
		if t.g.cfg.Producing() {
			return t.twice(after)
		}
		for p := range t.g.cfg.AllPartitions() {
			if twice := after.Ghost.Twice[p]; twice != 0 {
				return fmt.Sprintf("record %d of %s has been processed twice", bits.TrailingZeros8(twice), partitionName(p))
			}
		}
		return "a record has been processed twice"
	},
	"generation-monotone": func(_ *teller, before, after *model.State) string {
		return fmt.Sprintf("the join phase was completed, and the generation went from %d to %d: old and new members cannot be told apart by it",
			before.Group.Generation, after.Group.Generation)
	},
	"no-false-fence": func(t *teller, before, after *model.State) string {
		if text := t.falselyFenced(before, after); text != "" {
			return text
		}
		var names []string
		for i := range t.g.cfg.Clients() {
			if after.Last.Fenced>>i&1 == 1 {
				names = append(names, t.client(i))
			}
		}
		return fmt.Sprintf("%s is shut out of the group, although it runs, is not late and did not leave", strings.Join(names, " and "))
	},
	"no-ghost-member": func(t *teller, _, after *model.State) string {
		for i := range after.Members {
			if m := &after.Members[i]; m.ID != 0 && !m.Is(model.Pending) && after.Holder(m.ID) == nil {
				return fmt.Sprintf("the coordinator counts %s as a member, yet no process acts under that id: the group waits for it until its session is over", t.member(m.ID))
			}
		}
		return "the coordinator counts a member that no process acts for"
	},
}

// ending is what is violated, in one sentence.
func (t *teller) ending(before, after *model.State) string {
	if end, ok := endings[t.g.property()]; ok {
		return end(t, before, after)
	}
	if end, ok := producerEndings[t.g.property()]; ok {
		return end(t, before, after)
	}
	if text := t.trapped(after); text != "" {
		return "from here this cannot be mended any more, whatever the actors do within the bounds above and even without further faults: " + text
	}
	if t.g.goal != nil {
		return "from here the group cannot get there any more, whatever the actors do and even without further faults: it is " + t.glance(after)
	}
	return claim(t.g.property())
}

// committed lists what the last commit set.
func (t *teller) committed(s *model.State) string {
	var words []string
	for p := range s.Offsets {
		if s.Last.Committed.Has(p) {
			words = append(words, fmt.Sprintf("the commit of offset %d for %s", s.Offsets[p], partitionName(p)))
		}
	}
	return strings.Join(words, " and ")
}

// standings says where each client is.
func (t *teller) standings(s *model.State) string {
	var words []string
	for i := range t.g.cfg.Clients() {
		words = append(words, t.client(i)+" "+standing(&s.Clients[i]))
	}
	return strings.Join(words, ", ")
}

func standing(cl *model.Client) string {
	switch cl.Process {
	case model.Down:
		return "is down"
	case model.Paused:
		return "is paused"
	case model.Stalled:
		return "is stalled"
	}
	switch {
	case cl.App.Status == model.Parked && cl.App.API != model.NoAPI:
		return "waits for the answer to its " + cl.App.API.String()
	case cl.Phase == model.Outside:
		return "is not subscribed"
	case cl.Phase == model.Failed:
		return "has failed"
	case cl.Phase == model.Joined:
		return "has yet to send SyncGroup"
	case cl.Phase == model.MemberPhase:
		return fmt.Sprintf("is a member in generation %d and owns %s", cl.Generation, orNothing(cl.Owned))
	}
	return "has to join"
}

// outlook says, where a goal is out of reach, which steps the missing rules
// would have made possible now.
func (t *teller) outlook(s *model.State) []string {
	if t.g.goal == nil {
		return nil
	}
	possible := map[search.Step]bool{}
	var next model.State
	t.g.sys.Next(s, &next, func(st search.Step) { possible[search.Step{Op: st.Op, Arg: st.Arg}] = true })
	var all []string
	for _, b := range t.back {
		b.exec.Next(s, &next, func(taken ops.Taken) {
			st := search.Step{Op: taken.Op, Arg: taken.Args.Pack()}
			if !possible[st] {
				all = append(all, fmt.Sprintf("%s, the next could be: %s: %s", inForce(b.mutation), t.lane(laneOf(s, st)), t.deed(s, &next, st)))
			}
		})
	}
	return all
}
