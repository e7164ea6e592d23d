package conform

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/conform/groups"
	"fencecheck/conform/txns"
)

// Run holds a broker against the model. The report is worth reading also when
// there is an error: it has what was compared until then.
func Run(ctx context.Context, o Options) (Report, error) {
	o = o.withDefaults()
	started := time.Now()
	var report Report
	left, err := o.on(ctx, &report.Broker, 30*time.Second, func(b *admin.Broker) error {
		report = newReport(report.Broker)
		return o.playParts(ctx, b, &report)
	})
	if report.Parts == nil { // the broker could not be opened
		return report, err
	}
	report.LeftBehind = left
	known := slices.DeleteFunc(slices.Clone(o.Known), func(k Known) bool { return !o.plays(k.InPart()) })
	report.close(known, time.Since(started))
	if err != nil {
		report.Stopped = err.Error()
	}
	return report, err
}

// on does something with the broker that the options name, and removes what was
// made there, also when the run was interrupted. It tells how many groups the
// broker did not let go of.
func (o Options) on(ctx context.Context, name *string, more time.Duration, do func(*admin.Broker) error) (left int, err error) {
	address := o.Bootstrap
	if *name = o.Bootstrap; address == "" {
		*name = "franz-go's kfake, embedded"
		embedded, stop, err := admin.Embedded()
		if err != nil {
			return 0, err
		}
		defer stop()
		address = embedded
	}
	b, err := admin.Open(ctx, address, o.Patience, groups.Versions())
	if err != nil {
		return 0, err
	}
	b.Embedded = o.Bootstrap == ""
	defer func() {
		tidy, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Patience+more)
		defer cancel()
		left = b.Close(tidy)
	}()
	return 0, do(b)
}

// A player plays one part.
type player interface {
	Run(ctx context.Context) error
	Result() frame.Result
}

// playParts plays the parts that are wanted. A real broker has one after the
// other, so that they do not disturb each other's timing; kfake, where groups
// mostly wait, both at once.
func (o Options) playParts(ctx context.Context, b *admin.Broker, report *Report) error {
	o.Progress = oneAtATime(o.Progress)
	parts := []struct {
		name string
		open func(frame.Config) (player, error)
	}{
		{Groups, func(c frame.Config) (player, error) { return frame.New(c, groups.New(b, c)), nil }},
		{Transactions, func(c frame.Config) (player, error) {
			part, err := txns.New(ctx, b, c)
			return frame.New(c, part), err
		}},
	}
	players, errs := make([]player, len(parts)), make([]error, len(parts))
	var playing sync.WaitGroup
	for i, p := range parts {
		if !o.plays(p.name) {
			continue
		}
		playing.Go(func() {
			var r player
			if r, errs[i] = p.open(o.config(p.name)); errs[i] == nil {
				players[i], errs[i] = r, r.Run(ctx)
			}
		})
		if !b.Embedded {
			if playing.Wait(); errs[i] != nil {
				break
			}
		}
	}
	playing.Wait()
	for _, p := range players {
		if p != nil {
			report.add(p.Result())
		}
	}
	return cmp.Or(errs...)
}

// oneAtATime makes a progress function fit for several parts.
func oneAtATime(f func(Progress)) func(Progress) {
	if f == nil {
		return nil
	}
	var mu sync.Mutex
	return func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		f(p)
	}
}
