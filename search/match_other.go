//go:build !amd64

package search

// prefetch does nothing where there is no instruction for it: to load would be to
// wait.
func prefetch(*[batchSize]place, int) {}

func match(places *[batchSize]place, masks *[batchSize]uint16, n int) {
	matchSlots(places, masks, n)
}
