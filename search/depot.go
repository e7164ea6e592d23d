package search

import (
	"fmt"
	"io"
	"os"
)

// depotBuffer is what a depot collects before it writes.
const depotBuffer = 1 << 18

// A depot is a temporary file for what does not fit into memory. Where the system
// lets it, the file has no name, so that it vanishes even if the process is killed.
type depot struct {
	file    *os.File
	buffer  []byte
	written int64 // bytes in the file
}

// A lot is a piece of data that may have been put into a depot.
type lot struct {
	data []byte
	in   *depot // nil: data is all there is
	at   int64
	size int
}

func newDepot(dir string) (*depot, error) {
	f, err := os.CreateTemp(dir, "search-")
	if err != nil {
		return nil, fmt.Errorf("no place for what does not fit into memory: %w", err)
	}
	_ = os.Remove(f.Name()) // fails where an open file cannot be removed: then close does it
	return &depot{file: f}, nil
}

// put moves the data of a lot into the depot.
func (d *depot) put(l *lot) error {
	l.in, l.at, l.size = d, d.written+int64(len(d.buffer)), len(l.data)
	d.buffer = append(d.buffer, l.data...)
	l.data = nil
	if len(d.buffer) >= depotBuffer {
		return d.flush()
	}
	return nil
}

// flush writes what was put. No lot may be read before.
func (d *depot) flush() error {
	n, err := d.file.WriteAt(d.buffer, d.written)
	d.written += int64(n)
	d.buffer = d.buffer[:0]
	if err != nil {
		return fmt.Errorf("writing what does not fit into memory: %w", err)
	}
	return nil
}

// get returns the data of a lot, in buffer if it must be read.
func (l *lot) get(buffer []byte) ([]byte, error) {
	if l.in == nil {
		return l.data, nil
	}
	if cap(buffer) < l.size {
		buffer = make([]byte, l.size)
	}
	buffer = buffer[:l.size]
	if n, err := l.in.file.ReadAt(buffer, l.at); n < l.size {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("reading back what did not fit into memory: %w", err)
	}
	return buffer, nil
}

// empty forgets everything in the depot.
func (d *depot) empty() error {
	d.written, d.buffer = 0, d.buffer[:0]
	return d.file.Truncate(0)
}

func (d *depot) close() {
	_ = d.file.Close()
	_ = os.Remove(d.file.Name())
}
