package linearize

import (
	"context"
	"slices"

	"fencecheck/model"

	"github.com/anishathalye/porcupine"
)

// txnSpec is the specification for porcupine.
type txnSpec struct {
	*txnWords
	effort
	clock clock
	lives []life
	rules model.Rules
	atlas txnAtlas
	steps []step
	bits  map[int]uint64 // of calls without answer, in txnCore.used
}

// txnConfig is the state that porcupine sees: a set of worlds. armed is a
// function of the steps taken, and not compared.
type txnConfig struct {
	worlds worlds
	armed  []int // calls without answer that were sent
}

func newTxnSpec(h *History, c component) *txnSpec {
	s := &txnSpec{txnWords: newTxnWords(h, c), clock: h.clock(), lives: h.lives(), bits: map[int]uint64{}}
	s.atlas.at = map[uint64][]uint32{}
	const scale = 4
	for i := range s.calls {
		c := &s.calls[i]
		o := &h.Ops[c.op]
		from, to := int64(scale*o.Inv), int64(scale*o.Ret)
		switch {
		case c.unknown:
			s.bits[i] = 1 << len(s.bits)
			s.steps = append(s.steps, step{i, arm, from, from})
		case c.writes():
			s.steps = append(s.steps, step{i, decide, from, to}, step{i, release, from + 1, to})
		default:
			s.steps = append(s.steps, step{i, whole, from, to})
		}
	}
	for k, l := range s.lives[:len(s.lives)-1] {
		s.steps = append(s.steps, step{k, reload, int64(scale * l.down), int64(scale*l.dead + 1)})
	}
	slices.SortStableFunc(s.steps, func(a, b step) int { return int(a.from - b.from) })
	return s
}

func (s *txnSpec) init() *txnConfig {
	w := &txnWorld{entries: make([]model.ProducerEntry, (len(s.places)+1)*s.width()), windows: make([]window, (len(s.places)+1)*s.width())}
	return &txnConfig{worlds: worlds{s.atlas.number(w)}}
}

// width is how many producers a leader may know.
func (s *txnSpec) width() int { return len(s.pids) }

func (s *txnSpec) porcupineModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return s.init() },
		StepContext: func(ctx context.Context, state, input, _ any) (bool, any) {
			next := s.next(ctx, state.(*txnConfig), input.(int))
			return next != nil, next
		},
		Equal: func(a, b any) bool { return slices.Equal(a.(*txnConfig).worlds, b.(*txnConfig).worlds) },
		Hash:  func(state any) uint64 { return state.(*txnConfig).worlds.hash() },
	}
}

func (s *txnSpec) operations() []porcupine.Operation {
	all := make([]porcupine.Operation, len(s.steps))
	for i, st := range s.steps {
		all[i] = porcupine.Operation{ClientId: 0, Input: i, Call: st.from, Return: st.to}
	}
	return all
}

// next takes a step; nil if no world explains it.
func (s *txnSpec) next(ctx context.Context, c *txnConfig, i int) *txnConfig {
	st := s.steps[i]
	if st.phase == arm {
		return &txnConfig{c.worlds, append(slices.Clone(c.armed), st.call)}
	}
	if s.exhausted() {
		return nil
	}
	n := &txnConfig{armed: c.armed}
	s.each(ctx, c, st, func(w *txnWorld) {
		t := txnTurn{txnSpec: s, w: w, keep: func(w *txnWorld) { n.worlds.add(s.atlas.number(w)) }}
		t.step(st)
	})
	s.spent += len(n.worlds)
	if len(n.worlds) == 0 {
		return nil
	}
	return n
}

// each calls do with a copy of every world that silent steps lead to before a
// step.
func (s *txnSpec) each(ctx context.Context, c *txnConfig, st step, do func(*txnWorld)) {
	all := slices.Clone(c.worlds)
	pending := slices.Clone(c.worlds)
	for len(pending) > 0 && ctx.Err() == nil {
		w := s.atlas.all[pending[len(pending)-1]]
		pending = pending[:len(pending)-1]
		do(w.clone())
		t := txnTurn{txnSpec: s, keep: func(w *txnWorld) {
			if n := s.atlas.number(w); all.add(n) {
				pending = append(pending, n)
			}
		}}
		t.silent(w, st, c.armed)
	}
}

// refusals asks each world, after the steps that nobody sees.
func (s *txnSpec) refusals(order []porcupine.Operation, op int) []refusal {
	state := s.init()
	taken := map[int]bool{}
	for _, o := range order {
		taken[o.Input.(int)] = true
		state = s.next(noDeadline, state, o.Input.(int))
	}
	var all []refusal
	for i, st := range s.steps {
		if taken[i] || st.phase == reload || s.calls[st.call].op != op {
			continue
		}
		s.each(noDeadline, state, st, func(w *txnWorld) {
			t := txnTurn{txnSpec: s, w: w, keep: func(*txnWorld) {}, why: &all}
			t.step(st)
		})
		if len(all) > 0 {
			break
		}
	}
	return all
}

// txnAnomaly names an answer that no order explains, by what the model would
// have answered.
func txnAnomaly(o *Op, refused []refusal) string {
	if o.Outcome == Failed {
		return "unjustified-fence"
	}
	for _, r := range refused {
		switch r.err {
		case model.OutOfOrderSequenceNumber:
			return "sequence-break"
		case model.ProducerFenced, model.InvalidProducerEpoch, model.InvalidProducerIDMapping:
			return "stale-epoch-write"
		case model.InvalidTxnState, model.TransactionAbortable:
			return wrongTransaction
		}
	}
	if o.F == fInit {
		return "generation-regression"
	}
	return "stale-epoch-write"
}
