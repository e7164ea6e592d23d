package search

import "syscall"

// adviseHuge asks for huge pages. It is advice: where there are none, the search
// is slower.
func adviseHuge(b []byte) {
	const madvHugepage = 14
	_ = syscall.Madvise(b, madvHugepage)
}
