package codecgen

// A structure is one that the codec knows the fields of: those of nested
// structures that have no row of their own are among them. Arrays of structures are
// the business of whoever encodes what holds them.
//
// A piece lists what stands in each of its bytes, the lowest bits first, with
// their number; a field alone has the whole byte, and yes or no is one bit. What
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
	{name: "Group", all: "State:4, Generation, Leader, Protocol:4 Typed InitialDelay NewMemberAdded, DelaysLeft", apart: map[string]string{"Subscribed": "Subscribed"}},
	{name: "Member", all: "ID, Flags, Protocols, Meta:4 Assignment:4"},
	{name: "ClientState", each: "Position, Plan", apart: map[string]string{"Metadata": "MetaID, MetaGeneration"},
		all: "Process:2 Phase:3 Rejoin Leads Revoked, ID, Generation, Protocol:4 Topics:4, Owned:4 Unfetched:4, Dirty:4 Stale:4, Hand:4 Cleared:4, Seen:4 Life:3 BeatFirst"},
	{name: "Request", each: "Offsets, Plan",
		all: "API:4 Status:3 Leads, Client, ID, Generation, Err, Protocol:4 Meta:4, NewID, NewGen, Assignment:4 Stale:4, Seen:4 Life:4",
		apart: map[string]string{
			"Producer": "PID:4 NewPID:4, Epoch, NewEpoch, Log:2 Commit Plain Guard:4, Sequence, Value, Elected, Work",
		}},
	{name: "Producer", each: "Next, Value", fixed: true, // by output
		all: "Phase:4 Renew Failing Replaced Overdue, PID:4 Begun:4, Epoch, Succeeded, Added:4 Written:4, Sending, Work"},
	{name: "TransactionSide", all: "Incarnation.Epoch:5 Incarnation.Loading Incarnation.Zombie Leaderless", apart: map[string]string{"Offsets": "OffsetsAt"}, fixed: true},
	{name: "Transaction", all: "State:4 Pending:4, PID:4 Prev:4, Next:4 Version:2 FailedFence ByFence, Epoch, LastEpoch, Partitions"},
	{name: "Marker", all: "PID:4 Commit Stuck Version:1, Epoch, CoordinatorEpoch, To"},
	{name: "ProducerEntry", all: "PID:4 Open _:1 GuardBumps, Epoch, CoordinatorEpoch, Last, Kept", apart: map[string]string{"Guard": "Guard, Lowest, GuardEpoch"}},
	{name: "Entry", all: "Rec.Kind:4 Rec.PID:4, Work, Value, Stale:7 Read"},
	{name: "PendingOffset", all: "PID, Partition:4 At:4, Offset"},
	{name: "Work", all: "Told:2 Fenced _:1 Committed:4, Aborted"},
	{name: "Event", never: true},
}

// A domain is what the values of a field are.
type domain struct {
	least string // a constant of package model; 0 if empty
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
	"bool":        {most: "1", pack: "bit(%s)", unpack: "%s == 1"},
	"API":         {most: "NumAPIs - 1"},
	"Error":       {least: "UnknownServerError", most: "maxError", signed: true},
	"MemberID":    {most: "MaxClients * maxLives", moved: "g.ID(%s)"},
	"MemberFlags": {most: "2*AwaitsSync - 1"},
	"Generation":  {least: "-1", most: "MaxGeneration"},
	"Offset":      {least: "-1", most: "MaxRecords"},
	"PartSet":     {most: "1<<MaxPartitions - 1", moved: "g.Parts(%s)"},
	"Meta":        {most: "1<<MaxPartitions - 1"}, // a set of topics
	"Protocol":    {most: "MaxProtocol"},
	"Protocols":   {most: "MaxProtocol<<4 | MaxProtocol"}, // two of them
	"ProducerID":  {most: "maxProducerID"},
	"Epoch":       {least: "-MaxSmallEpoch - 1", most: "MaxSmallEpoch", signed: true}, // one above the largest is the least where nothing forbids it
	"WorkID":      {most: "MaxClients * MaxWorks", moved: "g.Work(%s)"},

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
	"Kept":             {most: "keptBatches"},
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

	"Group.Generation":               {most: "MaxGeneration"},
	"ClientState.MetaGeneration":     {most: "MaxGeneration"},
	"Marker.Version":                 {least: "TV1", most: "TV2", pack: "bit(%s.bumps())", unpack: "style(%s == 1)"},
	"PendingOffset.Offset":           {most: "MaxRecords"},
	"ProducerEntry.CoordinatorEpoch": {least: "-1", most: "maxElections"},
	"ClientState.MetaID":             {most: "MaxClients * maxLives", moved: "g.ID(%s)", forgotten: true},
	"TransactionSide.Epoch":          {most: "maxElections"},
	"Transaction.Partitions":         {most: "1<<NumLogs - 1"}, // logs, as in the next one
	"Marker.To":                      {most: "1<<NumLogs - 1"},
}
