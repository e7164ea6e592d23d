//go:build unix

package search

import (
	"fmt"
	"syscall"
	"unsafe"
)

// newLines takes lines from the operating system: the garbage collector would
// keep a table that has been outgrown for too long, and asking for huge pages
// saves a walk through the page tables for most look-ups.
func newLines(n int) []line {
	b, err := syscall.Mmap(-1, 0, n*lineBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("search: no memory for %d bytes of the visited set: %v", n*lineBytes, err))
	}
	adviseHuge(b)
	return unsafe.Slice((*line)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// freeLines gives them back.
func freeLines(lines []line) {
	if len(lines) == 0 {
		return
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(lines))), len(lines)*lineBytes)
	if err := syscall.Munmap(b); err != nil {
		panic(fmt.Sprintf("search: munmap: %v", err))
	}
}
