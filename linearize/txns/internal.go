package txns

import (
	"fencecheck/linearize/kfh"
	"fencecheck/linearize/sequential"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// internal takes each step that no client sees and that can matter for the step
// to come: markers, the timeout, and requests without an answer. A marker that
// matters later can be written later.
func (t *turn) internal(from *state, st sequential.Step, sent []int) {
	place := -1
	if st.Phase == sequential.Decide || st.Phase == sequential.Release {
		place = t.calls[st.Call].place
	}
	if to := from.outbox.To; to != 0 && !from.outbox.Stuck {
		if place >= 0 && to.Has(t.part(place)) {
			t.w = from.clone()
			t.mark(place)
			t.keepTidy()
		}
		if st.Phase != sequential.Release {
			t.w = from.clone()
			for p := range len(t.places) + 1 {
				if t.w.outbox.To.Has(t.part(p)) {
					t.mark(p)
				}
			}
			t.keepTidy()
		}
	}
	if t.overdue(from, st) {
		t.w = from.clone()
		if t.coordinator().Overdue() {
			t.closes(from.txn)
			t.w.began = 0
			t.keep(t.w)
		}
	}
	first := true // of several requests that are the same, one is as good as any
	for _, i := range sent {
		if from.used&t.bits[i] != 0 {
			continue
		}
		if c := &t.calls[i]; c.api == model.InitProducerID && c.pid == 0 {
			if !first {
				continue
			}
			first = false
		}
		t.late(from, i)
	}
}

// forget notes which requests without an answer can have no effect any more:
// their epoch is over, with all its markers. So states that differ only in
// whether those were decided become equal.
func (s *spec) forget(w *state) {
	now := &w.txn
	if now.Pending != txn.NoTransaction {
		return
	}
	for i, b := range s.bits {
		if c := &s.calls[i]; c.pid == now.PID && c.pid != 0 && c.epoch < now.Epoch && c.api != model.InitProducerID {
			w.used |= b
		}
	}
}

func (t *turn) keepTidy() {
	t.tidy()
	t.keep(t.w)
}

// mark writes a marker in one partition.
func (t *turn) mark(place int) {
	before := t.w.txn
	q := t.w.outbox.Request()
	a := t.brokers(place).Decide(&q)
	t.coordinator().MarkerAnswered(t.part(place), a.Err)
	t.closes(before)
}

// overdue tells whether a transaction can have timed out when a step is taken.
func (t *turn) overdue(w *state, st sequential.Step) bool {
	if w.txn.State != txn.Ongoing {
		return false
	}
	if !t.clock.Trusted || w.began < 0 {
		return true
	}
	var end int
	if st.Phase == sequential.Restart {
		end = t.lives[st.Call].Down
	} else {
		end = t.h.Ops[t.calls[st.Call].op].Ret
	}
	now := t.h.Events[end].T
	return now < 0 || now-w.began >= t.limit-kfh.ClockGrain
}

// late decides a request without an answer, if that makes a difference.
func (t *turn) late(from *state, i int) {
	c := &t.calls[i]
	attempt := func(act func() model.Error) {
		t.w = from.clone()
		err := act()
		t.tidy()
		if (err == model.None || !c.row.writes) && !t.w.Equal(from) {
			t.w.used |= t.bits[i]
			t.keep(t.w)
		}
	}
	if !c.row.writes {
		attempt(func() model.Error { return t.request(c).Err })
		return
	}
	attempt(func() model.Error { // and refused by the group, or by the log
		_, err := t.admitted(c)
		return err
	})
	attempt(func() model.Error {
		b, err := t.admitted(c)
		if err == model.None {
			err = t.appended(c, b)
		}
		return err
	})
}
