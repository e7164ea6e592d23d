package admin

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// Limits are a coordinator's settings that the comparison depends on.
type Limits struct {
	MinSession         time.Duration // group.min.session.timeout.ms
	InitialDelay       time.Duration // group.initial.rebalance.delay.ms
	MaxSize            int           // group.max.size; 0: none that matters
	MaxTransaction     time.Duration // transaction.max.timeout.ms
	TransactionCleanup time.Duration // transaction.abort.timed.out.transaction.cleanup.interval.ms
}

// Shortest is the shortest timeout that a play lets expire.
const Shortest = 700 * time.Millisecond

// Shortest is that of a group. Ids may have to live through an initial delay
// before they are let expire.
func (l Limits) Shortest(scale int) time.Duration {
	return time.Duration(scale) * max(Shortest+2*l.InitialDelay, l.MinSession)
}

// LongestTransaction is a timeout that no play lives to see.
func (l Limits) LongestTransaction() time.Duration { return min(l.MaxTransaction, 10*time.Minute) }

// ask asks the broker for its settings. One that does not tell has Kafka's
// defaults; one that does not know a setting does without it.
func (b *Broker) ask(ctx context.Context) error {
	l := &b.Limits
	*l = Limits{MinSession: 6 * time.Second, MaxTransaction: 15 * time.Minute, TransactionCleanup: 10 * time.Second}
	nodes, err := b.admin.ListBrokers(ctx)
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		return errors.New("the broker's metadata names no broker")
	}
	all, err := b.admin.DescribeBrokerConfigs(ctx, nodes[0].NodeID)
	if err != nil {
		return err
	}
	for _, r := range all {
		for _, c := range r.Configs {
			if n, err := strconv.Atoi(c.MaybeValue()); err == nil {
				l.set(c.Key, n)
			}
		}
	}
	return nil
}

func (l *Limits) set(name string, n int) {
	d := time.Duration(n) * time.Millisecond
	switch name {
	case "group.min.session.timeout.ms":
		l.MinSession = d
	case "group.initial.rebalance.delay.ms":
		l.InitialDelay = d
	case "transaction.max.timeout.ms":
		l.MaxTransaction = d
	case "transaction.abort.timed.out.transaction.cleanup.interval.ms":
		l.TransactionCleanup = d
	case "group.max.size":
		if n < 1000 {
			l.MaxSize = n
		}
	}
}
