package frame

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Tally is what one part of a run has compared so far, and what differs.
type Tally struct {
	config Config
	part   string
	begun  time.Time
	// elapsed is how long it took, once it has ended.
	elapsed time.Duration
	// reachable are the triples of the plan, and unreal those of them that cannot
	// be provoked, and why; both nil until there is one.
	reachable map[Triple]bool
	unreal    map[Triple]string

	mu          sync.Mutex
	requests    int
	covered     map[Triple]bool
	walking     bool                      // the planned sequences have all been handed out
	unfinished  int                       // sequences that the machine was too slow for, or that the broker took another turn in
	unconfirmed int                       // differences that did not occur again
	found       map[Signature]*Difference // several forms of a known one share one
	known       map[string]*Difference    // by id
}

func newTally(c Config, part string) Tally {
	return Tally{config: c, part: part, begun: time.Now(),
		covered: map[Triple]bool{}, found: map[Signature]*Difference{}, known: map[string]*Difference{}}
}

func (r *Tally) enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.config.Requests > 0 && r.requests >= r.config.Requests
}

// planned notes that every planned sequence has been handed out.
func (r *Tally) planned() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.walking = true
}

// count counts what a play has shown.
func (r *Tally) count(requests int, triples []Triple) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests += requests
	for _, t := range triples {
		r.covered[t] = true
	}
}

func (r *Tally) giveUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unfinished++
}

// progress is how far the part has come.
func (r *Tally) progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for t := range r.covered {
		if r.reachable[t] {
			n++
		}
	}
	return Progress{Part: r.part, Requests: r.requests, Reachable: len(r.reachable), Covered: n, Differences: len(r.found), Elapsed: time.Since(r.begun)}
}

// claim counts a difference, and tells whether it is to be studied: it is new,
// and no other form of the same known one has been.
func (r *Tally) claim(s Signature, known string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d, ok := r.found[s]; ok {
		d.Count++
		return false
	}
	if d, ok := r.known[known]; ok {
		r.found[s] = d
		d.Count++
		return false
	}
	d := &Difference{Count: 1}
	r.found[s] = d
	if known != "" {
		r.known[known] = d
	}
	return true
}

// drop forgets a difference that did not occur again.
func (r *Tally) drop(s Signature) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unconfirmed++
	for id, d := range r.known {
		if d == r.found[s] {
			delete(r.known, id)
		}
	}
	delete(r.found, s)
}

// keep keeps a difference in its smallest form.
func (r *Tally) keep(s Signature, d Difference) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d.Count = r.found[s].Count
	*r.found[s] = d
}

// Result is what was compared of one part of the protocol.
type Result struct {
	Name      string  `json:"name"`
	Requests  int     `json:"requests"`
	Reachable int     `json:"reachable"`
	Covered   int     `json:"covered"`
	Beyond    int     `json:"beyond"`
	Seconds   float64 `json:"seconds"`

	Triples     []Triple     `json:"-"` // of the plan
	Unprovoked  []Unprovoked `json:"-"` // those of them that did not occur
	Differences []Difference `json:"-"`
	Unfinished  int          `json:"-"`
	Unconfirmed int          `json:"-"`
}

// Unprovoked is a reachable triple that did not occur on the broker.
type Unprovoked struct {
	Triple Triple `json:"triple"`
	Reason string `json:"reason"`
}

// NoWalk is why a triple did not occur that nothing stood in the way of.
const NoWalk = "the sequences that lead there ended early, with a difference or because the broker chose otherwise"

// Result is what the part has shown.
func (r *Tally) Result() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := Result{Name: r.part, Requests: r.requests, Reachable: len(r.reachable), Seconds: r.elapsed.Seconds(), Triples: SortedTriples(r.reachable),
		Differences: r.Differences(), Unfinished: r.unfinished, Unconfirmed: r.unconfirmed}
	differ := map[Triple]bool{}
	for s := range r.found {
		differ[s.Triple] = true
	}
	for _, t := range p.Triples {
		reason, unreal := r.unreal[t]
		switch {
		case r.covered[t]:
			p.Covered++
			continue
		case unreal:
		case differ[t]:
			reason = "the broker answers differently"
		case !r.walking:
			reason = fmt.Sprintf("the run ended after %d requests, before its turn", r.requests)
		default:
			reason = NoWalk
		}
		p.Unprovoked = append(p.Unprovoked, Unprovoked{t, reason})
	}
	for t := range r.covered {
		if !r.reachable[t] {
			p.Beyond++
		}
	}
	return p
}

// Differences lists what was found: of several forms of one difference the
// shortest.
func (r *Tally) Differences() []Difference {
	by := map[string]*Difference{}
	seen := map[*Difference]bool{}
	for _, d := range r.found {
		if len(d.Steps) == 0 || seen[d] {
			continue // the run ended before it was studied, or it is another form
		}
		seen[d] = true
		key := fmt.Sprint(d.Triple, d.Broker)
		if d.Known != "" {
			key = d.Known // one story for each
		}
		if other := by[key]; other != nil {
			count := d.Count + other.Count
			if len(d.Steps) < len(other.Steps) {
				*other = *d
			}
			other.Count = count
			continue
		}
		c := *d
		by[key] = &c
	}
	out := []Difference{}
	for _, d := range by {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Known, b.Known), cmp.Compare(len(a.Steps), len(b.Steps)), compareTriples(a.Triple, b.Triple), cmp.Compare(a.Broker, b.Broker))
	})
	return out
}
