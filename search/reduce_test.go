package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
)

// A cast is some actors, each somewhere in its play, and one thing that all see.
type cast struct {
	at     [3]uint8
	shared uint8
}

// A cue leads an actor to another place of its play.
type cue struct {
	to    uint8
	fault bool
	needs int // what the shared thing must be; -1: anything
	sets  int // what it becomes; -1: what it was
}

func (c cue) private() bool { return c.needs < 0 && c.sets < 0 && !c.fault }

// A troupe is a system of actors that were drawn at random.
type troupe struct {
	plays [3][][]cue // by actor and place
	label [8]uint8   // what is seen of an actor, by its place
}

func (t *troupe) Ops() []string      { return []string{"fault", "alone", "with others"} }
func (t *troupe) Outcomes() []string { return []string{""} }

func (t *troupe) Init(yield func(*cast)) { yield(&cast{}) }

func (t *troupe) Next(s, next *cast, emit func(search.Step)) {
	for actor := range s.at {
		for i := range t.plays[actor][s.at[actor]] {
			if st, ok := t.take(s, next, actor, i); ok {
				emit(st)
			}
		}
	}
}

func (t *troupe) take(s, next *cast, actor, i int) (search.Step, bool) {
	c := t.plays[actor][s.at[actor]][i]
	if c.needs >= 0 && c.needs != int(s.shared) {
		return search.Step{}, false
	}
	*next = *s
	next.at[actor] = c.to
	if c.sets >= 0 {
		next.shared = uint8(c.sets)
	}
	st := search.Step{Op: 2, Arg: uint32(actor<<8 | i)}
	switch {
	case c.fault:
		st.Op = 0
	case c.private():
		st.Op = 1
	}
	return st, true
}

func (t *troupe) Append(dst []byte, s *cast) []byte { return append(append(dst, s.at[:]...), s.shared) }

func (t *troupe) Decode(src []byte, s *cast) {
	copy(s.at[:], src)
	s.shared = src[3]
}

// randomTroupe draws plays in which private cues lead forwards only, so that they end.
func randomTroupe(r *rand.Rand, alike bool) *troupe {
	t := &troupe{}
	for i := range t.label {
		t.label[i] = uint8(r.IntN(2))
	}
	places := 2 + r.IntN(len(t.label)-2)
	for actor := range t.plays {
		if alike && actor > 0 {
			t.plays[actor] = t.plays[0]
			continue
		}
		t.plays[actor] = make([][]cue, places)
		for place := range t.plays[actor] {
			for range r.IntN(3) {
				c := cue{to: uint8(r.IntN(places)), fault: r.IntN(5) == 0, needs: r.IntN(6) - 3, sets: r.IntN(6) - 3}
				if r.IntN(2) == 0 && place+1 < places {
					c = cue{to: uint8(place + 1 + r.IntN(places-place-1)), needs: -1, sets: -1}
				}
				t.plays[actor][place] = append(t.plays[actor][place], c)
			}
		}
	}
	return t
}

// claims draws properties that see labels and the shared thing only.
func (t *troupe) claims(r *rand.Rand) search.Options[cast] {
	seen := func(s *cast) int {
		n := 4 * int(s.shared)
		for _, at := range s.at {
			n += int(t.label[at])
		}
		return n
	}
	var o search.Options[cast]
	one, other, from, to, bad := r.IntN(12), r.IntN(12), r.IntN(12), r.IntN(12), r.IntN(12)
	o.Sometimes = []search.Property[cast]{{Name: "seen", State: func(s *cast) bool { return seen(s) == bad }}}
	switch r.IntN(4) {
	case 0:
		o.Invariants = []search.Property[cast]{{Name: "state", State: func(s *cast) bool { return seen(s) != bad }}}
	case 1:
		o.Invariants = []search.Property[cast]{{Name: "step", Step: func(before *cast, _ search.Step, after *cast) bool {
			return seen(before) == seen(after) || seen(before) != from || seen(after) != to
		}}}
	case 2:
		o.Goals = []search.Goal[cast]{{Name: "goal", State: func(s *cast) bool { n := seen(s); return n == one || n == other },
			Help: func(st search.Step) bool { return st.Op != 0 }}}
	default:
		o.End = func(s *cast) bool { return seen(s)%4 != one%4 }
	}
	return o
}

// A hasty troupe takes private cues at once where an actor has no other and nobody
// sees it. careless has what it forgets to ask.
type hasty struct {
	*troupe
	careless string
}

func (h *hasty) Urgent(s, next *cast) (search.Step, bool) {
	for actor, at := range s.at {
		cues := h.plays[actor][at]
		if len(cues) == 0 || len(cues) > 1 && h.careless != "persistence" {
			continue
		}
		c := cues[0]
		if c.to <= at && h.careless != "ending" {
			continue
		}
		if (c.private() || h.careless == "independence" && !c.fault) && (h.label[at] == h.label[c.to] || h.careless == "visibility") {
			if st, ok := h.take(s, next, actor, 0); ok {
				return st, true
			}
		}
	}
	return search.Step{}, false
}

