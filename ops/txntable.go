package ops

import (
	"fmt"

	"fencecheck/model"
	"fencecheck/model/cluster"
)

// transactionSteps are what producers and transaction coordinators do.
var transactionSteps = []Op{
	{Name: "init-producer", Actor: ByClient, Sends: true, Params: [2]Param{Client}, Asked: producing, who: (*cluster.Config).HasProducer, when: when(idle), step: (*Exec).initProducer,
		Doc:    "a producer asks for its id and epoch, with the pair that it has where it must raise the epoch itself (initTransactions)",
		Tells:  initialises,
		Source: "TransactionManager.initializeTransactions, KIP-360; transactions.md section 6",
		Omits:  "finding the coordinator, back-off"},
	{Name: "add-partition-to-txn", Actor: ByClient, Sends: true, Params: [2]Param{Client, Log}, Asked: plainStyle, who: (*cluster.Config).HasProducer, when: when(idle), step: (*Exec).addToTransaction,
		Doc:    "a producer of the plain style tells the coordinator of a partition before it writes there: AddPartitionsToTxn, or AddOffsetsToTxn for the group's offsets",
		Tells:  says("{begins}adds {log} to {transaction}{again}"),
		Source: "TransactionManager.addPartitionsToTransactionHandler; transactions.md 1.5",
		Omits:  "several partitions in one request"},
	{Name: "produce", Actor: ByClient, Sends: true, Params: [2]Param{Client, Output}, Asked: writers, who: (*cluster.Config).IsWriter, when: when(idle), step: (*Exec).produce,
		Doc:    "a writer writes its transaction's record to an output, and begins the transaction with the first one",
		Tells:  says("{begins}writes the record of {transaction} to {output}"),
		Source: "KafkaProducer.send; transactions.md 2.2",
		Omits:  "batches of several records, several batches in flight"},
	{Name: "resend", Rare: true, Actor: ByClient, Sends: true, Params: [2]Param{Client, Output}, Asked: producing, who: (*cluster.Config).HasProducer, when: when(idle), step: (*Exec).resend,
		Doc:    "a producer sends a batch again that was refused for now, or whose answer did not come",
		Tells:  says("sends the batch of {transaction} to {output} again"),
		Source: "Sender.canRetry; transactions.md section 6"},
	{Name: "send-offsets", Actor: ByClient, Sends: true, Params: [2]Param{Client}, Asked: transactional, who: (*cluster.Config).HasProducer, when: when(idle), step: (*Exec).sendOffsets,
		Doc:    "a member brings its positions into its transaction, with the group metadata of the last generation that it joined (sendOffsetsToTransaction)",
		Tells:  says("brings its position into {transaction} (sendOffsetsToTransaction){again}"),
		Source: "KIP-447, KafkaProducer.sendOffsetsToTransaction; transactions.md 3.1"},
	{Name: "commit-transaction", Actor: ByClient, Sends: true, Params: [2]Param{Client}, Asked: producing, who: (*cluster.Config).HasProducer, when: when(idle), step: (*Exec).commitTransaction,
		Doc:    "a producer that has written everything asks to commit; it repeats what was not answered",
		Tells:  commits,
		Source: "TransactionManager.beginCommit; transactions.md section 6"},
	{Name: "abort-transaction", Rare: true, Actor: ByClient, Sends: true, Params: [2]Param{Client}, Asked: producing, who: (*cluster.Config).HasProducer, when: when(idle), step: (*Exec).abortTransaction,
		Doc:    "a producer aborts after an error; it repeats what was not answered",
		Tells:  aborts,
		Source: "TransactionManager.beginAbort; transactions.md section 6"},
	{Name: "deliver-marker", Actor: ByTransactionCoordinator, Params: [2]Param{TransactionalID, Log}, Asked: producing, Request: outboxMarker, step: (*Exec).deliverMarker,
		Doc:    "the transaction coordinator writes a marker to a partition; after the last one the transaction is complete",
		Tells:  delivers,
		Source: "TransactionMarkerChannelManager; transactions.md 1.9"},
	{Name: "transaction-timeout", Rare: true, Actor: ByTransactionCoordinator, Params: [2]Param{TransactionalID}, Asked: producing, step: (*Exec).transactionTimeout,
		Doc:    "transaction.timeout.ms is over, and the coordinator aborts the transaction",
		Tells:  says("transaction.timeout.ms is over: it aborts the transaction of {transactional_id}"),
		Source: "KIP-588, TransactionCoordinator.abortTimedOutTransactions; transactions.md 1.8"},
	{Name: "load", Actor: ByTransactionCoordinator, Asked: producerBudget(cluster.Failovers), step: (*Exec).load,
		Doc:    "a new coordinator has read its log to the end",
		Tells:  loads,
		Source: "TransactionStateManager.loadTransactionsForTxnTopicPartition; transactions.md section 5"},
	{Name: "elect-leaders", Rare: true, Actor: ByTransactionCoordinator, Asked: skipsMarkers, step: (*Exec).electLeaders,
		Doc:    "after a restart of everything the partitions have leaders again",
		Tells:  says("learns the leaders of the partitions"),
		Source: "KAFKA-20734; transactions.md section 5"},
}

