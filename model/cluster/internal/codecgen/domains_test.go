package codecgen

// header is how the file begins: it imports where the structures, and what their
// domains are made of, are declared.
const header = `package cluster

import (
	"encoding/binary"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
	"fencecheck/model/txn"
)

`

// A structure is one that the codec knows the fields of: those of nested
// structures that have no row of their own are among them. Arrays of structures are
// the business of whoever encodes what holds them.
//
// A piece lists what stands in each of its bytes, the lowest bits first, with
// their number; a field alone has the whole byte, and yes or no is one bit. A
// field that is listed again in the same eight bytes has its upper bits there. What
// a search finds first among equals depends on it: another layout of today's
// fields tells other stories.
type structure struct {
	name string
	all  string // what is always there
	each string // an element of each array
	// apart has the pieces that are written only where there is any of it.
	apart map[string]string
	// fixed: arrays keep their order, whatever becomes of partitions.
	fixed bool
	// never: it is no part of a state's identity, and not encoded.
	never bool
}

var structures = []structure{
	{name: "State", each: "Offsets, Ghost.Done, Ghost.Twice"},
	{name: "classic.Group", all: "State:4, Generation, Leader, Protocol:4 Typed InitialDelay NewMemberAdded, DelaysLeft", apart: map[string]string{"Subscribed": "Subscribed"}},
	{name: "classic.Member", all: "ID, Flags, Protocols, Meta:4 Assignment:4"},
	{name: "ClientState", each: "Position, Plan", apart: map[string]string{"Metadata": "MetaID, MetaGeneration"},
		all: "Process:2 Phase:3 Rejoin Leads Revoked, ID, Generation, Protocol:4 Topics:4, Owned:4 Unfetched:4, Dirty:4 Stale:4, Hand:4 Cleared:4, Seen:4 Life:3 BeatFirst"},
	{name: "Request", each: "Offsets, Plan",
		all: "API:4 Status:3 Leads, Client:7 API:1, ID, Generation, Err, Protocol:4 Meta:4, NewID, NewGen, Assignment:4 Stale:4, Seen:4 Life:4",
		apart: map[string]string{
			"Producer": "PID:4 NewPID:4, Epoch, NewEpoch, Log:2 Commit Plain Guard:4, Sequence, Value, Elected, Work",
		}},
	{name: "Producer", each: "Next, Value", fixed: true, // by output
		all: "Phase:4 Renew Failing Replaced Overdue, PID:4 Begun:4, Epoch, Succeeded, Added:4 Written:4, Sending, Work"},
	{name: "TransactionSide", all: "Incarnation.Epoch:5 Incarnation.Loading Incarnation.Zombie Leaderless", apart: map[string]string{"Offsets": "OffsetsAt"}, fixed: true},
	{name: "txn.Transaction", all: "State:4 Pending:4, PID:4 Prev:4, Next:4 Version:2 FailedFence ByFence, Epoch, LastEpoch, Partitions"},
	{name: "txn.Marker", all: "PID:4 Commit Stuck Version:1, Epoch, CoordinatorEpoch, To"},
	{name: "txn.ProducerEntry", all: "PID:4 Open _:1 GuardBumps, Epoch, CoordinatorEpoch, Last, Kept", apart: map[string]string{"Guard": "Guard, Lowest, GuardEpoch"}},
	{name: "Entry", all: "Rec.Kind:4 Rec.PID:4, Work, Value, Stale:7 Read"},
	{name: "offsets.Pending", all: "PID, Partition:4 At:4, Offset"},
	{name: "Work", all: "Told:2 Fenced _:1 Committed:4, Aborted"},
	{name: "Event", never: true},
}

// A domain is what the values of a field are.
type domain struct {
	least string // a constant; 0 if empty
	most  string
	// signed: it is kept as an int8, else the least value is kept as 0.
	signed bool
	// moved is what a Permutation makes of a value.
	moved string
	// forgotten: an id that stands here alone can be given to somebody else.
	forgotten bool
	// pack and unpack turn a value into a number and back, where it is none.
	pack, unpack string
}

