package scenarios

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"fencecheck/invariants"
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/search"
)

// InputError is a scenario file that cannot be taken.
type InputError struct {
	File         string
	Line, Column int
	Field        string
	Problem      string // what was found, and what would be right
}

// Error has the place first, as compilers do.
func (e *InputError) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	if e.Field != "" {
		return fmt.Sprintf("%s: %s: %s", where, e.Field, e.Problem)
	}
	return fmt.Sprintf("%s: %s", where, e.Problem)
}

// Definition is a scenario as it is written, in YAML or JSON. A key that is left
// out is zero.
type Definition struct {
	ID             string           `yaml:"id" json:"id"`
	Title          string           `yaml:"title" json:"title,omitempty"`
	Doc            string           `yaml:"doc" json:"doc,omitempty"`
	Protocol       string           `yaml:"protocol" json:"protocol"`
	Members        int              `yaml:"members" json:"members"`
	Simple         int              `yaml:"simple" json:"simple,omitempty"`
	Partitions     int              `yaml:"partitions" json:"partitions"`
	Topics         int              `yaml:"topics" json:"topics,omitempty"`
	FirstTopicOnly bool             `yaml:"first_topic_only" json:"first_topic_only,omitempty"`
	Records        int              `yaml:"records" json:"records"`
	Writers        int              `yaml:"writers" json:"writers,omitempty"`           // clients that only produce
	Outputs        int              `yaml:"outputs" json:"outputs,omitempty"`           // output partitions
	Transactions   int              `yaml:"transactions" json:"transactions,omitempty"` // that a writer begins
	Version        int              `yaml:"transaction_version" json:"transaction_version,omitempty"`
	Feature        int              `yaml:"broker_transaction_version" json:"broker_transaction_version,omitempty"`
	IDs            []int            `yaml:"transactional_ids" json:"transactional_ids,omitempty"` // of each producer
	BareGroup      bool             `yaml:"bare_group" json:"bare_group,omitempty"`
	NoVerification bool             `yaml:"no_verification" json:"no_verification,omitempty"`
	MaxEpoch       int              `yaml:"max_epoch" json:"max_epoch,omitempty"` // in place of 32767
	Epochs         int              `yaml:"epochs" json:"epochs,omitempty"`       // bound on producer epochs
	Assignors      [][]string       `yaml:"assignors" json:"assignors,omitempty"`
	Sessions       []string         `yaml:"sessions" json:"sessions,omitempty"`
	JoinV3         bool             `yaml:"join_v3" json:"join_v3,omitempty"`
	AnyOrder       bool             `yaml:"any_order" json:"any_order,omitempty"` // a leader may list the members in any order
	Commit         string           `yaml:"commit" json:"commit,omitempty"`
	Clock          string           `yaml:"clock" json:"clock,omitempty"`
	Travels        []string         `yaml:"travels" json:"travels,omitempty"`
	Faults         map[string]int   `yaml:"faults" json:"faults,omitempty"`
	Unbounded      []string         `yaml:"unbounded" json:"unbounded,omitempty"` // faults that may happen any number of times
	Ranks          bool             `yaml:"ranks" json:"ranks,omitempty"`         // forget the absolute values of generations
	InitialDelays  int              `yaml:"initial_delays" json:"initial_delays,omitempty"`
	GroupMaxSize   int              `yaml:"group_max_size" json:"group_max_size,omitempty"`
	Generations    int              `yaml:"generations" json:"generations,omitempty"`
	Mutations      []string         `yaml:"mutations" json:"mutations,omitempty"`
	Invariants     []string         `yaml:"invariants" json:"invariants,omitempty"`
	Goals          []string         `yaml:"goals" json:"goals,omitempty"`
	Witnesses      []string         `yaml:"witnesses" json:"witnesses,omitempty"`
	Expect         Expectation      `yaml:"expect" json:"expect"`
	Caught         []CaughtMutation `yaml:"caught" json:"caught,omitempty"`
}

// Expectation is what a search of the scenario finds, as a test holds.
type Expectation struct {
	Verdict  string `yaml:"verdict" json:"verdict"`
	Property string `yaml:"property" json:"property,omitempty"`
	Length   int    `yaml:"length" json:"length,omitempty"` // of the shortest counterexample
}

// CaughtMutation is what is found with mutations on, as a test holds.
type CaughtMutation struct {
	Mutate   []string `yaml:"mutate" json:"mutate"`
	Property string   `yaml:"property" json:"property"`
	Length   int      `yaml:"length" json:"length"`
}

//go:embed *.yaml
var embedded embed.FS

// All has the ready scenarios, by id.
var All = sync.OnceValue(func() []*Scenario {
	names, err := fs.Glob(embedded, "*.yaml")
	if err != nil {
		panic(err)
	}
	var all []*Scenario
	for _, name := range names {
		text, err := embedded.ReadFile(name)
		if err != nil {
			panic(err)
		}
		s, err := Parse("scenarios/"+name, text)
		if err != nil {
			panic(err)
		}
		s.Path = ""
		all = append(all, s)
	}
	return all
})

