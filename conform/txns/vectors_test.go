package txns

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/conform/frame"
	"fencecheck/model"
)

func TestVectorsOfTheModel(t *testing.T) {
	for _, v := range append(vectors[:len(vectors):len(vectors)], restartVectors...) {
		t.Run(v.name, func(t *testing.T) {
			g, s := &game{}, start()
			for i, l := range v.lines {
				r := l.on(g)
				var a answer
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
	w := theWorker(t)
	for i := range vectors {
		playVector(t, w, &vectors[i])
	}
}

// playVector plays a vector. What a known defect explains is no failure.
func playVector(t *testing.T, w *worker, v *vector, defects ...model.Mutation) {
	t.Run(v.name, func(t *testing.T) {
		p := playOne(t, w, frame.Job[Step]{Vector: v.name})
		if p.Wrong != nil && len(defects) > 0 {
			for _, m := range defects {
				assert.True(t, p.Explains(p.Wrong.At, model.Mutations{}.With(m)), "%s: %+v", m, p.Wrong)
			}
			return
		}
		require.Nil(t, p.Wrong)
		for i, l := range v.lines {
			if l.answer != "" {
				assert.Equal(t, l.answer, p.events[i].Answer.says(), "line %d: %s", i+1, p.events[i].Request.describe())
			}
		}
	})
}

// says is what an answer says, as lines have it.
func (a *answer) says() string {
	if a.Err == model.None && a.PID != 0 {
		return fmt.Sprintf("%d,%d", a.PID, a.Epoch)
	}
	return frame.ErrorName(a.Err)
}
