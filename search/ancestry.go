package search

import "encoding/binary"

const (
	blockBytes     = 1 << 16
	maxRecordBytes = binary.MaxVarintLen64 + binary.MaxVarintLen32
)

// A how is by which step a state was reached: its place among those of the parent,
// and whether it helps every goal, which is known where goals are recorded.
type how uint32

func newHow(ordinal uint32, helps bool) how {
	h := how(ordinal) << 1
	if helps {
		h++
	}
	return h
}

func (h how) ordinal() uint32 { return uint32(h >> 1) }

func (h how) helps() bool { return h&1 == 1 }

// An ancestry remembers for each state of a shard how it was first reached: by
// which transition of which state of the level before. Within a level the
// parents never decrease, so that their differences are kept; a state costs
// two or three bytes.
type ancestry struct {
	blocks   []lot
	inMemory int   // the first block that is not in a depot
	last     int64 // the parent recorded last in this level
}

// A mark is a place in an ancestry.
type mark struct{ block, offset int }

// A birth is where the record of a state is, and the parent recorded before.
type birth struct {
	at   mark
	last int64
}

// open starts a level and returns its place.
func (a *ancestry) open() mark {
	a.last = 0
	return a.here().at
}

// here is where the next record is going to be.
func (a *ancestry) here() birth {
	if len(a.blocks) == 0 {
		return birth{}
	}
	b := len(a.blocks) - 1
	return birth{mark{b, len(a.blocks[b].data)}, a.last}
}

// add records a state that is a successor of parent.
func (a *ancestry) add(parent int64, how how) {
	n := len(a.blocks)
	if n == 0 || len(a.blocks[n-1].data)+maxRecordBytes > blockBytes {
		a.blocks = append(a.blocks, lot{data: a.newBlock()})
		n++
	}
	b := binary.AppendUvarint(a.blocks[n-1].data, uint64(parent-a.last))
	a.blocks[n-1].data = binary.AppendUvarint(b, uint64(how))
	a.last = parent
}

// newBlock lets the first block grow as needed: most searches are small.
func (a *ancestry) newBlock() []byte {
	if len(a.blocks) == 0 {
		return nil
	}
	return make([]byte, 0, blockBytes)
}

// at reads the n-th record of the level that starts at m.
func (a *ancestry) at(m mark, n int64) (parent int64, how how, err error) {
	var r ancestryReader
	r.begin(a, birth{at: m})
	for ; n >= 0 && err == nil; n-- {
		parent, how, err = r.next()
	}
	return parent, how, err
}

// An ancestryReader reads records one after another.
type ancestryReader struct {
	ancestry *ancestry
	birth
	data   []byte // of the block, as far as it is not read yet
	buffer []byte // for blocks that are on disk
	err    error
}

// begin starts at a record.
func (g *ancestryReader) begin(a *ancestry, b birth) {
	g.ancestry, g.birth = a, b
	g.load()
	if g.err == nil {
		g.data = g.data[b.at.offset:]
	}
}

func (g *ancestryReader) load() {
	l := &g.ancestry.blocks[g.at.block]
	if g.data, g.err = l.get(g.buffer); l.in != nil && g.err == nil {
		g.buffer = g.data
	}
}

// next reads a record of the level that it is in.
func (g *ancestryReader) next() (parent int64, _ how, err error) {
	if len(g.data) == 0 && g.err == nil {
		g.at.block++
		g.load()
	}
	if g.err != nil {
		return 0, 0, g.err
	}
	delta, k := binary.Uvarint(g.data)
	h, l := binary.Uvarint(g.data[k:])
	g.data = g.data[k+l:]
	g.last += int64(delta)
	return g.last, how(h), nil
}

// growth bounds what n more records may need.
func (a *ancestry) growth(n int) int64 {
	records := int64(n) * maxRecordBytes
	if last := len(a.blocks) - 1; last >= 0 && int64(len(a.blocks[last].data))+records > blockBytes {
		return records + blockBytes
	}
	return records
}

func (a *ancestry) bytes() int64 {
	if len(a.blocks) == 0 {
		return 0
	}
	last := len(a.blocks) - 1
	return int64(last-a.inMemory)*blockBytes + int64(cap(a.blocks[last].data))
}
