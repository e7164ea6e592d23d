package admin

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/wire"
)

// Await returns when the broker at address can coordinate groups, or ctx has
// ended. A connection refused, or a coordinator that loads, is not yet an error.
func Await(ctx context.Context, address string) error {
	c, err := connect(address, kgo.RequestRetries(0))
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		err := ready(ctx, c)
		if err == nil {
			return nil
		}
		if wire.Pause(ctx, 100*time.Millisecond) != nil {
			return fmt.Errorf("%w; at last: %w", ctx.Err(), err)
		}
	}
}

// ready asks the coordinator of a group what it refuses once it is ready.
func ready(ctx context.Context, client *kgo.Client) error {
	try, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	a, err := client.Request(try, wire.HeartbeatOfNobody(wire.Prefix+"await"))
	if err != nil {
		return err
	}
	if refused := kerr.ErrorForCode(a.(*kmsg.HeartbeatResponse).ErrorCode); kerr.IsRetriable(refused) {
		return refused
	}
	return nil
}
