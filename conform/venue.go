package conform

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// venue is where plays take place: a broker, a topic of our own, and the
// groups that were made there.
type venue struct {
	address  string
	patience time.Duration
	limits   limits
	id       string // in all names of one run
	topic    string
	embedded bool // it is kfake, in this process

	mu     sync.Mutex
	groups []string
}

func newVenue(ctx context.Context, address string, patience time.Duration) (*venue, error) {
	v := &venue{address: address, patience: patience, id: runID()}
	v.topic = Prefix + v.id
	c, err := dial(ctx, address, patience)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := c.handshake(ctx); err != nil {
		return nil, err
	}
	if v.limits, err = c.limits(ctx); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := AwaitBroker(wait, address); err != nil {
		return nil, err
	}
	return v, c.createTopic(ctx, v.topic, parts)
}

// runID keeps runs apart that use one broker.
func runID() string {
	var b [4]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// group is a name that no group has had.
func (v *venue) group() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	name := fmt.Sprintf("%s%s-%d", Prefix, v.id, len(v.groups)+1)
	v.groups = append(v.groups, name)
	return name
}

// tidy deletes the groups and the topic, and tells how many groups the broker
// did not let go of.
func (v *venue) tidy(ctx context.Context) (left int) {
	groups := v.groups
	for end := time.Now().Add(2*v.limits.initialDelay + 5*time.Second); len(groups) > 0; {
		groups = v.deleteGroups(ctx, groups)
		if time.Now().After(end) || ctx.Err() != nil {
			break
		}
		if len(groups) > 0 {
			time.Sleep(200 * time.Millisecond)
		}
	}
	if c, err := dial(ctx, v.address, v.patience); err == nil {
		_ = c.deleteTopic(ctx, v.topic)
		c.close()
	}
	return len(groups)
}

// batch is how many groups are deleted by one request.
const batch = 100

// deleteGroups returns those that are still there.
func (v *venue) deleteGroups(ctx context.Context, groups []string) (left []string) {
	at := map[string][]string{} // by coordinator
	for chunk := range slices.Chunk(groups, batch) {
		found, err := v.coordinators(ctx, chunk)
		if err != nil {
			left = append(left, chunk...)
		}
		for group, address := range found {
			at[address] = append(at[address], group)
		}
	}
	for address, names := range at {
		c, err := dial(ctx, address, v.patience)
		if err != nil {
			left = append(left, names...)
			continue
		}
		for chunk := range slices.Chunk(names, batch) {
			kept := c.deleteGroups(ctx, chunk)
			c.expelAll(ctx, kept)
			left = append(left, kept...)
		}
		c.close()
	}
	return left
}

// coordinators tells which broker coordinates each group.
func (v *venue) coordinators(ctx context.Context, groups []string) (map[string]string, error) {
	c, err := dial(ctx, v.address, v.patience)
	if err != nil {
		return nil, err
	}
	defer c.close()
	return c.coordinators(ctx, groups)
}

// deleteGroups returns those that the broker keeps.
func (c *conn) deleteGroups(ctx context.Context, groups []string) (left []string) {
	m := speak(kmsg.NewPtrDeleteGroupsRequest())
	m.Groups = groups
	a, err := c.call(ctx, m)
	if err != nil {
		return groups
	}
	for _, g := range a.(*kmsg.DeleteGroupsResponse).Groups {
		if g.ErrorCode != 0 && g.ErrorCode != groupIDNotFound {
			left = append(left, g.Group)
		}
	}
	return left
}

// expelAll lets whoever is still a member of the groups leave: the ids of those
// that joined with an old version and were never answered are not known before.
func (c *conn) expelAll(ctx context.Context, groups []string) {
	if len(groups) == 0 {
		return
	}
	m := speak(kmsg.NewPtrDescribeGroupsRequest())
	m.Groups = groups
	a, err := c.call(ctx, m)
	if err != nil {
		return
	}
	for _, g := range a.(*kmsg.DescribeGroupsResponse).Groups {
		var ids []string
		for _, member := range g.Members {
			ids = append(ids, member.MemberID)
		}
		if err := c.leave(ctx, g.Group, ids); err != nil {
			return
		}
	}
}

// leave lets members leave a group.
func (c *conn) leave(ctx context.Context, group string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	m := speak(kmsg.NewPtrLeaveGroupRequest())
	m.Group = group
	for _, id := range ids {
		member := kmsg.NewLeaveGroupRequestMember()
		member.MemberID = id
		m.Members = append(m.Members, member)
	}
	_, err := c.call(ctx, m)
	return err
}
