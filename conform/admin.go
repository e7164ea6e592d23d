package conform

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Prefix begins every name of a group or topic that this package touches.
const Prefix = "fencecheck-"

// The errors of requests around the compared ones.
const (
	coordinatorLoading      = 14
	coordinatorNotAvailable = 15
	notCoordinator          = 16
	topicExists             = 36
	unknownTopic            = 3
	groupIDNotFound         = 69
)

// AwaitBroker returns when the broker at address can coordinate groups, or ctx
// has ended. A connection refused, or a coordinator that loads, is not yet an
// error.
func AwaitBroker(ctx context.Context, address string) error {
	for {
		err := tryBroker(ctx, address)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; at last: %w", ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func tryBroker(ctx context.Context, address string) error {
	c, err := dial(ctx, address, 5*time.Second)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.handshake(ctx); err != nil {
		return err
	}
	group := Prefix + "await"
	if _, err := c.coordinator(ctx, group); err != nil {
		return err
	}
	a, err := c.call(ctx, heartbeatOfNobody(group))
	if err != nil {
		return err
	}
	if code := a.(*kmsg.HeartbeatResponse).ErrorCode; temporary(code) {
		return c.rubbish(fmt.Sprintf("error %d of a coordinator that is not ready", code))
	}
	return nil
}

func temporary(code int16) bool {
	return code == coordinatorLoading || code == coordinatorNotAvailable || code == notCoordinator
}

// heartbeatOfNobody is a request that every coordinator refuses and that
// changes nothing.
func heartbeatOfNobody(group string) kmsg.Request {
	r := speak(kmsg.NewPtrHeartbeatRequest())
	r.Group, r.MemberID, r.Generation = group, clientID+"-nobody", -1
	return r
}

// coordinator asks which broker coordinates a group.
func (c *conn) coordinator(ctx context.Context, group string) (string, error) {
	found, err := c.coordinators(ctx, []string{group})
	return found[group], err
}

// coordinators asks which broker coordinates each group.
func (c *conn) coordinators(ctx context.Context, groups []string) (map[string]string, error) {
	return c.coordinatorsOf(ctx, ofGroups, groups)
}

// The kinds of coordinators.
const (
	ofGroups       = 0
	ofTransactions = 1
)

// coordinatorsOf asks which broker coordinates each key.
func (c *conn) coordinatorsOf(ctx context.Context, kind int8, keys []string) (map[string]string, error) {
	r := speak(kmsg.NewPtrFindCoordinatorRequest())
	r.CoordinatorType, r.CoordinatorKeys = kind, keys
	a, err := c.call(ctx, r)
	if err != nil {
		return nil, err
	}
	at := map[string]string{}
	for _, f := range a.(*kmsg.FindCoordinatorResponse).Coordinators {
		if f.ErrorCode != 0 {
			return nil, c.rubbish(fmt.Sprintf("error %d to FindCoordinator", f.ErrorCode))
		}
		at[f.Key] = joinAddress(f.Host, f.Port)
	}
	if len(at) != len(keys) {
		return nil, c.rubbish(fmt.Sprintf("%d coordinators for %d keys", len(at), len(keys)))
	}
	return at, nil
}

func joinAddress(host string, port int32) string {
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// createTopic makes a topic.
func (c *conn) createTopic(ctx context.Context, topic string, partitions int32) error {
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = topic, partitions, -1
	r := speak(kmsg.NewPtrCreateTopicsRequest())
	r.Topics, r.TimeoutMillis = append(r.Topics, t), int32(c.patience.Milliseconds())
	a, err := c.call(ctx, r)
	if err != nil {
		return err
	}
	for _, t := range a.(*kmsg.CreateTopicsResponse).Topics {
		if t.ErrorCode != 0 && t.ErrorCode != topicExists {
			return c.rubbish(fmt.Sprintf("error %d to CreateTopics", t.ErrorCode))
		}
	}
	return c.awaitTopic(ctx, topic, partitions)
}

// awaitTopic returns when the broker knows the topic: it may hear of it later
// than the controller.
func (c *conn) awaitTopic(ctx context.Context, topic string, partitions int32) error {
	for end := time.Now().Add(c.patience); time.Now().Before(end); {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &topic
		r := speak(kmsg.NewPtrMetadataRequest())
		r.Topics = append(r.Topics, t)
		a, err := c.call(ctx, r)
		if err != nil {
			return err
		}
		if ts := a.(*kmsg.MetadataResponse).Topics; len(ts) == 1 && ts[0].ErrorCode == 0 && int32(len(ts[0].Partitions)) == partitions {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return c.rubbish(fmt.Sprintf("the topic %s was created, but does not appear", topic))
}

// deleteTopic removes it again.
func (c *conn) deleteTopic(ctx context.Context, topic string) error {
	r := speak(kmsg.NewPtrDeleteTopicsRequest())
	r.TopicNames, r.TimeoutMillis = []string{topic}, int32(c.patience.Milliseconds())
	a, err := c.call(ctx, r)
	if err != nil {
		return err
	}
	for _, t := range a.(*kmsg.DeleteTopicsResponse).Topics {
		if t.ErrorCode != 0 && t.ErrorCode != unknownTopic {
			return c.rubbish(fmt.Sprintf("error %d to DeleteTopics", t.ErrorCode))
		}
	}
	return nil
}

// limits are a coordinator's settings that the comparison depends on.
type limits struct {
	minSession   time.Duration // group.min.session.timeout.ms
	initialDelay time.Duration // group.initial.rebalance.delay.ms
	maxSize      int           // group.max.size; 0: none that matters
	maxTxn       time.Duration // transaction.max.timeout.ms
	txnCleanup   time.Duration // transaction.abort.timed.out.transaction.cleanup.interval.ms
}

const txnCleanupInterval = "transaction.abort.timed.out.transaction.cleanup.interval.ms"

// longestTxn is a timeout that no play lives to see.
func (l limits) longestTxn() time.Duration { return min(l.maxTxn, 10*time.Minute) }

// limits asks a broker for its settings. One that does not tell has Kafka's
// defaults; one that does not know a setting does without it.
func (c *conn) limits(ctx context.Context) (limits, error) {
	l := limits{minSession: 6 * time.Second, maxTxn: 15 * time.Minute, txnCleanup: 10 * time.Second}
	m := speak(kmsg.NewPtrMetadataRequest())
	m.Topics = []kmsg.MetadataRequestTopic{}
	a, err := c.call(ctx, m)
	if err != nil {
		return l, err
	}
	brokers := a.(*kmsg.MetadataResponse).Brokers
	if len(brokers) == 0 {
		return l, errors.New("the broker's metadata names no broker")
	}
	res := kmsg.NewDescribeConfigsRequestResource()
	res.ResourceType, res.ResourceName = kmsg.ConfigResourceTypeBroker, strconv.Itoa(int(brokers[0].NodeID))
	res.ConfigNames = []string{"group.min.session.timeout.ms", "group.initial.rebalance.delay.ms", "group.max.size",
		"transaction.max.timeout.ms", txnCleanupInterval}
	r := kmsg.NewPtrDescribeConfigsRequest()
	r.SetVersion(1)
	r.Resources = append(r.Resources, res)
	if a, err = c.call(ctx, r); err != nil {
		return l, err
	}
	for _, res := range a.(*kmsg.DescribeConfigsResponse).Resources {
		for _, entry := range res.Configs {
			l.set(entry.Name, entry.Value)
		}
	}
	return l, nil
}

func (l *limits) set(name string, value *string) {
	if value == nil {
		return
	}
	n, err := strconv.Atoi(*value)
	if err != nil {
		return
	}
	switch name {
	case "group.min.session.timeout.ms":
		l.minSession = time.Duration(n) * time.Millisecond
	case "group.initial.rebalance.delay.ms":
		l.initialDelay = time.Duration(n) * time.Millisecond
	case "transaction.max.timeout.ms":
		l.maxTxn = time.Duration(n) * time.Millisecond
	case txnCleanupInterval:
		l.txnCleanup = time.Duration(n) * time.Millisecond
	case "group.max.size":
		if n < 1000 {
			l.maxSize = n
		}
	}
}
