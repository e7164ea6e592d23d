package counterexamples

import (
	"bytes"
	"fmt"
	"os"

	"github.com/goccy/go-yaml/ast"

	"fencecheck/invariants"
	"fencecheck/model/cluster"
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
		return nil, d.failAt(0, "the file is empty; right would be a counterexample as `explore run --save` writes it")
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
	if get(root, "confirmed") != nil {
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
func (d *document) format(root ast.Node) error {
	if root.Type() != ast.MappingType {
		return d.fail(root, "", "found %s; right would be an object", what(root))
	}
	n := get(root, "format")
	if n == nil {
		return d.fail(root, "", "the key \"format\" is missing; right would be \"format\": %d", Format)
	}
	if n.Type() != ast.IntegerType || what(n) != number(Format) {
		return d.fail(n, "format", "found %s; this version of fencecheck (%s) reads format %d", what(n), Version, Format)
	}
	return nil
}

func (d *document) property(root ast.Node, c *Counterexample) error {
	name, at, err := d.word(root, "", "property")
	if err != nil {
		return err
	}
	_, isInvariant := invariants.ByName(name)
	_, isGoal := invariants.GoalByName(name)
	if !isInvariant && !isGoal {
		return d.fail(at, "property", "unknown property %q; %s", name, scenarios.Nearest(name, scenarios.PropertyNames()))
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
		return d.fail(at, "kind", "found %q; %s is of kind %q", kind, name, right)
	}
	c.Property, c.Kind = name, kind
	return nil
}

// scenario lets package scenarios read its part of the document.
func (d *document) scenario(root ast.Node, c *Counterexample) error {
	n := get(root, "scenario")
	if n == nil {
		return d.fail(root, "", "the key %q is missing", "scenario")
	}
	if n.Type() != ast.MappingType {
		return d.fail(n, "scenario", "found %s; right would be an object", what(n))
	}
	s, err := scenarios.Read(d.name, n)
	if err != nil {
		return err
	}
	if c.Scenario, err = s.Only(c.Property); err != nil {
		return d.fail(n, "scenario", "%v", err)
	}
	return nil
}

func (d *document) steps(root ast.Node, c *Counterexample) error {
	n := get(root, "steps")
	if n == nil {
		return d.fail(root, "", "the key %q is missing", "steps")
	}
	list, ok := n.(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		return d.fail(n, "steps", "found %s; right would be an array with at least one step", what(n))
	}
	for i, item := range list.Values {
		st, err := d.step(item, fmt.Sprintf("step %d", i+1), &c.Scenario.Config)
		if err != nil {
			return err
		}
		c.Steps = append(c.Steps, st)
	}
	return nil
}

func (d *document) step(n ast.Node, field string, cfg *cluster.Config) (st search.Step, err error) {
	if err := d.object(n, field, "op", "params"); err != nil {
		return st, err
	}
	name, at, err := d.word(n, field, "op")
	if err != nil {
		return st, err
	}
	op, ok := ops.ByName(name)
	if !ok {
		return st, d.fail(at, field, "unknown operation %q; %s", name, scenarios.Nearest(name, opNames()))
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
func (d *document) args(n ast.Node, field string, op *ops.Op, cfg *cluster.Config) (a ops.Args, err error) {
	params := get(n, "params")
	if params == nil {
		params = ast.Mapping(n.GetToken(), true)
	}
	if err := d.object(params, field+", params of "+op.Name, paramKeys(op)...); err != nil {
		return a, err
	}
	for i, to := range [...]*uint8{&a.A, &a.B} {
		if kind := op.Params[i]; kind != ops.NoParam {
			parse := func(word string) (uint8, error) { return parseParam(cfg, kind, word) }
			if err := arg(d, params, field, kind.String(), to, parse); err != nil {
				return a, err
			}
		}
	}
	if get(params, pickParam) != nil {
		parse := func(word string) (uint8, error) { return parseNumbered("", word, 0, cluster.MaxMembers-1) }
		if err := arg(d, params, field, pickParam, &a.Pick, parse); err != nil {
			return a, err
		}
	}
	if get(params, orderParam) != nil {
		err = arg(d, params, field, orderParam, &a.Order, parseOrder)
	}
	return a, err
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

// arg reads one parameter.
func arg[T any](d *document, params ast.Node, field, key string, to *T, parse func(word string) (T, error)) error {
	word, at, err := d.word(params, field, key)
	if err != nil {
		return err
	}
	if *to, err = parse(word); err != nil {
		return d.fail(at, field+", "+key, "%v", err)
	}
	return nil
}
