// Command limit measures the bare limit of the machine for an explicit-state search:
// how fast random keys go into a hash table, with nothing else to do.
//
//	limit [-workers W] STATES TRANSITIONS
//
// Each transition is a look-up of one of so many random keys, which is inserted if
// it is not there. Each worker has a table of its own, of 8 bytes a slot and 9 of 10
// slots used in the end, and looks up 32 keys at a time.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/bits"
	"os"
	"strconv"
	"sync"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

const batch = 32

// run is the command: 0 measured, 2 bad usage.
func run(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("limit", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	workers := fs.Int("workers", 2, "")
	err := fs.Parse(args)
	var states, transitions int
	if err == nil && fs.NArg() == 2 {
		states, _ = strconv.Atoi(fs.Arg(0))
		transitions, _ = strconv.Atoi(fs.Arg(1))
	}
	if err != nil || *workers < 1 || states < *workers || transitions < states {
		fmt.Fprintln(stderr, "usage: limit [-workers W] STATES TRANSITIONS, of which no fewer than states")
		return 2
	}
	start := time.Now()
	var found sync.WaitGroup
	counts := make([]int, *workers)
	for w := range *workers {
		found.Go(func() { counts[w] = fill(uint64(w), states / *workers, transitions / *workers) })
	}
	found.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	seconds := time.Since(start).Seconds()
	fmt.Fprintf(stdout, "distinct=%d generated=%d seconds=%.2f generated/s=%.0f distinct/s=%.0f\n",
		total, transitions, seconds, float64(transitions)/seconds, float64(total)/seconds)
	return 0
}

func mix(x uint64) uint64 {
	hi, lo := bits.Mul64(x^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return (hi ^ lo) | 1
}

// fill makes so many look-ups: of each key once, so that all go in, and else at random.
func fill(seed uint64, states, transitions int) (inserted int) {
	slots := make([]uint64, states*10/9+batch)
	home := func(key uint64) uint64 {
		hi, _ := bits.Mul64(key, uint64(len(slots)))
		return hi
	}
	var keys, loaded [batch]uint64
	every := float64(transitions) / float64(states)
	random, next, known := seed, 0.0, uint64(0)
	for i := 0; i < transitions; i += batch {
		for j := range keys {
			random += 0x9e3779b97f4a7c15
			n := known
			if float64(i+j) >= next { // a new one
				next += every
				known++
			} else {
				n, _ = bits.Mul64(mix(random), known)
			}
			keys[j] = mix(n<<8 | seed)
		}
		for j, key := range keys {
			loaded[j] = slots[home(key)]
		}
		for j, key := range keys {
			if loaded[j] != key && insert(slots, home(key), key) {
				inserted++
			}
		}
	}
	return inserted
}

// insert puts a key at its home or after it, and reports whether it is new.
func insert(slots []uint64, at, key uint64) bool {
	for slots[at] != 0 {
		if slots[at] == key {
			return false
		}
		if at++; at == uint64(len(slots)) {
			at = 0
		}
	}
	slots[at] = key
	return true
}
