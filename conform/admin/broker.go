// Package admin does around the plays what an administrator does: it waits for a
// broker, asks for its settings, makes topics, finds coordinators, and removes
// what was made.
package admin

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/wire"
)

// A Broker is where plays take place, with a topic of our own and the groups
// that were made there.
type Broker struct {
	Address  string
	Patience time.Duration // how long an answer may take that is not held back
	Limits   Limits
	Topic    string // for the groups' offsets
	Embedded bool   // it is kfake, in this process

	id     string // in all names of one run
	client *kgo.Client
	admin  *kadm.Client // on client

	mu     sync.Mutex
	groups []string
	topics []string
	tids   int
}

// Open opens the broker at an address. One that lacks a version that is needed is
// refused.
func Open(ctx context.Context, address string, patience time.Duration, needed []wire.Version) (*Broker, error) {
	b := &Broker{Address: address, Patience: patience, id: runID()}
	if err := b.RefuseWithout(ctx, needed); err != nil {
		return nil, err
	}
	var err error
	if b.client, err = connect(address, kgo.DialTimeout(patience)); err != nil {
		return nil, err
	}
	b.admin = kadm.NewClient(b.client)
	if err = b.within(ctx, "DescribeConfigs", b.ask); err == nil {
		wait, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		err = Await(wait, address)
	}
	if err == nil {
		b.Topic, err = b.NewTopic(ctx, "", wire.Partitions)
	}
	if err != nil {
		b.client.Close()
		return nil, err
	}
	return b, nil
}

func connect(address string, options ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append(options, kgo.SeedBrokers(address), kgo.ClientID(wire.ClientID),
		kgo.RetryBackoffFn(func(int) time.Duration { return 20 * time.Millisecond }))...)
}

// RefuseWithout refuses a broker that does not speak all of some versions.
func (b *Broker) RefuseWithout(ctx context.Context, needed []wire.Version) error {
	c, err := wire.Dial(ctx, b.Address, b.Patience)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.RefuseWithout(ctx, needed)
}

// within calls f, which must not take longer than the patience. What goes wrong
// is the broker's fault, unless the run has ended.
func (b *Broker) within(ctx context.Context, what string, f func(context.Context) error) error {
	call, cancel := context.WithTimeout(ctx, b.Patience)
	defer cancel()
	err := f(call)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case call.Err() != nil:
		return &wire.BrokerError{Address: b.Address, Problem: fmt.Sprintf("no answer to %s within %v", what, b.Patience)}
	}
	return &wire.BrokerError{Address: b.Address, Problem: fmt.Sprintf("%s: %v", what, err)}
}

// runID keeps runs apart that use one broker.
func runID() string {
	var b [4]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// NewGroup is a name that no group has had.
func (b *Broker) NewGroup() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := fmt.Sprintf("%s%s-%d", wire.Prefix, b.id, len(b.groups)+1)
	b.groups = append(b.groups, name)
	return name
}

// NewTransactionalID is one that nobody has used. The broker forgets it after
// transactional.id.expiration.ms, there is no request that removes it.
func (b *Broker) NewTransactionalID() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tids++
	return fmt.Sprintf("%s%s-txn-%d", wire.Prefix, b.id, b.tids)
}

// GroupCoordinator is the address of a group's coordinator.
func (b *Broker) GroupCoordinator(ctx context.Context, group string) (string, error) {
	return b.coordinator(ctx, group, b.admin.FindGroupCoordinators)
}

// TransactionCoordinator is the address of a transactional id's coordinator.
func (b *Broker) TransactionCoordinator(ctx context.Context, tid string) (string, error) {
	return b.coordinator(ctx, tid, b.admin.FindTxnCoordinators)
}

func (b *Broker) coordinator(ctx context.Context, key string, find func(context.Context, ...string) kadm.FindCoordinatorResponses) (address string, err error) {
	err = b.within(ctx, "FindCoordinator", func(ctx context.Context) error {
		found := find(ctx, key)[key]
		address = joinAddress(found.Host, found.Port)
		return found.Err
	})
	return address, err
}

