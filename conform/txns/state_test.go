package txns

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// A plan is made of canonical states, and played in others: both must give the
// same answers to the same tokens.
func TestCanonicalTransactionsAnswerAlike(t *testing.T) {
	g := &game{}
	for i := range 20 {
		w, s := newWalk(7, i, true), start()
		for range walkSteps {
			c := s.canonical(g.coordinator)
			if !assert.Equal(t, c, c.canonical(g.coordinator)) {
				return
			}
			var back state
			encoded := frame.Append(nil, &c, (*state).code)
			frame.Decode(encoded, &back, (*state).code)
			assert.Equal(t, string(encoded), string(frame.Append(nil, &back, (*state).code)))
			everything.steps(func(st Step) { alike(t, g, &s, &c, st) })
			r, _ := s.resolve(w.draw(&s, g), g)
			s, _ = g.decide(&s, r)
		}
	}
}

// alike compares a step's triples in a state and in its canonical form. What is
// left of five remembered batches is another matter: the plan leaves it out.
func alike(t *testing.T, g *game, s, c *state, st Step) {
	if st.Op == produce && st.Nth >= evicted || st.Pair == foreigner {
		return
	}
	r, ok := s.resolve(st, g)
	q, also := c.resolve(st, g)
	assert.Equal(t, ok, also, "%+v", st)
	if !ok || !also {
		return
	}
	_, a := g.decide(s, r)
	_, b := g.decide(c, q)
	assert.Equal(t, g.triple(s, &r, &a), g.triple(c, &q, &b))
}

func TestEveryRowIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for o := range numOps {
		row := o.row()
		assert.NotEmpty(t, row.name)
		assert.False(t, seen[row.name])
		seen[row.name] = true
		assert.NotEmpty(t, row.versions, row.name)
		assert.NotEmpty(t, row.rule.ID, row.name)
		assert.NotEmpty(t, row.rule.Text, row.name)
		assert.NotNil(t, row.class, row.name)
		r := newRequest(Step{Op: o})
		assert.NotEmpty(t, r.title(), row.name)
		assert.Equal(t, row.message == nil, row.read == nil, row.name)
		assert.Equal(t, row.apart || o == timeout, row.message == nil, row.name)
		if row.message != nil {
			x := sending{pids: frame.NewBinding[model.ProducerID, int64](strangerPID), partitions: []int32{0}}
			m := x.message(&r, 1)
			assert.EqualValues(t, row.key, m.Key(), row.name)
			for _, v := range row.versions {
				assert.LessOrEqual(t, v.number, m.MaxVersion(), row.name)
			}
		}
		assert.True(t, row.decide != nil || row.api.Part() == model.TransactionsPart, row.name)
	}
}

func TestGroupsLieWhereJavaPutsThem(t *testing.T) {
	assert.Equal(t, 0, partitionOf("anything", 1))
	assert.Equal(t, int(96354%50), partitionOf("abc", 50)) // "abc".hashCode() is 96354
	assert.Zero(t, partitionOf("abc", 0))
	assert.Equal(t, txn.OffsetsPartition, logIndex(offsetsLog))
}
