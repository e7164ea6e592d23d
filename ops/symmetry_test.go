package ops

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fencecheck/model"
	"fencecheck/model/cluster"
)

// drawSymmetric draws a configuration whose clients are alike.
func drawSymmetric(t *rapid.T) *cluster.Config {
	c := drawConfig(t)
	c.AnyOrder = rapid.IntRange(0, 3).Draw(t, "any order") > 0
	c.Simple = rapid.IntRange(0, 2).Draw(t, "simple consumers")
	c.Members = min(c.Members, cluster.MaxClients-c.Simple)
	c.Ranks = c.Budgets[cluster.Deletions] == 0 && rapid.Bool().Draw(t, "ranks")
	if rapid.Bool().Draw(t, "alike") {
		for i := range c.Protocols {
			c.Protocols[i] = c.Protocols[0]
		}
	}
	return c
}

// move is a step with its clients and partitions exchanged. A choice among
// members, and the place of a late request, are not mapped: they number what
// was sorted before. Of a member's id the client is left.
func move(g *cluster.Permutation, step Taken) string {
	a, o := step.Args, &Table[step.Op]
	values := [2]int{int(a.A), int(a.B)}
	for i, kind := range o.Params {
		switch kind {
		case Client:
			values[i] = int(g.Clients[values[i]])
		case Partition:
			values[i] = int(g.Partitions[values[i]])
		case Member:
			values[i] = cluster.ClientOf(g.ID(model.MemberID(values[i])))
		case Late:
			values[i] = 0
		}
	}
	return fmt.Sprint(o.Name, values, Outcomes[step.Outcome])
}

// successors has each step, as g moves it, with the state that g makes of its
// successor, in order and without doubles.
func successors(x *Exec, s *cluster.State, g *cluster.Permutation) []string {
	var all []string
	var next, moved cluster.State
	x.Next(s, &next, func(step Taken) {
		next.Permute(g, &moved)
		all = append(all, fmt.Sprintf("%s %x %v", move(g, step), encoded(&moved, x.cfg), moved.Last))
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// commutes tells whether exchanging numbers and then stepping is stepping and
// then exchanging.
func commutes(x *Exec, s *cluster.State, g *cluster.Permutation) bool {
	var moved cluster.State
	s.Permute(g, &moved)
	none := cluster.Identity()
	return slices.Equal(successors(x, s, g), successors(x, &moved, &none))
}

// idsOf finds every id that a state mentions, wherever it has room for one.
func idsOf(s *cluster.State) map[model.MemberID]bool {
	found := map[model.MemberID]bool{}
	var look func(v reflect.Value)
	look = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				look(v.Field(i))
			}
		case reflect.Array:
			for i := range v.Len() {
				look(v.Index(i))
			}
		default:
			if v.Type() == reflect.TypeFor[model.MemberID]() && v.Uint() != 0 {
				found[model.MemberID(v.Uint())] = true
			}
		}
	}
	plain := *s
	plain.Last = cluster.Event{}
	look(reflect.ValueOf(plain))
	return found
}

// leastNames is the first of the encodings of a state for all ways to name the ids
// of each client anew.
func leastNames(s *cluster.State, c *cluster.Config) []byte {
	var lives [cluster.MaxClients][]uint8
	for id := range idsOf(s) {
		i := cluster.ClientOf(id)
		lives[i] = append(lives[i], uint8(cluster.LifeOf(id)))
	}
	var least []byte
	g := cluster.Identity()
	var name func(client int)
	name = func(client int) {
		if client == cluster.MaxClients {
			var named cluster.State
			s.Permute(&g, &named)
			if code := encoded(&named, c); least == nil || bytes.Compare(code, least) < 0 {
				least = code
			}
			return
		}
		eachOrder(lives[client], func() {
			for n, life := range lives[client] {
				g.Lives[client][life] = uint8(n)
			}
			name(client + 1)
		})
	}
	name(0)
	return least
}

func eachOrder(numbers []uint8, visit func()) {
	if len(numbers) < 2 {
		visit()
		return
	}
	for i := range numbers {
		numbers[0], numbers[i] = numbers[i], numbers[0]
		eachOrder(numbers[1:], visit)
		numbers[0], numbers[i] = numbers[i], numbers[0]
	}
}

