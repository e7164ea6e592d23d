package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

// What a scenario's clients speak.
const (
	classicEager          = "classic-eager"
	eosV2                 = "eos-v2"
	transactionalProducer = "transactional-producer"
)

var (
	assignorWords = []string{"range", "roundrobin"} // in the order of model.Protocol, from 1
	sessionWords  = []string{"within-bounds", "too-short", "too-long"}
)

// Protocols has them, in the order in which lists do.
var Protocols = [...]struct{ Name, Doc string }{
	{classicEager, "the classic consumer group with eager rebalancing and dynamic members"},
	{eosV2, "a classic group whose members consume, process and produce in transactions"},
	{transactionalProducer, "producers with transactions and no group"},
}

func protocolNames() []string {
	var all []string
	for _, p := range Protocols {
		all = append(all, p.Name)
	}
	return all
}

// protocol takes what the clients speak. Producers without a group have nothing
// to do with partitions that are consumed; the configuration has one all the same.
func (b *builder) protocol() {
	c := &b.s.Config
	b.choice("$.protocol", b.in.Protocol, protocolNames()...)
	c.Transactional = b.in.Protocol == eosV2
	c.Partitions, c.Topics = 1, 1
	for i := range c.Protocols {
		c.Protocols[i] = model.ProtocolList(model.Range)
	}
}

// eachMember is where lists by member have a client.
func eachMember(d *Definition, client int) (place int, listed bool) {
	return client, client < d.Members
}

// eachProducer is where lists by producer have a client.
func eachProducer(d *Definition, client int) (place int, listed bool) {
	writer := client - d.Members - d.Simple
	if d.Protocol == eosV2 {
		return min(client, d.Members+max(writer, 0)), writer >= 0 || client < d.Members
	}
	return writer, writer >= 0
}

// one demands as many values as there are clients that the list is about.
func (b *builder) one(key, values string, n int, clients string, want int) bool {
	if n > 0 && n != want {
		b.fail("$."+key, "found %d %s; right would be one for each of the %d %s", n, values, want, clients)
	}
	return n > 0 && n == want
}

func (b *builder) assignors() {
	c := &b.s.Config
	if !b.one("assignors", "lists", len(b.in.Assignors), "members", c.Members) {
		return
	}
	for i, list := range b.in.Assignors {
		var names []model.Protocol
		for j, name := range list {
			names = append(names, model.Protocol(1+b.choice(fmt.Sprintf("$.assignors[%d][%d]", i, j), name, assignorWords...)))
		}
		if len(names) == 0 || len(names) > 2 {
			b.fail(fmt.Sprintf("$.assignors[%d]", i), "found %d assignors; right would be range, roundrobin, or both in some order", len(names))
			return
		}
		c.Protocols[i] = model.ProtocolList(names...)
	}
}

func assignorsText(c *cluster.Config) string {
	var words []string
	for i := range c.Members {
		if c.Protocols[i] == model.ProtocolList(model.Range) {
			continue
		}
		var names []string
		for l := c.Protocols[i]; l != 0; l = l.Rest() {
			names = append(names, assignorWords[l.First()-1])
		}
		words = append(words, fmt.Sprintf("%s assigns by %s", ClientName(c, i), strings.Join(names, " or ")))
	}
	return strings.Join(words, ", ")
}

func (b *builder) sessions() {
	c := &b.s.Config
	if !b.one("sessions", "words", len(b.in.Sessions), "members", c.Members) {
		return
	}
	for i, word := range b.in.Sessions {
		c.Sessions[i] = classic.SessionTimeout(b.choice(fmt.Sprintf("$.sessions[%d]", i), word, sessionWords...))
	}
}

func sessionsText(c *cluster.Config) string {
	var words []string
	for i, session := range c.Sessions[:c.Members] {
		if session != 0 {
			words = append(words, fmt.Sprintf("the session timeout of %s is %s", ClientName(c, i), strings.ReplaceAll(sessionWords[session], "-", " ")))
		}
	}
	return strings.Join(words, ", ")
}

