package cluster

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/txn"
)

// A leaf is one number of a state, at any depth.
type leaf struct {
	path string // from State, without indices: Clients.App.Offsets
	reflect.Value
}

func (l leaf) name() string { return l.path[strings.LastIndexByte(l.path, '.')+1:] }

// leaves finds every number of a value.
func leaves(v reflect.Value, path string) (all []leaf) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			at := path
			if !f.Anonymous {
				at = strings.TrimPrefix(path+"."+f.Name, ".")
			}
			all = append(all, leaves(v.Field(i), at)...)
		}
	case reflect.Array:
		for i := range v.Len() {
			all = append(all, leaves(v.Index(i), path)...)
		}
	default:
		all = append(all, leaf{path, v})
	}
	return all
}

func (l leaf) get() int64 {
	switch {
	case l.Kind() == reflect.Bool && l.Bool():
		return 1
	case l.Kind() == reflect.Bool:
		return 0
	case l.CanInt():
		return l.Int()
	}
	return int64(l.Uint())
}

func (l leaf) set(n int64) {
	switch {
	case l.Kind() == reflect.Bool:
		l.SetBool(n != 0)
	case l.CanInt():
		l.SetInt(n)
	default:
		l.SetUint(uint64(n))
	}
}

// A span is the least and the largest value.
type span [2]int64

var byType = map[reflect.Type]span{
	reflect.TypeFor[bool]():                     {0, 1},
	reflect.TypeFor[model.API]():                {0, int64(model.NumAPIs) - 1},
	reflect.TypeFor[model.Error]():              {int64(model.UnknownServerError), int64(model.TransactionAbortable)},
	reflect.TypeFor[Status]():                   {0, int64(Displaced)},
	reflect.TypeFor[Process]():                  {0, int64(Down)},
	reflect.TypeFor[Phase]():                    {0, int64(Failed)},
	reflect.TypeFor[classic.GroupState]():       {0, int64(classic.Stable)},
	reflect.TypeFor[classic.MemberFlags]():      {0, int64(classic.Pending | classic.JoinParked | classic.SyncParked | classic.IsNew | classic.AwaitsSync)},
	reflect.TypeFor[model.MemberID]():           {0, MaxClients * maxLives},
	reflect.TypeFor[model.Generation]():         {-1, MaxGeneration},
	reflect.TypeFor[model.Offset]():             {-1, MaxRecords},
	reflect.TypeFor[model.PartSet]():            {0, 1<<MaxPartitions - 1},
	reflect.TypeFor[model.Meta]():               {0, 1<<MaxPartitions - 1},
	reflect.TypeFor[model.Protocol]():           {0, int64(model.MaxProtocol)},
	reflect.TypeFor[model.Protocols]():          {0, int64(model.ProtocolList(model.MaxProtocol, model.MaxProtocol))},
	reflect.TypeFor[model.ProducerID]():         {0, maxProducerID},
	reflect.TypeFor[model.Epoch]():              {-int64(MaxSmallEpoch) - 1, int64(MaxSmallEpoch)},
	reflect.TypeFor[model.TransactionVersion](): {0, int64(model.TV2)},
	reflect.TypeFor[txn.TransactionState]():     {0, int64(txn.PrepareEpochFence)},
	reflect.TypeFor[ProducerPhase]():            {0, int64(FatalError)},
	reflect.TypeFor[txn.RecordKind]():           {0, int64(txn.AbortMarker)},
	reflect.TypeFor[WorkID]():                   {0, MaxClients * MaxWorks},
	reflect.TypeFor[Told]():                     {0, int64(ToldAborted)},
}

// byName has the fields whose types do not say what they hold, by the end of
// their path.
var byName = map[string]span{
	"Client": {0, MaxClients - 1}, "Fenced": {0, 1<<MaxClients - 1}, "Spent": {0, 255},
	"Ghost.Done": {0, 1<<MaxRecords - 1}, "Ghost.Twice": {0, 1<<MaxRecords - 1},
	"DelaysLeft": {0, maxDelays}, "Seen": {0, MaxPartitions}, "Life": {0, MaxDeletions},
	"Value": {0, MaxPartitions * MaxRecords}, "Log": {0, NumLogs - 1}, "Guard": {0, maxGuard}, "Kept": {0, txn.KeptBatches},
	"Sequence": {-1, maxSequence}, "Producer.Next": {-1, maxSequence}, "Last": {-1, maxSequence}, "Lowest": {-1, maxSequence},
	"Txns.Epoch": {0, maxElections}, "Elected": {0, maxElections}, "Entries.CoordinatorEpoch": {-1, maxElections}, "Outbox.CoordinatorEpoch": {0, maxElections},
	"Partition": {0, MaxPartitions - 1}, "At": {0, MaxPending + 1}, "OffsetsAt": {0, MaxPending + 1}, "Begun": {0, maxTransactions},
	"Committed": {0, 1<<NumLogs - 1}, "Aborted": {0, 1<<NumLogs - 1}, "Added": {0, 1<<NumLogs - 1}, "Written": {0, 1<<NumLogs - 1}, "Sending": {0, 1<<MaxOutputs - 1},
	"Group.Generation": {0, MaxGeneration}, "Clients.MetaGeneration": {0, MaxGeneration}, "Pending.Offset": {0, MaxRecords}, "Outbox.Version": {int64(model.TV1), int64(model.TV2)},
	"Txn.Partitions": {0, 1<<NumLogs - 1}, "Log.Partitions": {0, 1<<NumLogs - 1}, "To": {0, 1<<NumLogs - 1},
}

// span is what a leaf may hold. A field that is not known fails the test by its
// name.
func (l leaf) span(t *testing.T) span {
	for end := l.path; ; {
		if s, ok := byName[end]; ok && (strings.Contains(end, ".") || byType[l.Type()] == span{}) {
			return s
		}
		_, rest, more := strings.Cut(end, ".")
		if end = rest; !more {
			break
		}
	}
	s, ok := byType[l.Type()]
	if !ok {
		t.Fatalf("State.%s, a %v, is a field that no test knows: what can it hold?", l.path, l.Type())
	}
	return s
}

// present has the fields whose zero says that what they belong to is not there.
func (l leaf) present() bool {
	switch l.Type() {
	case reflect.TypeFor[model.API](), reflect.TypeFor[txn.RecordKind]():
		return true
	}
	for _, end := range []string{"Members.ID", "Txn.State", "IDs.Log.State", "Old.Log.State", "Entries.PID", "Entries.Guard", "Pending.PID", "Txns.Zombie"} {
		if strings.HasSuffix(l.path, end) {
			return true
		}
	}
	return false
}

// anyState is a state in which everything is there that can be, each field with
// any of its values; requests are those of an API.
func anyState(t *testing.T, r *rand.Rand, api func() model.API) (s State) {
	for _, l := range leaves(reflect.ValueOf(&s).Elem(), "") {
		in := l.span(t)
		if l.present() {
			in[0] = 1
		}
		l.set(in[0] + r.Int64N(in[1]-in[0]+1))
		switch l.Type() {
		case reflect.TypeFor[model.API]():
			l.set(int64(api()))
		case reflect.TypeFor[model.Error]():
			l.set(int64(model.Errors()[r.IntN(len(model.Errors()))]))
		}
	}
	return s
}
