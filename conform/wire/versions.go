package wire

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// apiVersions is the one request whose answer never has a flexible header.
const apiVersions = 18

// A Version is a version of a request that a broker must speak.
type Version struct{ Key, Number int16 }

// RefuseWithout refuses a broker that does not speak all of some versions.
func (c *Conn) RefuseWithout(ctx context.Context, needed []Version) error {
	r := kmsg.NewPtrApiVersionsRequest()
	r.SetVersion(0)
	a, err := c.Call(ctx, r)
	if err != nil {
		return err
	}
	offered := map[int16]kmsg.ApiVersionsResponseApiKey{}
	for _, k := range a.(*kmsg.ApiVersionsResponse).ApiKeys {
		offered[k.ApiKey] = k
	}
	for _, v := range needed {
		k, ok := offered[v.Key]
		if !ok || v.Number < k.MinVersion || v.Number > k.MaxVersion {
			return c.Rubbish(fmt.Sprintf("it does not offer %s version %d, which is needed", kmsg.NameForKey(v.Key), v.Number))
		}
	}
	return nil
}
