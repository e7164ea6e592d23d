package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	frameBytes  = 1 << 20 // at most, of a frame
	frameHeader = 8
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errDamaged = errors.New("it is damaged")
)

// A tape saves a search or loads it: the same functions run through what is to
// be kept, in both directions. Data travels in frames: length, checksum of
// number and content, content. An empty frame is the end. The first error stays,
// and stops everything.
type tape struct {
	w     io.Writer // to save to, or else
	r     io.Reader // to load from
	frame []byte    // what is collected, or what is not taken yet
	count uint64    // frames so far
	err   error

	buffer []byte // for frames that are read
}

func (t *tape) saving() bool { return t.w != nil }

// sum is the checksum of a frame.
func (t *tape) sum(content []byte) uint32 {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], t.count)
	return crc32.Update(crc32.Checksum(number[:], castagnoli), castagnoli, content)
}

// flush writes a frame.
func (t *tape) flush() {
	if t.err != nil {
		return
	}
	var header [frameHeader]byte
	binary.LittleEndian.PutUint32(header[:], uint32(len(t.frame)))
	binary.LittleEndian.PutUint32(header[4:], t.sum(t.frame))
	if _, t.err = t.w.Write(header[:]); t.err == nil {
		_, t.err = t.w.Write(t.frame)
	}
	t.frame = t.frame[:0]
	t.count++
}

// fill reads a frame.
func (t *tape) fill() {
	var header [frameHeader]byte
	if !t.read(header[:]) {
		return
	}
	n := binary.LittleEndian.Uint32(header[:])
	if n > frameBytes {
		t.err = errDamaged
		return
	}
	if uint32(cap(t.buffer)) < n {
		t.buffer = make([]byte, n)
	}
	t.frame = t.buffer[:n]
	if t.read(t.frame) && t.sum(t.frame) != binary.LittleEndian.Uint32(header[4:]) {
		t.err = errDamaged
	}
	t.count++
}

func (t *tape) read(b []byte) bool {
	_, t.err = io.ReadFull(t.r, b)
	if t.err == io.EOF || t.err == io.ErrUnexpectedEOF {
		t.err = errors.New("it is cut off")
	}
	return t.err == nil
}

// raw saves b, or loads as many bytes into it.
func (t *tape) raw(b []byte) {
	for len(b) > 0 && t.err == nil {
		var n int
		if t.saving() {
			n = min(len(b), frameBytes-len(t.frame))
			t.frame = append(t.frame, b[:n]...)
			if len(t.frame) == frameBytes {
				t.flush()
			}
		} else {
			if len(t.frame) == 0 {
				if t.fill(); t.err == nil && len(t.frame) == 0 {
					t.err = errors.New("it ends too early")
				}
			}
			n = copy(b, t.frame)
			t.frame = t.frame[n:]
		}
		b = b[n:]
	}
}

// end writes the last frames, or makes sure that there is nothing more.
func (t *tape) end() {
	if t.saving() {
		if len(t.frame) > 0 {
			t.flush()
		}
		t.flush()
		return
	}
	if len(t.frame) == 0 && t.err == nil {
		var more [1]byte
		if t.fill(); t.err == nil && len(t.frame) == 0 && !t.read(more[:]) {
			t.err = nil
			return
		}
	}
	if t.err == nil {
		t.err = errors.New("it is longer than it should be")
	}
}

// number keeps one.
func number[N ~int | ~int64 | ~uint64 | ~uint | ~uint32 | ~uint8](t *tape, n *N) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(*n))
	t.raw(b[:])
	*n = N(binary.LittleEndian.Uint64(b[:]))
}

// numbers keeps a slice of them, whose length is known.
func numbers(t *tape, ns []int64) {
	for i := range ns {
		number(t, &ns[i])
	}
}

// length keeps the length of a slice, and returns it. The checksums vouch for it.
func (t *tape) length(n int) int {
	number(t, &n)
	if t.err != nil {
		return 0
	}
	return n
}

// bytes keeps a slice of them.
func (t *tape) bytes(b *[]byte) {
	if n := t.length(len(*b)); !t.saving() {
		*b = make([]byte, n)
	}
	t.raw(*b)
}

// flag keeps a truth.
func (t *tape) flag(b *bool) {
	var n uint8
	if *b {
		n = 1
	}
	number(t, &n)
	*b = n == 1
}

// same saves a text, or demands that it is the one that was saved.
func (t *tape) same(what, text string) {
	b := []byte(text)
	if t.bytes(&b); t.err == nil && string(b) != text {
		t.err = fmt.Errorf("it is of another %s: %q, this one is %q", what, b, text)
	}
}
