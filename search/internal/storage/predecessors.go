package storage

import "encoding/binary"

const (
	blockBytes     = 1 << 16
	maxRecordBytes = binary.MaxVarintLen64 + binary.MaxVarintLen32
)

// A StepRef says by which step a state was reached: its place among those of the parent,
// and whether it helps every goal, which is known where hints are recorded.
type StepRef uint32

// NewStepRef is one of the ordinal-th step of the parent.
func NewStepRef(ordinal uint32, helps bool) StepRef {
	r := StepRef(ordinal) << 1
	if helps {
		r++
	}
	return r
}

// Ordinal is the place of the step among those of the parent.
func (r StepRef) Ordinal() uint32 { return uint32(r >> 1) }

func (r StepRef) helps() bool { return r&1 == 1 }

// predecessors are the records of how each state of a shard was first reached: by
// which step of which state of the level before, its parent in the breadth-first tree.
// Within a level the parents never decrease, so that their differences are kept; a state
// costs two or three bytes.
type predecessors struct {
	blocks   []Spillable
	inMemory int   // the first block that is not in a spill file
	last     int64 // the parent recorded last in this level
}

// A recordAddress is where a record lies.
type recordAddress struct{ block, offset int }

// A recordCursor is where the record of a state is, and the parent recorded before.
type recordCursor struct {
	address recordAddress
	last    int64
}

// beginLevel starts a level and returns its address.
func (ps *predecessors) beginLevel() recordAddress {
	ps.last = 0
	return ps.end().address
}

// end is where the next record is going to be.
func (ps *predecessors) end() recordCursor {
	if len(ps.blocks) == 0 {
		return recordCursor{}
	}
	b := len(ps.blocks) - 1
	return recordCursor{recordAddress{b, len(ps.blocks[b].Data)}, ps.last}
}

// add records a state that is a successor of parent.
func (ps *predecessors) add(parent int64, step StepRef) {
	n := len(ps.blocks)
	if n == 0 || len(ps.blocks[n-1].Data)+maxRecordBytes > blockBytes {
		ps.blocks = append(ps.blocks, Spillable{Data: ps.newBlock()})
		n++
	}
	b := binary.AppendUvarint(ps.blocks[n-1].Data, uint64(parent-ps.last))
	ps.blocks[n-1].Data = binary.AppendUvarint(b, uint64(step))
	ps.last = parent
}

// newBlock lets the first block grow as needed: most searches are small.
func (ps *predecessors) newBlock() []byte {
	if len(ps.blocks) == 0 {
		return nil
	}
	return make([]byte, 0, blockBytes)
}

// record reads the n-th record of the level that starts at an address.
func (ps *predecessors) record(level recordAddress, n int64) (parent int64, step StepRef, err error) {
	var r predecessorReader
	r.begin(ps, recordCursor{address: level})
	for ; n >= 0 && err == nil; n-- {
		parent, step, err = r.next()
	}
	return parent, step, err
}

// growth bounds what n more records may need.
func (ps *predecessors) growth(n int) int64 {
	records := int64(n) * maxRecordBytes
	if last := len(ps.blocks) - 1; last >= 0 && int64(len(ps.blocks[last].Data))+records > blockBytes {
		return records + blockBytes
	}
	return records
}

func (ps *predecessors) bytes() int64 {
	if len(ps.blocks) == 0 {
		return 0
	}
	last := len(ps.blocks) - 1
	return int64(last-ps.inMemory)*blockBytes + int64(cap(ps.blocks[last].Data))
}

func (ps *predecessors) archive(a *Archive) {
	a.Values(&ps.last)
	if n := a.length(len(ps.blocks)); !a.Saving() {
		ps.blocks = make([]Spillable, n)
	}
	var buffer []byte
	for i := range ps.blocks {
		if a.spillable(&ps.blocks[i], &buffer); a.err != nil {
			return
		}
		if data := ps.blocks[i].Data; !a.Saving() && len(data) > 0 && len(ps.blocks) > 1 {
			ps.blocks[i].Data = append(make([]byte, 0, blockBytes), data...)
		}
	}
}

// A predecessorReader reads records one after another.
type predecessorReader struct {
	records *predecessors
	recordCursor
	data   []byte // of the block, as far as it is not read yet
	buffer []byte // for blocks that are on disk
	Err    error
}

// begin starts at a record.
func (r *predecessorReader) begin(ps *predecessors, c recordCursor) {
	r.records, r.recordCursor = ps, c
	r.load()
	if r.Err == nil {
		r.data = r.data[c.address.offset:]
	}
}

func (r *predecessorReader) load() {
	r.data, r.Err = r.records.blocks[r.address.block].Load(&r.buffer)
}

// next reads a record of the level that it is in.
func (r *predecessorReader) next() (parent int64, step StepRef, err error) {
	if len(r.data) == 0 && r.Err == nil {
		r.address.block++
		r.load()
	}
	if r.Err != nil {
		return 0, 0, r.Err
	}
	delta, k := binary.Uvarint(r.data)
	s, l := binary.Uvarint(r.data[k:])
	r.data = r.data[k+l:]
	r.last += int64(delta)
	return r.last, StepRef(s), nil
}

// A ParentReader finds the parents of the states of a page, one after another.
type ParentReader struct {
	predecessorReader
	segments []segment // of the level before, from that of the last parent on
	base     int64     // number of its first state within the level
}

// Begin starts a page.
func (r *ParentReader) Begin(st *Store, p *Page) {
	r.predecessorReader.begin(&st.shards[p.Shard].predecessors, p.record)
	r.segments, r.base = nil, 0
	if p.Depth > 0 {
		r.segments = st.levels.at(p.Depth - 1)
	}
}

// Next returns the parent of the next state, by its shard and number there, if the step
// from there is known to help every goal.
func (r *ParentReader) Next() (shard uint8, number uint32, helps bool) {
	index, step, err := r.predecessorReader.next()
	if err != nil || !step.helps() {
		return 0, 0, false
	}
	for ; index-r.base >= r.segments[0].count; r.segments = r.segments[1:] {
		r.base += r.segments[0].count
	}
	return uint8(r.segments[0].shard), uint32(r.segments[0].first + index - r.base), true
}