// namesMatter tells whether a state's steps depend on how ids are named.
func namesMatter(x *Exec, s *cluster.State, g *cluster.Permutation) bool {
	steps := func(s *cluster.State) []string {
		var all []string
		var next cluster.State
		none := cluster.Identity()
		x.Next(s, &next, func(step Taken) {
			all = append(all, fmt.Sprintf("%s %x", move(&none, step), leastNames(&next, x.cfg)))
		})
		slices.Sort(all)
		return slices.Compact(all)
	}
	var named cluster.State
	s.Permute(g, &named)
	return !slices.Equal(steps(s), steps(&named))
}

// An id is no more than a name.
func TestIDsAreOnlyNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawSymmetric(t)
		c.AnyOrder = true
		g := cluster.Identity()
		for i := range g.Lives {
			copy(g.Lives[i][:], rapid.Permutation(g.Lives[i][:]).Draw(t, "names"))
		}
		canon := canonOf(t, c)
		walk(t, c, func(x *Exec, s *cluster.State, _ []Taken) {
			if namesMatter(x, s, &g) {
				t.Fatalf("names matter in\n%+v", *s)
			}
			kept := *s
			canon.Canonize(&kept)
			for id := range idsOf(&kept) {
				if lives := idsOf(&kept); cluster.LifeOf(id) > 0 && !lives[id-1] {
					t.Fatalf("the canonical form of\n%+v\nleaves out a name before %d", *s, id)
				}
			}
		})
	})
}

func canonOf(t *rapid.T, c *cluster.Config) *cluster.Canon {
	y, why := c.Symmetry()
	if y == nil {
		t.Fatal(why)
	}
	return y.NewCanon()
}

// It would be more where members are listed by their ids: a client that joined
// twice, because it never learned of the first time, is two members.
func TestNamesMatterByNumber(t *testing.T) {
	cfg := &cluster.Config{Members: 2, Partitions: 1, Topics: 1, OldJoin: true}
	cfg.Travels[model.JoinGroup], cfg.Budgets[cluster.LostAnswers] = true, 1
	for i := range cfg.Protocols {
		cfg.Protocols[i] = model.ProtocolList(model.Range)
	}
	if y, _ := cfg.Symmetry(); y != nil {
		t.Error("the configuration has a symmetry")
	}
	g := cluster.Identity()
	g.Lives[0][0], g.Lives[0][1] = 1, 0
	if !someState(cfg, func(x *Exec, s *cluster.State) bool { return namesMatter(x, s, &g) }) {
		t.Error("names matter nowhere")
	}
}

// someState tells whether a reachable state is as wanted.
func someState(cfg *cluster.Config, wanted func(x *Exec, s *cluster.State) bool) bool {
	x := NewExec(cfg)
	var s, next cluster.State
	s.Initial(cfg)
	seen := map[string]bool{}
	for todo := []cluster.State{s}; len(todo) > 0; todo = todo[1:] {
		if wanted(x, &todo[0]) {
			return true
		}
		x.Next(&todo[0], &next, func(Taken) {
			if key := string(encoded(&next, cfg)); !seen[key] {
				seen[key] = true
				todo = append(todo, next)
			}
		})
	}
	return false
}

func drawPermutation(t *rapid.T, y *cluster.Symmetry) *cluster.Permutation {
	var all []*cluster.Permutation
	y.Each(func(g *cluster.Permutation) { all = append(all, g) })
	return rapid.SampledFrom(all).Draw(t, "permutation")
}

func TestSymmetryCommutesWithSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawSymmetric(t)
		y, _ := c.Symmetry()
		if y == nil {
			t.Skip("nothing is alike")
		}
		g := drawPermutation(t, y)
		walk(t, c, func(x *Exec, s *cluster.State, _ []Taken) {
			if !commutes(x, s, g) {
				t.Fatalf("%v does not commute in\n%+v", *g, *s)
			}
		})
	})
}