// domains has a row for each type that is no enumeration, and for each field
// whose type does not say what it holds. The largest value of an enumeration is
// the largest of its constants.
var domains = map[string]domain{
	"bool":                {most: "1", pack: "bit(%s)", unpack: "%s == 1"},
	"model.API":           {most: "model.NumAPIs - 1 + (model.NumAPIs-1)/16", pack: "numberOfAPI(%s)", unpack: "apiOfNumber(%s)"},
	"model.Error":         {least: "model.UnknownServerError", most: "maxError", signed: true},
	"model.MemberID":      {most: "MaxClients * maxLives", moved: "g.ID(%s)"},
	"classic.MemberFlags": {most: "2*classic.AwaitsSync - 1"},
	"model.Generation":    {least: "-1", most: "MaxGeneration"},
	"model.Offset":        {least: "-1", most: "MaxRecords"},
	"model.PartSet":       {most: "1<<MaxPartitions - 1", moved: "g.Parts(%s)"},
	"model.Meta":          {most: "1<<MaxPartitions - 1"}, // a set of topics
	"model.Protocol":      {most: "model.MaxProtocol"},
	"model.Protocols":     {most: "model.MaxProtocol<<4 | model.MaxProtocol"}, // two of them
	"model.ProducerID":    {most: "maxProducerID"},
	"model.Epoch":         {least: "-MaxSmallEpoch - 1", most: "MaxSmallEpoch", signed: true}, // one above the largest is the least where nothing forbids it
	"WorkID":              {most: "MaxClients * MaxWorks", moved: "g.Work(%s)"},

	"Client":           {most: "MaxClients - 1", moved: "g.Clients[%s]"},
	"Fenced":           {most: "1<<MaxClients - 1", moved: "g.set(%s)"},
	"Done":             {most: "1<<MaxRecords - 1"},
	"Twice":            {most: "1<<MaxRecords - 1"},
	"DelaysLeft":       {most: "maxDelays"},
	"Seen":             {most: "MaxPartitions"},
	"Life":             {most: "MaxDeletions"},
	"Value":            {most: "MaxPartitions * MaxRecords"},
	"Log":              {most: "NumLogs - 1"},
	"Sequence":         {least: "-1", most: "maxSequence", signed: true},
	"Next":             {least: "-1", most: "maxSequence", signed: true},
	"Last":             {least: "-1", most: "maxSequence", signed: true},
	"Lowest":           {least: "-1", most: "maxSequence", signed: true},
	"Kept":             {most: "txn.KeptBatches"},
	"Guard":            {most: "maxGuard"},
	"Elected":          {most: "maxElections"},
	"CoordinatorEpoch": {most: "maxElections"},
	"Partition":        {most: "MaxPartitions - 1"},
	"At":               {most: "MaxPending + 1"},
	"OffsetsAt":        {most: "MaxPending + 1"},
	"Begun":            {most: "maxTransactions"},
	"Committed":        {most: "1<<NumLogs - 1"},
	"Aborted":          {most: "1<<NumLogs - 1"},
	"Added":            {most: "1<<NumLogs - 1"},
	"Written":          {most: "1<<NumLogs - 1"},
	"Sending":          {most: "1<<MaxOutputs - 1"},

	"classic.Group.Generation":           {most: "MaxGeneration"},
	"ClientState.MetaGeneration":         {most: "MaxGeneration"},
	"txn.Marker.Version":                 {least: "model.TV1", most: "model.TV2", pack: "bit(%s.Bumps())", unpack: "style(%s == 1)"},
	"offsets.Pending.Offset":             {most: "MaxRecords"},
	"txn.ProducerEntry.CoordinatorEpoch": {least: "-1", most: "maxElections"},
	"ClientState.MetaID":                 {most: "MaxClients * maxLives", moved: "g.ID(%s)", forgotten: true},
	"TransactionSide.Epoch":              {most: "maxElections"},
	"txn.Transaction.Partitions":         {most: "1<<NumLogs - 1"}, // logs, as in the next one
	"txn.Marker.To":                      {most: "1<<NumLogs - 1"},
}
