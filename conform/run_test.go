package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/conform/groups"
	"fencecheck/model"
)

// bootstrap is a real broker, where CI has started one; "" is the embedded one.
func bootstrap() string { return os.Getenv("FENCECHECK_BOOTSTRAP") }

func TestBrokerConforms(t *testing.T) {
	t.Parallel()
	if bootstrap() == "" {
		report := conforms(t, Options{Requests: 2000, Seed: 1})
		assert.Len(t, report.Parts, 2)
		assert.NotEmpty(t, report.Differences, "the known ones are shown")
		return
	}
	for part, requests := range map[string]int{Groups: 6000, Transactions: 40000} {
		report := conforms(t, Options{Bootstrap: bootstrap(), Only: part, Requests: requests, Seed: 1})
		assert.Len(t, report.Parts, 1)
		left := 0
		for _, u := range report.Unprovoked {
			if u.Reason != groups.NewMemberTimer {
				left++
			}
		}
		assert.LessOrEqual(t, left, report.Reachable/200, "%+v", report.Unprovoked)
	}
}

// conforms holds the broker against the model, and returns a report without new
// differences.
func conforms(t *testing.T, o Options) *Report {
	t.Helper()
	report, err := Run(context.Background(), o)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, report.WriteText(&text))
	assert.Zero(t, ExitStatus(report), text.String())
	assert.Equal(t, report.Reachable, report.Covered+len(report.Unprovoked))
	assert.Zero(t, report.LeftBehind)
	for _, p := range report.Parts {
		assert.GreaterOrEqual(t, p.Requests, o.Requests)
	}
	for _, u := range report.Unprovoked {
		assert.NotEmpty(t, u.Reason, u.Triple)
	}
	checkForms(t, &report)
	return &report
}

// checkForms: the report can be read back in its machine-readable forms.
func checkForms(t *testing.T, r *Report) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	var object map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &object))
	for _, key := range []string{"broker", "requests", "reachable", "covered", "unprovoked", "differences"} {
		assert.Contains(t, object, key)
	}
	b.Reset()
	require.NoError(t, r.WriteJUnit(&b))
	var suite junitSuite
	require.NoError(t, xml.Unmarshal(b.Bytes(), &suite))
	assert.Equal(t, suite.Tests, len(suite.Cases))
	assert.GreaterOrEqual(t, suite.Tests, r.Reachable)
	assert.Equal(t, r.New(), suite.Failures)
}

func TestRunWithPlantedDifferenceExitsWith1(t *testing.T) {
	t.Parallel()
	off := model.Mutations{}.With(model.HeartbeatMemberCheck)
	report, err := Run(context.Background(), Options{Bootstrap: bootstrap(), Only: Groups, Mutations: off, Requests: 200, Parallel: 8})
	require.NoError(t, err)
	assert.Equal(t, 1, ExitStatus(report))
	var text bytes.Buffer
	require.NoError(t, report.WriteText(&text))
	assert.Contains(t, text.String(), "heartbeat-member-check")
	assert.Contains(t, text.String(), "--mutate heartbeat-member-check")
	checkForms(t, &report)
}

func TestInterruptedRunReportsWhatItHas(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := 0
	report, err := Run(ctx, Options{Requests: 1_000_000, Progress: func(p Progress) {
		if seen = p.Requests; seen > 0 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.GreaterOrEqual(t, report.Requests, seen)
	assert.NotEmpty(t, report.Stopped)
	assert.Contains(t, []int{1, 3}, ExitStatus(report))
}

func TestExitStatus(t *testing.T) {
	fresh, known := Difference{}, Difference{Known: "some"}
	assert.Equal(t, 0, ExitStatus(Report{}))
	assert.Equal(t, 0, ExitStatus(Report{Differences: []Difference{known}}))
	assert.Equal(t, 1, ExitStatus(Report{Differences: []Difference{known, fresh}}))
	assert.Equal(t, 3, ExitStatus(Report{Stopped: "broken"}))
	assert.Equal(t, 1, ExitStatus(Report{Stopped: "broken", Differences: []Difference{fresh}}))
}

func TestJUnitEscapes(t *testing.T) {
	r := Report{Broker: `<"&>`, Seconds: 1, Differences: []Difference{{Triple: Triple{Request: `a<b`, State: "]]>", Answer: "&"}, Broker: "\x00\"", Steps: []Exchange{{Request: "x"}}}},
		Stopped: "<ended>"}
	var b bytes.Buffer
	require.NoError(t, r.WriteJUnit(&b))
	var s junitSuite
	require.NoError(t, xml.Unmarshal(b.Bytes(), &s))
	assert.Equal(t, "a<b", s.Cases[0].Class)
	assert.Equal(t, 1, s.Failures)
	assert.Equal(t, 1, s.Errors)
}

func TestVanishedKnownDifferenceIsSaid(t *testing.T) {
	report := newReport("b")
	report.close([]Known{{ID: "gone-since"}, {ID: "deadly", Avoid: true}}, time.Second)
	assert.Equal(t, []string{"gone-since"}, report.Vanished)
	var text bytes.Buffer
	require.NoError(t, report.WriteText(&text))
	assert.Contains(t, text.String(), "the known difference gone-since did not occur")
}
