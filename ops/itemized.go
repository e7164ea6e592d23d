package ops

import "fencecheck/model"

// NextItemized is Next, and calls done for each operation that the scenario asks
// for, when it has been tried. That is for profiles.
func (x *Exec) NextItemized(s, next *model.State, emit func(Taken), done func(op uint16)) {
	x.s, x.n = s, next
	for rest := x.tries; len(rest) > 0; {
		op, n := rest[0].op, 1
		for n < len(rest) && rest[n].op == op {
			n++
		}
		x.run(rest[:n], emit)
		done(op)
		rest = rest[n:]
	}
}
