package conform

import (
	"fmt"
	"strings"

	"fencecheck/model"
)

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

	steps    []step
	txnSteps []txnStep
	IDs      map[string]string `json:"ids"` // what member and producer ids were on the wire
}

// Exchange is one numbered request of a difference, and what came of it.
type Exchange struct {
	Number  int    `json:"number"`
	Class   string `json:"class"` // of the request, and the state that it met
	Request string `json:"request"`
	Broker  string `json:"broker"`
	Model   string `json:"model,omitempty"` // where it says something else
}

// describe writes down the mismatch of a play.
func (r *run) describe(p *play) Difference {
	x := p.wrong.expected[0]
	e := p.events[p.wrong.event]
	s := p.signature(*p.wrong)
	d := Difference{Triple: s.Triple, Broker: s.Broker, Rule: ruleOf(&x), Fields: e.fields(&x), Count: 1, IDs: p.send.ids.legend(), Rerun: r.rerun(), steps: p.steps}
	for i := range p.events {
		d.Steps = append(d.Steps, exchange(i+1, &p.events[i], p.classes[i]))
	}
	last := &d.Steps[len(d.Steps)-1]
	last.Model = answers(x.Own, x.Others, x.request)
	r.explain(&d, p)
	for _, k := range r.game.known {
		if d.Known == "" && k.matches(&d) {
			d.Known, d.Why = k.ID, k.Why
		}
	}
	return d
}

func exchange(number int, e *event, class string) Exchange {
	return Exchange{Number: number, Class: class, Request: e.Request.describe(), Broker: answers(e.Own, e.Others, e.Request)}
}

// answers writes the answer to a request, and those to parked ones that came with
// it.
func answers(own *answer, others []delivery, r request) string {
	var words []string
	if !r.Step.Op.timer() {
		words = append(words, own.text(name))
	}
	for _, d := range others {
		words = append(words, fmt.Sprintf("%s's waiting %s: %s", name(d.To), d.API, d.Answer.text(name)))
	}
	if len(words) == 0 {
		return "no answer to anybody"
	}
	return strings.Join(words, "; ")
}

// explain finds out which mutations explain the broker's answer, each switched
// for itself, and whose answer the pages describe: they are the model without
// mutations.
func (r *run) explain(d *Difference, p *play) {
	off := r.game.rules.Off
	for m := model.Mutation(0); m < model.NumMutations; m++ {
		if p.explains(r.game.with(switched(off, m))) {
			d.Explained = append(d.Explained, m.String())
		}
	}
	switch {
	case off == model.Mutations{}:
		d.Pages = "model"
	case p.explains(r.game.with(model.Mutations{})):
		d.Pages = "broker"
	default:
		d.Pages = "neither"
	}
}

// explains tells whether other rules explain all that was seen, or at least the
// last answer in the situation that the model is in.
func (p *play) explains(g *game) bool {
	if g.explains(p.events) {
		return true
	}
	last := p.events[len(p.events)-1]
	k := tracker{g, p.track.states}
	return k.accept(k.expect(last.Request), &last) != nil
}

// rerun is the command that shows the difference again.
func (r *tally) rerun() string {
	words := []string{"explore conform --only " + r.part}
	if r.o.Bootstrap != "" {
		words = append(words, "--bootstrap "+r.o.Bootstrap)
	}
	for _, m := range r.o.Mutations.List() {
		words = append(words, "--mutate "+m.String())
	}
	return strings.Join(append(words, fmt.Sprintf("--requests %d --seed %d", r.o.Requests, r.o.Seed)), " ")
}
