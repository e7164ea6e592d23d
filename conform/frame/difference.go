package frame

import "fencecheck/model"

// Difference is a request to which the broker's answer is not the model's, at
// the end of the shortest sequence that was found to show it.
type Difference struct {
	Triple               // what was asked, in which state, and the model's answer
	Broker    string     `json:"broker"`
	Rule      Rule       `json:"rule"`
	Steps     []Exchange `json:"steps"`
	Fields    []Field    `json:"fields"`
	Pages     string     `json:"pages"`               // whose answer the protocol pages describe: "model", "broker", "neither"
	Explained []string   `json:"explained,omitempty"` // mutations that explain the broker's answer, switched in the model
	Known     string     `json:"known,omitempty"`     // id of the known difference
	Why       string     `json:"why,omitempty"`       // of the known difference
	Count     int        `json:"count"`               // how often it was met
	Rerun     string     `json:"rerun"`

	IDs map[string]string `json:"ids"` // what member and producer ids were on the wire

	// Sequence is the steps by their tokens, a slice of the part's own: what plays
	// them again.
	Sequence any `json:"-"`
}

// Exchange is one numbered request of a difference, and what came of it.
type Exchange struct {
	Number  int    `json:"number"`
	Class   string `json:"class"` // of the request, and the state that it met
	Request string `json:"request"`
	Broker  string `json:"broker"`
	Model   string `json:"model,omitempty"` // where it says something else
}

// describe writes down a mismatch of a play.
func (r *Runner[T]) describe(p Play[T], m Mismatch) Difference {
	d := Difference{Triple: m.Triple, Broker: m.Broker, Rule: m.Rule, Fields: m.Fields, Count: 1, IDs: p.IDs(), Rerun: r.config.Rerun, Sequence: p.Shown().Steps[:m.At+1]}
	for i := range m.At + 1 {
		request, broker := p.Exchange(i)
		d.Steps = append(d.Steps, Exchange{Number: i + 1, Class: p.Shown().Classes[i], Request: request, Broker: broker})
	}
	d.Steps[m.At].Model = m.Model
	explain(&d, r.config.Mutations, func(off model.Mutations) bool { return p.Explains(m.At, off) })
	for _, k := range r.config.Known {
		if d.Known == "" && k.matches(&d) {
			d.Known, d.Why = k.ID, k.Why
		}
	}
	return d
}

// explain finds out which mutations explain the broker's answer, each switched
// for itself, and whose answer the pages describe: they are the model without
// mutations.
func explain(d *Difference, off model.Mutations, explains func(model.Mutations) bool) {
	for m := range model.NumMutations {
		if explains(Switched(off, m)) {
			d.Explained = append(d.Explained, m.String())
		}
	}
	switch {
	case off == model.Mutations{}:
		d.Pages = "model"
	case explains(model.Mutations{}):
		d.Pages = "broker"
	default:
		d.Pages = "neither"
	}
}

// Switched is the set with one mutation put in or taken out.
func Switched(off model.Mutations, m model.Mutation) model.Mutations {
	if off.Has(m) {
		return off.Without(m)
	}
	return off.With(m)
}