// ByID finds a ready scenario.
func ByID(id string) (*Scenario, error) {
	var ids []string
	for _, s := range All() {
		if s.ID == id {
			return s, nil
		}
		ids = append(ids, s.ID)
	}
	return nil, Unknown("scenario", id, ids)
}

// Open finds a ready scenario by its id, or reads a scenario file: a name that
// ends in .yaml or .yml, or has a slash.
func Open(name string) (*Scenario, error) {
	if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") && !strings.Contains(name, "/") {
		return ByID(name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, text)
}

// Parse reads a scenario from YAML or JSON; name stands in errors.
func Parse(name string, text []byte) (*Scenario, error) {
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, inputError(name, err)
	}
	if len(tree.Docs) > 1 {
		at := tree.Docs[1].GetToken().Position
		return nil, &InputError{File: name, Line: at.Line, Column: at.Column, Problem: "a second document begins here; right would be one scenario a file"}
	}
	if len(tree.Docs) == 0 || tree.Docs[0].Body == nil || tree.Docs[0].Body.Type() == ast.CommentType {
		return nil, &InputError{File: name, Line: 1, Column: 1, Problem: "the file is empty; a scenario has at least id, protocol, members, partitions and expect"}
	}
	return Read(name, tree.Docs[0].Body)
}

// Read takes a scenario from a part of a parsed file; name stands in errors.
func Read(name string, node ast.Node) (*Scenario, error) {
	var d Definition
	if err := yaml.NodeToValue(node, &d, yaml.Strict()); err != nil {
		return nil, inputError(name, err)
	}
	return build(name, d, node)
}

// Change is the scenario with its definition changed, checked again.
func (s *Scenario) Change(change func(d *Definition)) (*Scenario, error) {
	d := s.Definition
	d.Faults = maps.Clone(d.Faults)
	change(&d)
	return build(cmp.Or(s.Path, s.ID), d, nil)
}

func build(name string, d Definition, node ast.Node) (*Scenario, error) {
	b := &builder{file: name, root: node, in: &d, s: &Scenario{ID: d.ID, Title: d.Title, Doc: d.Doc, Path: name, Definition: d}}
	b.build()
	if b.err != nil {
		return nil, b.err
	}
	return b.s, nil
}

// inputError gives an error of the YAML library its place.
func inputError(name string, err error) error {
	e := &InputError{File: name, Problem: err.Error()}
	var located yaml.Error
	if errors.As(err, &located) {
		e.Problem = located.GetMessage()
		if t := located.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = t.Position.Line, t.Position.Column
		}
	}
	var kind *yaml.TypeError
	if errors.As(err, &kind) && kind.Token != nil {
		e.Problem = fmt.Sprintf("found %q; right would be %s", kind.Token.Value, kindNames[kind.DstType.Kind()])
	}
	if field, ok := strings.CutPrefix(e.Problem, "unknown field "); ok {
		keys := fileKeys()
		e.Problem = Unknown("key", strings.Trim(field, `"`), keys).Error()
	}
	return e
}

// kindNames says what a value of a definition can be.
var kindNames = map[reflect.Kind]string{reflect.Int: "a whole number", reflect.Bool: "true or false", reflect.String: "text",
	reflect.Slice: "a list", reflect.Map: "keys with numbers", reflect.Struct: "keys with values"}

// builder turns a file into a scenario, and stops at the first problem.
type builder struct {
	file string
	root ast.Node
	in   *Definition
	s    *Scenario
	err  error
}

// fail notes a problem at a path such as $.faults.pauses.
func (b *builder) fail(path, format string, args ...any) {
	if b.err != nil {
		return
	}
	e := &InputError{File: b.file, Field: strings.TrimPrefix(path, "$."), Problem: fmt.Sprintf(format, args...)}
	if node := b.node(path); node != nil && node.GetToken() != nil {
		e.Line, e.Column = node.GetToken().Position.Line, node.GetToken().Position.Column
	}
	b.err = e
}

// node is the place of a path in the file; nil if there is none.
func (b *builder) node(path string) ast.Node {
	if path == "" || b.root == nil {
		return nil
	}
	p, err := yaml.PathString(path)
	if err != nil {
		return nil
	}
	node, err := p.FilterNode(b.root)
	if err != nil {
		return nil
	}
	return node
}

// number checks a number's range. The YAML library cuts fractions off.
func (b *builder) number(key string, n, low, high int) int {
	if f, fraction := b.node("$." + key).(*ast.FloatNode); fraction {
		b.fail("$."+key, "found %s; right would be a whole number from %d to %d", f.GetToken().Value, low, high)
	}
	if n < low || n > high {
		b.fail("$."+key, "found %d; right would be %d to %d", n, low, high)
	}
	return n
}

// choice finds a word's place among those that are possible.
func (b *builder) choice(path, word string, words ...string) int {
	if i := slices.Index(words, word); i >= 0 {
		return i
	}
	b.fail(path, "found %q; right would be one of: %s", word, strings.Join(words, ", "))
	return 0
}

