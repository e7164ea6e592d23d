// Package linearize judges a recorded history of classic consumer groups and
// transactions against what a correct broker could have answered.
//
// A history is a kfh/1 file: the requests of several clients, each with the
// moment at which it was invoked and the moment at which it was answered. The
// coordinator decides one request at a time (groups.md E2), so a correct
// history has an order of its requests that respects real time and in which
// package model gives every recorded answer. Check looks for that order in two
// ways:
//
//   - necessary conditions name an anomaly and the few events that prove it;
//     they are quick and never undecided, and silence proves nothing;
//   - the sequential specification, searched by porcupine, decides the rest:
//     every step of it is a call of package model, and the steps that no client
//     sees (timers, the high watermark) are taken wherever they can explain an
//     answer.
//
// Use it like this:
//
//	h, err := linearize.ReadFile("history.jsonl")
//	if err != nil {
//		return err // *SyntaxError or *UnsupportedError: nothing was judged
//	}
//	report := linearize.Check(h, linearize.Options{})
//	fmt.Println(report.Verdict, report.Findings)
//
// The house: each folder knows only those above it in this list, and a test holds
// that.
//
//	kfh         the format: reading, fields, what a history says by itself
//	proof       conflicts between answers, the frame of necessary conditions
//	sequential  steps and candidate states, the frame of sequential specifications
//	groups      the members and generations of classic groups, and their offsets
//	txns        transactional ids, producers and logs
//	offsets     committed offsets, where transactions may have brought them
//	linearize   the parts of a history, the verdict, and which answers to blame
//
// To add a request of a part: a name in kfh, a row in the part's requests.go (its
// fields, what its answer proves, how it compiles into a request of the model, who
// decides it), and, if its answer proves something new, a rule. To add a part: a
// folder with a table of requests, a function for its conflicts and one for its
// specification, each called here once (supported.go, necessary.go, parts.go).
//
// What is modelled: dynamic members of classic groups, plain and transactional
// offsets, transactional producers of both styles (transaction.version 1 and 2),
// the logs that they write to, and a broker that is killed and started again
// (notes kill, crash and start about "broker"). Histories with static members or
// KIP-848 members are refused as a whole.
//
// A group in one life of its broker is searched as a whole. With transactions or
// restarts, each transactional id (its coordinator, and what the leader of each
// partition knows of its producers) and the members of each group in each life
// are searched alone; logs and offsets are judged by necessary conditions, which
// also hold the parts together. The report says so. A group is loaded after a
// restart as any record of it may have left it (groups.md section 7); a life of
// which nobody knows how it began is not searched.
//
// What no client sees and a search allows for: markers on their way, timed-out
// transactions (not before their time, where one clock stamps all), the record
// of a completion on its way, requests without an answer, and fences by a newer
// request of the same producer. Assumed are one partition of __consumer_offsets,
// and runs too short for producer ids or transactional ids to expire.
package linearize
