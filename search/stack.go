package search

import (
	"encoding/binary"

	"fencecheck/search/internal/storage"
)

const (
	stackBlockBytes = 1 << 20
	trailerBytes    = 16
)

// A stack holds the encoded states that a depth-first search has yet to visit, each
// followed by how it was reached. Only its top must be in memory: the blocks
// below may be put into a spill file.
type stack struct {
	top       []byte
	below     []storage.Spillable
	stored    int // how many of those below are in the file
	size      int64
	spare     []byte
	blockFull bool // a block was filled since somebody looked
}

// A visit is to be made: a state, the step that led there, and how deep it is.
type visit struct {
	code  []byte
	step  Step
	depth int
}

func (s *stack) push(v visit) {
	if len(s.top) >= stackBlockBytes {
		s.below = append(s.below, storage.Spillable{Data: s.top})
		s.top, s.spare, s.blockFull = s.spare[:0], nil, true
	}
	b := append(s.top, v.code...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v.code)))
	b = binary.LittleEndian.AppendUint32(b, uint32(v.depth))
	b = binary.LittleEndian.AppendUint32(b, uint32(v.step.Op)|uint32(v.step.Outcome)<<16)
	s.top = binary.LittleEndian.AppendUint32(b, v.step.Arg)
	s.size++
}

// pop takes the last visit. Its code is valid until the next push.
func (s *stack) pop() (visit, error) {
	if len(s.top) == 0 {
		if err := s.loadBlock(); err != nil {
			return visit{}, err
		}
	}
	end := len(s.top) - trailerBytes
	t := s.top[end:]
	kind := binary.LittleEndian.Uint32(t[8:])
	start := end - int(binary.LittleEndian.Uint32(t))
	v := visit{
		code:  s.top[start:end],
		step:  Step{Op: uint16(kind), Outcome: uint16(kind >> 16), Arg: binary.LittleEndian.Uint32(t[12:])},
		depth: int(binary.LittleEndian.Uint32(t[4:])),
	}
	s.top = s.top[:start]
	s.size--
	return v, nil
}

// loadBlock makes the next block the top.
func (s *stack) loadBlock() error {
	last := len(s.below) - 1
	block := s.below[last]
	data, err := block.Load(&s.top)
	if block.InMemory() {
		s.spare = s.top[:0]
	} else {
		block.Cut()
		s.stored--
	}
	s.top, s.below = data, s.below[:last]
	return err
}

// spill puts all blocks below the top into a file.
func (s *stack) spill(st *storage.Store) error {
	for ; s.stored < len(s.below); s.stored++ {
		if err := st.Put(&s.below[s.stored]); err != nil {
			return err
		}
	}
	s.spare = nil
	return nil
}

func (s *stack) bytes() int64 {
	n := int64(cap(s.top) + cap(s.spare))
	for _, block := range s.below[s.stored:] {
		n += int64(cap(block.Data))
	}
	return n
}
