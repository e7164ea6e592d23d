package scenarios

import (
	"cmp"
	"fmt"
	"strings"

	"fencecheck/model"
	"fencecheck/model/cluster"
)

// cast has the rows of who takes part, and how they behave.
var cast = []*Knob{
	{Key: "protocol", Doc: "what the clients speak: " + strings.Join(protocolNames(), ", "), smaller: meaning,
		load: (*builder).protocol}, // the members' row says it
	{Key: "members", Doc: "how many members the group has", Flag: "members", needs: consumers, always: true, smaller: clients(true),
		span: between(1, cluster.MaxClients), at: func(c *cluster.Config) any { return &c.Members },
		says: func(c *cluster.Config) string {
			if c.Transactional {
				return Count(c.Members, "transactional member")
			}
			return Count(c.Members, "member")
		}},
	{Key: "partitions", Doc: "how many partitions there are", Flag: "partitions", needs: consumers, always: true, smaller: byOne(1),
		span: between(1, cluster.MaxPartitions), at: func(c *cluster.Config) any { return &c.Partitions },
		says: func(c *cluster.Config) string { return Count(c.Partitions, "partition") }},
	{Key: "records", Doc: "how many records each partition has", Flag: "records", needs: consumers, always: true, smaller: byOne(0),
		span: between(0, cluster.MaxRecords), at: func(c *cluster.Config) any { return &c.Records },
		says: func(c *cluster.Config) string { return Count(c.Records, "record") + " each" }},
	{Key: "simple", Doc: "how many processes assign themselves the partitions", Flag: "simple", needs: consumers, always: true, smaller: byOne(0),
		span: func(c *cluster.Config) (int, int) { return 0, cluster.MaxClients - c.Members },
		at:   func(c *cluster.Config) any { return &c.Simple },
		says: func(c *cluster.Config) string { return when(c.Simple > 0, Count(c.Simple, "simple consumer")) }},
	{Key: "topics", Doc: "how many topics the partitions belong to", Flag: "topics", needs: aGroup, smaller: byOne(1), plain: 1,
		span: func(c *cluster.Config) (int, int) { return 1, max(c.Partitions, 1) }, at: func(c *cluster.Config) any { return &c.Topics },
		says: func(c *cluster.Config) string { return when(c.Topics > 1, Count(c.Topics, "topic")) }},
	{Key: "first_topic_only", Doc: "members subscribe to the first topic only, at first", needs: aGroup, smaller: leftOut,
		at: func(c *cluster.Config) any { return &c.Topic0Only },
		says: func(c *cluster.Config) string {
			return when(c.Topic0Only, "members subscribe at first to the first topic only")
		}},
	{Key: "writers", Doc: "how many clients only produce", smaller: clients(false),
		span: func(c *cluster.Config) (int, int) {
			if c.Members == 0 {
				return 1, cluster.MaxClients
			}
			return 0, cluster.MaxClients - c.Members - c.Simple
		},
		at: func(c *cluster.Config) any { return &c.Writers }, says: writersText},
	{Key: "transactions", Doc: "how many transactions each writer begins", needs: writers, always: true, smaller: unlessGoals(byOne(1)),
		span: between(1, 9), at: func(c *cluster.Config) any { return &c.Transactions }}, // writersText says it
	{Key: "outputs", Doc: "how many partitions are produced to", needs: producers, smaller: byOne(1), plain: 1,
		span: between(1, cluster.MaxOutputs), at: func(c *cluster.Config) any { return &c.Outputs },
		says: func(c *cluster.Config) string { return Count(c.Outputs, "output partition") }},
	{Key: "transactional_ids", Doc: "the number of each producer's transactional id, members first; by default one for each member, and one that all writers share",
		needs: producers, smaller: meaning, load: (*builder).transactionalIDs, each: eachProducer, says: owners, shown: idsOf},
	{Key: "transaction_version", Doc: "the style of all producers: 1, or 2 with an epoch for every transaction", needs: producers, smaller: meaning,
		plain: 2, span: between(1, 2), at: func(c *cluster.Config) any { return &c.Version }, says: versionText},
	{Key: "broker_transaction_version", Doc: "the feature transaction.version of the brokers", needs: producers, smaller: meaning,
		plain: 2, span: between(1, 2), at: func(c *cluster.Config) any { return &c.Rules.Feature }}, // versionText says it
	{Key: "bare_group", Doc: "members name their group and nothing else in TxnOffsetCommit", needs: producers, smaller: meaning,
		at:   func(c *cluster.Config) any { return &c.BareGroup },
		says: func(c *cluster.Config) string { return when(c.BareGroup, "TxnOffsetCommit without group metadata") }},
	{Key: "no_verification", Doc: "leaders do not ask the coordinator about a transaction (transaction.partition.verification.enable is false)",
		needs: producers, smaller: leftOut, at: func(c *cluster.Config) any { return &c.Rules.NoVerification },
		says: func(c *cluster.Config) string { return when(c.Rules.NoVerification, "partitions not verified") }},
	{Key: "max_epoch", Doc: "the largest producer epoch, in place of 32767", needs: producers, smaller: leftOut,
		span: between(0, int(cluster.MaxSmallEpoch)), at: func(c *cluster.Config) any { return &c.Rules.MaxEpoch },
		says: func(c *cluster.Config) string {
			return when(c.Rules.MaxEpoch > 0, fmt.Sprintf("epochs end at %d in place of %d", c.Rules.MaxEpoch, model.MaxEpoch))
		},
		shown: func(c *cluster.Config) any { return cmp.Or(c.Rules.MaxEpoch, model.MaxEpoch) }},
	{Key: "epochs", Doc: "a bound on producer epochs, 0 for the model's own limit", needs: producers, smaller: limit,
		span: between(0, int(cluster.MaxSmallEpoch)), at: func(c *cluster.Config) any { return &c.EpochBound },
		says: func(c *cluster.Config) string {
			return when(c.EpochBound > 0, fmt.Sprintf("epochs up to %d", c.EpochBound))
		},
		shown: func(c *cluster.Config) any { return c.MaxProducerEpoch() }},
	{Key: "assignors", Doc: "the assignors of each member: range, roundrobin, or both in some order; left out, range", needs: aGroup, smaller: leftOut,
		load: (*builder).assignors, each: eachMember, says: assignorsText},
	{Key: "sessions", Doc: "the session timeout of each member: " + strings.Join(sessionWords, ", ") + "; left out, within-bounds", needs: aGroup, smaller: leftOut,
		load: (*builder).sessions, each: eachMember, says: sessionsText},
	{Key: "join_v3", Doc: "members use JoinGroup v3, without MEMBER_ID_REQUIRED", needs: aGroup, smaller: leftOut,
		at:   func(c *cluster.Config) any { return &c.OldJoin },
		says: func(c *cluster.Config) string { return when(c.OldJoin, "JoinGroup v3") }},
	{Key: "commit", Doc: "when applications commit: after, before or on-revoke", Flag: "commit", needs: aGroup, smaller: meaning,
		words: []string{"after", "before", "on-revoke"}, at: func(c *cluster.Config) any { return &c.Commit },
		says: func(c *cluster.Config) string {
			return [...]string{cluster.CommitAfter: "", cluster.CommitBefore: "commits before processing", cluster.CommitOnRevoke: "commits on revoke only"}[c.Commit]
		}},
	{Key: "initial_delays", Doc: "how often group.initial.rebalance.delay.ms can be extended", needs: aGroup, smaller: byOne(0),
		span: between(0, 3), at: func(c *cluster.Config) any { return &c.Rules.InitialDelays },
		says: func(c *cluster.Config) string {
			return when(c.Rules.InitialDelays > 0, "initial delay extended up to "+Count(int(c.Rules.InitialDelays), "time"))
		}},
	{Key: "group_max_size", Doc: "group.max.size, 0 for no limit", needs: aGroup, smaller: leftOut,
		span: between(0, cluster.MaxMembers), at: func(c *cluster.Config) any { return &c.Rules.MaxSize },
		says: func(c *cluster.Config) string {
			return when(c.Rules.MaxSize > 0, fmt.Sprintf("group.max.size %d", c.Rules.MaxSize))
		},
		shown: func(c *cluster.Config) any {
			if c.Rules.MaxSize == 0 {
				return unbounded
			}
			return c.Rules.MaxSize
		}},
	{Key: "generations", Doc: "the largest generation, 0 for the model's own limit", Flag: "generations", needs: aGroup, smaller: limit,
		span: between(0, cluster.MaxGeneration), at: func(c *cluster.Config) any { return &c.Generations },
		says: func(c *cluster.Config) string {
			return when(c.Generations > 0, fmt.Sprintf("generations up to %d", c.Generations))
		},
		shown: func(c *cluster.Config) any { return c.MaxGeneration() }},
	{Key: "unbounded", Doc: "the faults that may happen any number of times, such as pauses", Flag: "unbounded", smaller: givenBound,
		load: (*builder).unbounded}, // the faults' rows say it
}

