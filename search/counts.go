package search

// counts are how often each operation and each outcome occurred.
type counts struct{ ops, outcomes []int64 }

func newCounts[S any](sys System[S]) counts {
	return counts{counters(len(sys.Ops())), counters(len(outcomes(sys)))}
}

// counters share no cache line with those of another worker, nor the line that
// processors fetch along with it: each step writes to them.
func counters(n int) []int64 {
	const apart = 128 / 8
	return make([]int64, n+2*apart)[apart : apart+n]
}

func (c *counts) count(st Step) {
	c.ops[st.Op]++
	c.outcomes[st.Outcome]++
}

func (c *counts) add(other counts) {
	addAll(c.ops, other.ops)
	addAll(c.outcomes, other.outcomes)
}

func addAll(sum, more []int64) {
	for i, n := range more {
		sum[i] += n
	}
}
