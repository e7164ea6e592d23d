//go:build !unix

package storage

// growBuckets extends buckets to n of them; the new ones are zero.
func growBuckets(buckets []bucket, n int) []bucket {
	bigger := make([]bucket, n)
	copy(bigger, buckets)
	return bigger
}

func freeBuckets([]bucket) {}
