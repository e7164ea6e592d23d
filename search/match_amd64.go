package search

// prefetch asks the processor for the lines of the first n places.
//
//go:noescape
func prefetch(places *[batchSize]lookup, n int)

// match compares each line with its word, all slots at once: mask i has bit 2k
// set if slot k of line i holds the word.
//
//go:noescape
func match(places *[batchSize]lookup, masks *[batchSize]uint16, n int)
