package search

import (
	"sync"
	"sync/atomic"
)

// A workerPool shares the units of a phase among persistent workers. To start a
// phase costs one send a worker, not one goroutine.
type workerPool struct {
	calls []chan func(worker int)
	done  sync.WaitGroup
	next  atomic.Int64
}

// newWorkerPool starts workers beside the caller, who is worker 0 itself.
func newWorkerPool(workers int) *workerPool {
	p := &workerPool{calls: make([]chan func(int), workers-1)}
	for i := range p.calls {
		p.calls[i] = make(chan func(int))
		go p.work(i+1, p.calls[i])
	}
	return p
}

func (p *workerPool) work(worker int, calls <-chan func(int)) {
	for call := range calls {
		call(worker)
		p.done.Done()
	}
}

// run calls do for each unit below n, on all workers or on the caller alone,
// and returns when all are done.
func (p *workerPool) run(n int, alone bool, do func(worker, unit int)) {
	p.next.Store(0)
	drain := func(worker int) {
		for u := int(p.next.Add(1)) - 1; u < n; u = int(p.next.Add(1)) - 1 {
			do(worker, u)
		}
	}
	if !alone {
		p.done.Add(len(p.calls))
		for _, calls := range p.calls {
			calls <- drain
		}
	}
	drain(0)
	p.done.Wait()
}

// stop ends the workers.
func (p *workerPool) stop() {
	for _, calls := range p.calls {
		close(calls)
	}
}
