package counterexamples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"fencecheck/invariants"
	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// Open reads a saved counterexample from a file.
func Open(path string) (*Counterexample, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Read(path, text)
}

// Read takes a saved counterexample apart. Its errors are
// *scenarios.InputError: they say where something is wrong, what was found and
// what would be right. That the steps are possible is for Replay to say.
func Read(name string, text []byte) (*Counterexample, error) {
	d := &document{name, text}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, d.fail(0, "", "the file is empty; right would be a counterexample as `explore run --save` writes it")
	}
	root, err := d.parse()
	if err != nil {
		return nil, err
	}
	if err := d.format(root); err != nil {
		return nil, err
	}
	if err := d.object(root, "", "format", "fencecheck", "title", "story", "confirmed", "property", "kind", "scenario", "steps"); err != nil {
		return nil, err
	}
	c := &Counterexample{}
	for _, f := range [...]struct {
		key string
		to  *string
	}{{"fencecheck", &c.Version}, {"title", &c.Title}, {"story", &c.Story}} {
		if *f.to, _, err = d.word(root, "", f.key); err != nil {
			return nil, err
		}
	}
	if root.get("confirmed") != nil {
		if c.Confirmed, _, err = d.word(root, "", "confirmed"); err != nil {
			return nil, err
		}
	}
	if err := d.property(root, c); err != nil {
		return nil, err
	}
	if err := d.scenario(root, c); err != nil {
		return nil, err
	}
	return c, d.steps(root, c)
}

// format comes first: in another format every other key may mean something
// else.
func (d *document) format(root *node) error {
	if root.kind != '{' {
		return d.fail(root.from, "", "found %s; right would be an object", root.what())
	}
	n := root.get("format")
	if n == nil {
		return d.fail(root.from, "", "the key \"format\" is missing; right would be \"format\": %d", Format)
	}
	if n.value != json.Number(number(Format)) {
		return d.fail(n.from, "format", "found %s; this version of fencecheck (%s) reads format %d", n.what(), Version, Format)
	}
	return nil
}

func (d *document) property(root *node, c *Counterexample) error {
	name, at, err := d.word(root, "", "property")
	if err != nil {
		return err
	}
	_, isInvariant := invariants.ByName(name)
	_, isGoal := invariants.GoalByName(name)
	if !isInvariant && !isGoal {
		return d.fail(at.from, "property", "unknown property %q; %s", name, scenarios.Nearest(name, scenarios.PropertyNames()))
	}
	right := Goal
	if isInvariant {
		right = Invariant
	}
	kind, at, err := d.word(root, "", "kind")
	if err != nil {
		return err
	}
	if kind != right {
		return d.fail(at.from, "kind", "found %q; %s is of kind %q", kind, name, right)
	}
	c.Property, c.Kind = name, kind
	return nil
}

// scenario lets package scenarios read its part of the document. All else is
// blanked, so that the places in errors are those of the file.
func (d *document) scenario(root *node, c *Counterexample) error {
	n := root.get("scenario")
	if n == nil {
		return d.fail(root.from, "", "the key %q is missing", "scenario")
	}
	if n.kind != '{' {
		return d.fail(n.from, "scenario", "found %s; right would be an object", n.what())
	}
	text := slices.Clone(d.text[:n.to])
	for i := range text[:n.from] {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
	s, err := scenarios.Parse(d.name, text)
	if err != nil {
		return err
	}
	if c.Scenario, err = s.Only(c.Property); err != nil {
		return d.fail(n.from, "scenario", "%v", err)
	}
	return nil
}

func (d *document) steps(root *node, c *Counterexample) error {
	n := root.get("steps")
	if n == nil {
		return d.fail(root.from, "", "the key %q is missing", "steps")
	}
	if n.kind != '[' || len(n.items) == 0 {
		return d.fail(n.from, "steps", "found %s; right would be an array with at least one step", n.what())
	}
	for i, item := range n.items {
		st, err := d.step(item, fmt.Sprintf("step %d", i+1), &c.Scenario.Config)
		if err != nil {
			return err
		}
		c.Steps = append(c.Steps, st)
	}
	return nil
}

func (d *document) step(n *node, field string, cfg *model.Config) (st search.Step, err error) {
	if err := d.object(n, field, "op", "params"); err != nil {
		return st, err
	}
	name, at, err := d.word(n, field, "op")
	if err != nil {
		return st, err
	}
	op, ok := ops.ByName(name)
	if !ok {
		return st, d.fail(at.from, field, "unknown operation %q; %s", name, scenarios.Nearest(name, opNames()))
	}
	args, err := d.args(n, field, &ops.Table[op], cfg)
	return search.Step{Op: uint16(op), Arg: args.Pack()}, err
}

func opNames() []string {
	var names []string
	for i := range ops.Table {
		names = append(names, ops.Table[i].Name)
	}
	return names
}

// args reads the parameters that an operation has, no more and no less.
func (d *document) args(n *node, field string, op *ops.Op, cfg *model.Config) (a ops.Args, err error) {
	keys := paramKeys(op)
	params := n.get("params")
	if params == nil {
		params = &node{from: n.from, kind: '{'}
	}
	if err := d.object(params, field+", params of "+op.Name, keys...); err != nil {
		return a, err
	}
	for i, to := range [...]*uint8{&a.A, &a.B} {
		if kind := op.Params[i]; kind != ops.NoParam {
			if *to, err = d.arg(params, field, kind, cfg); err != nil {
				return a, err
			}
		}
	}
	if params.get(pickParam) != nil {
		word, at, err := d.word(params, field, pickParam)
		if err != nil {
			return a, err
		}
		if a.Pick, err = parseNumbered("", word, 0, model.MaxMembers-1); err != nil {
			return a, d.fail(at.from, field+", "+pickParam, "%v", err)
		}
	}
	if params.get(orderParam) != nil {
		word, at, err := d.word(params, field, orderParam)
		if err != nil {
			return a, err
		}
		if a.Order, err = parseOrder(word); err != nil {
			return a, d.fail(at.from, field+", "+orderParam, "%v", err)
		}
	}
	return a, nil
}

func paramKeys(op *ops.Op) []string {
	var keys []string
	for _, kind := range op.Params {
		if kind != ops.NoParam {
			keys = append(keys, kind.String())
		}
	}
	if op.Picks {
		keys = append(keys, pickParam, orderParam)
	}
	return keys
}

func (d *document) arg(params *node, field string, kind ops.Param, cfg *model.Config) (uint8, error) {
	word, at, err := d.word(params, field, kind.String())
	if err != nil {
		return 0, err
	}
	v, err := parseParam(cfg, kind, word)
	if err != nil {
		return 0, d.fail(at.from, field+", "+kind.String(), "%v", err)
	}
	return v, nil
}
