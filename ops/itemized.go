package ops

import "fencecheck/model"

// NextItemized is Next, and calls done for each operation that the scenario asks
// for, when it has been tried. That is for profiles.
func (x *Exec) NextItemized(s, next *model.State, emit func(Taken), done func(op uint16)) {
	all := x.asked
	for i := range all {
		x.asked = all[i : i+1]
		x.Next(s, next, emit)
		done(all[i].op)
	}
	x.asked = all
}
