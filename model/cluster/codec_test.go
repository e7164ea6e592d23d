package cluster

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fencecheck/model"
)

// everything is a configuration under which a state has all of its fields.
func everything() *Config {
	c := &Config{Members: MaxClients, Partitions: MaxPartitions, Topics: 1, Transactional: true, Outputs: MaxOutputs}
	for b := range c.Budgets {
		c.Budgets[b] = 1
	}
	c.Rules.Subscriptions = true
	c.Partitions -= int(c.Budgets[AddedPartitions])
	for i := range c.IDs {
		c.IDs[i] = uint8(i % MaxTransactionals)
	}
	return c
}

func produce() model.API { return model.Produce }

// each calls check for each field that is a part of a state's identity, in a
// state of its own, in which that field is to be set.
func each(t *testing.T, check func(s *State, at leaf)) {
	base := anyState(t, rand.New(rand.NewPCG(3, 4)), produce)
	base.Last = Event{}
	var s State
	for _, l := range leaves(reflect.ValueOf(&s).Elem(), "") {
		if !strings.HasPrefix(l.path, "Last.") {
			s = base
			check(&s, l)
		}
	}
}

func TestAnyStateSurvives(t *testing.T) {
	l := NewLayout(everything())
	r := rand.New(rand.NewPCG(1, 2))
	var back State
	for range 300 {
		s := anyState(t, r, produce)
		s.Last = Event{}
		if l.Decode(l.Append(nil, &s), &back); back != s {
			t.Fatalf("%s does not come back from its encoding", differs(&s, &back))
		}
	}
}

// Every field comes back from its encoding with its extremes, and what was in the
// state before does not matter; so two values have two encodings.
func TestEveryFieldSurvives(t *testing.T) {
	l := NewLayout(everything())
	other := anyState(t, rand.New(rand.NewPCG(5, 6)), produce)
	each(t, func(s *State, at leaf) {
		in := at.span(t)
		values := []int64{in[0], -1, 0, 1, in[1]/2 + 1, in[1] - 1, in[1]}
		if at.Type() == reflect.TypeFor[model.API]() {
			values = []int64{int64(model.EndTxn), int64(model.WriteTxnMarkers)}
		}
		for _, n := range values {
			if n < in[0] || n > in[1] || n == 0 && at.present() {
				continue
			}
			at.set(n)
			for _, back := range []State{{}, other} {
				if l.Decode(l.Append(nil, s), &back); back != *s {
					t.Fatalf("with %s = %d, %s does not come back from its encoding", at.path, n, differs(s, &back))
				}
			}
		}
	})
}

// differs names the first field that differs.
func differs(s, o *State) string {
	theirs := leaves(reflect.ValueOf(o).Elem(), "")
	for i, l := range leaves(reflect.ValueOf(s).Elem(), "") {
		if l.get() != theirs[i].get() {
			return l.path
		}
	}
	return "nothing"
}

// Whatever a request is, it comes back, without the fields of another part.
func TestEveryRequestSurvives(t *testing.T) {
	l := NewLayout(everything())
	r := rand.New(rand.NewPCG(7, 8))
	for _, api := range model.EveryAPI() {
		s := anyState(t, r, func() model.API { return api })
		q, back := s.Clients[0].App, Request{}
		if api.Part() != model.TransactionsPart {
			q.PID, q.NewPID, q.Epoch, q.NewEpoch, q.Log, q.Sequence, q.Value, q.Guard = 0, 0, 0, 0, 0, 0, 0, 0
			q.Commit, q.Plain, q.Elected, q.Work = false, false, 0, 0
		}
		if rest := l.parse(l.request(nil, &q, &ranks{}), &back); back != q || len(rest) > 0 {
			t.Errorf("%v: %+v is decoded as %+v", api, q, back)
		}
		if l.parse(l.request(nil, &Request{}, &ranks{}), &back); back != (Request{}) {
			t.Errorf("no request is decoded as %+v", back)
		}
	}
}

// Whatever number an API has, it comes back, and does not look like no request.
func TestEveryAPINumberSurvives(t *testing.T) {
	for n := range 30 {
		api := model.API(n + 1)
		q, back := Request{API: api}, Request{}
		text := appendRequest(nil, &q, 1, &ranks{})
		if text[0] == 0 {
			t.Errorf("a request of API %d begins like none", api)
		}
		if decodeRequest(text, &back, 1); back != q {
			t.Errorf("%+v is decoded as %+v", q, back)
		}
	}
}

// Every id that a state mentions is found.
func TestEveryIDIsNamed(t *testing.T) {
	c, other := everything(), NewMemberID(MaxClients-1, maxLives-1)
	each(t, func(s *State, at leaf) {
		if at.Type() != reflect.TypeFor[model.MemberID]() {
			return
		}
		for _, l := range leaves(reflect.ValueOf(s).Elem(), "") {
			if l.Type() == at.Type() {
				l.set(1)
			}
		}
		at.set(int64(other))
		var names known
		names.collect(s, c)
		if forgotten := at.name() == "MetaID"; names.take(ClientOf(other), other) == forgotten {
			t.Errorf("%s = %d: is it named? %v", at.path, other, !forgotten)
		}
	})
}

// Every generation counts where ranks are taken, and is replaced by its own. There
// are no ranks where there are transactions.
func TestEveryGenerationIsRanked(t *testing.T) {
	c := everything()
	c.Ranks = true
	l := NewLayout(c)
	each(t, func(s *State, at leaf) {
		if at.Type() != reflect.TypeFor[model.Generation]() || at.name() == "MetaGeneration" {
			return
		}
		for _, l := range leaves(reflect.ValueOf(s).Elem(), "") {
			if l.Type() == at.Type() {
				l.set(150)
			}
		}
		at.set(7) // not the largest, whose rank is right even if it is forgotten
		var back State
		l.Decode(l.Append(nil, s), &back)
		all, decoded := leaves(reflect.ValueOf(s).Elem(), ""), leaves(reflect.ValueOf(&back).Elem(), "")
		for i := range all {
			want := map[int64]int64{7: 1, 150: 2}[all[i].get()]
			if all[i].Type() == at.Type() && all[i].name() != "MetaGeneration" && !strings.HasPrefix(all[i].path, "Last.") && decoded[i].get() != want {
				t.Errorf("%s = 7: %s has rank %d instead of %d", at.path, all[i].path, decoded[i].get(), want)
			}
		}
	})
}

// Requests that differ in any field but their answers have an order.
func TestEveryFieldOrdersRequests(t *testing.T) {
	answers := []string{"Err", "NewID", "NewGen", "Leads", "Assignment", "Life", "NewPID", "NewEpoch"}
	s := anyState(t, rand.New(rand.NewPCG(9, 10)), produce)
	a := &s.Late[0]
	b := *a
	for _, l := range leaves(reflect.ValueOf(a).Elem(), "Late") {
		in, was := l.span(t), l.get()
		if l.set(in[0]); was == in[0] {
			l.set(in[1])
		}
		if ordered := a.less(&b) != b.less(a); ordered == slices.Contains(answers, l.name()) {
			t.Errorf("two requests that differ in %s alone: is one less than the other? %v", l.name(), ordered)
		}
		l.set(was)
	}
}

func TestErrorOutgrowsItsByte(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an error 128 was taken")
		}
	}()
	listed(append(model.Errors(), 128))
}
