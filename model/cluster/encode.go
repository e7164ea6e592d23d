package cluster

import (
	"encoding/binary"
	"fmt"

	"fencecheck/model"
	"fencecheck/model/classic"
)

//go:generate go test ./internal/codecgen -update

// The encoding of a state has every field that can matter under the
// configuration, so that equal states have equal encodings and a frontier of
// millions fits in memory. What of a structure is always there is packed into as
// few bits as the domains of its fields need; codecgen generates that from the
// structures themselves. What is there only sometimes is decided here.

// The largest values of what nothing else in the model bounds.
const (
	maxProducerID   = 15
	maxDelays       = 3
	maxSequence     = 126
	maxGuard        = 15
	maxElections    = 30 // of one coordinator
	maxTransactions = 9  // of one writer
)

// maxError is the largest error that fits into its byte.
const maxError model.Error = 127

// A Layout is what of a State can differ from zero under a configuration, which
// must not change. Whatever it does leaves the rest alone: that must be zero, and
// stays so.
type Layout struct {
	cfg        *Config
	clients    int
	partitions int
	spent      []Budget // those that are counted
	late       bool
	producing  bool
}

// NewLayout prepares the layout of a configuration.
func NewLayout(c *Config) *Layout {
	l := &Layout{cfg: c, clients: c.Clients(), partitions: c.AllPartitions(), late: c.MayHappen(LateRequests), producing: c.Producing()}
	for b, most := range c.Budgets {
		if most > 0 && !c.Unbounded[b] {
			l.spent = append(l.spent, Budget(b))
		}
	}
	return l
}

// Copy makes one state equal to another, but for what the last step did.
func (l *Layout) Copy(to, from *State) {
	to.Group = from.Group // one by one, since assigned together they would be copied twice
	to.Members = from.Members
	to.Offsets = from.Offsets
	to.Spent = from.Spent
	to.Ghost = from.Ghost
	for i := range to.Clients[:l.clients] {
		a, b := &to.Clients[i], &from.Clients[i]
		a.ClientState = b.ClientState
		a.App.become(&b.App)
		a.Beat.become(&b.Beat)
	}
	if l.late {
		to.Late = from.Late
	}
	if l.producing {
		to.Txns = from.Txns
	}
}

// become copies a request, or that there is none.
func (r *Request) become(o *Request) {
	if r.API|o.API != model.NoAPI {
		*r = *o
	}
}

// Append writes the encoding of s behind dst. What the last step did is left
// out.
func (l *Layout) Append(dst []byte, s *State) []byte {
	var rank ranks
	if l.cfg.Ranks {
		rank.collect(s, l.cfg)
	}
	dst = appendMembers(appendGroup(dst, &s.Group, &rank), len(dst), &s.Members)
	if l.cfg.Rules.Subscriptions {
		dst = appendGroupSubscribed(dst, &s.Group)
	}
	dst = appendState(dst, s, l.partitions)
	for i := range s.Clients[:l.clients] {
		cl := &s.Clients[i]
		dst = appendClientState(dst, &cl.ClientState, l.partitions, &rank)
		if cl.App.API|cl.Beat.API == model.NoAPI {
			dst = append(dst, 0, 0)
			continue
		}
		dst = l.request(dst, &cl.App, &rank)
		dst = l.request(dst, &cl.Beat, &rank)
	}
	if l.late {
		for i := range s.Late {
			dst = l.request(dst, &s.Late[i], &rank)
		}
	}
	for _, b := range l.spent {
		dst = append(dst, s.Spent[b])
	}
	if l.producing {
		dst = l.appendTransactions(dst, s)
	}
	return dst
}

// Decode is the inverse of Append.
func (l *Layout) Decode(src []byte, s *State) {
	s.Last = Event{}
	src = decodeMembers(decodeGroup(src, &s.Group), int(src[0]>>4), &s.Members)
	if l.cfg.Rules.Subscriptions {
		src = decodeGroupSubscribed(src, &s.Group)
	}
	for p := range s.Offsets {
		s.Offsets[p] = model.NoOffset
	}
	src = decodeState(src, s, l.partitions)
	for i := range s.Clients[:l.clients] {
		cl := &s.Clients[i]
		src = decodeClientState(src, &cl.ClientState, l.partitions)
		if src[0]|src[1]|byte(cl.App.API|cl.Beat.API) == 0 { // there is no request, and was none before
			src = src[2:]
			continue
		}
		src = l.parse(src, &cl.App)
		src = l.parse(src, &cl.Beat)
	}
	if l.late {
		for i := range s.Late {
			src = l.parse(src, &s.Late[i])
		}
	}
	for _, b := range l.spent {
		s.Spent[b] = src[0]
		src = src[1:]
	}
	if l.producing {
		l.decodeTransactions(src, s)
	}
}

const _ = uint(15 - MaxMembers)

// appendMembers writes the members, and their number to what is free of the byte
// at a place.
func appendMembers(dst []byte, at int, all *[MaxMembers]classic.Member) []byte {
	for i := range all {
		if all[i].ID == 0 {
			break
		}
		dst = appendMember(dst, &all[i])
		dst[at] += 1 << 4
	}
	return dst
}

func decodeMembers(src []byte, n int, all *[MaxMembers]classic.Member) []byte {
	for i := range all[:n] {
		src = decodeMember(src, &all[i])
	}
	for i := n; i < MaxMembers && all[i].ID != 0; i++ {
		all[i] = classic.Member{}
	}
	return src
}

// request writes a request: one byte where there is none, and a zero.
func (l *Layout) request(dst []byte, r *Request, rank *ranks) []byte {
	if r.API == model.NoAPI {
		return append(dst, 0)
	}
	dst = appendRequest(dst, r, l.partitions, rank)
	if r.API.Part() == model.TransactionsPart {
		dst = appendRequestProducer(dst, r)
	}
	return dst
}

// parse is the inverse of request.
func (l *Layout) parse(src []byte, r *Request) []byte {
	if r.API != model.NoAPI {
		*r = Request{}
	}
	if src[0] == 0 {
		return src[1:]
	}
	src = decodeRequest(src, r, l.partitions)
	if r.API.Part() == model.TransactionsPart {
		src = decodeRequestProducer(src, r)
	}
	return src
}

// numberOfAPI is what an encoding has for an API. Its lower four bits are zero for
// none only, since the byte of a request tells whether there is one.
func numberOfAPI(a model.API) uint64 { return uint64(a + a>>4) }

func apiOfNumber(n uint64) model.API { return model.API(n - n/17) }

// put writes the lowest n bytes of a word, and put3 three of them.
func put(dst []byte, w uint64, n int) []byte {
	return binary.LittleEndian.AppendUint64(dst, w)[:len(dst)+n]
}

func put3(dst []byte, w uint64) []byte { return append(dst, byte(w), byte(w>>8), byte(w>>16)) }

func bit(b bool) uint64 {
	var one uint64
	if b {
		one = 1
	}
	return one
}

// listed is checked when the program starts.
var _ = listed(model.Errors())

// listed panics if there is an error that an encoded one has no room for.
func listed(all []model.Error) bool {
	for _, e := range all {
		if e < model.UnknownServerError || e > maxError {
			panic(fmt.Sprintf("model: %v has the number %d, and an encoded error has room for %d to %d", e, int(e), int(model.UnknownServerError), int(maxError)))
		}
	}
	return true
}
