package search_test

import (
	"encoding/binary"
	"math/rand/v2"

	"fencecheck/search"
)

// A node is a state of a graph.
type node uint32

// An arc leads to a node. Its step's Arg is its place among the arcs of a node.
type arc struct {
	to      node
	op, out uint16
}

// A graph is a transition system given by its arcs. Encodings have different
// lengths, up to some dozen bytes.
type graph struct {
	initial []node
	arcs    [][]arc
}

func (g *graph) Ops() []string      { return []string{"a", "b", "c"} }
func (g *graph) Outcomes() []string { return []string{"", "x"} }

func (g *graph) Init(yield func(*node)) {
	for _, n := range g.initial {
		yield(&n)
	}
}

func (g *graph) Next(s, next *node, emit func(search.Step)) {
	for i, a := range g.arcs[*s] {
		*next = a.to
		emit(search.Step{Op: a.op, Outcome: a.out, Arg: uint32(i)})
	}
}

func (g *graph) Append(dst []byte, s *node) []byte {
	dst = binary.AppendUvarint(dst, uint64(*s))
	return append(dst, make([]byte, *s%41)...)
}

func (g *graph) Decode(src []byte, s *node) {
	n, _ := binary.Uvarint(src)
	*s = node(n)
}

// chain is 0 -> 1 -> ... -> n-1.
func chain(n int) *graph {
	g := &graph{initial: []node{0}, arcs: make([][]arc, n)}
	for i := range n - 1 {
		g.arcs[i] = []arc{{to: node(i + 1)}}
	}
	return g
}

// randomGraph draws a graph of up to so many nodes, of which some may be out
// of reach.
func randomGraph(r *rand.Rand, most int) *graph {
	n := 1 + r.IntN(most)
	g := &graph{arcs: make([][]arc, n)}
	degree := 1 + r.IntN(4)
	for range 1 + r.IntN(3) {
		g.initial = append(g.initial, node(r.IntN(n)))
	}
	for i := range g.arcs {
		for range r.IntN(degree + 1) {
			g.arcs[i] = append(g.arcs[i], arc{node(r.IntN(n)), uint16(r.IntN(3)), uint16(r.IntN(2))})
		}
	}
	return g
}

// distances is a breadth-first search as one writes it without care for speed.
func (g *graph) distances() map[node]int {
	dist := map[node]int{}
	var queue []node
	visit := func(n node, d int) {
		if _, ok := dist[n]; !ok {
			dist[n] = d
			queue = append(queue, n)
		}
	}
	for _, n := range g.initial {
		visit(n, 0)
	}
	for i := 0; i < len(queue); i++ {
		for _, a := range g.arcs[queue[i]] {
			visit(a.to, dist[queue[i]]+1)
		}
	}
	return dist
}