// transactionFaults are what befalls producers, coordinators and leaders.
var transactionFaults = []Op{
	{Name: "abort-anyway", Actor: ByClient, Sends: true, Params: [2]Param{Client}, Fault: true, Asked: producerBudget(cluster.Aborts), who: (*cluster.Config).HasProducer, when: when(idle), step: (*Exec).abortAnyway,
		Doc:    "an application aborts its transaction because it wants to",
		Tells:  says("aborts {transaction}, because the application wants to"),
		Source: "KafkaProducer.abortTransaction"},
	{Name: "lose-marker-answer", Actor: ByTransactionCoordinator, Params: [2]Param{TransactionalID, Log}, Fault: true, Asked: markersTravel, Request: outboxMarker, step: (*Exec).loseMarkerAnswer,
		Doc:    "a partition decides a marker, and its answer is lost; the coordinator will send the marker again",
		Tells:  says("writes the {marker} marker of {transactional_id} to {log}, and does not get the answer: it will write it again"),
		Source: "TransactionMarkerRequestCompletionHandler; transactions.md 1.9"},
	{Name: "delay-marker", Actor: ByTransactionCoordinator, Params: [2]Param{TransactionalID, Log}, Fault: true, Asked: markersTravel, step: (*Exec).delayMarker,
		Doc:    "the coordinator gives up on a marker that stays in flight, and will send it again",
		Tells:  says("gives up on the {marker} marker of {transactional_id} for {log}, which stays in flight; it will send it again"),
		Source: "TransactionMarkerRequestCompletionHandler; transactions.md 1.9"},
	{Name: "lose-append", Actor: ByTransactionCoordinator, Params: [2]Param{Client, Choice}, Fault: true, Asked: producerBudget(cluster.LostAppends), Request: appRequest, step: (*Exec).loseAppend,
		Doc:    "the coordinator decides a request, and its log does not answer: the record was written (0) or was not (1); the client is told COORDINATOR_NOT_AVAILABLE",
		Tells:  losesAppend,
		Source: "TransactionStateManager.appendTransactionToLog; transactions.md 1.3"},
	{Name: "fail-over", Actor: ByTransactionCoordinator, Params: [2]Param{Choice}, Fault: true, Asked: producerBudget(cluster.Failovers), step: (*Exec).failOver,
		Doc:    "another broker becomes the transaction coordinator; the one before notices (0) or goes on (1)",
		Tells:  failsOver,
		Source: "TransactionCoordinator.onElection; transactions.md section 5"},
	{Name: "decide-by-zombie", Actor: ByOldCoordinator, Params: [2]Param{Client}, Fault: true, Asked: producerBudget(cluster.Zombies), Request: appRequest, step: (*Exec).decideByZombie,
		Doc:    "a request is decided by the coordinator before, from what it has in memory; it can append nothing",
		Tells:  says("decides {client}'s {request}, not knowing that it was replaced"),
		Source: "transactions.md section 5, zombie"},
	{Name: "zombie-marker", Actor: ByOldCoordinator, Params: [2]Param{TransactionalID, Log}, Fault: true, Asked: producerBudget(cluster.Zombies), Request: oldMarker, step: (*Exec).zombieMarker,
		Doc:    "the coordinator before writes a marker that it had to write",
		Tells:  says("writes the {marker} marker of {transactional_id} to {log}, as it had set out to do"),
		Source: "transactions.md section 5, zombie"},
	{Name: "fail-over-leader", Actor: ByLeader, Params: [2]Param{Log}, Fault: true, Asked: producerBudget(cluster.LeaderFailovers), step: (*Exec).failOverLeader,
		Doc:    "a partition gets another leader, which rebuilds what it knows of producers from the log",
		Tells:  says("another broker becomes the leader, and knows of producers what the log holds"),
		Source: "ProducerStateManager, replication; transactions.md 2.1",
		Omits:  "records that were not replicated: every append is, before the next step"},
	{Name: "expire-producers", Actor: ByLeader, Params: [2]Param{Log}, Fault: true, Asked: producerBudget(cluster.ProducerExpiries), step: (*Exec).expireProducers,
		Doc:    "a partition's leader forgets producers without an open transaction, and their epochs",
		Tells:  says("forgets producers without an open transaction (producer.id.expiration.ms)"),
		Source: "producer.id.expiration.ms; transactions.md 2.1"},
	{Name: "expire-transactional-id", Actor: ByTransactionCoordinator, Params: [2]Param{TransactionalID}, Fault: true, Asked: producerBudget(cluster.IDExpiries), step: (*Exec).expireID,
		Doc:    "the coordinator forgets a transactional id that was idle",
		Tells:  says("forgets {transactional_id}, which was idle (transactional.id.expiration.ms)"),
		Source: "TransactionStateManager.removeExpiredTransactionalIds; transactions.md 1.10"},
}

