package txns

import (
	"context"
	"slices"

	"github.com/anishathalye/porcupine"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/sequential"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// spec is the specification for porcupine.
type spec struct {
	*problem
	sequential.Effort
	clock  kfh.Clock
	lives  []kfh.Life
	rules  model.Rules
	states *sequential.Table[state, *state]
	sequential.Steps
	bits map[int]uint64 // of calls without answer, in state.used
	most []model.Epoch  // by step, the largest epoch in which it can be taken
	rise []int          // steps by rising most
}

// config is the state that porcupine sees: a set of candidate states. The rest are
// functions of the steps taken, and not compared. An epoch never comes back, so a
// state is dropped in which some step still to come cannot be taken any more.
type config struct {
	states sequential.States
	sent   []int // calls without answer that were sent
	done   sequential.Taken
	next   int // in spec.rise: the first step there that was not taken
}

// Specification makes the specification of one transactional id.
func Specification(h *kfh.History, c kfh.Component) sequential.Specification {
	s := &spec{problem: compile(h, c), clock: h.Clock(), lives: h.Lives(), bits: map[int]uint64{}, states: sequential.NewTable[state]()}
	const scale = 4
	for i := range s.calls {
		c := &s.calls[i]
		o := &h.Ops[c.op]
		from, to := int64(scale*o.Inv), int64(scale*o.Ret)
		switch {
		case c.unknown:
			s.bits[i] = 1 << len(s.bits)
			s.Add(i, sequential.Sent, from, from)
		case c.row.writes:
			s.Add(i, sequential.Decide, from, to)
			s.Add(i, sequential.Release, from+1, to)
		default:
			s.Add(i, sequential.Whole, from, to)
		}
	}
	for k, l := range s.lives[:len(s.lives)-1] {
		s.Add(k, sequential.Restart, int64(scale*l.Down), int64(scale*l.Dead+1))
	}
	slices.SortStableFunc(s.Steps, func(a, b sequential.Step) int { return int(a.From - b.From) })
	s.limits(c)
	return s
}

// limits finds the largest epoch for each step, where one producer id is all
// there is.
func (s *spec) limits(c kfh.Component) {
	if s.given > 1 {
		return
	}
	s.most = make([]model.Epoch, len(s.Steps))
	for i, st := range s.Steps {
		s.most[i] = model.MaxEpoch
		if st.Phase == sequential.Sent || st.Phase == sequential.Restart || st.Phase == sequential.Release {
			continue
		}
		o := &s.h.Ops[s.calls[st.Call].op]
		pid := o.In.PID
		if o.Outcome == kfh.OK && o.Out.PID >= 0 {
			pid = o.Out.PID
		}
		if _, most, says := epochsOf(s.h, o, pid, false); says && s.pids[pid] == 1 {
			s.most[i] = model.Epoch(min(most, int64(model.MaxEpoch)))
			s.rise = append(s.rise, i)
		}
	}
	slices.SortStableFunc(s.rise, func(a, b int) int { return int(s.most[a]) - int(s.most[b]) })
}

// after is the config with a step ticked off, without states.
func (s *spec) after(c *config, i int) *config {
	n := &config{sent: c.sent, done: c.done.With(i), next: c.next}
	for n.next < len(s.rise) && n.done.Has(s.rise[n.next]) {
		n.next++
	}
	return n
}

// hopeless tells of a state in which some step can never be taken again.
func (s *spec) hopeless(c *config, w *state) bool {
	return c.next < len(s.rise) && w.txn.Epoch > s.most[s.rise[c.next]]
}

func (s *spec) init() *config {
	w := &state{entries: make([]txn.ProducerEntry, (len(s.places)+1)*s.width()), windows: make([]window, (len(s.places)+1)*s.width())}
	return &config{states: sequential.States{s.states.Number(w)}, done: sequential.NewTaken(s.Steps)}
}

// width is how many producers a leader may know.
func (s *spec) width() int { return len(s.pids) }

// PorcupineModel wraps the specification.
func (s *spec) PorcupineModel() porcupine.Model {
	return sequential.Model(s.init, s.next,
		func(a, b *config) bool { return slices.Equal(a.states, b.states) },
		func(c *config) uint64 { return c.states.Hash() })
}

// Size is the number of answers that are looked at.
func (s *spec) Size() int { return len(s.calls) }

// next takes a step; nil if no state explains it.
func (s *spec) next(ctx context.Context, c *config, i int) *config {
	st := s.Steps[i]
	n := s.after(c, i)
	if st.Phase == sequential.Sent {
		n.states, n.sent = c.states, append(slices.Clone(c.sent), st.Call)
		return n
	}
	if s.Exhausted() {
		return nil
	}
	s.each(ctx, c, st, func(w *state) {
		t := turn{spec: s, w: w, keep: func(w *state) {
			if !s.hopeless(n, w) {
				s.forget(w)
				n.states.Add(s.states.Number(w))
			}
		}}
		t.step(st)
	})
	s.Spent += len(n.states)
	if len(n.states) == 0 {
		return nil
	}
	return n
}

// each calls do with a copy of every state that internal steps lead to before a
// step.
func (s *spec) each(ctx context.Context, c *config, st sequential.Step, do func(*state)) {
	all := slices.Clone(c.states)
	pending := slices.Clone(c.states)
	for len(pending) > 0 && ctx.Err() == nil {
		w := &s.states.All[pending[len(pending)-1]]
		pending = pending[:len(pending)-1]
		do(w.clone())
		t := turn{spec: s, keep: func(w *state) {
			if n := s.states.Number(w); !s.hopeless(c, w) && all.Add(n) {
				pending = append(pending, n)
			}
		}}
		t.internal(w, st, c.sent)
	}
}

// Refusals asks each state, after the steps that nobody sees.
func (s *spec) Refusals(order []porcupine.Operation, op int) []sequential.Refusal {
	now := s.init()
	for _, o := range order {
		now = s.next(sequential.NoDeadline, now, o.Input.(int))
	}
	var all []sequential.Refusal
	for i, st := range s.Steps {
		if now.done.Has(i) || st.Phase == sequential.Restart || s.calls[st.Call].op != op {
			continue
		}
		s.each(sequential.NoDeadline, now, st, func(w *state) {
			t := turn{spec: s, w: w, keep: func(*state) {}, why: &all}
			t.step(st)
		})
		if len(all) > 0 {
			break
		}
	}
	return all
}

// Anomaly names an answer that no order explains, by what the model would
// have answered.
func Anomaly(o *kfh.Op, refused []sequential.Refusal) string {
	if o.Outcome == kfh.Failed {
		return "unjustified-fence"
	}
	for _, r := range refused {
		switch r.Err {
		case model.OutOfOrderSequenceNumber:
			return "sequence-break"
		case model.ProducerFenced, model.InvalidProducerEpoch, model.InvalidProducerIDMapping:
			return "stale-epoch-write"
		case model.InvalidTxnState, model.TransactionAbortable:
			return WrongTransaction
		}
	}
	if o.F == kfh.InitPID {
		return "generation-regression"
	}
	return "stale-epoch-write"
}