func (b *builder) build() {
	if b.in.ID == "" {
		b.fail("$.id", "every scenario needs an id")
	}
	for _, k := range Knobs {
		b.load(k)
	}
	b.together()
	b.s.Config.Rules.Off = b.mutations("$.mutations", b.in.Mutations)
	b.properties()
	b.expect()
}

// together checks what two keys must have in common.
func (b *builder) together() {
	f, c := b.in, &b.s.Config
	keys := budgetKeys()
	for _, key := range slices.Sorted(maps.Keys(f.Faults)) {
		if !slices.Contains(keys, key) {
			b.fail("$.faults."+key, "%v", Unknown("fault", key, keys))
		}
	}
	if c.Budgets[cluster.Zombies] > c.Budgets[cluster.Failovers] {
		b.fail("$.faults.zombie_coordinators", "each comes of a failover; coordinator_failovers allows %d", c.Budgets[cluster.Failovers])
	}
	if ok, why := c.Rankable(); c.Ranks && !ok {
		b.fail("$.ranks", "%s", why)
	}
	if c.AllPartitions() > cluster.MaxPartitions {
		b.fail("$.faults.added_partitions", "%d partitions and %d added ones are more than %d", c.Partitions, c.Budgets[cluster.AddedPartitions], cluster.MaxPartitions)
	}
	if (c.MayHappen(cluster.LateRequests) || c.MayHappen(cluster.LostAnswers)) && len(f.Travels) == 0 {
		b.fail("$.faults", "late_requests and lost_answers need requests that travel; name them under travels")
	}
	if c.Clock == cluster.Async && !c.MayHappen(cluster.Expiries) {
		b.fail("$.clock", "under the async clock timers fire without a reason, as often as faults.expiries allows; that is 0")
	}
	if c.MayHappen(cluster.Expiries) && c.Clock != cluster.Async {
		b.fail("$.faults.expiries", "timers fire without a reason under `clock: async` only")
	}
}

func (b *builder) mutations(path string, ids []string) model.Mutations {
	var set model.Mutations
	for i, id := range ids {
		m, err := MutationByID(id)
		if err != nil {
			b.fail(fmt.Sprintf("%s[%d]", path, i), "%v", err)
			return set
		}
		set = set.With(m)
	}
	return set
}

// MutationByID finds a mutation, or says which one may have been meant.
func MutationByID(id string) (model.Mutation, error) {
	if m, ok := model.MutationByID(id); ok {
		return m, nil
	}
	var ids []string
	for m := range model.NumMutations {
		ids = append(ids, m.String())
	}
	return 0, Unknown("mutation", id, ids)
}

func (b *builder) properties() {
	f, s := b.in, b.s
	for i, name := range f.Invariants {
		if slices.Contains(f.Invariants[:i], name) {
			b.fail(fmt.Sprintf("$.invariants[%d]", i), "%s is named twice", name)
		}
	}
	s.Invariants = named(b, "invariants", "invariant", f.Invariants, invariants.ByName, PropertyNames())
	s.Goals = named(b, "goals", "goal", f.Goals, invariants.GoalByName, PropertyNames())
	var known []string
	for i := range invariants.Witnesses {
		known = append(known, invariants.Witnesses[i].Name)
	}
	s.Witnesses = named(b, "witnesses", "witness", f.Witnesses, invariants.WitnessByName, known)
	if len(f.Invariants)+len(f.Goals) == 0 {
		b.fail("", "nothing is checked; name at least one under invariants or goals")
	}
	if len(f.Witnesses) == 0 {
		s.demandWitnesses()
	}
}

// named finds what a list names.
func named[T any](b *builder, key, what string, names []string, find func(string) (*T, bool), known []string) []*T {
	var all []*T
	for i, name := range names {
		one, ok := find(name)
		if !ok {
			b.fail(fmt.Sprintf("$.%s[%d]", key, i), "%v", Unknown(what, name, known))
			return nil
		}
		all = append(all, one)
	}
	return all
}

func (b *builder) expect() {
	f, s := b.in, b.s
	s.Expect.Verdict = search.Verdict(b.choice("$.expect.verdict", f.Expect.Verdict, "holds", "violated"))
	s.Expect.Property, s.Expect.Length = f.Expect.Property, f.Expect.Length
	if s.Expect.Verdict == search.Violated && s.Expect.Property == "" {
		b.fail("$.expect", "a violated scenario names the property and the length of the shortest counterexample")
	}
	for i, c := range f.Caught {
		set := b.mutations(fmt.Sprintf("$.caught[%d].mutate", i), c.Mutate)
		s.Caught = append(s.Caught, Caught{set, c.Property, c.Length})
	}
}

// fileKeys has the keys that a scenario file can have.
func fileKeys() []string {
	var keys []string
	for _, t := range []reflect.Type{reflect.TypeFor[Definition](), reflect.TypeFor[Expectation](), reflect.TypeFor[CaughtMutation]()} {
		for i := range t.NumField() {
			keys = append(keys, t.Field(i).Tag.Get("yaml"))
		}
	}
	return keys
}
