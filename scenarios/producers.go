package scenarios

import (
	"cmp"
	"fmt"

	"fencecheck/model"
)

// protocols are what a scenario's clients speak.
var protocols = []string{"classic-eager", "eos-v2", "transactional-producer"}

// The places of protocols that have producers.
const (
	eosV2                 = 1
	transactionalProducer = 2
)

// alone: producers without a group have nothing to do with partitions that are
// consumed.
func (b *builder) alone() {
	f := b.in
	for _, k := range []struct {
		key string
		n   int
	}{{"members", f.Members}, {"simple", f.Simple}, {"partitions", f.Partitions}, {"records", f.Records}} {
		if k.n != 0 {
			b.fail("$."+k.key, "found %d; a transactional-producer scenario has writers and outputs only", k.n)
		}
	}
}

// producers takes the keys of transactions.
func (b *builder) producers(protocol int) {
	f, c := b.in, &b.s.Config
	c.Transactional = protocol == eosV2
	if protocol == transactionalProducer {
		c.Writers = b.number("writers", f.Writers, 1, model.MaxClients)
	} else {
		c.Writers = b.number("writers", f.Writers, 0, model.MaxClients-c.Members-c.Simple)
	}
	if !c.Producing() {
		b.noProducers()
		return
	}
	c.Outputs = b.number("outputs", max(f.Outputs, 1), 1, model.MaxOutputs)
	if c.Writers > 0 {
		c.Transactions = b.number("transactions", f.Transactions, 1, 9)
	}
	c.BareGroup = f.BareGroup
	c.Version = model.TransactionVersion(b.number("transaction_version", cmp.Or(f.Version, 2), 1, 2))
	c.Rules.Feature = model.TransactionVersion(b.number("broker_transaction_version", cmp.Or(f.Feature, 2), 1, 2))
	c.Rules.NoVerification = f.NoVerification
	c.Rules.MaxEpoch = model.Epoch(b.number("max_epoch", f.MaxEpoch, 0, int(model.MaxSmallEpoch)))
	c.EpochBound = model.Epoch(b.number("epochs", f.Epochs, 0, int(model.MaxSmallEpoch)))
	b.transactionalIDs()
}

// transactionalIDs are those of the producers in their order: by default one of
// its own for each member, and one that all writers share.
func (b *builder) transactionalIDs() {
	f, c := b.in, &b.s.Config
	producers := c.Writers
	if c.Transactional {
		producers += c.Members
	}
	if n := len(f.IDs); n > 0 && n != producers {
		b.fail("$.transactional_ids", "found %d numbers; right would be one for each of the %d producers", n, producers)
		return
	}
	next := 0
	for i := range c.Clients() {
		switch {
		case !c.HasProducer(i):
			continue
		case len(f.IDs) > 0:
			c.IDs[i] = uint8(b.number(fmt.Sprintf("transactional_ids[%d]", next), f.IDs[next], 0, model.MaxTransactionals-1))
		case c.IsMember(i):
			c.IDs[i] = uint8(i)
		case c.Transactional:
			c.IDs[i] = uint8(c.Members)
		}
		next++
	}
	if c.TransactionalIDs() > model.MaxTransactionals {
		b.fail("$.transactional_ids", "%d transactional ids are more than %d; name them, so that producers share some", c.TransactionalIDs(), model.MaxTransactionals)
	}
}

// noProducers refuses what only producers have.
func (b *builder) noProducers() {
	f := b.in
	for _, k := range []struct {
		key string
		set bool
	}{
		{"outputs", f.Outputs != 0}, {"transactions", f.Transactions != 0}, {"transaction_version", f.Version != 0},
		{"broker_transaction_version", f.Feature != 0}, {"transactional_ids", len(f.IDs) > 0}, {"bare_group", f.BareGroup},
		{"no_verification", f.NoVerification}, {"max_epoch", f.MaxEpoch != 0}, {"epochs", f.Epochs != 0},
	} {
		if k.set {
			b.fail("$."+k.key, "the scenario has no producers; they come with `protocol: eos-v2`, `protocol: transactional-producer` or writers")
		}
	}
}
