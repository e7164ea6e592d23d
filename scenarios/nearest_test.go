package scenarios

import (
	"testing"

	"github.com/hbollon/go-edlib"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"run", "", 3}, {"", "run", 3}, {"run", "run", 0}, {"rnu", "run", 1},
		{"zombi-commit", "zombie-commit", 1}, {"kitten", "sitting", 3}, {"walk", "show", 4},
	} {
		if got := edlib.OSADamerauLevenshteinDistance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q it is %d, right would be %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"run", "walk", "show"}
	if got, want := Nearest("rnu", known), `did you mean "run"?`; got != want {
		t.Errorf("%s, right would be %s", got, want)
	}
	if got, want := Nearest("frobnicate", known), "there are: run, walk, show"; got != want {
		t.Errorf("%s, right would be %s", got, want)
	}
}
