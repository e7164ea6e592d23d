package ops

import "fencecheck/model/cluster"

// NextItemized is Next, and calls done for each operation that the scenario asks
// for, when it has been tried. That is for profiles.
func (x *Exec) NextItemized(s, next *cluster.State, emit func(Taken), done func(op uint16)) {
	x.look(s, next)
	for i := 0; i < len(x.tries); {
		op, from := x.tries[i].op, i
		for i < len(x.tries) && x.tries[i].op == op {
			i++
		}
		x.run(from, i, emit)
		done(op)
	}
}
