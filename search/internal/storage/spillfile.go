package storage

import (
	"fmt"
	"io"
	"os"
)

// spillBuffer is what a spill file collects before it writes.
const spillBuffer = 1 << 18

// A spillFile is a temporary file for what does not fit into memory. It is made when it is
// needed first. Where the system lets it, it has no name, so that it vanishes even if the
// process is killed.
type spillFile struct {
	create  func() (*os.File, error)
	file    *os.File // nil: nothing was put yet
	buffer  []byte
	written int64 // bytes in the file
}

// A Spillable is a piece of data that may have been put into a spill file.
type Spillable struct {
	Data []byte
	file *spillFile // nil: Data is all there is
	at   int64
	size int
}

// createIn makes files that vanish when they are closed, in a directory, or in that of the
// system if dir is "".
func createIn(dir string) func() (*os.File, error) {
	return func() (*os.File, error) {
		f, err := os.CreateTemp(dir, "search-")
		if err == nil {
			_ = os.Remove(f.Name()) // fails where an open file cannot be removed: then close does it
		}
		return f, err
	}
}

// put moves data into the file. It must not be loaded before the next flush.
func (f *spillFile) put(s *Spillable) (err error) {
	if f.file == nil {
		if f.file, err = f.create(); err != nil {
			return fmt.Errorf("no place for what does not fit into memory: %w", err)
		}
	}
	s.file, s.at, s.size = f, f.written+int64(len(f.buffer)), len(s.Data)
	f.buffer = append(f.buffer, s.Data...)
	s.Data = nil
	if len(f.buffer) >= spillBuffer {
		return f.flush()
	}
	return nil
}

// flush writes what was put.
func (f *spillFile) flush() error {
	if len(f.buffer) == 0 {
		return nil
	}
	n, err := f.file.WriteAt(f.buffer, f.written)
	f.written += int64(n)
	f.buffer = f.buffer[:0]
	if err != nil {
		return fmt.Errorf("writing what does not fit into memory: %w", err)
	}
	return nil
}

// Load returns the data, in buffer if it must be read.
func (s *Spillable) Load(buffer *[]byte) ([]byte, error) {
	if s.file == nil {
		return s.Data, nil
	}
	if cap(*buffer) < s.size {
		*buffer = make([]byte, s.size)
	}
	data := (*buffer)[:s.size]
	if n, err := s.file.file.ReadAt(data, s.at); n < s.size {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("reading back what did not fit into memory: %w", err)
	}
	return data, nil
}

// InMemory tells whether the data needs no file.
func (s *Spillable) InMemory() bool { return s.file == nil }

// Cut takes data that was put last out of the file again.
func (s *Spillable) Cut() { s.file.written = s.at }

// truncate forgets everything in the file.
func (f *spillFile) truncate() error {
	f.written, f.buffer = 0, f.buffer[:0]
	if f.file == nil {
		return nil
	}
	return f.file.Truncate(0)
}

func (f *spillFile) close() {
	if f.file != nil {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}
