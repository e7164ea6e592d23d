package search

import "os"

// depots are where a search puts what does not fit into memory. Each is made when
// it is needed first.
type depots struct {
	dir    string
	make   func(dir string) (*depot, error)
	levels [2]*depot // pages, by the parity of their level
	log    *depot    // ancestry, and the pages of all levels where they are kept
}

func newDepots(dir string) depots {
	if dir == "" {
		dir = os.TempDir()
	}
	return depots{dir: dir, make: newDepot}
}

func (ds *depots) all() [3]**depot {
	return [3]**depot{&ds.levels[0], &ds.levels[1], &ds.log}
}

// need makes a depot if there is none yet.
func (ds *depots) need(d **depot) (*depot, error) {
	if *d != nil {
		return *d, nil
	}
	var err error
	*d, err = ds.make(ds.dir)
	return *d, err
}

func (ds *depots) close() {
	for _, d := range ds.all() {
		if *d != nil {
			(*d).close()
		}
	}
}

// flush makes all that was put readable.
func (ds *depots) flush() error {
	for _, d := range ds.all() {
		if *d != nil {
			if err := (*d).flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofLevel is where the pages of a level go.
func (e *engine[S]) ofLevel(depth int) **depot {
	if e.judging {
		return &e.depots.log
	}
	return &e.depots.levels[depth%2]
}

// spill moves what it can from memory to disk: pages that are not expanded next, and the
// full blocks of the ancestry. What remains are the visited set and buffers.
func (e *engine[S]) spill() error {
	for id := range e.shards {
		f := &e.shards[id].frontier
		if n := len(f.pages); n > 1 {
			if err := e.spillPages(f.pages[:n-1], e.depth+1); err != nil {
				return err
			}
		}
		f.forget()
		if err := e.spillAncestry(&e.shards[id].ancestry); err != nil {
			return err
		}
	}
	if err := e.spillPages(e.kept[e.stored:], e.depth); err != nil {
		return err
	}
	e.stored = len(e.kept)
	if err := e.spillPages(e.rest, e.depth); err != nil {
		return err
	}
	return e.depots.flush()
}

func (e *engine[S]) spillPages(pages []page, depth int) error {
	for i := range pages {
		p := &pages[i]
		if p.in != nil {
			continue
		}
		d, err := e.depots.need(e.ofLevel(depth))
		if err != nil {
			return err
		}
		e.shards[p.shard].frontier.bytes -= int64(cap(p.data))
		e.spilled += int64(len(p.data))
		if err := d.put(&p.lot); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine[S]) spillAncestry(a *ancestry) error {
	for ; a.inMemory < len(a.blocks)-1; a.inMemory++ {
		d, err := e.depots.need(&e.depots.log)
		if err != nil {
			return err
		}
		e.spilled += int64(len(a.blocks[a.inMemory].data))
		if err := d.put(&a.blocks[a.inMemory]); err != nil {
			return err
		}
	}
	return nil
}

// recycle makes room on disk: the level that was expanded is not needed any more.
func (e *engine[S]) recycle() error {
	if d := e.depots.levels[e.depth%2]; d != nil {
		return d.empty()
	}
	return nil
}

// fail ends the search with an error.
func (e *engine[S]) fail(err error) {
	if err != nil && e.err == nil {
		e.err, e.stopped = err, StoppedError
	}
}
