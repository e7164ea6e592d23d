package groups

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/conform/admin"
)

func TestEveryRowIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for o := range numOps {
		row := o.row()
		assert.NotEmpty(t, row.name)
		assert.False(t, seen[row.name])
		seen[row.name] = true
		assert.NotEmpty(t, row.rules, row.name)
		assert.NotEmpty(t, o.title(), row.name)
		assert.Positive(t, row.weight, row.name)
		assert.Equal(t, o.timer(), row.fire != nil, row.name)
		assert.Equal(t, o.timer(), row.message == nil, row.name)
		assert.Equal(t, o.timer(), row.read == nil, row.name)
		if !o.timer() {
			r := newRequest(o)
			m := (&sending{ids: newBinding()}).message(&r)
			assert.EqualValues(t, row.key, m.Key(), row.name)
			assert.Equal(t, row.version, m.GetVersion(), row.name)
			assert.LessOrEqual(t, row.version, m.MaxVersion(), row.name)
		}
	}
}

// A plan is made of canonical states, which search keeps encoded.
func TestStatesSurviveTheirEncoding(t *testing.T) {
	g := &game{}
	y := newSystem(*g, admin.Limits{})
	s := start()
	for range 40 {
		var next *state
		s.steps(plannedSeats, func(st Step) {
			if r, ok := s.resolve(st); ok && next == nil {
				o := g.decide(&s, r)
				if c := o.After.canonical(); c != s.canonical() && !c.Group.InitialDelay {
					next = &c
				}
			}
		})
		if next == nil {
			break
		}
		s = *next
		var back state
		y.Decode(y.Append(nil, &s), &back)
		assert.Equal(t, s, back)
	}
}
