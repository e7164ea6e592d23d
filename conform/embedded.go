package conform

import "github.com/twmb/franz-go/pkg/kfake"

// broker is the broker that the options name, and what ends it.
func (o Options) broker() (address, name string, stop func(), err error) {
	if o.Bootstrap != "" {
		return o.Bootstrap, o.Bootstrap, func() {}, nil
	}
	address, stop, err = Embedded()
	return address, "franz-go's kfake, embedded", stop, err
}

// Embedded starts franz-go's kfake in this process, on loopback, with short
// sessions allowed.
func Embedded() (address string, stop func(), err error) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), shortSessions)
	if err != nil {
		return "", nil, err
	}
	return c.ListenAddrs()[0], c.Close, nil
}

// shortSessions is a setting that the broker also tells, when it is asked.
var shortSessions = kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "100"})
