package search

import "math/bits"

const (
	// firstLines is the least that a table may have, so that what a line's number
	// leaves open of a spot fits into the 15 bits of a remainder.
	firstLines = 1 << (spotBits - 8 - lowBits)
	// youngSlots is the most that a table uses before it has lines.
	youngSlots = 1 << 13
	// A table with lines is at most maxFill/fillParts full, and then grows by an
	// eighth. As each shard starts with a size of its own, their sum is always
	// about halfway between: less than 10 bytes a state.
	maxFill, fillParts = 39, 40
	maxKicks           = 1000
	entryBytes         = 16
)

// A table is the visited set of one shard. It quotients: of a fingerprint it does
// not store what the place of the entry says already. A spot is scaled to the
// number of lines; the line is the integer part and the fraction gives the remainder,
// so that lines can grow in small steps and everything is recovered from them.
//
// Where an entry's line is full, it goes to a second one, which follows from the
// first and the key; where that is full as well, an entry there moves to its other
// line, and so on (a bucketised cuckoo table).
//
// A small table keeps whole fingerprints: there the places say too little.
//
// Any number of goroutines may look up at the same time, as long as none inserts.
type table struct {
	lines []line
	small young
	used  int
	start int     // how many lines to begin with
	late  []entry // buffer for growing
	recip uint64
	shift uint8
	kicks uint // entries moved so far; chooses whom to move next
}

// newTable makes the table of a shard.
func newTable(id int) table {
	return table{small: newYoung(youngMinSlots), start: firstLines + firstLines*id/(8*shards)}
}

// An entry is a fingerprint on its way: the spot is that of the line it is meant
// for, its first or its second choice.
type entry struct {
	key  uint64
	spot uint32
	alt  uint32
}

// other is the same entry, meant for the other of its lines.
func (e entry) other() entry {
	e.spot ^= uint32(e.key*hashE>>(64-spotBits)) & (1<<spotBits - 1)
	e.alt ^= 1
	return e
}

// locate returns the line of an entry, and what is to be stored there.
func (t *table) locate(e entry) (uint32, item) {
	n, rest := t.locateSpot(e.spot)
	return n, item{e.key<<lowBits | rest&(1<<lowBits-1), rest >> lowBits, uint64(e.alt)}
}

// locateSpot returns the line of a spot, and what it leaves open.
func (t *table) locateSpot(spot uint32) (n uint32, rest uint64) {
	scaled := uint64(spot) * uint64(len(t.lines))
	return uint32(scaled >> spotBits), (scaled & (1<<spotBits - 1)) * t.recip >> t.shift // divided by len(t.lines)
}

// lineOf returns the line of a spot.
func (t *table) lineOf(spot uint32) uint32 {
	return uint32(uint64(spot) * uint64(len(t.lines)) >> spotBits)
}

// base is the first spot of a line.
func (t *table) base(n int) uint32 {
	return uint32((uint64(n)<<spotBits + uint64(len(t.lines)) - 1) / uint64(len(t.lines)))
}

// read recovers an entry.
func (t *table) read(base uint32, it item) entry {
	rest := uint32(it.word&(1<<lowBits-1) | it.high<<lowBits)
	return entry{it.word >> lowBits, base + rest, uint32(it.alt)}
}

// shape sets how many lines there are.
func (t *table) shape(lines []line) {
	t.lines = lines
	t.shift = uint8(spotBits + bits.Len(uint(len(lines))))
	t.recip = 1<<t.shift/uint64(len(lines)) + 1
}

// first is where f may be found: its place in its first line.
func (t *table) first(f fingerprint) place {
	if t.lines == nil {
		return place{line: &blank, word: 1}
	}
	return placeOf(t, entry{key: f.key, spot: f.place()})
}