// circumstances has the rows of what is around the faults.
var circumstances = []*Knob{
	{Key: "travels", Doc: "the requests that may be late or lost, such as OffsetCommit", Flag: "travels", smaller: wordByWord,
		load: (*builder).travels, says: travelsText},
	{Key: "any_order", Doc: "a leader may list the members in any order when it computes a plan, not by number only", Flag: "any-order", needs: aGroup, smaller: leftOut,
		at:   func(c *cluster.Config) any { return &c.AnyOrder },
		says: func(c *cluster.Config) string { return when(c.AnyOrder, "members listed in any order") }},
	{Key: "clock", Doc: "when timers fire: timely or async", Flag: "clock", smaller: timely,
		words: []string{"timely", "async"}, at: func(c *cluster.Config) any { return &c.Clock },
		says: func(c *cluster.Config) string { return when(c.Clock == cluster.Async, "timers may fire early") }},
	{Key: "ranks", Doc: "forget the absolute values of generations, so that any number of rebalances is covered", Flag: "ranks", needs: aGroup, smaller: leftOut,
		at:   func(c *cluster.Config) any { return &c.Ranks },
		says: func(c *cluster.Config) string { return when(c.Ranks, "any number of rebalances") }},
}

// between is a range that depends on nothing.
func between(least, most int) func(*cluster.Config) (int, int) {
	return func(*cluster.Config) (int, int) { return least, most }
}

func when(is bool, text string) string {
	if is {
		return text
	}
	return ""
}
