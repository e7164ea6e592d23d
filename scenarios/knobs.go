package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"fencecheck/model"
	"fencecheck/model/cluster"
)

// A Knob is one key of a scenario with all that there is to say about it. The
// loader, the command's flags, what a result says of its bounds, and the
// minimiser read its row in Knobs, so that a further one is a field of
// Definition, one of cluster.Config, and a row.
type Knob struct {
	// Key is what a file calls it; those of faults are below "faults".
	Key string
	Doc string
	// Flag is that of explore run and explore walk, "" where there is none.
	Flag string

	// needs is without what the key means nothing, nil for nothing. Results leave
	// it out then, unless it is one of those that they always have.
	needs  *need
	always bool
	// words are the values of a key that is one of some words, the one first that
	// is meant where it is left out.
	words []string
	// plain is what a number means that is left out.
	plain int
	// span is the range of a number; it may depend on the rows above.
	span func(c *cluster.Config) (least, most int)
	// at is the place in the configuration of a number, a switch or a word.
	at func(c *cluster.Config) any
	// load takes a key whose value goes to no single place.
	load func(b *builder)
	// each finds a client's place in a list by client, which shrinks with them.
	each func(d *Definition, client int) (place int, listed bool)

	// smaller has the ways to take something away.
	smaller shrink
	// says is what a result says of it to people, "" where there is nothing to say;
	// shown is its value for programs, where that is not what stands at its place.
	says  func(c *cluster.Config) string
	shown func(c *cluster.Config) any
}

// A need is what a scenario must have for a key to mean something. Without it
// the key is refused, or, where there is no refusal, taken and of no effect.
type need struct {
	met     func(d *Definition) bool
	refusal string
}

var (
	consumers = &need{hasGroup, "a transactional-producer scenario has writers and outputs only"}
	aGroup    = &need{met: hasGroup}
	writers   = &need{func(d *Definition) bool { return d.Writers > 0 }, "only writers begin a number of transactions, and the scenario has none"}
	producers = &need{func(d *Definition) bool { return d.Writers > 0 || d.Protocol != classicEager },
		"the scenario has no producers; they come with `protocol: eos-v2`, `protocol: transactional-producer` or writers"}
)

func hasGroup(d *Definition) bool { return d.Protocol != transactionalProducer }

// needOf is what faults and requests of a part of the protocol need.
func needOf(part model.ProtocolPart) *need {
	switch part {
	case model.AnyPart:
		return nil
	case model.ClassicPart, model.OffsetsPart:
		return aGroup
	case model.TransactionsPart:
		return producers
	}
	return &need{func(*Definition) bool { return false }, "it is " + part.String() + "'s, and no scenario has one"}
}

func (n *need) isMet(d *Definition) bool { return n == nil || n.met(d) }

// refuses tells whether a key must not be there.
func (n *need) refuses(d *Definition) bool { return !n.isMet(d) && n.refusal != "" }

// Knobs is the table of all keys but those that say what is checked and
// expected, in the order in which they are loaded and told.
var Knobs = slices.Concat(cast, faults, circumstances)

var faults = faultKnobs()

// faultKnobs has a row for each budget.
func faultKnobs() []*Knob {
	var all []*Knob
	for b := range cluster.NumBudgets {
		flag := strings.ReplaceAll(b.String(), "_", "-")
		if short, ok := shortFlags[b]; ok {
			flag = short
		}
		most := 9
		if b == cluster.Deletions {
			most = cluster.MaxDeletions
		}
		name := strings.ReplaceAll(b.String(), "_", " ")
		all = append(all, &Knob{Key: faultKeys + b.String(), Doc: "how often: " + b.Doc(), Flag: flag, needs: needOf(b.Part()), always: true,
			span: between(0, most), at: func(c *cluster.Config) any { return &c.Budgets[b] }, smaller: byOne(0),
			says: func(c *cluster.Config) string {
				switch n := c.Budgets[b]; {
				case c.Unbounded[b]:
					return "any number of " + name
				case n > 0:
					return fmt.Sprintf("%s %d", name, n)
				}
				return ""
			},
			shown: func(c *cluster.Config) any {
				if c.Unbounded[b] {
					return unbounded
				}
				return c.Budgets[b]
			}})
	}
	return all
}

