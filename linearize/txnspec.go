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
	atlas *interner[txnWorld, *txnWorld]
	stepList
	bits map[int]uint64 // of calls without answer, in txnCore.used
	most []model.Epoch  // by step, the largest epoch in which it can be taken
	rise []int          // steps by rising most
}

// txnConfig is the state that porcupine sees: a set of worlds. The rest are
// functions of the steps taken, and not compared. No step to come can be taken
// beyond horizon: an epoch never comes back, so worlds beyond it are dropped.
type txnConfig struct {
	worlds  worlds
	armed   []int // calls without answer that were sent
	done    ticks
	horizon int // in txnSpec.rise
}

// newTxnSpec makes the specification of one transactional id.
func newTxnSpec(h *History, c component) searcher {
	s := &txnSpec{txnWords: newTxnWords(h, c), clock: h.clock(), lives: h.lives(), bits: map[int]uint64{}, atlas: newInterner[txnWorld]()}
	const scale = 4
	for i := range s.calls {
		c := &s.calls[i]
		o := &h.Ops[c.op]
		from, to := int64(scale*o.Inv), int64(scale*o.Ret)
		switch {
		case c.unknown:
			s.bits[i] = 1 << len(s.bits)
			s.stepList = append(s.stepList, step{i, arm, from, from})
		case c.writes():
			s.stepList = append(s.stepList, step{i, decide, from, to}, step{i, release, from + 1, to})
		default:
			s.stepList = append(s.stepList, step{i, whole, from, to})
		}
	}
	for k, l := range s.lives[:len(s.lives)-1] {
		s.stepList = append(s.stepList, step{k, reload, int64(scale * l.down), int64(scale*l.dead + 1)})
	}
	slices.SortStableFunc(s.stepList, func(a, b step) int { return int(a.from - b.from) })
	s.limits(c)
	return s
}

// limits finds the largest epoch for each step, where one producer id is all
// there is.
func (s *txnSpec) limits(c component) {
	if s.given > 1 {
		return
	}
	s.most = make([]model.Epoch, len(s.stepList))
	for i, st := range s.stepList {
		s.most[i] = model.MaxEpoch
		if st.phase == arm || st.phase == reload || st.phase == release {
			continue
		}
		o := &s.h.Ops[s.calls[st.call].op]
		pid := o.In.PID
		if o.Outcome == OK && o.Out.PID >= 0 {
			pid = o.Out.PID
		}
		if _, most, says := epochsOf(s.h, o, pid, false); says && s.pids[pid] == 1 {
			s.most[i] = model.Epoch(min(most, int64(model.MaxEpoch)))
			s.rise = append(s.rise, i)
		}
	}
	slices.SortStableFunc(s.rise, func(a, b int) int { return int(s.most[a]) - int(s.most[b]) })
}

// after is the config with a step ticked off, without worlds.
func (s *txnSpec) after(c *txnConfig, i int) *txnConfig {
	n := &txnConfig{armed: c.armed, done: c.done.with(i), horizon: c.horizon}
	for n.horizon < len(s.rise) && n.done.has(s.rise[n.horizon]) {
		n.horizon++
	}
	return n
}

// hopeless tells of a world in which some step can never be taken again.
func (s *txnSpec) hopeless(c *txnConfig, w *txnWorld) bool {
	return c.horizon < len(s.rise) && w.txn.Epoch > s.most[s.rise[c.horizon]]
}

func (s *txnSpec) init() *txnConfig {
	w := &txnWorld{entries: make([]model.ProducerEntry, (len(s.places)+1)*s.width()), windows: make([]window, (len(s.places)+1)*s.width())}
	return &txnConfig{worlds: worlds{s.atlas.number(w)}, done: newTicks(s.stepList)}
}

// width is how many producers a leader may know.
func (s *txnSpec) width() int { return len(s.pids) }

func (s *txnSpec) porcupineModel() porcupine.Model {
	return porcupineModel(s.init, s.next,
		func(a, b *txnConfig) bool { return slices.Equal(a.worlds, b.worlds) },
		func(c *txnConfig) uint64 { return c.worlds.hash() })
}

func (s *txnSpec) size() int { return len(s.calls) }

// next takes a step; nil if no world explains it.
func (s *txnSpec) next(ctx context.Context, c *txnConfig, i int) *txnConfig {
	st := s.stepList[i]
	n := s.after(c, i)
	if st.phase == arm {
		n.worlds, n.armed = c.worlds, append(slices.Clone(c.armed), st.call)
		return n
	}
	if s.exhausted() {
		return nil
	}
	s.each(ctx, c, st, func(w *txnWorld) {
		t := txnTurn{txnSpec: s, w: w, keep: func(w *txnWorld) {
			if !s.hopeless(n, w) {
				s.settle(w)
				n.worlds.add(s.atlas.number(w))
			}
		}}
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
		w := &s.atlas.all[pending[len(pending)-1]]
		pending = pending[:len(pending)-1]
		do(w.clone())
		t := txnTurn{txnSpec: s, keep: func(w *txnWorld) {
			if n := s.atlas.number(w); !s.hopeless(c, w) && all.add(n) {
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
	for i, st := range s.stepList {
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