func joinAddress(host string, port int32) string {
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// NewTopic makes a topic.
func (b *Broker) NewTopic(ctx context.Context, suffix string, partitions int32) (string, error) {
	name := wire.Prefix + b.id + suffix
	b.mu.Lock()
	b.topics = append(b.topics, name)
	b.mu.Unlock()
	err := b.within(ctx, "CreateTopics", func(ctx context.Context) error {
		_, err := b.admin.CreateTopic(ctx, partitions, -1, nil, name)
		if errors.Is(err, kerr.TopicAlreadyExists) {
			return nil
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return name, b.awaitTopic(ctx, name, int(partitions))
}

// awaitTopic returns when the broker knows the topic: it may hear of it later
// than the controller.
func (b *Broker) awaitTopic(ctx context.Context, topic string, partitions int) error {
	for end := time.Now().Add(b.Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if all, err := b.Leaders(ctx, topic); err != nil || len(all) == partitions {
			return err
		}
	}
	return &wire.BrokerError{Address: b.Address, Problem: fmt.Sprintf("the topic %s was created, but does not appear", topic)}
}

// A Leader is who leads a partition, and since which epoch.
type Leader struct {
	Address string
	Epoch   int16
}

// Leaders lists the leaders of a topic's partitions, none if the topic is not
// there.
func (b *Broker) Leaders(ctx context.Context, topic string) (all []Leader, err error) {
	err = b.within(ctx, "Metadata", func(ctx context.Context) error {
		meta, err := b.admin.Metadata(ctx, topic)
		if err != nil || meta.Topics[topic].Err != nil {
			return err
		}
		at := map[int32]string{}
		for _, n := range meta.Brokers {
			at[n.NodeID] = joinAddress(n.Host, n.Port)
		}
		for _, p := range meta.Topics[topic].Partitions.Sorted() {
			all = append(all, Leader{at[p.Leader], int16(p.LeaderEpoch)})
		}
		return nil
	})
	return all, err
}

// AwaitTransactions returns when a transactional id can be initialised: its
// coordinator's log is made when the first one is asked for.
func (b *Broker) AwaitTransactions(ctx context.Context) error {
	tid := b.NewTransactionalID()
	return b.within(ctx, "InitProducerId", func(ctx context.Context) error {
		for {
			m := kmsg.NewPtrInitProducerIDRequest()
			m.TransactionalID, m.TransactionTimeoutMillis, m.ProducerID, m.ProducerEpoch = &tid, 10_000, -1, -1
			a, err := m.RequestWith(ctx, b.client)
			if err == nil && !kerr.IsRetriable(kerr.ErrorForCode(a.ErrorCode)) {
				return nil // another error is for the plays to meet
			}
			if wire.Pause(ctx, 50*time.Millisecond) != nil {
				return errors.Join(ctx.Err(), err)
			}
		}
	})
}

// Close deletes the groups and topics, and tells how many groups the broker did
// not let go of.
func (b *Broker) Close(ctx context.Context) (left int) {
	defer b.client.Close()
	groups := b.groups
	for end := time.Now().Add(2*b.Limits.InitialDelay + 5*time.Second); len(groups) > 0; {
		groups = b.deleteGroups(ctx, groups)
		if time.Now().After(end) || ctx.Err() != nil {
			break
		}
		if len(groups) > 0 {
			time.Sleep(200 * time.Millisecond)
		}
	}
	_ = b.within(ctx, "DeleteTopics", func(ctx context.Context) error {
		_, err := b.admin.DeleteTopics(ctx, b.topics...)
		return err
	})
	return len(groups)
}

// batch is how many groups are deleted by one request.
const batch = 100

// deleteGroups returns those that are still there, after letting whoever is a
// member leave: the ids of those that joined with an old version and were never
// answered are not known before.
func (b *Broker) deleteGroups(ctx context.Context, groups []string) (left []string) {
	for chunk := range slices.Chunk(groups, batch) {
		var kept []string
		err := b.within(ctx, "DeleteGroups", func(ctx context.Context) error {
			deleted, err := b.admin.DeleteGroups(ctx, chunk...)
			for _, g := range chunk {
				if a, ok := deleted[g]; !ok || a.Err != nil && !errors.Is(a.Err, kerr.GroupIDNotFound) {
					kept = append(kept, g)
				}
			}
			return err
		})
		if err == nil && len(kept) > 0 {
			_ = b.within(ctx, "LeaveGroup", func(ctx context.Context) error { return b.expel(ctx, kept) })
		}
		left = append(left, kept...)
	}
	return left
}

// expel lets the members of groups leave.
func (b *Broker) expel(ctx context.Context, groups []string) error {
	described, err := b.admin.DescribeGroups(ctx, groups...)
	if err != nil {
		return err
	}
	for _, g := range described {
		m := kmsg.NewPtrLeaveGroupRequest()
		m.Group = g.Group
		for _, member := range g.Members {
			who := kmsg.NewLeaveGroupRequestMember()
			who.MemberID = member.MemberID
			m.Members = append(m.Members, who)
		}
		if len(m.Members) > 0 {
			if _, err := m.RequestWith(ctx, b.client); err != nil {
				return err
			}
		}
	}
	return nil
}
