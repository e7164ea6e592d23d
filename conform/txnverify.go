package conform

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

const verificationSetting = "transaction.partition.verification.enable"

// dynamicOfBroker is the source of a value that was set for one broker while it
// ran.
const dynamicOfBroker = kmsg.ConfigSourceDynamicBrokerConfig

// withoutVerification switches the verification of transactions off at all
// brokers, and returns what puts it back.
func (v *txnVenue) withoutVerification(ctx context.Context) (restore func(), err error) {
	refuse := func(err error) error {
		return &Unplayable{Why: fmt.Sprintf("it needs %s=false, which could not be set: %v", verificationSetting, err)}
	}
	if v.embedded {
		return nil, refuse(fmt.Errorf("the embedded broker has no such setting"))
	}
	c, err := dial(ctx, v.address, v.patience)
	if err != nil {
		return nil, err
	}
	defer c.close()
	m := speak(kmsg.NewPtrMetadataRequest())
	m.Topics = []kmsg.MetadataRequestTopic{}
	a, err := c.call(ctx, m)
	if err != nil {
		return nil, err
	}
	var undo []func(context.Context)
	restore = func() {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), v.patience)
		defer cancel()
		for _, f := range undo {
			f(after)
		}
	}
	for _, b := range a.(*kmsg.MetadataResponse).Brokers {
		put, err := v.unverified(ctx, joinAddress(b.Host, b.Port), strconv.Itoa(int(b.NodeID)))
		if err != nil {
			restore()
			return nil, refuse(err)
		}
		undo = append(undo, put)
	}
	return restore, nil
}

// unverified switches it off at one broker.
func (v *txnVenue) unverified(ctx context.Context, address, id string) (undo func(context.Context), err error) {
	c, err := dial(ctx, address, v.patience)
	if err != nil {
		return nil, err
	}
	defer c.close()
	value, own, err := c.verification(ctx, id)
	if err != nil {
		return nil, err
	}
	if value == "false" {
		return func(context.Context) {}, nil
	}
	off := "false"
	if err := c.setVerification(ctx, id, &off); err != nil {
		return nil, err
	}
	var before *string
	if own {
		before = &value
	}
	undo = func(ctx context.Context) {
		if c, err := dial(ctx, address, v.patience); err == nil {
			_ = c.setVerification(ctx, id, before)
			c.close()
		}
	}
	for end := time.Now().Add(v.patience); ; {
		if value, _, err = c.verification(ctx, id); err != nil || value == "false" {
			break
		}
		if time.Now().After(end) {
			err = c.rubbish("it took the setting and does not have it")
			break
		}
		if err = pause(ctx, 10*glance); err != nil {
			break
		}
	}
	if err == nil {
		err = pause(ctx, 50*time.Millisecond) // it tells the value just before it uses it
	}
	if err != nil {
		undo(context.WithoutCancel(ctx))
		return nil, err
	}
	return undo, nil
}

// verification is the setting of a broker, and whether it is the broker's own.
func (c *conn) verification(ctx context.Context, id string) (value string, own bool, err error) {
	res := kmsg.NewDescribeConfigsRequestResource()
	res.ResourceType, res.ResourceName, res.ConfigNames = kmsg.ConfigResourceTypeBroker, id, []string{verificationSetting}
	m := kmsg.NewPtrDescribeConfigsRequest()
	m.SetVersion(1)
	m.Resources = append(m.Resources, res)
	a, err := c.call(ctx, m)
	if err != nil {
		return "", false, err
	}
	for _, r := range a.(*kmsg.DescribeConfigsResponse).Resources {
		for _, e := range r.Configs {
			if e.Value != nil {
				return *e.Value, e.Source == dynamicOfBroker, nil
			}
		}
	}
	return "", false, c.rubbish("it does not have the setting")
}

// setVerification sets it, or takes the broker's own value away.
func (c *conn) setVerification(ctx context.Context, id string, value *string) error {
	e := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	e.Name, e.Value, e.Op = verificationSetting, value, kmsg.IncrementalAlterConfigOpSet
	if value == nil {
		e.Op = kmsg.IncrementalAlterConfigOpDelete
	}
	res := kmsg.NewIncrementalAlterConfigsRequestResource()
	res.ResourceType, res.ResourceName, res.Configs = kmsg.ConfigResourceTypeBroker, id, append(res.Configs, e)
	m := kmsg.NewPtrIncrementalAlterConfigsRequest()
	m.SetVersion(1)
	m.Resources = append(m.Resources, res)
	a, err := c.call(ctx, m)
	if err != nil {
		return err
	}
	for _, r := range a.(*kmsg.IncrementalAlterConfigsResponse).Resources {
		if r.ErrorCode != 0 {
			return c.rubbish(fmt.Sprintf("error %d to IncrementalAlterConfigs", r.ErrorCode))
		}
	}
	return nil
}
