package storage

// matchSlots is match in Go.
func matchSlots(lookups *[BatchSize]lookup, masks *[BatchSize]uint16, n int) {
	for i := range n {
		p := &lookups[i]
		masks[i] = 0
		for k, word := range p.bucket[:bucketSlots] {
			if word == p.word {
				masks[i] |= 1 << (2 * k)
			}
		}
	}
}
