//go:build unix

package search

import (
	"fmt"
	"syscall"
	"unsafe"
)

const (
	firstRegion  = 1 << 17 // lines
	regionGrowth = 8
)

// growLines extends lines to n of them; the new ones are zero. They lie in a region of
// address space that is reserved for a table: only what was touched takes memory,
// and growing moves nothing until the region is full.
func growLines(lines []line, n int) []line {
	if n <= cap(lines) {
		return lines[:n]
	}
	region := max(cap(lines), firstRegion)
	for region < n {
		region *= regionGrowth
	}
	b, err := syscall.Mmap(-1, 0, region*lineBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("search: no memory for %d bytes of the visited set: %v", region*lineBytes, err))
	}
	bigger := unsafe.Slice((*line)(unsafe.Pointer(unsafe.SliceData(b))), region)[:n]
	copy(bigger, lines)
	freeLines(lines)
	return bigger
}

// freeLines gives them back.
func freeLines(lines []line) {
	if cap(lines) == 0 {
		return
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(lines))), cap(lines)*lineBytes)
	if err := syscall.Munmap(b); err != nil {
		panic(fmt.Sprintf("search: munmap: %v", err))
	}
}
