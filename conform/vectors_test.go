package conform

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/model"
)

func TestVectorsOfTheModel(t *testing.T) {
	for _, v := range append(vectors[:len(vectors):len(vectors)], restartVectors...) {
		t.Run(v.name, func(t *testing.T) {
			g, s := &txnGame{}, txnStart()
			for i, l := range v.lines {
				r := l.on(g)
				var a txnAnswer
				if s, a = g.decide(&s, r); l.answer != "" {
					assert.Equal(t, l.answer, a.says(), "line %d: %s", i+1, r.describe())
				}
				assert.False(t, a.Ignored)
			}
		})
	}
}

// The vectors are played one by one, so that a failure has a name; Run plays
// them too.
func TestVectorsOfTheBroker(t *testing.T) {
	if bootstrap() == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	w := theTxnWorker(t, model.Mutations{})
	for i := range vectors {
		playVector(t, w, &vectors[i])
	}
}

// playVector plays a vector. What a known defect explains is no failure.
func playVector(t *testing.T, w *txnWorker, v *vector, defects ...model.Mutation) {
	t.Run(v.name, func(t *testing.T) {
		p, err := w.play(context.Background(), txnJob{vector: v}, 1, nil)
		require.NoError(t, err)
		if p.wrong != nil && len(defects) > 0 {
			d := w.run.describe(p)
			for _, m := range defects {
				assert.Contains(t, d.Explained, m.String(), "%+v", d)
			}
			return
		}
		require.Nil(t, p.wrong)
		for i, l := range v.lines {
			if l.answer != "" {
				assert.Equal(t, l.answer, p.events[i].Answer.says(), "line %d: %s", i+1, p.events[i].Request.describe())
			}
		}
	})
}

// says is what an answer says, as lines have it.
func (a *txnAnswer) says() string {
	if a.Err == model.None && a.PID != 0 {
		return fmt.Sprintf("%d,%d", a.PID, a.Epoch)
	}
	return errorName(a.Err)
}
