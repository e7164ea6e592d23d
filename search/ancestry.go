package search

import "encoding/binary"

const (
	blockBytes     = 1 << 16
	maxRecordBytes = binary.MaxVarintLen64 + binary.MaxVarintLen32
)

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

// open starts a level and returns its place.
func (a *ancestry) open() mark {
	a.last = 0
	if len(a.blocks) == 0 {
		return mark{}
	}
	b := len(a.blocks) - 1
	return mark{b, len(a.blocks[b].data)}
}

// add records a state that is the ordinal-th successor of parent.
func (a *ancestry) add(parent int64, ordinal uint32) {
	n := len(a.blocks)
	if n == 0 || len(a.blocks[n-1].data)+maxRecordBytes > blockBytes {
		a.blocks = append(a.blocks, lot{data: a.newBlock()})
		n++
	}
	b := binary.AppendUvarint(a.blocks[n-1].data, uint64(parent-a.last))
	a.blocks[n-1].data = binary.AppendUvarint(b, uint64(ordinal))
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
func (a *ancestry) at(m mark, n int64) (parent int64, ordinal uint32, err error) {
	data, err := a.blocks[m.block].get(nil)
	for ; n >= 0 && err == nil; n-- {
		if m.offset == len(data) {
			m = mark{m.block + 1, 0}
			if data, err = a.blocks[m.block].get(data); err != nil {
				break
			}
		}
		b := data[m.offset:]
		delta, k := binary.Uvarint(b)
		ord, l := binary.Uvarint(b[k:])
		m.offset += k + l
		parent, ordinal = parent+int64(delta), uint32(ord)
	}
	return parent, ordinal, err
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
