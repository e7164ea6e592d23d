package storage

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

// An Archive saves a search or loads it: the same functions run through what a
// checkpoint holds, in both directions. Data travels in frames: length, checksum of
// number and content, content. An empty frame is the end. The first error stays,
// and stops everything.
type Archive struct {
	w     io.Writer // to save to, or else
	r     io.Reader // to load from
	frame []byte    // what is collected, or what is not taken yet
	count uint64    // frames so far
	err   error

	buffer []byte // for frames that are read
}

// Saving tells whether it saves; else it loads.
func (a *Archive) Saving() bool { return a.w != nil }

// sum is the checksum of a frame.
func (a *Archive) sum(content []byte) uint32 {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], a.count)
	return crc32.Update(crc32.Checksum(number[:], castagnoli), castagnoli, content)
}

// flush writes a frame.
func (a *Archive) flush() {
	if a.err != nil {
		return
	}
	var header [frameHeader]byte
	binary.LittleEndian.PutUint32(header[:], uint32(len(a.frame)))
	binary.LittleEndian.PutUint32(header[4:], a.sum(a.frame))
	if _, a.err = a.w.Write(header[:]); a.err == nil {
		_, a.err = a.w.Write(a.frame)
	}
	a.frame = a.frame[:0]
	a.count++
}

// fill reads a frame.
func (a *Archive) fill() {
	var header [frameHeader]byte
	if !a.read(header[:]) {
		return
	}
	n := binary.LittleEndian.Uint32(header[:])
	if n > frameBytes {
		a.err = errDamaged
		return
	}
	if uint32(cap(a.buffer)) < n {
		a.buffer = make([]byte, n)
	}
	a.frame = a.buffer[:n]
	if a.read(a.frame) && a.sum(a.frame) != binary.LittleEndian.Uint32(header[4:]) {
		a.err = errDamaged
	}
	a.count++
}

func (a *Archive) read(b []byte) bool {
	_, a.err = io.ReadFull(a.r, b)
	if a.err == io.EOF || a.err == io.ErrUnexpectedEOF {
		a.err = errors.New("it is cut off")
	}
	return a.err == nil
}

// raw saves b, or loads as many bytes into it.
func (a *Archive) raw(b []byte) {
	for len(b) > 0 && a.err == nil {
		var n int
		if a.Saving() {
			n = min(len(b), frameBytes-len(a.frame))
			a.frame = append(a.frame, b[:n]...)
			if len(a.frame) == frameBytes {
				a.flush()
			}
		} else {
			if len(a.frame) == 0 {
				if a.fill(); a.err == nil && len(a.frame) == 0 {
					a.err = errors.New("it ends too early")
				}
			}
			n = copy(b, a.frame)
			a.frame = a.frame[n:]
		}
		b = b[n:]
	}
}

// end writes the last frames, or makes sure that there is nothing more.
func (a *Archive) end() {
	if a.Saving() {
		if len(a.frame) > 0 {
			a.flush()
		}
		a.flush()
		return
	}
	if len(a.frame) == 0 && a.err == nil {
		var more [1]byte
		if a.fill(); a.err == nil && len(a.frame) == 0 && !a.read(more[:]) {
			a.err = nil
			return
		}
	}
	if a.err == nil {
		a.err = errors.New("it is longer than it should be")
	}
}

// Number archives one.
func Number[N ~int | ~int64 | ~uint64 | ~uint | ~uint32 | ~uint8](a *Archive, n *N) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(*n))
	a.raw(b[:])
	*n = N(binary.LittleEndian.Uint64(b[:]))
}

// Numbers archives a slice of them, whose length is known.
func Numbers(a *Archive, ns []int64) {
	for i := range ns {
		Number(a, &ns[i])
	}
}

// length archives the length of a slice, and returns it. The checksums vouch for it.
func (a *Archive) length(n int) int {
	Number(a, &n)
	if a.err != nil {
		return 0
	}
	return n
}

// bytes archives a slice of them.
func (a *Archive) bytes(b *[]byte) {
	if n := a.length(len(*b)); !a.Saving() {
		*b = make([]byte, n)
	}
	a.raw(*b)
}

// Flag archives a bool.
func (a *Archive) Flag(b *bool) {
	var n uint8
	if *b {
		n = 1
	}
	Number(a, &n)
	*b = n == 1
}

// Expect saves a text, or demands that it is the one that was saved.
func (a *Archive) Expect(what, text string) {
	b := []byte(text)
	if a.bytes(&b); a.err == nil && string(b) != text {
		a.err = fmt.Errorf("it is of another %s: %q, this one is %q", what, b, text)
	}
}

// resize gives a slice the length that was archived.
func resize[T any](a *Archive, s *[]T) {
	if n := a.length(len(*s)); !a.Saving() {
		*s = make([]T, n)
	}
}

// spillable archives data that may be in a file; then buffer helps to read it.
func (a *Archive) spillable(s *Spillable, buffer *[]byte) {
	data, err := s.Load(buffer)
	if err != nil {
		a.err = err
		return
	}
	a.bytes(&data)
	if !a.Saving() {
		s.Data = data
	}
}
