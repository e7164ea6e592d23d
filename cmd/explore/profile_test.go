package main

import (
	"math"
	"testing"
	"time"

	"fencecheck/search"
)

func TestProfileShares(t *testing.T) {
	rep := newProfile(&search.Profile{Total: 4 * time.Second, Every: 61, Costs: []search.Cost{
		{Kind: search.CostOperation, Name: "join", Time: time.Second, Calls: 1000},
		{Kind: search.CostOperation, Name: "never"},
		{Kind: search.CostInvariant, Name: "single-owner", Time: 2 * time.Second, Calls: 100},
		{Kind: search.CostEngine, Name: "wait", Time: time.Second},
	}})
	var sum float64
	var names []string
	for _, part := range rep.Parts {
		sum += part.Share
		names = append(names, part.Name)
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("the shares add up to %v", sum)
	}
	if len(names) != 3 || names[0] != "single-owner" || names[1] != "join" || names[2] != "wait" {
		t.Errorf("the parts are %v", names)
	}
	if rep.Parts[1].Nanos != 1e6 || rep.Parts[2].Nanos != 0 {
		t.Errorf("a call takes %v and %v", rep.Parts[1].Nanos, rep.Parts[2].Nanos)
	}
	if newProfile(nil) != nil {
		t.Error("there is a profile where none was asked for")
	}
}
