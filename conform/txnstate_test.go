package conform

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/model"
)

// A plan is made of canonical states, and played in others: both must give the
// same answers to the same tokens.
func TestCanonicalTransactionsAnswerAlike(t *testing.T) {
	g := &txnGame{}
	for i := range 20 {
		w, s := newTxnWalk(7, i, true), txnStart()
		for range txnWalkSteps {
			c := s.canonical(g.coordinator)
			if !assert.Equal(t, c, c.canonical(g.coordinator)) {
				return
			}
			var back txnState
			back.decode(c.append(nil))
			assert.Equal(t, string(c.append(nil)), string(back.append(nil)))
			everything.steps(func(st txnStep) { alike(t, g, &s, &c, st) })
			r, _ := s.resolveTxn(w.draw(&s, g), g)
			s, _ = g.decide(&s, r)
		}
	}
}

// alike compares a step's triples in a state and in its canonical form. What is
// left of five remembered batches is another matter: the plan leaves it out.
func alike(t *testing.T, g *txnGame, s, c *txnState, st txnStep) {
	if st.Op == produce && st.Nth >= evicted || st.Pair == foreigner {
		return
	}
	r, ok := s.resolveTxn(st, g)
	q, also := c.resolveTxn(st, g)
	assert.Equal(t, ok, also, "%+v", st)
	if !ok || !also {
		return
	}
	_, a := g.decide(s, r)
	_, b := g.decide(c, q)
	assert.Equal(t, g.triple(s, r, &a), g.triple(c, q, &b))
}

func TestStepsSurviveTheirPacking(t *testing.T) {
	everything.steps(func(st txnStep) { assert.Equal(t, st, unpackTxn(st.Op, st.pack())) })
}

func TestEveryTransactionOpIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for o := range numTxnOps {
		assert.NotEmpty(t, txnOpNames[o])
		assert.False(t, seen[txnOpNames[o]])
		seen[txnOpNames[o]] = true
		assert.NotEmpty(t, speech[o], txnOpNames[o])
		assert.NotEmpty(t, txnRules[o].ID, txnOpNames[o])
		assert.NotEmpty(t, txnTitle(txnRequest{Step: txnStep{Op: o}}))
	}
}

func TestGroupsLieWhereJavaPutsThem(t *testing.T) {
	assert.Equal(t, 0, partitionOf("anything", 1))
	assert.Equal(t, int(96354%50), partitionOf("abc", 50)) // "abc".hashCode() is 96354
	assert.Zero(t, partitionOf("abc", 0))
	assert.Equal(t, model.OffsetsPartition, coordinatorsName(offsetsPlace))
}
