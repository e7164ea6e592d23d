package storage

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	checkpointName = "checkpoint"
	// headerBytes are the length of a checkpoint, and the checksum of all behind the header.
	headerBytes = 8 + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SaveCheckpoint writes a checkpoint into a directory. Whoever is killed meanwhile finds
// the one before.
func SaveCheckpoint(dir string, content func(*Archive)) error {
	name := filepath.Join(dir, checkpointName)
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = saveAs(name+".new", content)
	}
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return fmt.Errorf("no checkpoint: %w", err)
	}
	if d, err := os.Open(dir); err == nil { // so that the new name survives a crash of the system
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

func saveAs(name string, content func(*Archive)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), spillBuffer)
	a := &Archive{w: w}
	_, err = f.Seek(headerBytes, io.SeekStart)
	content(a)
	flushErr := w.Flush()
	size, sizeErr := f.Seek(0, io.SeekCurrent)
	header := binary.LittleEndian.AppendUint64(nil, uint64(size))
	header = binary.LittleEndian.AppendUint32(header, sum.Sum32())
	_, headerErr := f.WriteAt(header, 0)
	return errors.Join(err, a.err, flushErr, sizeErr, headerErr, f.Sync(), f.Close())
}

// LoadCheckpoint reads the checkpoint in a directory.
func LoadCheckpoint(dir string, content func(*Archive)) error {
	name := filepath.Join(dir, checkpointName)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing to resume: there is no checkpoint in %s", dir)
	}
	if err != nil {
		return fmt.Errorf("nothing to resume: %w", err)
	}
	defer f.Close()
	a := &Archive{r: bufio.NewReaderSize(f, spillBuffer)}
	if a.err = verify(f); a.err == nil {
		content(a)
	}
	if a.err != nil {
		return fmt.Errorf("cannot resume from %s: %w", name, a.err)
	}
	return nil
}

// verify reads all of a checkpoint once, before anybody relies on it, and goes back to what
// lies behind the header.
func verify(f *os.File) error {
	var header [headerBytes]byte
	sum := crc32.New(castagnoli)
	n, _ := io.ReadFull(f, header[:]) // where it fails, the size tells
	more, err := io.Copy(sum, f)
	switch size := uint64(int64(n) + more); {
	case err != nil:
		return err
	case n < headerBytes || size < binary.LittleEndian.Uint64(header[:]):
		return errors.New("it is cut off")
	case size > binary.LittleEndian.Uint64(header[:]):
		return errors.New("it is longer than it should be")
	case sum.Sum32() != binary.LittleEndian.Uint32(header[8:]):
		return errors.New("it is damaged")
	}
	_, err = f.Seek(headerBytes, io.SeekStart)
	return err
}
