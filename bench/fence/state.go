package main

// The bounds of the layout below.
const (
	maxMembers     = 3
	maxPartitions  = 4
	maxGenerations = 4
	maxOffset      = 3
)

// A state packs FENCE's variables. Group holds, from the lowest bit, cg (3
// bits), cs (2), err (2) and a member for each m. The rest are arrays of
// two-bit offsets.
type state struct {
	Group     uint64
	Committed uint32             // co[p]
	Net       [maxMembers]uint32 // Net[m] at bit (g-1)*8+p*2: the offset o of the message (m, g, p, o); 0: none
}

// Values of cs.
const (
	empty = iota
	preparing
	completing
	stable
)

// Values of err.
const (
	fine = iota
	stale
	regress
)

// Values of cm[m].
const (
	none = iota
	pending
	joined
	synced
)

// Values of ms[m].
const (
	out = iota
	joining
	active // "member" in FENCE.md
	paused
)

const (
	phaseShift  = 3
	errShift    = 5
	memberShift = 7
	memberBits  = 19
	memberMask  = 1<<memberBits - 1
)

func (s *state) generation() uint32 { return uint32(s.Group & 7) }
func (s *state) phase() uint64      { return s.Group >> phaseShift & 3 }
func (s *state) err() uint64        { return s.Group >> errShift & 3 }
func (s *state) setPhase(p uint64)  { s.Group = s.Group&^(3<<phaseShift) | p<<phaseShift }
func (s *state) setErr(e uint64)    { s.Group = s.Group&^(3<<errShift) | e<<errShift }

func (s *state) member(m int) member {
	return member(s.Group >> (memberShift + memberBits*m) & memberMask)
}

func (s *state) setMember(m int, to member) {
	shift := memberShift + memberBits*m
	s.Group = s.Group&^(memberMask<<shift) | uint64(to)<<shift
}

func (s *state) committed(p int) uint32 { return s.Committed >> (2 * p) & 3 }

func (s *state) commit(p int, offset uint32) {
	s.Committed = s.Committed&^(3<<(2*p)) | offset<<(2*p)
}

// A member packs cm (2 bits), ms (2), mg (3), ma (4) and mp (2 for each
// partition).
type member uint32

const (
	modeShift     = 2
	genShift      = 4
	ownsShift     = 7
	positionShift = 11
)

func (m member) view() uint32          { return uint32(m & 3) }
func (m member) mode() uint32          { return uint32(m >> modeShift & 3) }
func (m member) gen() uint32           { return uint32(m >> genShift & 7) }
func (m member) owns() uint32          { return uint32(m >> ownsShift & 15) }
func (m member) position(p int) uint32 { return uint32(m >> (positionShift + 2*p) & 3) }

func (m member) withView(v member) member { return m&^3 | v }
func (m member) withMode(v member) member { return m&^(3<<modeShift) | v<<modeShift }

// forget clears mg, ma and mp.
func (m member) forget() member { return m & (1<<genShift - 1) }

// advance adds one to the position in p, which has not reached its highest value.
func (m member) advance(p int) member { return m + 1<<(positionShift+2*p) }

// message is the bit of (m, g, p) in Net[m].
func message(g uint32, p int) int { return int(g-1)*8 + p*2 }
