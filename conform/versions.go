package conform

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// apiVersions is the one request whose answer never has a flexible header.
const apiVersions = 18

// version is the version of an API that is spoken, and why.
type version struct {
	request func() kmsg.Request
	number  int16
}

// versions has the newest version of each API that package model describes,
// and for the requests around it the newest that names topics by name. The
// old JoinGroup is the last before KIP-394.
var versions = []version{
	{func() kmsg.Request { return kmsg.NewPtrJoinGroupRequest() }, 9},
	{func() kmsg.Request { return kmsg.NewPtrJoinGroupRequest() }, oldJoin},
	{func() kmsg.Request { return kmsg.NewPtrSyncGroupRequest() }, 5},
	{func() kmsg.Request { return kmsg.NewPtrHeartbeatRequest() }, 4},
	{func() kmsg.Request { return kmsg.NewPtrLeaveGroupRequest() }, 5},
	{func() kmsg.Request { return kmsg.NewPtrOffsetCommitRequest() }, 9},
	{func() kmsg.Request { return kmsg.NewPtrOffsetFetchRequest() }, 9},
	{func() kmsg.Request { return kmsg.NewPtrDeleteGroupsRequest() }, 2},
	{func() kmsg.Request { return kmsg.NewPtrDescribeGroupsRequest() }, 5},
	{func() kmsg.Request { return kmsg.NewPtrFindCoordinatorRequest() }, 4},
	{func() kmsg.Request { return kmsg.NewPtrCreateTopicsRequest() }, 7},
	{func() kmsg.Request { return kmsg.NewPtrDeleteTopicsRequest() }, 5},
	{func() kmsg.Request { return kmsg.NewPtrMetadataRequest() }, 9},
}

// oldJoin is JoinGroup without the MEMBER_ID_REQUIRED round.
const oldJoin = 3

// speak sets the version of a request to the one that is spoken.
func speak[R kmsg.Request](r R) R {
	for _, v := range versions {
		if v.request().Key() == r.Key() {
			r.SetVersion(v.number)
			break
		}
	}
	return r
}

// handshake asks what the broker speaks, and refuses one that lacks something.
func (c *conn) handshake(ctx context.Context) error { return c.offers(ctx, versions) }

// offers refuses a broker that does not speak all of some versions.
func (c *conn) offers(ctx context.Context, needed []version) error {
	r := kmsg.NewPtrApiVersionsRequest()
	r.SetVersion(0)
	a, err := c.call(ctx, r)
	if err != nil {
		return err
	}
	offered := map[int16]kmsg.ApiVersionsResponseApiKey{}
	for _, k := range a.(*kmsg.ApiVersionsResponse).ApiKeys {
		offered[k.ApiKey] = k
	}
	for _, v := range needed {
		key := v.request().Key()
		k, ok := offered[key]
		if !ok || v.number < k.MinVersion || v.number > k.MaxVersion {
			return c.rubbish(fmt.Sprintf("it does not offer %s version %d, which is needed", kmsg.NameForKey(key), v.number))
		}
	}
	return nil
}