// find returns the slot that holds f, or -1.
func (t *table) find(f fingerprint) int {
	if t.lines == nil {
		return t.small.find(f)
	}
	e := entry{key: f.key, spot: f.place()}
	n, it := t.locate(e)
	if i := t.lines[n].find(it); i >= 0 {
		return int(n)*lineSlots + i
	}
	if t.lines[n][7]&overflowed == 0 {
		return -1
	}
	return t.findAlt(e)
}

// findAlt returns the slot of an entry's second line that holds it, or -1.
func (t *table) findAlt(e entry) int {
	n, it := t.locate(e.other())
	if i := t.lines[n].find(it); i >= 0 {
		return int(n)*lineSlots + i
	}
	return -1
}

// insert adds f, for which reserve has made room, and reports whether it is new.
func (t *table) insert(f fingerprint) bool {
	if t.lines == nil {
		if t.small.find(f) >= 0 {
			return false
		}
		t.used++
		t.small.insert(f)
		return true
	}
	e := entry{key: f.key, spot: f.place()}
	n, it := t.locate(e)
	l := &t.lines[n]
	if l.find(it) >= 0 || l[7]&overflowed != 0 && t.findAlt(e) >= 0 {
		return false
	}
	t.used++
	if l.add(it) {
		return true
	}
	for !t.put(&e) {
		t.grow(t.bigger())
	}
	return true
}

// put finds a place for an entry that the table does not hold. If it fails, *e is
// another entry, for which there is no place.
func (t *table) put(e *entry) bool {
	for range maxKicks {
		other := e.other()
		if t.putNear(*e, other) || t.nudge(*e) || t.nudge(other) {
			return true
		}
		t.kick(e)
	}
	return false
}

// putNear puts an entry into the line that it is meant for or into the other one, if
// there is room.
func (t *table) putNear(e, other entry) bool {
	n, it := t.locate(e)
	first, second := &t.lines[n], &t.lines[n]
	if !first.add(it) {
		n, it = t.locate(other)
		if second = &t.lines[n]; !second.add(it) {
			return false
		}
	}
	if it.alt == 0 {
		return true
	}
	if first == second {
		n, _ = t.locate(other)
		first = &t.lines[n]
	}
	first[7] |= overflowed
	return true
}

// nudge puts an entry into a full line, if one that is there can move to its
// other line.
func (t *table) nudge(e entry) bool {
	n, it := t.locate(e)
	l, base := &t.lines[n], t.base(int(n))
	var moved [lineSlots]entry
	var places [batchSize]place
	for i := range moved {
		moved[i] = t.read(base, l.at(i)).other()
		places[i].line = &t.lines[t.lineOf(moved[i].spot)]
	}
	prefetch(&places, lineSlots)
	for i := range moved {
		if places[i].line.full() {
			continue
		}
		_, free := t.locate(moved[i])
		places[i].line.add(free)
		if moved[i].alt == 1 {
			l[7] |= overflowed
		}
		t.replace(l, i, e, it)
		return true
	}
	return false
}

// replace puts an entry into a slot of its line.
func (t *table) replace(l *line, i int, e entry, it item) {
	l.set(i, it)
	if e.alt == 1 {
		n, _ := t.locate(e.other())
		t.lines[n][7] |= overflowed
	}
}

// kick puts an entry in the place of another one, which becomes *e, meant for
// its other line.
func (t *table) kick(e *entry) {
	n, it := t.locate(*e)
	l := &t.lines[n]
	i := int(t.kicks % lineSlots)
	t.kicks++
	out := t.read(t.base(int(n)), l.at(i))
	t.replace(l, i, *e, it)
	*e = out.other()
}

// bigger is the next size.
func (t *table) bigger() int {
	if t.lines == nil {
		return t.start
	}
	return len(t.lines) + len(t.lines)/8
}

// transient bounds the memory that growing takes beside the table.
func (t *table) transient() int64 { return int64(t.used) * entryBytes / 2 }

