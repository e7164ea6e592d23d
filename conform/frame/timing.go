package frame

import (
	"errors"
	"time"
)

var (
	// ErrTiming says that the machine was too slow for the timeouts of a sequence.
	ErrTiming = errors.New("too slow for the timeouts")
	// ErrImpossible says that a step of a sequence means nothing where the play
	// has come to.
	ErrImpossible = errors.New("the sequence does not fit the group")
)

// Spent tells whether so much of a timeout has passed, six parts of ten, that it
// may be over when the next request arrives.
func Spent(since time.Time, timeout time.Duration) bool {
	return time.Since(since) > timeout*6/10
}
