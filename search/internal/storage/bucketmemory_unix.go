//go:build unix

package storage

import (
	"fmt"
	"syscall"
	"unsafe"
)

const (
	firstRegion  = 1 << 17 // buckets
	regionGrowth = 8
)

// growBuckets extends buckets to n of them; the new ones are zero. They lie in a region of
// address space that is reserved for a visited set: only what was touched takes memory,
// and growing moves nothing until the region is full.
func growBuckets(buckets []bucket, n int) []bucket {
	if n <= cap(buckets) {
		return buckets[:n]
	}
	region := max(cap(buckets), firstRegion)
	for region < n {
		region *= regionGrowth
	}
	b, err := syscall.Mmap(-1, 0, region*BucketBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("search: no memory for %d bytes of the visited set: %v", region*BucketBytes, err))
	}
	bigger := unsafe.Slice((*bucket)(unsafe.Pointer(unsafe.SliceData(b))), region)[:n]
	copy(bigger, buckets)
	freeBuckets(buckets)
	return bigger
}

// freeBuckets gives them back.
func freeBuckets(buckets []bucket) {
	if cap(buckets) == 0 {
		return
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(buckets))), cap(buckets)*BucketBytes)
	if err := syscall.Munmap(b); err != nil {
		panic(fmt.Sprintf("search: munmap: %v", err))
	}
}
