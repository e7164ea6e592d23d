package search

import "math/bits"

// batchSize successors are looked up together, so that the cache misses of
// their look-ups overlap.
const batchSize = 32

// A batch holds encoded successors until enough have come together.
type batch struct {
	n       int
	codes   []byte
	fps     [batchSize]fingerprint
	ends    [batchSize]uint32 // of each encoding in codes
	parents [batchSize]uint32
	hows    [batchSize]how

	places [batchSize]place
	opened int
	open   [batchSize]uint8 // those not found in their first line
	alts   [batchSize]place // by place in open: their second lines
}

// A place is where something may be found. Where there is nothing to look at, the
// line is blank.
type place struct {
	line *line
	word uint64 // as in item
	tag  uint64 // the rest of the item
}

func (p *place) item() item { return item{p.word, p.tag & 0xff, p.tag >> 8} }

// blank has nothing in it.
var blank line

func placeOf(t *table, e entry) place {
	n, it := t.locate(e)
	return place{&t.lines[n], it.word, it.high | it.alt<<8}
}

// holds tells whether the entry is there, given the slots whose word is equal: bit
// 2i for slot i, as match has it.
func (p *place) holds(mask uint16) bool {
	if mask == 0 {
		return false
	}
	if i := bits.TrailingZeros16(mask) / 2; p.line.at(i) == p.item() {
		return true
	}
	return p.line.find(p.item()) >= 0
}

// A pipeline takes batches through the three steps of a look-up: to fetch the
// first line of each successor, to search it and fetch the second one where that is
// needed, to search that. Between two steps of a batch lies the making of
// another one, so that no step waits for memory.
type pipeline struct {
	batches [3]batch
	at      int // the one that is being filled
}

func (p *pipeline) filling() *batch { return &p.batches[p.at] }

// turn moves each batch to its next step, and returns the one that is through: the
// unknown among its successors are left in open.
func (p *pipeline) turn(ss *[shards]shard) *batch {
	last := &p.batches[(p.at+1)%3]
	last.third(ss)
	p.batches[(p.at+2)%3].second(ss)
	p.filling().first(ss)
	p.at = (p.at + 1) % 3
	return last
}

// first fetches the first lines, or what tables without lines have instead.
func (b *batch) first(ss *[shards]shard) {
	young := 0
	for i, f := range b.fps[:b.n] {
		t := &ss[f.shard()].table
		b.places[i] = t.first(f)
		if t.lines == nil {
			b.alts[young].line = t.small.near(f)
			young++
		}
	}
	prefetch(&b.places, b.n)
	prefetch(&b.alts, young)
}

// second searches the first lines, and fetches the second ones of what is not
// there.
func (b *batch) second(ss *[shards]shard) {
	var masks [batchSize]uint16
	match(&b.places, &masks, b.n)
	b.opened = 0
	for i := range b.n {
		if b.places[i].holds(masks[i]) {
			continue
		}
		alt := place{line: &blank, word: 1}
		if b.places[i].line[7]&overflowed != 0 {
			f := b.fps[i]
			alt = placeOf(&ss[f.shard()].table, entry{key: f.key, spot: f.place()}.other())
		}
		b.open[b.opened], b.alts[b.opened] = uint8(i), alt
		b.opened++
	}
	prefetch(&b.alts, b.opened)
}

// third searches the second lines, and the tables without lines.
func (b *batch) third(ss *[shards]shard) {
	var masks [batchSize]uint16
	match(&b.alts, &masks, b.opened)
	open := b.open[:b.opened]
	b.opened = 0
	for n, i := range open {
		if b.alts[n].holds(masks[n]) {
			continue
		}
		if t := &ss[b.fps[i].shard()].table; t.lines == nil && t.small.find(b.fps[i]) >= 0 {
			continue
		}
		b.open[b.opened] = i
		b.opened++
	}
}

// code is the encoding of the i-th successor.
func (b *batch) code(i int) []byte {
	var start uint32
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.codes[start:b.ends[i]]
}

func (b *batch) clear() {
	b.n, b.opened, b.codes = 0, 0, b.codes[:0]
}

// recent remembers some of the successors of a page. Neighbouring states have
// many in common, and a quarter of all look-ups may end here, in the fastest
// cache. It starts anew with each page, lest what it drops depend on which
// pages a worker happened to expand before.
type recent [1 << 10]fingerprint

// has reports whether it remembers f, and remembers it from now on.
func (r *recent) has(f fingerprint) bool {
	last := &r[f.key%uint64(len(r))]
	if *last == f {
		return true
	}
	*last = f
	return false
}
