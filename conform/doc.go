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
// Each part of the protocol is a transition system: conform/groups one group,
// conform/txns one transactional id. search.BreadthFirst enumerates it, and finds
// the shortest sequence to each triple of request, state and answer (Triple).
// Those are played first, then random walks, as many as are asked for. What is
// not provoked is listed with the reason.
//
// # How it is compared
//
// A play follows the broker in the model. A difference counts when it occurs
// again; it is then made small (conform/frame), and told with the mutations of
// the model that explain it. Replay plays a counterexample, whose story says what
// is sent and what is answered.
//
// Every name that is used on the broker begins with Prefix, and is removed at
// the end (conform/admin).
//
// # How to add to it
//
// A further request is a row of its part's table (groups/rows.go, txns/rows.go),
// with the functions that it names; packages groups and txns say what else it may
// need. Where the embedded broker answers it otherwise and Apache Kafka does not, an
// entry in frame/kfake.yaml says so. A further part is a folder with a table, a
// worker that plays its sequences (frame.Worker), and a line in playParts.
// Folders use only those before them: wire, admin, frame, groups, txns.
package conform
