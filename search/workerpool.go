package search

import (
	"sync"
	"sync/atomic"
)

// A crew shares the units of a phase among persistent workers. To start a
// phase costs one send a worker, not one goroutine.
type workerPool struct {
	calls []chan func(worker int)
	done  sync.WaitGroup
	next  atomic.Int64
}

// newCrew starts workers beside the caller, who is worker 0 itself.
func newWorkerPool(workers int) *workerPool {
	c := &workerPool{calls: make([]chan func(int), workers-1)}
	for i := range c.calls {
		c.calls[i] = make(chan func(int))
		go c.work(i+1, c.calls[i])
	}
	return c
}

func (c *workerPool) work(worker int, calls <-chan func(int)) {
	for call := range calls {
		call(worker)
		c.done.Done()
	}
}

// run calls do for each unit below n, on all workers or on the caller alone,
// and returns when all are done.
func (c *workerPool) run(n int, alone bool, do func(worker, unit int)) {
	c.next.Store(0)
	drain := func(worker int) {
		for u := int(c.next.Add(1)) - 1; u < n; u = int(c.next.Add(1)) - 1 {
			do(worker, u)
		}
	}
	if !alone {
		c.done.Add(len(c.calls))
		for _, calls := range c.calls {
			calls <- drain
		}
	}
	drain(0)
	c.done.Wait()
}

// dismiss ends the workers.
func (c *workerPool) stop() {
	for _, calls := range c.calls {
		close(calls)
	}
}