func producerBudget(b cluster.Budget) func(*cluster.Config) bool {
	return func(c *cluster.Config) bool { return c.Producing() && c.MayHappen(b) }
}

func producing(c *cluster.Config) bool { return c.Producing() }

func plainStyle(c *cluster.Config) bool { return c.Producing() && !c.Version.Adds() }

func writers(c *cluster.Config) bool { return c.Writers > 0 }

func transactional(c *cluster.Config) bool { return c.Transactional }

func markersTravel(c *cluster.Config) bool { return c.Producing() && c.Travels[model.WriteTxnMarkers] }

func skipsMarkers(c *cluster.Config) bool {
	return c.Producing() && c.Rules.Off.Has(model.MarkerSkipBug)
}

func appRequest(s *cluster.State, a Args) cluster.Request { return s.Clients[a.A].App }

func outboxMarker(s *cluster.State, a Args) cluster.Request {
	return markerRequest(&s.Txns.IDs[a.A].Outbox, a.B)
}

func oldMarker(s *cluster.State, a Args) cluster.Request {
	return markerRequest(&s.Txns.Old[a.A].Outbox, a.B)
}

func initialises(_ *cluster.Config, before, _ *cluster.State, a Args) string {
	if before.Clients[a.A].Producer.Renew {
		return "raises its own epoch after the abort{again}"
	}
	return "initialises its transactional producer (initTransactions){again}"
}

func commits(_ *cluster.Config, before, _ *cluster.State, a Args) string {
	return asksTo("commit", &before.Clients[a.A].Producer)
}

func aborts(_ *cluster.Config, before, _ *cluster.State, a Args) string {
	p := &before.Clients[a.A].Producer
	switch {
	case p.Added|p.Written|p.Sending == 0:
		return "aborts {transaction}, of which the brokers know nothing"
	case p.Failing && p.Phase == cluster.InTransaction:
		return "aborts {transaction}, whose batch has expired"
	}
	return asksTo("abort", p)
}

// asksTo is how a producer asks for an outcome.
func asksTo(end string, p *cluster.Producer) string {
	if p.Phase == cluster.Committing || p.Phase == cluster.Aborting {
		return fmt.Sprintf("asks again to %s {transaction}", end)
	}
	return end + "s {transaction}"
}

func delivers(_ *cluster.Config, before, after *cluster.State, a Args) string {
	text := "writes the {marker} marker of {transactional_id} to {log}"
	if before.Txns.IDs[a.A].Txn.State != after.Txns.IDs[a.A].Txn.State {
		text += ", the last one"
	}
	return text
}

func loads(_ *cluster.Config, _, after *cluster.State, _ Args) string {
	return fmt.Sprintf("has read its log to the end, as coordinator epoch %d", after.Txns.Epoch)
}

func losesAppend(_ *cluster.Config, _, _ *cluster.State, a Args) string {
	fate := [...]string{"was written", "was not written"}[a.B]
	return "decides {client}'s {request}; its log does not answer in time, and the record " + fate
}

func failsOver(c *cluster.Config, _, after *cluster.State, a Args) string {
	text := fmt.Sprintf("another broker takes over as coordinator epoch %d", after.Txns.Epoch)
	if a.A == 1 {
		text += "; the one before does not notice, and goes on with what it has in memory"
	}
	if after.Txns.Leaderless && c.Rules.Off.Has(model.MarkerSkipBug) {
		text += "; the partitions have no leaders yet"
	}
	return text
}
