package admin

import "github.com/twmb/franz-go/pkg/kfake"

// Embedded starts franz-go's kfake in this process, on loopback, with short
// sessions allowed.
func Embedded() (address string, stop func(), err error) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), ShortSessions)
	if err != nil {
		return "", nil, err
	}
	return c.ListenAddrs()[0], c.Close, nil
}

// ShortSessions is a setting that the broker also tells, when it is asked.
var ShortSessions = kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "100"})