// wants returns how many lines, or else young slots, the table needs to take
// extra more fingerprints.
func (t *table) wants(extra int) (lines, slots int) {
	lines, slots = len(t.lines), len(t.small.slots)
	for lines == 0 {
		if (t.used+extra)*4 <= slots*3 {
			return 0, slots
		}
		if slots *= 2; slots > youngSlots {
			lines, slots = t.start, 0
		}
	}
	for (t.used+extra)*fillParts > lines*lineSlots*maxFill {
		lines += lines / 8
	}
	return lines, 0
}

// reserve makes room for extra more fingerprints.
func (t *table) reserve(extra int) {
	lines, slots := t.wants(extra)
	switch {
	case lines > len(t.lines):
		for 0 < len(t.lines) && 2*len(t.lines) < lines {
			t.grow(2 * len(t.lines)) // at most, so that lift has few lines to fill at a time
		}
		t.grow(lines)
	case slots > len(t.small.slots):
		t.small = t.small.grown(slots)
	}
}

// grow makes it so many lines, in place. Each entry moves up, and so the lines are
// passed from the last to the first. Who finds no room comes last, a few at a time, so
// that their cache misses overlap.
func (t *table) grow(lines int) {
	old := *t
	t.shape(growLines(t.lines, lines))
	t.late = t.late[:0]
	for _, f := range t.small.slots {
		if f.key != 0 {
			t.late = append(t.late, entry{key: f.key, spot: f.place()})
		}
	}
	t.small = young{}
	t.lift(&old)
	t.putAll(t.late)
}

// lift moves the entries of all lines up to where they are now, and collects in late
// those that find their line full. Their second lines move as the first ones do, so that
// an entry stays in the one that it is in. That an entry lies elsewhere is from
// then on said of each line that may be its first.
func (t *table) lift(old *table) {
	var counts [4]uint8 // of the lines that are being filled, by their last bits
	lowest, end := len(t.lines), uint32(1<<spotBits)
	for n := len(old.lines) - 1; n >= 0; n-- {
		l, base := t.lines[n], old.base(n)
		t.lines[n] = line{}
		for first := int(t.lineOf(base)); lowest > first; {
			lowest--
			counts[lowest%len(counts)] = 0
		}
		if l[7]&overflowed != 0 {
			for to := lowest; to <= int(t.lineOf(end-1)); to++ {
				t.lines[to][7] |= overflowed
			}
		}
		end = base
		for k, word := range l[:lineSlots] {
			if word == 0 {
				break
			}
			rest := word&(1<<lowBits-1) | l[7]>>(8*k)&0xff<<lowBits
			to, moved := t.locateSpot(base + uint32(rest))
			at := &counts[to%uint32(len(counts))]
			if *at == lineSlots {
				t.late = append(t.late, old.read(base, l.at(k)))
				continue
			}
			t.lines[to].fill(int(*at), item{word&^(1<<lowBits-1) | moved&(1<<lowBits-1), moved >> lowBits, l[7] >> (56 + k) & 1})
			*at++
		}
	}
}

// putAll puts entries, if possible into their first lines.
func (t *table) putAll(es []entry) {
	var places [batchSize]place
	for len(es) > 0 {
		n := min(len(es), batchSize)
		for i, e := range es[:n] {
			if e.alt == 1 {
				es[i] = e.other()
			}
			places[i] = placeOf(t, es[i])
		}
		prefetch(&places, n)
		for _, e := range es[:n] {
			for !t.put(&e) {
				t.late = nil // that is where es lies
				t.grow(t.bigger())
			}
		}
		es = es[n:]
	}
}

// release gives the memory back.
func (t *table) release() {
	freeLines(t.lines)
	*t = table{}
}

// slots is how many slots there are, for whoever keeps something beside them.
func (t *table) slots() int { return len(t.lines)*lineSlots + len(t.small.slots) }

func (t *table) bytes() int64 { return tableBytes(len(t.lines), len(t.small.slots)) }

// tableBytes is what a table of so many lines and young slots weighs.
func tableBytes(lines, slots int) int64 {
	return int64(lines)*lineBytes + int64(slots)*youngBytes
}
