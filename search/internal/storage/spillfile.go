package storage

import (
	"fmt"
	"io"
	"os"
)

// spillBuffer is what a spill file collects before it writes.
const spillBuffer = 1 << 18

// A spillFile is a temporary file for what does not fit into memory. Where the system
// lets it, the file has no name, so that it vanishes even if the process is killed.
type SpillFile struct {
	file    *os.File
	buffer  []byte
	written int64 // bytes in the file
}

// A spillable is a piece of data that may have been put into a spill file.
type Spillable struct {
	Data []byte
	file *SpillFile // nil: data is all there is
	at   int64
	size int
}

// createTemp makes a file that vanishes when it is closed.
func createTemp(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "search-")
	if err == nil {
		_ = os.Remove(f.Name()) // fails where an open file cannot be removed: then close does it
	}
	return f, err
}

// put moves data into the file. It must not be loaded before the next flush.
func (f *SpillFile) Put(s *Spillable) error {
	s.file, s.at, s.size = f, f.written+int64(len(f.buffer)), len(s.Data)
	f.buffer = append(f.buffer, s.Data...)
	s.Data = nil
	if len(f.buffer) >= spillBuffer {
		return f.Flush()
	}
	return nil
}

// flush writes what was put.
func (f *SpillFile) Flush() error {
	n, err := f.file.WriteAt(f.buffer, f.written)
	f.written += int64(n)
	f.buffer = f.buffer[:0]
	if err != nil {
		return fmt.Errorf("writing what does not fit into memory: %w", err)
	}
	return nil
}

// load returns the data, in buffer if it must be read.
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

// inMemory tells whether the data needs no file.
func (s *Spillable) InMemory() bool { return s.file == nil }

// cut takes data that was put last out of the file again.
func (s *Spillable) Cut() { s.file.written = s.at }

// truncate forgets everything in the file.
func (f *SpillFile) truncate() error {
	f.written, f.buffer = 0, f.buffer[:0]
	return f.file.Truncate(0)
}

func (f *SpillFile) close() {
	_ = f.file.Close()
	_ = os.Remove(f.file.Name())
}

// spillFiles are where a search puts what does not fit into memory. Each is made when
// it is needed first.
type SpillFiles struct {
	dir    string
	Create func(dir string) (*os.File, error)
	levels [2]*SpillFile // pages, by the parity of their level
	Kept   *SpillFile    // predecessor records, and the pages of all levels where they are kept
}

func NewSpillFiles(dir string) SpillFiles {
	if dir == "" {
		dir = os.TempDir()
	}
	return SpillFiles{dir: dir, Create: createTemp}
}

func (fs *SpillFiles) all() [3]**SpillFile {
	return [3]**SpillFile{&fs.levels[0], &fs.levels[1], &fs.Kept}
}

// open makes a file if there is none yet.
func (fs *SpillFiles) Open(f **SpillFile) (*SpillFile, error) {
	if *f == nil {
		file, err := fs.Create(fs.dir)
		if err != nil {
			return nil, fmt.Errorf("no place for what does not fit into memory: %w", err)
		}
		*f = &SpillFile{file: file}
	}
	return *f, nil
}

func (fs *SpillFiles) Close() {
	for _, f := range fs.all() {
		if *f != nil {
			(*f).close()
		}
	}
}

// flush makes all that was put readable.
func (fs *SpillFiles) flush() error {
	for _, f := range fs.all() {
		if *f != nil {
			if err := (*f).Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}
