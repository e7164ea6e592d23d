package linearize

import (
	"cmp"
	"io"
	"os"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"fencecheck/linearize/groups"
	"fencecheck/linearize/kfh"
)

// Verdict is what is known about a history as a whole.
type Verdict string

const (
	// Legal: some order of the requests explains every answer.
	Legal Verdict = "legal"
	// Illegal: no order does; the findings say why.
	Illegal Verdict = "illegal"
	// Undecided: the budget ran out. It is neither of the others.
	Undecided Verdict = "unknown"
)

// NotLinearizable names a finding that no more special anomaly fits.
const NotLinearizable = "not-linearizable"

// Options tune a check. The zero value is right for recorded files.
type Options struct {
	// Budget is the time that the search may take per component; 0 is 20 s.
	Budget time.Duration
}

// Finding is an anomaly with its proof: the events (field i of the file) that
// together no correct coordinator produces, and a sentence that says why.
type Finding struct {
	Anomaly string `json:"anomaly"`
	Events  []int  `json:"events"`
	Why     string `json:"why"`
}

// Report is the judgement on one history. Counts are there so that a green
// report is not mistaken for an empty one.
type Report struct {
	File     string    `json:"file"`
	Verdict  Verdict   `json:"verdict"`
	Findings []Finding `json:"findings"`
	// Ops counts requests, Components the parts that were judged apart, and
	// Undecided those of them whose budget ran out.
	Ops        int `json:"ops"`
	Components int `json:"components"`
	Undecided  int `json:"undecided"`
	// UnknownOutcomes counts requests that may or may not have had an effect.
	UnknownOutcomes int `json:"unknown_outcomes"`
	// ExplainedBySilence counts refusals that only a timer explains.
	ExplainedBySilence int    `json:"explained_by_silence"`
	Checks             Checks `json:"checks"`
	Note               string `json:"note,omitempty"`
}

// Checks counts the answers that each check looked at.
type Checks struct {
	Membership    int `json:"membership"`
	Generations   int `json:"generations"`
	Owners        int `json:"owners"`
	Offsets       int `json:"offsets"`
	Epochs        int `json:"epochs"`
	Records       int `json:"records"`
	Linearization int `json:"linearization"`
}

// defaultBudget is enough for every recorded file by a factor of a thousand.
const defaultBudget = 20 * time.Second

// ReadFile reads the history in a file and refuses what is not modelled.
func ReadFile(path string) (*kfh.History, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(path, f)
}

// Read reads a history and refuses what is not modelled; name stands for the file
// in errors. The error is a *SyntaxError, an *UnsupportedError, or one of r.
func Read(name string, r io.Reader) (*kfh.History, error) {
	h, err := kfh.Read(name, r, requests)
	if err != nil {
		return nil, err
	}
	if err := supported(h); err != nil {
		return nil, err
	}
	return h, nil
}

// Check judges a history. The history comes from Read or ReadFile;
// one that is not supported is undecided.
func Check(h *kfh.History, o Options) Report {
	if o.Budget == 0 {
		o.Budget = defaultBudget
	}
	r := Report{File: h.Name, Verdict: Legal, Findings: []Finding{}, Ops: len(h.Ops)}
	if err := supported(h); err != nil {
		r.Verdict, r.Note = Undecided, err.Error()
		return r
	}
	if len(h.Ops) == 0 {
		r.Note = "nothing checked: the history has no requests"
		return r
	}
	for _, c := range kfh.Split(h) {
		r.add(h, c, o)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Compare(a.Events[len(a.Events)-1], b.Events[len(b.Events)-1])
	})
	return r
}

// add judges one component.
func (r *Report) add(h *kfh.History, c kfh.Component, o Options) {
	r.Components++
	r.count(h, c)
	for _, p := range partsOf(h, c) {
		r.Checks.Linearization += p.spec(h, p.Component).Size()
	}
	if !undivided(h, c) {
		r.Note = "groups, transactional ids and partitions were searched apart, each with all that the others may have done; what ties them together was checked by necessary conditions"
	}
	conflicts := necessary(h, c)
	j := &judge{h: h, c: c, whole: c, deadline: time.Now().Add(o.Budget)}
	verdict := porcupine.Ok
	if len(conflicts) == 0 {
		verdict = j.search(h, c)
	}
	switch {
	case len(conflicts) > 0:
		r.Verdict = Illegal
		r.Findings = append(r.Findings, j.blame(conflicts)...)
	case verdict == porcupine.Illegal:
		r.Verdict = Illegal
		r.Findings = append(r.Findings, j.localise()...)
	case verdict == porcupine.Unknown:
		r.undecided(j)
	}
}

// undecided looks for a part that can be decided where the whole could not.
func (r *Report) undecided(j *judge) {
	if found := j.projections(); len(found) > 0 {
		r.Verdict = Illegal
		r.Findings = append(r.Findings, found...)
		return
	}
	r.Undecided++
	if r.Verdict == Legal {
		r.Verdict = Undecided
	}
}

// count fills in the counts of a component.
func (r *Report) count(h *kfh.History, c kfh.Component) {
	left := map[string]bool{}
	in := map[string]bool{}
	for _, o := range h.Each(c.Ops) {
		switch {
		case o.Local:
			continue
		case o.Open():
			r.UnknownOutcomes++
		case o.F == kfh.OffsetFetch, o.F == kfh.Commit && o.Outcome == kfh.OK:
			r.Checks.Offsets++
		case o.F == kfh.Sync && o.Outcome == kfh.OK:
			r.Checks.Owners++
		case o.Row.OfProducer:
			r.Checks.Epochs++
		case o.F == kfh.Fetch:
			r.Checks.Records += len(o.Out.Records)
		}
		if o.F == kfh.Leave && (o.Open() || o.Outcome == kfh.OK) {
			left[o.In.Member] = true
		}
		switch {
		case groups.ProvesIn(o):
			r.Checks.Membership++
			r.Checks.Generations++
			in[o.Member()] = true
		case o.RefusedAs("UNKNOWN_MEMBER_ID"):
			r.Checks.Membership++
			if in[o.In.Member] && !left[o.In.Member] {
				r.ExplainedBySilence++
			}
		}
	}
}
