package linearize

import (
	"slices"
)

// component is a part of a history that is judged on its own. Requests that
// name a common group, transactional id, producer id or topic-partition belong
// together, so the split is exact (porcupine's verdict is void on parts that are
// not). name is what the part is about.
type component struct {
	name string
	ops  []int // indexes into History.Ops, in the order of invocation
}

// split finds the components, in the order in which they first appear.
func split(h *History) []component {
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
	var all []component
	for i := range h.Ops {
		first := h.Ops[i].keys()[0]
		r := find(first)
		n, known := at[r]
		if !known {
			n = len(all)
			at[r] = n
			all = append(all, component{name: first})
		}
		all[n].ops = append(all[n].ops, i)
	}
	return all
}

func (c component) only(keep func(op int) bool) component {
	return component{c.name, slices.DeleteFunc(slices.Clone(c.ops), func(i int) bool { return !keep(i) })}
}

// by splits a component further, by a name that some requests have. Such parts
// share state, so that a judgement on one of them is one-sided.
func (c component) by(name func(op int) string) []component {
	at := map[string]int{}
	var all []component
	for _, i := range c.ops {
		k := name(i)
		if k == "" {
			continue
		}
		n, known := at[k]
		if !known {
			n = len(all)
			at[k] = n
			all = append(all, component{name: k})
		}
		all[n].ops = append(all[n].ops, i)
	}
	return all
}

// groups lists what each group's coordinator was asked.
func (c component) groups(h *History) []component {
	return c.by(func(i int) string {
		if o := &h.Ops[i]; o.ofGroup() {
			return o.In.Group
		}
		return ""
	})
}

// producers lists the requests of each transactional id.
func (c component) producers(h *History) []component {
	return c.by(func(i int) string { return h.Ops[i].In.Txn })
}

// logs lists the requests to each partition.
func (c component) logs(h *History) []component {
	return c.by(func(i int) string { return h.Ops[i].In.Log })
}