const (
	faultKeys = "faults."
	unbounded = "unbounded"
)

// shortFlags has the budgets whose flag is shorter than their key.
var shortFlags = map[cluster.Budget]string{cluster.LateRequests: "late", cluster.LostAnswers: "lost"}

// Name is the key without what it is below; results have it.
func (k *Knob) Name() string { return strings.TrimPrefix(k.Key, faultKeys) }

// Value is what a definition says: a whole number, a truth value, a word, or a
// list. It is zero where the key is left out.
func (k *Knob) Value(d *Definition) any {
	if strings.HasPrefix(k.Key, faultKeys) {
		return d.Faults[k.Name()]
	}
	return k.field(d).Interface()
}

// Set changes a definition. A fault that is given a number has a bound.
func (k *Knob) Set(d *Definition, value any) {
	if !strings.HasPrefix(k.Key, faultKeys) {
		k.field(d).Set(reflect.ValueOf(value))
		return
	}
	if d.Faults == nil {
		d.Faults = map[string]int{}
	}
	if d.Faults[k.Name()] = value.(int); value == 0 {
		delete(d.Faults, k.Name())
	}
	d.Unbounded = without(d.Unbounded, k.Name())
}

// field is the definition's field for the key.
func (k *Knob) field(d *Definition) reflect.Value {
	v := reflect.ValueOf(d).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == k.Key {
			return v.Field(i)
		}
	}
	panic("Definition has no field for the key " + k.Key)
}

// isSet tells whether a definition has the key.
func (k *Knob) isSet(d *Definition) bool {
	v := reflect.ValueOf(k.Value(d))
	return !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0)
}

// load takes the key from the definition.
func (b *builder) load(k *Knob) {
	path, value := "$."+k.Key, k.Value(b.in)
	if k.needs.refuses(b.in) {
		if k.isSet(b.in) {
			b.fail(path, "found %v; %s", value, k.needs.refusal)
		}
		return
	}
	if k.load != nil {
		k.load(b)
		return
	}
	to := reflect.ValueOf(k.at(&b.s.Config)).Elem()
	switch value := value.(type) {
	case bool:
		to.SetBool(value)
	case string:
		if value != "" {
			to.SetUint(uint64(b.choice(path, value, k.words...)))
		}
	case int:
		if value == 0 {
			value = k.plain
		}
		least, most := k.span(&b.s.Config)
		n := b.number(k.Key, value, least, most)
		to.Set(reflect.ValueOf(n).Convert(to.Type()))
	}
}

// Bounds is all that the scenario assumes, by name: whole numbers, truth values,
// words and lists, and "unbounded" where there is no bound.
func (s *Scenario) Bounds() map[string]any {
	all := map[string]any{}
	for _, k := range Knobs {
		if k.always || k.needs.isMet(&s.Definition) {
			all[k.Name()] = k.effective(s)
		}
	}
	return all
}

// effective is what a program reads: what stands in the configuration, of words
// and lists what is written.
func (k *Knob) effective(s *Scenario) any {
	written := reflect.ValueOf(k.Value(&s.Definition))
	switch {
	case k.shown != nil:
		return k.shown(&s.Config)
	case len(k.words) > 0 && written.IsZero():
		return k.words[0]
	case k.at != nil && len(k.words) == 0:
		return reflect.ValueOf(k.at(&s.Config)).Elem().Interface()
	case written.IsZero() && written.Kind() == reflect.Slice:
		return []string{}
	}
	return written.Interface()
}

// Within says in words what the scenario assumes, and what it sets to no effect.
func (s *Scenario) Within() string {
	var words []string
	for _, k := range Knobs {
		if k.says == nil || !k.needs.isMet(&s.Definition) && !k.isSet(&s.Definition) {
			continue
		}
		if text := k.says(&s.Config); text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, ", ")
}