// No property tells apart what a symmetry exchanges.
func TestPropertiesAreSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawSymmetric(t)
		y, _ := c.Symmetry()
		if y == nil {
			t.Skip("nothing is alike")
		}
		g := drawPermutation(t, y)
		walk(t, c, func(x *Exec, s *cluster.State, steps []Taken) {
			var moved, next, nextMoved cluster.State
			s.Permute(g, &moved)
			if a, b := judgement(c, s), judgement(c, &moved); a != b {
				t.Fatalf("%v changes\n%s\nto\n%s", *g, a, b)
			}
			for _, step := range steps {
				NewExec(c).Take(s, &next, step.Op, step.Args)
				next.Permute(g, &nextMoved)
				if a, b := stepJudgement(c, s, &next), stepJudgement(c, &moved, &nextMoved); a != b {
					t.Fatalf("%v changes, for %s,\n%s\nto\n%s", *g, Table[step.Op].Name, a, b)
				}
			}
		})
	})
}

// TestSymmetryCommutesWithSteps can fail: it finds that members cannot be exchanged where they
// are listed by number, nor partitions that an assignor deals differently.
func TestFalseSymmetryIsFound(t *testing.T) {
	swapped := cluster.Identity()
	swapped.Clients[0], swapped.Clients[1] = 1, 0
	dealt := cluster.Identity() // of three, range gives two and one
	dealt.Partitions[0], dealt.Partitions[2] = 2, 0
	for name, c := range map[string]struct {
		g          cluster.Permutation
		anyOrder   bool
		partitions int
	}{"members by number": {swapped, false, 1}, "unequal shares": {dealt, true, 3}} {
		t.Run(name, func(t *testing.T) {
			cfg := &cluster.Config{Members: 2, Partitions: c.partitions, Topics: 1, AnyOrder: c.anyOrder}
			for i := range cfg.Protocols {
				cfg.Protocols[i] = model.ProtocolList(model.Range)
			}
			if y, _ := cfg.Symmetry(); y != nil {
				y.Each(func(g *cluster.Permutation) {
					if *g == c.g {
						t.Error("the configuration takes it for a symmetry")
					}
				})
			}
			if !someState(cfg, func(x *Exec, s *cluster.State) bool { return !commutes(x, s, &c.g) }) {
				t.Error("it commutes with every step")
			}
		})
	}
}

// Every state of an orbit has the same canonical form, which is of the orbit and
// its own canonical form.
func TestCanonicalForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawSymmetric(t)
		y, _ := c.Symmetry()
		if y == nil {
			t.Skip("nothing is alike")
		}
		g, canon := drawPermutation(t, y), y.NewCanon()
		walk(t, c, func(_ *Exec, s *cluster.State, _ []Taken) {
			var moved cluster.State
			s.Permute(g, &moved)
			one, other := *s, moved
			canon.Canonize(&one)
			canon.Canonize(&other)
			code := encoded(&one, c)
			if !bytes.Equal(code, encoded(&other, c)) {
				t.Fatalf("%v changes the canonical form of\n%+v", *g, *s)
			}
			again := one
			canon.Canonize(&again)
			if !bytes.Equal(code, encoded(&again, c)) {
				t.Fatalf("the canonical form of\n%+v\nis not its own", *s)
			}
			found := false
			y.Each(func(h *cluster.Permutation) {
				s.Permute(h, &moved)
				found = found || bytes.Equal(code, encoded(&moved, c)) ||
					c.AnyOrder && bytes.Equal(leastNames(&one, c), leastNames(&moved, c))
			})
			if !found {
				t.Fatalf("the canonical form of\n%+v\nis another state", *s)
			}
		})
	})
}

func TestCanonicalFormAllocatesNothing(t *testing.T) {
	c := &cluster.Config{Members: 3, Partitions: 2, Topics: 1, Records: 1, AnyOrder: true}
	for i := range c.Protocols {
		c.Protocols[i] = model.ProtocolList(model.Range)
	}
	y, why := c.Symmetry()
	if y == nil || y.Size() != 12 {
		t.Fatalf("3 members and 2 partitions: %v", why)
	}
	canon := y.NewCanon()
	var s cluster.State
	s.Initial(c)
	s.Clients[1].Phase = cluster.Unjoined
	canon.Canonize(&s)
	if n := testing.AllocsPerRun(100, func() { canon.Canonize(&s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