// An equal troupe has actors that play the same.
type equal struct{ *hasty }

func (e *equal) Canonize(s *cast) { slices.Sort(s.at[:]) }

// differs tells in what a search with a reduction differs from one without.
func differs(sys *troupe, reduced search.System[cast], o search.Options[cast]) string {
	plain, small := search.BreadthFirst[cast](background, sys, o), search.BreadthFirst(background, reduced, o)
	if plain.Verdict != small.Verdict || small.States > plain.States && small.Violation == nil {
		return fmt.Sprintf("verdict %v of %d states, reduced %v of %d", plain.Verdict, plain.States, small.Verdict, small.States)
	}
	if o.Goals == nil {
		if deep := search.DepthFirst(background, reduced, o); deep.Verdict != plain.Verdict {
			return fmt.Sprintf("verdict %v, depth-first and reduced %v", plain.Verdict, deep.Verdict)
		}
	}
	if small.Violation == nil {
		if !slices.Equal(plain.Seen, small.Seen) {
			return "other witnesses were seen"
		}
		return ""
	}
	v, err := search.Unfold(reduced, small.Violation, o.Invariants)
	if err != nil {
		return err.Error()
	}
	if len(v.Trace.Steps) < len(plain.Violation.Trace.Steps) {
		return "a trace shorter than the shortest"
	}
	end := v.Trace.Start
	violated := v.Kind != search.Invariant
	if err := search.Replay[cast](sys, v.Trace, func(before *cast, st search.Step, after *cast) {
		for _, p := range o.Invariants {
			violated = p.State != nil && !p.State(after) || p.Step != nil && !p.Step(before, st, after)
		}
		end = *after
	}); err != nil {
		return err.Error()
	}
	for _, p := range o.Invariants { // an initial state has no step
		violated = violated || len(v.Trace.Steps) == 0 && !p.State(&end)
	}
	if v.Kind == search.Deadlock {
		var next cast
		sys.Next(&end, &next, func(search.Step) { violated = false })
	}
	if !violated {
		return "the last step of the unfolded trace violates nothing"
	}
	return ""
}

func TestReductionsKeepVerdicts(t *testing.T) {
	verdicts, shrunk := map[search.Verdict]int{}, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 0))
		alike := r.IntN(2) == 0
		sys := randomTroupe(r, alike)
		o := sys.claims(r)
		var reduced search.System[cast] = &hasty{troupe: sys}
		if alike {
			reduced = &equal{&hasty{troupe: sys}}
		}
		require.Empty(t, differs(sys, reduced, o), "seed %d", seed)
		plain := search.BreadthFirst[cast](background, sys, o)
		if verdicts[plain.Verdict]++; search.BreadthFirst(background, reduced, o).States < plain.States {
			shrunk++
		}
	}
	for _, v := range []search.Verdict{search.Holds, search.Violated, search.Vacuous} {
		assert.Greater(t, verdicts[v], 100, v)
	}
	assert.Greater(t, shrunk, 500)
}

// Each of the promises of a Reducer is needed: without it some verdict changes.
func TestCarelessReductionsChangeVerdicts(t *testing.T) {
	for _, careless := range []string{"persistence", "independence", "visibility"} {
		t.Run(careless, func(t *testing.T) {
			for seed := range uint64(3000) {
				r := rand.New(rand.NewPCG(seed, 0))
				sys := randomTroupe(r, false)
				o := sys.claims(r)
				if differs(sys, &hasty{sys, careless}, o) != "" {
					return
				}
			}
			t.Error("it changes nothing")
		})
	}
}

// Actors that play differently are not alike.
func TestFalseSymmetryChangesVerdicts(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 0))
		sys := randomTroupe(r, false)
		if differs(sys, &equal{&hasty{troupe: sys}}, sys.claims(r)) != "" {
			return
		}
	}
	t.Error("it changes nothing")
}

// What would be put off for ever behind urgent steps is not passed over in silence.
func TestUrgentForEver(t *testing.T) {
	sys := &troupe{}
	for actor := range sys.plays {
		sys.plays[actor] = [][]cue{{{to: 1, needs: -1, sets: -1}}, {{to: 0, needs: -1, sets: -1}}}
	}
	assert.PanicsWithValue(t, "search: alone is urgent for ever", func() {
		search.DepthFirst[cast](background, &hasty{sys, "ending"}, search.Options[cast]{})
	})
}

func TestReducedSearchesAreTheSameForAllWorkers(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		sys := randomTroupe(r, true)
		sameForAllWorkers(t, search.System[cast](&equal{&hasty{troupe: sys}}), sys.claims(r))
	}
}
