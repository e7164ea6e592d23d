// Package conform holds a real broker to the rules of package model: it sends
// request sequences that are drawn from the model over the wire, and compares
// every answer with the model's.
//
//	report, err := conform.Run(ctx, conform.Options{Bootstrap: "127.0.0.1:9092", Requests: 10000})
//	if err != nil {
//		log.Print(err) // the report has what was compared until then
//	}
//	report.WriteText(os.Stdout)
//	os.Exit(conform.ExitStatus(report))
//
// Without Bootstrap the broker is franz-go's kfake, in this process. The
// command conform/apache starts an Apache Kafka to compare with.
//
// # What is sent
//
// One group is a transition system (system): every request that any process
// could send, with member ids that are current, handed out, forgotten, never
// given or empty, with the current, an older, a newer or no generation, and
// every timer. search.BreadthFirst enumerates it for groups of up to two ids,
// and finds the shortest sequence to each triple of request, state and answer
// (Triple). Those are played first, then random walks with up to three ids, as
// many as are asked for. What is not provoked is listed with the reason.
//
// One transactional id is another (txnSystem): every request that its producers,
// those that it has replaced, strangers, coordinators and administrators could
// send, in the versions of either style, to output partitions and to the offsets
// partition of a group with one member; what readers see; and timeouts. Its
// triples are played to a depth (planDepth), after the vectors of the protocol
// pages, which include 32,766 epochs.
//
// # How it is compared
//
// A play follows the broker in the model (tracker). Where Kafka leaves a choice
// to the order of a hash map, the next leader or a tie between protocols, all
// states that the group may be in are kept until an answer tells. A request
// that waits is one that is not answered although a later one of the same group
// was (lines.fence). Timers fire by waiting; a play for which the machine was
// too slow proves nothing, and is repeated with longer timeouts (clock). A
// difference counts when it occurs again; it is then made small (minimise).
//
// In transactions everything is answered at once. A request is sent when the
// coordinator says that the markers of the last decision are written; where the
// model says that they never will be, nothing is waited for (txnPlay.settle).
//
// Replay plays a counterexample, whose story says what is sent and what is
// answered. A broker writes markers as soon as a transaction is decided, so that
// a story of transactions is first put into an order in which they are (arrange).
//
// Every name that is used on the broker begins with Prefix, and is removed at
// the end.
//
// # How to add a part of the protocol
//
// A further request is an op with its tokens (step, state.resolve,
// state.steps), its line in game.ask, its message and its answer (sending). In
// transactions: a txnOp, its versions in speech, its tokens (txnStep,
// txnState.resolveTxn, cast.steps), its line in table.ask, its message and its
// answer (cue).
package conform
