package storage

// prefetch asks the processor for the lines of the first n places.
//
//go:noescape
func prefetch(places *[BatchSize]lookup, n int)

// match compares each line with its word, all slots at once: mask i has bit 2k
// set if slot k of line i holds the word.
//
//go:noescape
func match(places *[BatchSize]lookup, masks *[BatchSize]uint16, n int)
