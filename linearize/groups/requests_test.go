package groups

import (
	"testing"

	"fencecheck/linearize/kfh"
)

// A row that lacks what the search calls would be noticed by a history only.
func TestRowsAreComplete(t *testing.T) {
	if len(byName) != len(rows) || len(byAPI) != len(rows) {
		t.Errorf("%d rows have %d names and %d requests of the model", len(rows), len(byName), len(byAPI))
	}
	for _, r := range rows {
		if r.decide == nil {
			t.Errorf("nobody decides %s", r.Name)
		}
		if never := r.unseen != nil && r.unseen(&kfh.Op{In: kfh.NoRequest()}, mentions{}); r.late == nil && !never && r.Name != kfh.Commit {
			t.Errorf("%s without an answer is neither decided late nor without effect", r.Name)
		}
		if r.InGeneration && r.accepted == nil {
			t.Errorf("an accepted %s names a generation and says nothing about it", r.Name)
		}
	}
}
