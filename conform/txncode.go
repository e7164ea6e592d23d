package conform

import "fencecheck/model"

// coder writes the fields of a state one after the other, or reads them back:
// one list of fields serves both.
type coder struct {
	out     []byte
	in      []byte
	reading bool
}

// code writes or reads one number of at most 16 bits.
func code[T ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32](c *coder, v *T) {
	if c.reading {
		*v = T(int16(uint16(c.in[0])<<8 | uint16(c.in[1])))
		c.in = c.in[2:]
		return
	}
	c.out = append(c.out, byte(uint32(*v)>>8), byte(*v))
}

func flag(c *coder, v *bool) {
	b := bit(*v)
	code(c, &b)
	*v = b != 0
}

// parts codes a set, of which only the places of a play are used.
func (c *coder) parts(set *model.PartSet) {
	var bits uint8
	for place := range uint8(outs + 1) {
		if set.Has(coordinatorsName(place)) {
			bits |= 1 << place
		}
	}
	code(c, &bits)
	*set = 0
	for place := range uint8(outs + 1) {
		if bits>>place&1 != 0 {
			*set |= model.Part(coordinatorsName(place))
		}
	}
}

// code codes a canonical state.
func (s *txnState) code(c *coder) {
	t := &s.Txn
	code(c, &t.State)
	code(c, &t.Pending)
	code(c, &t.PID)
	code(c, &t.Prev)
	code(c, &t.Next)
	code(c, &t.Epoch)
	code(c, &t.LastEpoch)
	code(c, &t.Version)
	c.parts(&t.Partitions)
	flag(c, &t.FailedFence)
	flag(c, &t.ByFence)
	flag(c, &s.Outbox.Stuck)
	for place := range s.Entries {
		for i := range s.Entries[place] {
			codeEntry(c, &s.Entries[place][i])
		}
	}
	for place := range s.Logs {
		codeLog(c, &s.Logs[place])
	}
	s.codeOffsets(c)
}

func codeEntry(c *coder, e *model.ProducerEntry) {
	code(c, &e.PID)
	if e.PID == 0 {
		*e = model.ProducerEntry{}
		return
	}
	code(c, &e.Epoch)
	code(c, &e.CoordinatorEpoch)
	code(c, &e.Last)
	code(c, &e.Kept)
	flag(c, &e.Open)
	code(c, &e.Guard)
	code(c, &e.Lowest)
	code(c, &e.GuardEpoch)
	flag(c, &e.GuardBumps)
}

// codeLog: a canonical log is empty, or one record that is undecided.
func codeLog(c *coder, log *[]logged) {
	l := logged{}
	if len(*log) > 0 {
		l = (*log)[0]
	}
	code(c, &l.PID)
	if *log = nil; l.PID != 0 {
		*log = []logged{{Kind: model.TransactionalRecord, PID: l.PID}}
	}
}

func (s *txnState) codeOffsets(c *coder) {
	code(c, &s.Offset)
	code(c, &s.OffsetAt)
	for i := range s.Pending {
		p := &s.Pending[i]
		code(c, &p.PID)
		if p.PID != 0 {
			code(c, &p.Partition)
			code(c, &p.Offset)
			code(c, &p.At)
		}
	}
	code(c, &s.Given)
}

// append writes the encoding of a canonical state.
func (s *txnState) append(dst []byte) []byte {
	c, t := coder{out: dst}, *s
	t.code(&c)
	return c.out
}

// decode is the inverse of append.
func (s *txnState) decode(src []byte) {
	*s = txnState{}
	s.code(&coder{in: src, reading: true})
}
