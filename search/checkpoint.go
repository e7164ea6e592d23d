package search

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"
)

const (
	checkpointName    = "checkpoint"
	checkpointVersion = "fencecheck search, checkpoint 2"
)

// save writes a checkpoint. Whoever is killed meanwhile finds the one before.
func (e *engine[S]) save() error {
	dir := e.o.Checkpoint
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("no checkpoint: %w", err)
	}
	name := filepath.Join(dir, checkpointName)
	if err := e.saveAs(name + ".new"); err != nil {
		return fmt.Errorf("no checkpoint: %w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return fmt.Errorf("no checkpoint: %w", err)
	}
	if d, err := os.Open(dir); err == nil { // so that the new name survives a crash of the system
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

func (e *engine[S]) saveAs(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	t := &tape{w: f}
	e.keep(t)
	t.end()
	return errors.Join(t.err, f.Sync(), f.Close())
}

// load goes on from a checkpoint.
func (e *engine[S]) load() error {
	name := filepath.Join(e.o.Checkpoint, checkpointName)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing to resume: there is no checkpoint in %s", e.o.Checkpoint)
	}
	if err != nil {
		return fmt.Errorf("nothing to resume: %w", err)
	}
	defer f.Close()
	t := &tape{r: f}
	e.keep(t)
	t.end()
	if t.err != nil {
		return fmt.Errorf("cannot resume from %s: %w", name, t.err)
	}
	return nil
}

// identity is what a checkpoint must agree with, part after part.
func (e *engine[S]) identity() [][2]string {
	names := func(ps []Property[S]) string {
		var all []string
		for _, p := range ps {
			all = append(all, p.Name)
		}
		return strings.Join(all, ", ")
	}
	var goals []string
	for _, g := range e.o.Goals {
		goals = append(goals, g.Name)
	}
	return [][2]string{
		{"version", checkpointVersion},
		{"layout", fmt.Sprint(shards, pageStates, roundPages, fingerprintBits, unsafe.Sizeof(line{}))},
		{"system", e.o.Identity},
		{"list of operations", strings.Join(e.sys.Ops(), ", ")},
		{"list of outcomes", strings.Join(outcomes(e.sys), ", ")},
		{"list of invariants", names(e.o.Invariants)},
		{"list of witnesses", names(e.o.Sometimes)},
		{"list of goals", strings.Join(goals, ", ")},
		{"demand on deadlocks", fmt.Sprint(e.o.End != nil)},
	}
}

// keep runs through all that a search needs to go on between two rounds.
func (e *engine[S]) keep(t *tape) {
	for _, part := range e.identity() {
		t.same(part[0], part[1])
	}
	elapsed := e.pulse.elapsed()
	number(t, &elapsed)
	e.pulse.before = elapsed - time.Since(e.pulse.start)
	number(t, &e.depth)
	e.keepCounts(t)
	e.keepLevels(t)
	e.keepPages(t, &e.rest, e.depth)
	e.keepPages(t, &e.kept, e.depth)
	for id := 0; id < shards && t.err == nil; id++ {
		e.keepShard(t, &e.shards[id])
	}
	if !t.saving() && t.err == nil {
		e.seeded, e.pages = true, e.rest
		t.err = e.depots.flush()
	}
}

// keepCounts keeps what the workers know. After loading, the first one knows all.
func (e *engine[S]) keepCounts(t *tape) {
	sum := e.sum()
	number(t, &sum.transitions)
	numbers(t, sum.ops)
	numbers(t, sum.outcomes)
	for i := range sum.checks.seen {
		t.flag(&sum.checks.seen[i])
	}
	found := sum.found != nil
	t.flag(&found)
	if found {
		if sum.found == nil {
			sum.found = new(finding)
		}
		f := sum.found
		number(t, &f.kind)
		number(t, &f.property)
		number(t, &f.length)
		number(t, &f.parent)
		number(t, &f.ordinal)
	}
	if !t.saving() {
		e.workers[0].add(sum)
	}
}

func (e *engine[S]) keepLevels(t *tape) {
	l := &e.levels
	resize(t, &l.segments)
	for i := range l.segments {
		g := &l.segments[i]
		number(t, &g.shard)
		number(t, &g.from.block)
		number(t, &g.from.offset)
		number(t, &g.first)
		number(t, &g.count)
	}
	resize(t, &l.starts)
	for i := range l.starts {
		number(t, &l.starts[i])
	}
}

// resize gives a slice the length that was kept.
func resize[T any](t *tape, s *[]T) {
	if n := t.length(len(*s)); !t.saving() {
		*s = make([]T, n)
	}
}

// keepPages keeps pages of a level. Those that are loaded go to disk at once if memory is bounded.
func (e *engine[S]) keepPages(t *tape, pages *[]page, depth int) {
	resize(t, pages)
	var buffer []byte
	for i := range *pages {
		p := &(*pages)[i]
		number(t, &p.states)
		number(t, &p.shard)
		number(t, &p.depth)
		number(t, &p.first)
		number(t, &p.base)
		number(t, &p.born.at.block)
		number(t, &p.born.at.offset)
		number(t, &p.born.last)
		if buffer = t.lot(&p.lot, buffer); t.err != nil {
			return
		}
		if !t.saving() {
			e.shards[p.shard].frontier.bytes += int64(cap(p.data))
			if e.o.Memory > 0 && p.states == pageStates {
				t.err = e.spillPages((*pages)[i:i+1], depth)
			}
		}
	}
}

// lot keeps data that may be in a depot; then buffer helps to read it.
func (t *tape) lot(l *lot, buffer []byte) []byte {
	data, err := l.get(buffer)
	if err != nil {
		t.err = err
		return buffer
	}
	t.bytes(&data)
	if !t.saving() {
		l.data = data
	} else if l.in != nil {
		return data
	}
	return buffer
}

func (e *engine[S]) keepShard(t *tape, s *shard) {
	number(t, &s.states)
	number(t, &s.first)
	number(t, &s.level.block)
	number(t, &s.level.offset)
	s.table.keep(t)
	e.keepAncestry(t, &s.ancestry)
	e.keepPages(t, &s.frontier.pages, e.depth+1)
}

func (e *engine[S]) keepAncestry(t *tape, a *ancestry) {
	number(t, &a.last)
	resize(t, &a.blocks)
	for i := range a.blocks {
		if t.lot(&a.blocks[i], nil); t.err != nil {
			return
		}
		if n := len(a.blocks[i].data); !t.saving() && n > 0 && (i > 0 || len(a.blocks) > 1) {
			a.blocks[i].data = append(make([]byte, 0, blockBytes), a.blocks[i].data...)
		}
	}
	if !t.saving() && e.o.Memory > 0 && t.err == nil {
		t.err = e.spillAncestry(a)
	}
}

// keep keeps a table as it lies in memory.
func (tb *table) keep(t *tape) {
	number(t, &tb.used)
	number(t, &tb.kicks)
	lines := t.length(len(tb.lines))
	if !t.saving() && lines > 0 && t.err == nil {
		tb.shape(growLines(nil, lines))
		tb.small = young{}
	}
	if lines > 0 {
		t.raw(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(tb.lines))), len(tb.lines)*lineBytes))
		return
	}
	resize(t, &tb.small.slots)
	for i := range tb.small.slots {
		number(t, &tb.small.slots[i].key)
		number(t, &tb.small.slots[i].spot)
	}
}
