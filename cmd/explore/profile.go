package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"runtime/pprof"
	"slices"

	"fencecheck/search"
)

// A profileReport is where the time of a search went, for programs.
type profileReport struct {
	Seconds      float64      `json:"seconds"` // of all workers together
	SampledEvery int          `json:"sampled_every"`
	Parts        []partReport `json:"parts"` // the dearest first
}

type partReport struct {
	Kind    string  `json:"kind"` // operation, invariant, witness, goal or engine
	Name    string  `json:"name"`
	Share   float64 `json:"share"`
	Seconds float64 `json:"seconds"`
	Calls   int64   `json:"calls"`
	Nanos   float64 `json:"ns_a_call"` // 0 where nothing was called
}

// newProfile leaves out what neither occurred nor cost anything.
func newProfile(p *search.Profile) *profileReport {
	if p == nil {
		return nil
	}
	rep := &profileReport{Seconds: rounded(p.Total.Seconds()), SampledEvery: p.Every, Parts: []partReport{}}
	costs := slices.Clone(p.Costs)
	slices.SortStableFunc(costs, func(a, b search.Cost) int { return cmp.Compare(b.Time, a.Time) })
	for _, c := range costs {
		if c.Time == 0 && c.Calls == 0 {
			continue
		}
		part := partReport{Kind: c.Kind, Name: c.Name, Share: float64(c.Time) / float64(max(1, p.Total)), Seconds: c.Time.Seconds(), Calls: c.Calls}
		if c.Calls > 0 {
			part.Nanos = math.Round(float64(c.Time) / float64(c.Calls))
		}
		rep.Parts = append(rep.Parts, part)
	}
	return rep
}

// tellProfile prints the parts as a table.
func (o *output) tellProfile(p *profileReport) {
	o.field("profile", "%.2f s of all workers together, waiting included; sampled, one call in %d", p.Seconds, p.SampledEvery)
	o.linef("  %7s  %9s  %13s  %8s", "share", "seconds", "calls", "ns each")
	for _, part := range p.Parts {
		each := "-"
		if part.Calls > 0 {
			each = thousands(int64(part.Nanos))
		}
		o.linef("  %6.1f%%  %9.3f  %13s  %8s  %-9s  %s", 100*part.Share, part.Seconds, thousands(part.Calls), each, part.Kind, part.Name)
	}
}

// profileProcessor writes a profile of the whole command for `go tool pprof`,
// until stop is called.
func profileProcessor(name string) (stop func() error, err error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--cpuprofile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("--cpuprofile: %w", err)
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}
