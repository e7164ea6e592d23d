package scenarios

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/search"
)

// everyReduction are the ways to combine them.
var everyReduction = []Reductions{{Symmetry: true}, {PartialOrder: true}, {Symmetry: true, PartialOrder: true}}

// different searches a scenario with reductions and tells what differs from the
// search without: "" if nothing does.
func different(s *Scenario, sys *Reduced, plain search.Result[cluster.State]) string {
	o := s.Options()
	r := search.BreadthFirst(context.Background(), search.System[cluster.State](sys), o)
	if r.Verdict != plain.Verdict {
		return fmt.Sprintf("verdict %v, without it %v", r.Verdict, plain.Verdict)
	}
	if r.Violation == nil {
		if r.States > plain.States {
			return "more states"
		}
		return ""
	}
	if got, most := len(r.Violation.Trace.Steps), len(plain.Violation.Trace.Steps); got > most || got != most && !sys.want.PartialOrder {
		return fmt.Sprintf("a trace of %d steps, without it of %d", got, most)
	}
	v, err := search.Unfold(search.System[cluster.State](sys), r.Violation, o.Invariants)
	if err != nil {
		return err.Error()
	}
	return replays(s, v, len(plain.Violation.Trace.Steps))
}

// replays tells what is wrong with a violation that should be one of the
// scenario itself.
func replays(s *Scenario, v *search.Violation[cluster.State], least int) string {
	if len(v.Trace.Steps) < least {
		return fmt.Sprintf("an unfolded trace of %d steps; the shortest has %d", len(v.Trace.Steps), least)
	}
	violated := v.Kind != search.Invariant
	err := search.Replay[cluster.State](s.System(), v.Trace, func(before *cluster.State, st search.Step, after *cluster.State) {
		for _, p := range s.Options().Invariants {
			if p.Name == v.Property {
				violated = p.State != nil && !p.State(after) || p.Step != nil && !p.Step(before, st, after)
			}
		}
	})
	switch {
	case err != nil:
		return err.Error()
	case !violated:
		return "the unfolded trace does not violate " + v.Property
	}
	return ""
}

// Reductions change no verdict and, but for partial order, no shortest length:
// for every scenario, as it is and with members in any order, under every
// mutation. Searches that see more states than FENCECHECK_STATES are left out.
func TestReductionsChangeNoVerdict(t *testing.T) {
	most := int64(1_000)
	if text := os.Getenv("FENCECHECK_STATES"); text != "" {
		var err error
		most, err = strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
	}
	reduced := map[Reductions]int{}
	for _, base := range All() {
		for _, anyOrder := range []bool{false, true} {
			s, err := base.Change(func(d *Definition) { d.AnyOrder = anyOrder })
			require.NoError(t, err)
			for m := model.Mutation(0); m <= model.NumMutations; m++ {
				if m < model.NumMutations && !s.Config.Concerns(m) {
					continue
				}
				s := s
				if m < model.NumMutations {
					s = s.With(model.Mutations{}.With(m))
				}
				plain := sync.OnceValue(func() search.Result[cluster.State] {
					o := s.Options()
					o.MaxStates = most
					return search.BreadthFirst(context.Background(), s.System(), o)
				})
				for _, want := range everyReduction {
					sys, err := s.Reduced(want)
					if err != nil || plain().Stopped != "" {
						continue // refused, or too large for this test
					}
					reduced[want]++
					if problem := different(s, sys, plain()); problem != "" {
						t.Errorf("%s, any order %v, without %v, %v: %s", s.ID, anyOrder, s.Definition.Mutations, want.Names(), problem)
					}
				}
			}
		}
	}
	for _, want := range everyReduction {
		assert.Greater(t, reduced[want], 5, "%v", want.Names())
	}
}

func TestReductionsAreRefusedWhereTheyAreUnsound(t *testing.T) {
	for _, c := range []struct {
		id       string
		anyOrder bool
		want     Reductions
		why      string
	}{
		{"zombie-commit", false, Reductions{Symmetry: true}, "members with numbers can be told apart"},
		{"session-bounds", true, Reductions{Symmetry: true}, ""}, // its partitions are alike, its members are not
		{"classic-eager", false, Reductions{PartialOrder: true}, "neither JoinGroup, OffsetCommit nor OffsetFetch travels"},
	} {
		s, err := ByID(c.id)
		require.NoError(t, err)
		s, err = s.Change(func(d *Definition) { d.AnyOrder = c.anyOrder })
		require.NoError(t, err)
		sys, err := s.Reduced(c.want)
		if c.why != "" {
			assert.ErrorContains(t, err, c.why)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, 2, sys.Permutations())
	}
}

func TestReducedWorkersChangeNothing(t *testing.T) {
	base, err := ByID("lost-answers")
	require.NoError(t, err)
	s, err := base.Change(func(d *Definition) { d.AnyOrder = true })
	require.NoError(t, err)
	for _, m := range []model.Mutations{{}, model.Mutations{}.With(model.HeartbeatGenerationCheck)} {
		s := s.With(m)
		var first search.Result[cluster.State]
		for workers := 1; workers <= 3; workers++ {
			sys, err := s.Reduced(Reductions{Symmetry: true, PartialOrder: true})
			require.NoError(t, err)
			o := s.Options()
			o.Workers = workers
			r := search.BreadthFirst(context.Background(), search.System[cluster.State](sys), o)
			r.Elapsed = 0
			if workers == 1 {
				first = r
			}
			assert.Equal(t, first, r, "%d workers", workers)
		}
	}
}

func TestReducedStepsAllocateNothing(t *testing.T) {
	base, err := ByID("lost-answers")
	require.NoError(t, err)
	s, err := base.Change(func(d *Definition) { d.AnyOrder, d.Faults["lost_answers"] = true, 0 })
	require.NoError(t, err)
	sys, err := s.Reduced(Reductions{Symmetry: true, PartialOrder: true})
	require.NoError(t, err)
	var st, next, ahead cluster.State
	sys.Init(func(first *cluster.State) { st = *first })
	urgent := 0
	emit := func(search.Step) {
		if _, ok := sys.Urgent(&next, &ahead); ok {
			urgent++
			next = ahead
		}
		sys.Canonize(&next)
	}
	for range 8 { // into the middle of a run
		sys.Next(&st, &next, emit)
		st = next
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { sys.Next(&st, &next, emit) }))
	assert.NotZero(t, urgent)
}

// What canonical forms and urgent steps cost a transition.
func BenchmarkReductions(b *testing.B) {
	for _, want := range append([]Reductions{{}}, everyReduction...) {
		b.Run(fmt.Sprint(want.Names()), func(b *testing.B) {
			base, err := ByID("lost-answers")
			require.NoError(b, err)
			s, err := base.Change(func(d *Definition) { d.AnyOrder = true })
			require.NoError(b, err)
			b.ReportAllocs()
			var transitions int64
			for b.Loop() {
				sys, err := s.Reduced(want)
				require.NoError(b, err)
				o := s.Options()
				o.Goals = nil
				r := search.BreadthFirst(context.Background(), search.System[cluster.State](sys), o)
				transitions += r.Transitions
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(transitions), "ns/transition")
		})
	}
}
