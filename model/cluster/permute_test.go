package cluster

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"fencecheck/model"
	"fencecheck/model/classic"
)

// Whatever in a state stands for a client, a partition or an id changes its
// number: found by the types and names of its fields, so that none is forgotten
// that is added later.
func TestPermuteChangesEveryNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	apis := []model.API{model.JoinGroup, model.SyncGroup, model.Heartbeat, model.LeaveGroup, model.OffsetCommit, model.OffsetFetch}
	for range 200 {
		g := Identity()
		shuffle(r, g.Clients[:])
		shuffle(r, g.Partitions[:])
		for i := range g.Lives {
			shuffle(r, g.Lives[i][:])
		}
		s := anyState(t, r, func() model.API { return apis[r.IntN(len(apis))] })
		inOrder(&s)
		got, want := State{}, s
		renumber(&g, reflect.ValueOf(&want).Elem(), "")
		inOrder(&want)
		if s.Permute(&g, &got); got != want {
			t.Fatalf("%+v\nby %v should be\n%+v\nis\n%+v", s, g, want, got)
		}
	}
}

func shuffle(r *rand.Rand, numbers []uint8) {
	r.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
}

// renumber changes every number, without knowing where it stands.
func renumber(g *Permutation, v reflect.Value, name string) {
	if v.Type() == reflect.TypeFor[TransactionSide]() { // sets are of logs there, and no partition changes its number
		only := *g
		only.Partitions = Identity().Partitions
		g = &only
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			renumber(g, v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Array:
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		for i := range v.Len() {
			at := v.Index(i)
			switch v.Len() {
			case MaxClients:
				at = v.Index(int(g.Clients[i]))
			case MaxPartitions:
				at = v.Index(int(g.Partitions[i]))
			}
			at.Set(old.Index(i))
			renumber(g, at, "")
		}
	default:
		switch {
		case v.Type() == reflect.TypeFor[model.MemberID]():
			v.SetUint(uint64(g.ID(model.MemberID(v.Uint()))))
		case v.Type() == reflect.TypeFor[model.PartSet]():
			v.SetUint(uint64(g.Parts(model.PartSet(v.Uint()))))
		case v.Type() == reflect.TypeFor[WorkID]():
			v.SetUint(uint64(g.Work(WorkID(v.Uint()))))
		case name == "Client":
			v.SetUint(uint64(g.Clients[v.Uint()]))
		case name == "Fenced" && v.Kind() == reflect.Uint8:
			var set uint64
			for i, to := range g.Clients {
				set |= v.Uint() >> i & 1 << to
			}
			v.SetUint(set)
		}
	}
}

// inOrder sorts what is sorted in every state.
func inOrder(s *State) {
	slices.SortFunc(s.Members[:], func(a, b classic.Member) int { return int(a.ID) - int(b.ID) })
	var members [MaxMembers]classic.Member
	n := 0
	for _, m := range s.Members {
		if m.ID != 0 && (n == 0 || members[n-1].ID != m.ID) {
			members[n] = m
			n++
		}
	}
	late := s.Late
	s.Members, s.Late = members, [MaxLate]Request{}
	for _, r := range late {
		s.AddLate(r)
	}
}
