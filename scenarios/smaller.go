package scenarios

import (
	"reflect"
	"slices"
	"strings"

	"fencecheck/model"
	"fencecheck/model/cluster"
)

// A Change takes something away from a definition; it is false where there is
// nothing to take away.
type Change func(d *Definition) bool

// A shrink lists the changes that make one key smaller. It is given the whole
// table, since a client takes its places in lists with it.
type shrink func(k *Knob, d *Definition, table []*Knob) []Change

// Smaller has what can be taken away from the definition: a mutation, a client, a
// fault, ..., in the order in which a minimiser tries them.
func (d *Definition) Smaller() []Change {
	all := removals(d.Mutations, func(d *Definition) *[]string { return &d.Mutations })
	byName := slices.SortedFunc(slices.Values(faults), func(a, b *Knob) int { return strings.Compare(a.Key, b.Key) })
	for _, k := range slices.Concat(cast, byName, circumstances) {
		all = append(all, k.smaller(k, d, Knobs)...)
	}
	return all
}

// WithoutMutation is the scenario with one mutation taken back.
func (s *Scenario) WithoutMutation(m model.Mutation) (*Scenario, error) {
	return s.Change(func(d *Definition) { d.Mutations = without(d.Mutations, m.String()) })
}

// meaning is for what a property's meaning rests on: with another value a
// violation would be another one.
func meaning(*Knob, *Definition, []*Knob) []Change { return nil }

// limit is for how far the model goes, which is no part of the story: a lower one
// leaves out nothing that happens in it.
func limit(*Knob, *Definition, []*Knob) []Change { return nil }

// byOne lowers a number step by step.
func byOne(least int) shrink {
	return func(k *Knob, _ *Definition, _ []*Knob) []Change {
		return []Change{func(d *Definition) bool {
			n := k.Value(d).(int)
			if n <= least {
				return false
			}
			k.Set(d, n-1)
			return true
		}}
	}
}

// unlessGoals is for what is still to come: with less of it, a goal is out of reach
// for no other reason.
func unlessGoals(s shrink) shrink {
	return func(k *Knob, d *Definition, table []*Knob) []Change {
		if len(d.Goals) > 0 {
			return nil
		}
		return s(k, d, table)
	}
}

// leftOut leaves the key out.
func leftOut(k *Knob, _ *Definition, _ []*Knob) []Change {
	return []Change{func(d *Definition) bool {
		if !k.isSet(d) || len(k.words) > 0 && k.Value(d) == k.words[0] {
			return false
		}
		k.field(d).SetZero()
		return true
	}}
}

// timely gives timers a reason again. Those that fire early go with the clock:
// neither makes sense without the other.
func timely(k *Knob, d *Definition, table []*Knob) []Change {
	early := rowOf(table, cluster.Expiries.String())
	return []Change{func(d *Definition) bool {
		if !leftOut(k, d, table)[0](d) {
			return false
		}
		early.Set(d, 0)
		return true
	}}
}

// wordByWord shortens a list of words.
func wordByWord(k *Knob, d *Definition, _ []*Knob) []Change {
	return removals(k.Value(d).([]string), func(d *Definition) *[]string { return k.field(d).Addr().Interface().(*[]string) })
}

// removals take one word each from a list.
func removals(words []string, list func(d *Definition) *[]string) []Change {
	var all []Change
	for _, word := range words {
		all = append(all, func(d *Definition) bool {
			from := list(d)
			there := slices.Contains(*from, word)
			*from = without(*from, word)
			return there
		})
	}
	return all
}

// givenBound lets a fault that may happen any number of times happen a few times.
func givenBound(_ *Knob, d *Definition, table []*Knob) []Change {
	var all []Change
	for _, key := range d.Unbounded {
		fault := rowOf(table, key)
		for n := range 4 {
			all = append(all, func(d *Definition) bool {
				if !slices.Contains(d.Unbounded, key) {
					return false
				}
				fault.Set(d, n)
				return true
			})
		}
	}
	return all
}

// rowOf finds a fault in the table.
func rowOf(table []*Knob, fault string) *Knob {
	return table[slices.IndexFunc(table, func(k *Knob) bool { return k.Key == faultKeys+fault })]
}

// clients takes away one member, or one writer, with its places in the lists by
// client. Those without such places are alike, so that only the last one is tried.
func clients(members bool) shrink {
	return func(k *Knob, d *Definition, table []*Knob) []Change {
		var all []Change
		for i := range k.Value(d).(int) {
			all = append(all, func(d *Definition) bool {
				n := k.Value(d).(int)
				least, client := 1, i
				if !members {
					client += d.Members + d.Simple
					least = min(1, max(0, 1-d.Members)) // somebody must take part
				}
				at := places(d, client, table)
				if i >= n || n <= least || i < n-1 && len(at) == 0 {
					return false
				}
				for k, place := range at {
					list := k.field(d)
					list.Set(reflect.AppendSlice(list.Slice3(0, place, place), list.Slice(place+1, list.Len())))
				}
				k.Set(d, n-1)
				leaveUnneeded(d, table)
				return true
			})
		}
		return all
	}
}

// places finds a client in the lists by client.
func places(d *Definition, client int, table []*Knob) map[*Knob]int {
	all := map[*Knob]int{}
	for _, k := range table {
		if k.each == nil || !k.isSet(d) {
			continue
		}
		if place, listed := k.each(d, client); listed {
			all[k] = place
		}
	}
	return all
}

// leaveUnneeded leaves out the keys that mean nothing any more.
func leaveUnneeded(d *Definition, table []*Knob) {
	for _, k := range table {
		if !k.needs.isMet(d) && k.isSet(d) {
			k.Set(d, reflect.Zero(reflect.TypeOf(k.Value(d))).Interface())
		}
	}
}