// transactionalIDs are those of the producers in their order: by default one of
// its own for each member, and one that all writers share.
func (b *builder) transactionalIDs() {
	c := &b.s.Config
	own := producersOf(c)
	given := b.one("transactional_ids", "numbers", len(b.in.IDs), "producers", len(own))
	for n, i := range own {
		switch {
		case given:
			c.IDs[i] = uint8(b.number(fmt.Sprintf("transactional_ids[%d]", n), b.in.IDs[n], 0, cluster.MaxTransactionals-1))
		case c.IsMember(i):
			c.IDs[i] = uint8(i)
		case c.Transactional:
			c.IDs[i] = uint8(c.Members)
		}
	}
	if c.TransactionalIDs() > cluster.MaxTransactionals {
		b.fail("$.transactional_ids", "%d transactional ids are more than %d; name them, so that producers share some", c.TransactionalIDs(), cluster.MaxTransactionals)
	}
}

// producersOf lists the clients that have a producer.
func producersOf(c *cluster.Config) (clients []int) {
	for i := range c.Clients() {
		if c.HasProducer(i) {
			clients = append(clients, i)
		}
	}
	return clients
}

func idsOf(c *cluster.Config) any {
	var ids []int
	for _, i := range producersOf(c) {
		ids = append(ids, int(c.IDs[i]))
	}
	return ids
}

// owners says who has which transactional id.
func owners(c *cluster.Config) string {
	var words []string
	for id := range c.TransactionalIDs() {
		var names []string
		for _, i := range producersOf(c) {
			if int(c.IDs[i]) == id {
				names = append(names, ClientName(c, i))
			}
		}
		if len(names) > 0 {
			words = append(words, fmt.Sprintf("%s of %s", IDName(id), strings.Join(names, " and ")))
		}
	}
	if len(words) == 1 {
		return "transactional id " + words[0]
	}
	return "transactional ids " + strings.Join(words, " and ")
}

func writersText(c *cluster.Config) string {
	switch {
	case c.Writers == 0:
		return ""
	case c.Writers == 1:
		return "1 writer with " + Count(c.Transactions, "transaction")
	}
	return fmt.Sprintf("%d writers with %s each", c.Writers, Count(c.Transactions, "transaction"))
}

func versionText(c *cluster.Config) string {
	text := fmt.Sprintf("transaction.version %d", c.Version)
	if c.Rules.Feature != c.Version {
		text += fmt.Sprintf(" (the brokers' feature is %d)", c.Rules.Feature)
	}
	return text
}

// travelling lists the requests that may travel: those of clients. An
// administrator waits for his.
func travelling() []string {
	var all []string
	for _, a := range model.EveryAPI() {
		if !model.APIs[a].Admin {
			all = append(all, a.String())
		}
	}
	return all
}

func (b *builder) travels() {
	for i, name := range b.in.Travels {
		path := fmt.Sprintf("$.travels[%d]", i)
		b.choice(path, name, travelling()...)
		a, _ := model.APIByName(name)
		if part := a.Part(); needOf(part).refuses(b.in) {
			_, word, _ := strings.Cut(part.String(), " ") // without its article
			b.fail(path, "%s is %s's request, and the scenario has no %ss", name, part, word)
		}
		b.s.Config.Travels[a] = true
	}
}

func travelsText(c *cluster.Config) string {
	var words []string
	for _, a := range model.EveryAPI() {
		if c.Travels[a] {
			words = append(words, a.String())
		}
	}
	return when(len(words) > 0, strings.Join(words, " and ")+" may be late")
}

// unbounded takes the faults that may happen any number of times.
func (b *builder) unbounded() {
	keys := budgetKeys()
	for i, key := range b.in.Unbounded {
		path := fmt.Sprintf("$.unbounded[%d]", i)
		budget := cluster.Budget(b.choice(path, key, keys...))
		if budget == cluster.AddedPartitions || budget == cluster.Deletions {
			b.fail(path, "%s must be bounded, under faults", key)
		}
		b.s.Config.Unbounded[budget] = true
	}
}

func budgetKeys() []string {
	var keys []string
	for b := range cluster.NumBudgets {
		keys = append(keys, b.String())
	}
	return keys
}

// without is a list without a word.
func without(words []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == word })
}

// ClientName is m1, m2, ... for members, s1, s2, ... for simple consumers, and w1,
// w2, ... for writers.
func ClientName(c *cluster.Config, client int) string {
	switch {
	case c.IsSimple(client):
		return fmt.Sprintf("s%d", client-c.Members+1)
	case c.IsWriter(client):
		return fmt.Sprintf("w%d", client-c.Members-c.Simple+1)
	}
	return fmt.Sprintf("m%d", client+1)
}

// IDName is x0, x1, ... for transactional ids.
func IDName(id int) string { return fmt.Sprintf("x%d", id) }

// Count is a number of things.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
