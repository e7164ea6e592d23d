package admin

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/wire"
)

// Verification is the setting that lets leaders ask a transaction's coordinator
// about its batches.
const Verification = "transaction.partition.verification.enable"

// WithoutVerification switches the verification of transactions off at all
// brokers, and returns what puts it back.
func (b *Broker) WithoutVerification(ctx context.Context) (restore func(), err error) {
	if b.Embedded {
		return nil, errors.New("the embedded broker has no such setting")
	}
	nodes, err := b.admin.ListBrokers(ctx)
	if err != nil {
		return nil, err
	}
	var undo []func(context.Context)
	restore = func() {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.Patience)
		defer cancel()
		for _, f := range undo {
			f(after)
		}
	}
	for _, n := range nodes {
		put, err := b.unverified(ctx, n.NodeID)
		if err != nil {
			restore()
			return nil, err
		}
		undo = append(undo, put)
	}
	return restore, nil
}

// unverified switches it off at one broker.
func (b *Broker) unverified(ctx context.Context, node int32) (undo func(context.Context), err error) {
	value, own, err := b.verification(ctx, node)
	if err != nil {
		return nil, err
	}
	if value == "false" {
		return func(context.Context) {}, nil
	}
	back := kadm.AlterConfig{Op: kadm.DeleteConfig, Name: Verification}
	if own {
		back.Op, back.Value = kadm.SetConfig, &value
	}
	off := "false"
	if err := b.set(ctx, node, kadm.AlterConfig{Op: kadm.SetConfig, Name: Verification, Value: &off}); err != nil {
		return nil, err
	}
	undo = func(ctx context.Context) { _ = b.set(ctx, node, back) }
	if err := b.awaitUnverified(ctx, node); err != nil {
		undo(context.WithoutCancel(ctx))
		return nil, err
	}
	return undo, nil
}

func (b *Broker) awaitUnverified(ctx context.Context, node int32) error {
	for end := time.Now().Add(b.Patience); ; {
		value, _, err := b.verification(ctx, node)
		switch {
		case err != nil:
			return err
		case value == "false":
			return wire.Pause(ctx, 50*time.Millisecond) // it tells the value just before it uses it
		case time.Now().After(end):
			return errors.New("it took the setting and does not have it")
		}
		if err := wire.Pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// verification is the setting of a broker, and whether it was set for this broker
// while it ran.
func (b *Broker) verification(ctx context.Context, node int32) (value string, own bool, err error) {
	all, err := b.admin.DescribeBrokerConfigs(ctx, node)
	if err != nil {
		return "", false, err
	}
	for _, r := range all {
		for _, c := range r.Configs {
			if c.Key == Verification && c.Value != nil {
				return *c.Value, c.Source == kmsg.ConfigSourceDynamicBrokerConfig, nil
			}
		}
	}
	return "", false, errors.New("it does not have the setting")
}

func (b *Broker) set(ctx context.Context, node int32, c kadm.AlterConfig) error {
	all, err := b.admin.AlterBrokerConfigs(ctx, []kadm.AlterConfig{c}, node)
	if err != nil {
		return err
	}
	for _, a := range all {
		err = errors.Join(err, a.Err)
	}
	return err
}
