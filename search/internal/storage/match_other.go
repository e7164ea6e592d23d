//go:build !amd64

package storage

// prefetch does nothing where there is no instruction for it: to load would be to
// wait.
func prefetch(*[BatchSize]lookup, int) {}

func match(lookups *[BatchSize]lookup, masks *[BatchSize]uint16, n int) {
	matchSlots(lookups, masks, n)
}
