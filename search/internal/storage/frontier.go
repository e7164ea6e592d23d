package storage

import "encoding/binary"

// PageStates bounds the states of a page, which is the unit of work for the
// workers that expand a level.
const PageStates = 256

// A Page holds the encodings of consecutive states of one shard and level,
// each preceded by its length.
type Page struct {
	Spillable
	States int
	Shard  int
	Depth  int          // of its level
	First  int64        // number of the first state within its shard
	Base   int64        // number of the first state within its level
	record recordCursor // of its first state
	Hints  *Hints       // for checking the goals, if they were kept
}

// pageBytes is what a page weighs, its encodings apart.
const pageBytes = 120

// archive saves a page, or loads it. The buffer is for one that is in a file.
func (p *Page) archive(a *Archive, buffer *[]byte) {
	a.Values(&p.States, &p.Shard, &p.Depth, &p.First, &p.Base, &p.record)
	a.spillable(&p.Spillable, buffer)
}

// NextCode splits the first encoding off data.
func NextCode(data []byte) (code, rest []byte) {
	n, k := binary.Uvarint(data)
	end := k + int(n)
	return data[k:end:end], data[end:]
}

// A frontier collects the states that one shard found for the next level. Pages that
// have been expanded come back to be filled again.
type frontier struct {
	shard int
	pages []Page
	free  [][]byte
	full  int   // length of the last page that filled up: how much the next may need
	bytes int64 // capacity of all pages, wherever they are
}

// add appends the encoding of a state, the shard's number-th, and returns its page.
func (f *frontier) add(code []byte, number int64) *Page {
	if n := len(f.pages); n == 0 || f.pages[n-1].States == PageStates {
		f.open(number)
	}
	p := &f.pages[len(f.pages)-1]
	before := cap(p.Data)
	p.Data = binary.AppendUvarint(p.Data, uint64(len(code)))
	p.Data = append(p.Data, code...)
	p.States++
	f.bytes += int64(cap(p.Data) - before)
	return p
}

func (f *frontier) open(number int64) {
	if n := len(f.pages); n > 0 {
		f.full = len(f.pages[n-1].Data)
	}
	p := Page{Shard: f.shard, First: number}
	if n := len(f.free); n > 0 {
		p.Data, f.free = f.free[n-1], f.free[:n-1]
	} else if f.full > 0 {
		p.Data = make([]byte, 0, f.full)
		f.bytes += int64(cap(p.Data))
	}
	f.pages = append(f.pages, p)
}

// drain moves the pages to the end of dst and leaves the frontier empty.
func (f *frontier) drain(dst []Page) []Page {
	dst = append(dst, f.pages...)
	f.pages = f.pages[:0]
	return dst
}

// growth is what a page that is yet to be opened may take, beside its encodings.
func (f *frontier) growth() int64 { return int64(f.full) }

// release takes back the memory of a page that has been expanded.
func (f *frontier) release(p Page) {
	if p.InMemory() {
		f.free = append(f.free, p.Data[:0])
	}
}

// dropFree lets go of the memory that is to be filled again.
func (f *frontier) dropFree() {
	for _, data := range f.free {
		f.bytes -= int64(cap(data))
	}
	f.free = nil
}
