package frame

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path"
	"slices"

	"github.com/goccy/go-yaml"
)

// Known is a difference that is known and does no harm to the verdict. It is
// recognised by what was asked, in which state, and by the two answers; a * in
// a pattern stands for any text.
type Known struct {
	ID   string `yaml:"id" json:"id"`
	Part string `yaml:"part" json:"part,omitempty"` // empty is Groups
	Rule string `yaml:"rule" json:"rule"`           // of the protocol pages
	Why  string `yaml:"why" json:"why"`             // what the broker does instead

	Request string `yaml:"request" json:"request"`
	State   string `yaml:"state" json:"state"`
	Model   string `yaml:"model" json:"model"`
	Broker  string `yaml:"broker" json:"broker"`

	// After, where it is given, is a request that the shortest sequence must
	// contain, like "LeaveGroup, of a pending id in Stable": the broker differs
	// there without showing it yet.
	After string `yaml:"after" json:"after,omitempty"`
	// Explained, where it is given, is a mutation that must explain the broker's
	// answer.
	Explained string `yaml:"explained" json:"explained,omitempty"`
	// GoesOn: neither the model nor the broker changes anything when it gives
	// this answer, so that a play can go on.
	GoesOn bool `yaml:"goes_on" json:"goes_on,omitempty"`
	// Avoid: such a request is not sent, since the broker dies of it, or does not
	// read it at all. Model and broker are not looked at.
	Avoid bool `yaml:"avoid" json:"avoid,omitempty"`
}

// kfakeKnown has the differences of the embedded broker, each confirmed by
// sending the same requests to Apache Kafka 4.4.0.
//
//go:embed kfake.yaml
var kfakeKnown []byte

// KfakeKnown are the known differences of the embedded broker.
func KfakeKnown() []Known {
	all, err := ParseKnown(kfakeKnown)
	if err != nil {
		panic(fmt.Sprintf("conform: kfake.yaml: %v", err))
	}
	return all
}

// ReadKnown reads a file of known differences: a YAML or JSON list of entries
// with the keys of Known.
func ReadKnown(file string) ([]Known, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all, err := ParseKnown(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return all, nil
}

// ParseKnown reads such a list.
func ParseKnown(text []byte) ([]Known, error) {
	all := []Known{}
	if err := yaml.UnmarshalWithOptions(text, &all, yaml.Strict()); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, k := range all {
		if k.ID == "" || k.Why == "" || seen[k.ID] {
			return nil, fmt.Errorf("entry %d needs an id of its own, and a why", i+1)
		}
		seen[k.ID] = true
		if p := k.InPart(); p != Groups && p != Transactions {
			return nil, fmt.Errorf("%s: part is %s or %s, found %q", k.ID, Groups, Transactions, p)
		}
		patterns := []string{k.Request, k.State, k.Model, k.Broker}
		if k.Avoid {
			patterns = patterns[:2]
		}
		for _, pattern := range patterns {
			if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
				return nil, fmt.Errorf("%s: request, state, model and broker are patterns, %q is none", k.ID, pattern)
			}
		}
	}
	return all, nil
}

func like(pattern, text string) bool {
	ok, _ := path.Match(pattern, text)
	return ok
}

// InPart is the part in which it can occur.
func (k *Known) InPart() string { return cmp.Or(k.Part, Groups) }

// Of are those known differences that can occur in a part.
func Of(known []Known, part string) []Known {
	return slices.DeleteFunc(slices.Clone(known), func(k Known) bool { return k.InPart() != part })
}

func (k *Known) likeSignature(s Signature) bool {
	return like(k.Request, s.Request) && like(k.State, s.State) && like(k.Model, s.Answer) && like(k.Broker, s.Broker)
}

func (k *Known) matches(d *Difference) bool {
	if k.Avoid || !k.likeSignature(Signature{d.Triple, d.Broker}) {
		return false
	}
	if k.Explained != "" && !slices.Contains(d.Explained, k.Explained) {
		return false
	}
	return k.After == "" || slices.ContainsFunc(d.Steps, func(x Exchange) bool { return like(k.After, x.Class) })
}

// Avoided says why a request must not be sent, "" if it may.
func Avoided(known []Known, request, state string) string {
	for i := range known {
		if k := &known[i]; k.Avoid && like(k.Request, request) && like(k.State, state) {
			return "not sent, because of the known difference " + k.ID
		}
	}
	return ""
}
