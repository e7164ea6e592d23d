package codecgen

// A structure is one that the codec knows the fields of. Each has its fields in
// order, those of nested structures that have no row of their own included;
// arrays of structures are the business of whoever encodes what holds them.
type structure struct {
	name string
	// apart has the fields at which another piece begins, which is written where
	// there is any of it, and its name; "" goes back to the first.
	apart map[string]string
	// fixed: arrays keep their order, whatever becomes of partitions.
	fixed bool
	// never: it is no part of a state's identity, and not encoded.
	never bool
}

var structures = []structure{
	{name: "State"},
	{name: "Group"},
	{name: "Member"},
	{name: "ClientState", apart: map[string]string{"MetaID": "Metadata", "Stale": ""}},
	{name: "Request", apart: map[string]string{"PID": "Producer"}},
	{name: "Producer", fixed: true}, // by output,
	{name: "TransactionSide", apart: map[string]string{"OffsetsAt": "Offsets"}, fixed: true},
	{name: "Transaction"},
	{name: "Marker"},
	{name: "ProducerEntry", apart: map[string]string{"Guard": "Guard"}},
	{name: "Entry"},
	{name: "PendingOffset"},
	{name: "Work"},
	{name: "Event", never: true},
}

// A domain is what the values of a field are.
type domain struct {
	none bool   // -1 is one of them
	most string // the largest, a constant of package model
	// moved is what a Permutation makes of a value.
	moved string
	// forgotten: an id that stands here alone can be given to somebody else.
	forgotten bool
	// pack and unpack turn a value into a number and back, where it is none or
	// not a small one.
	pack, unpack string
}

// domains has a row for each type that is no enumeration, and for each field
// whose type does not say what it holds. The largest value of an enumeration is
// the largest of its constants.
var domains = map[string]domain{
	"bool":        {most: "1", pack: "bit(%s)", unpack: "%s == 1"},
	"API":         {most: "NumAPIs - 1"},
	"Error":       {most: "maxErrors - 1", pack: "errorIndex(%s)", unpack: "errorAt(%s)"},
	"MemberID":    {most: "MaxClients * maxLives", moved: "g.ID(%s)"},
	"MemberFlags": {most: "2*AwaitsSync - 1"},
	"Generation":  {none: true, most: "MaxGeneration", pack: "rank.of(%s)"},
	"Offset":      {none: true, most: "MaxRecords"},
	"PartSet":     {most: "1<<MaxPartitions - 1", moved: "g.Parts(%s)"},
	"Meta":        {most: "1<<MaxPartitions - 1"}, // a set of topics
	"Protocol":    {most: "MaxProtocol"},
	"Protocols":   {most: "MaxProtocol<<4 | MaxProtocol"}, // two of them
	"ProducerID":  {most: "maxProducerID"},
	"Epoch":       {none: true, most: "MaxSmallEpoch"},
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
	"Sequence":         {none: true, most: "maxSequence"},
	"Next":             {none: true, most: "maxSequence"},
	"Last":             {none: true, most: "maxSequence"},
	"Lowest":           {none: true, most: "maxSequence"},
	"Kept":             {most: "keptBatches"},
	"Guard":            {most: "maxGuard"},
	"Elected":          {most: "maxElections"},
	"CoordinatorEpoch": {none: true, most: "maxElections"},
	"Partition":        {most: "MaxPartitions - 1"},
	"At":               {most: "MaxPending + 1"},
	"OffsetsAt":        {most: "MaxPending + 1"},
	"Begun":            {most: "maxTransactions"},
	"Committed":        {most: "1<<NumLogs - 1"},
	"Aborted":          {most: "1<<NumLogs - 1"},
	"Added":            {most: "1<<NumLogs - 1"},
	"Written":          {most: "1<<NumLogs - 1"},
	"Sending":          {most: "1<<MaxOutputs - 1"},

	"ClientState.MetaID":     {most: "MaxClients * maxLives", moved: "g.ID(%s)", forgotten: true},
	"TransactionSide.Epoch":  {most: "maxElections"},
	"Transaction.Partitions": {most: "1<<NumLogs - 1"}, // logs, as in the next one
	"Marker.To":              {most: "1<<NumLogs - 1"},
}
