package search

import "time"

// A ticker says when something is due again.
type ticker struct {
	start, next time.Time
	every       time.Duration
	wanted      bool
	before      time.Duration // spent by the searches that this one resumes
}

func newTicker(wanted bool, every time.Duration) ticker {
	now := time.Now()
	return ticker{now, now.Add(every), every, wanted, 0}
}

func (t *ticker) due() bool {
	if !t.wanted || time.Now().Before(t.next) {
		return false
	}
	t.next = time.Now().Add(t.every)
	return true
}

func (t *ticker) elapsed() time.Duration { return t.before + time.Since(t.start) }
