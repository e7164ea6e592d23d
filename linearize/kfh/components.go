package kfh

import (
	"cmp"
	"slices"
)

// Component is a part of a history that is judged on its own. Requests that
// name a common group, transactional id, producer id or topic-partition belong
// together, so the split is exact (porcupine's verdict is void on parts that are
// not). name is what the part is about.
type Component struct {
	Name string
	Ops  []int // indexes into History.Ops, in the order of invocation
}

// Split finds the components, in the order in which they first appear.
func Split(h *History) []Component {
	root := map[string]string{}
	var find func(string) string
	find = func(k string) string {
		up, known := root[k]
		switch {
		case !known:
			root[k] = k
			return k
		case up == k:
			return k
		}
		root[k] = find(up)
		return root[k]
	}
	for i := range h.Ops {
		keys := h.Ops[i].keys()
		for _, k := range keys {
			root[find(k)] = find(keys[0])
		}
	}
	at := map[string]int{}
	var all []Component
	for i := range h.Ops {
		first := h.Ops[i].keys()[0]
		r := find(first)
		n, known := at[r]
		if !known {
			n = len(all)
			at[r] = n
			all = append(all, Component{Name: first})
		}
		all[n].Ops = append(all[n].Ops, i)
	}
	return all
}

// Only keeps some of the requests.
func (c Component) Only(keep func(op int) bool) Component {
	return Component{c.Name, slices.DeleteFunc(slices.Clone(c.Ops), func(i int) bool { return !keep(i) })}
}

// by splits a component further, by a name that some requests have. Such parts
// share state, so that a judgement on one of them is one-sided.
func (c Component) by(name func(op int) string) []Component {
	at := map[string]int{}
	var all []Component
	for _, i := range c.Ops {
		k := name(i)
		if k == "" {
			continue
		}
		n, known := at[k]
		if !known {
			n = len(all)
			at[k] = n
			all = append(all, Component{Name: k})
		}
		all[n].Ops = append(all[n].Ops, i)
	}
	return all
}

// Groups lists what each group's coordinator was asked.
func (c Component) Groups(h *History) []Component {
	return c.by(func(i int) string {
		if o := &h.Ops[i]; o.OfGroup() {
			return o.In.Group
		}
		return ""
	})
}

// Producers lists the requests of each transactional id.
func (c Component) Producers(h *History) []Component {
	return c.by(func(i int) string { return h.Ops[i].In.Txn })
}

// Logs lists the requests to each partition.
func (c Component) Logs(h *History) []Component {
	return c.by(func(i int) string { return h.Ops[i].In.Log })
}

// SortedKeys lists the keys of a map, so that what is done with each is repeatable.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
