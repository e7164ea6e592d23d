package linearize

import "fencecheck/model"

// silent takes each step that no client sees and that can matter for the step
// to come: markers, the timeout, and requests without an answer. A marker that
// matters later can be written later.
func (t *txnTurn) silent(from *txnWorld, st step, armed []int) {
	place := -1
	if st.phase == decide || st.phase == release {
		place = t.calls[st.call].place
	}
	if to := from.outbox.To; to != 0 && !from.outbox.Stuck {
		if place >= 0 && to.Has(t.part(place)) {
			t.w = from.clone()
			t.mark(place)
			t.keepTidy()
		}
		if st.phase != release {
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
	for _, i := range armed {
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

// settle notes which requests without an answer can have no effect any more:
// their epoch is over, with all its markers. So worlds that differ only in
// whether those were decided become equal.
func (s *txnSpec) settle(w *txnWorld) {
	now := &w.txn
	if now.Pending != model.NoTransaction {
		return
	}
	for i, b := range s.bits {
		if c := &s.calls[i]; c.pid == now.PID && c.pid != 0 && c.epoch < now.Epoch && c.api != model.InitProducerID {
			w.used |= b
		}
	}
}

func (t *txnTurn) keepTidy() {
	t.tidy()
	t.keep(t.w)
}

// mark writes a marker in one partition.
func (t *txnTurn) mark(place int) {
	before := t.w.txn
	q := t.w.outbox.Request()
	a := t.brokers(place).Decide(&q)
	t.coordinator().MarkerAnswered(t.part(place), a.Err)
	t.closes(before)
}

// overdue tells whether a transaction can have timed out when a step is taken.
func (t *txnTurn) overdue(w *txnWorld, st step) bool {
	if w.txn.State != model.Ongoing {
		return false
	}
	if !t.clock.trusted || w.began < 0 {
		return true
	}
	var end int
	if st.phase == reload {
		end = t.lives[st.call].down
	} else {
		end = t.h.Ops[t.calls[st.call].op].Ret
	}
	now := t.h.Events[end].T
	return now < 0 || now-w.began >= t.limit-clockGrain
}

// late decides a request without an answer, if that makes a difference.
func (t *txnTurn) late(from *txnWorld, i int) {
	c := &t.calls[i]
	attempt := func(act func() model.Error) {
		t.w = from.clone()
		err := act()
		t.tidy()
		if (err == model.None || !c.writes()) && !t.w.equal(from) {
			t.w.used |= t.bits[i]
			t.keep(t.w)
		}
	}
	if !c.writes() {
		attempt(func() model.Error { return t.request(c).Err })
		return
	}
	admit := func() model.Error {
		_, err := t.admitted(c)
		return err
	}
	attempt(admit) // and refused by the group, or by the log
	attempt(func() model.Error {
		b, err := t.admitted(c)
		if err == model.None {
			err = t.appended(c, b)
		}
		return err
	})
}
