package storage

// prefetch asks the processor for the buckets of the first n lookups.
//
//go:noescape
func prefetch(lookups *[BatchSize]lookup, n int)

// match compares each bucket with its word, all slots at once: mask i has bit 2k
// set if slot k of bucket i holds the word.
//
//go:noescape
func match(lookups *[BatchSize]lookup, masks *[BatchSize]uint16, n int)
