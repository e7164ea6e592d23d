// Package linearize judges a recorded history of classic consumer groups
// against what a correct coordinator could have answered.
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
// What is modelled: dynamic members of classic groups and plain offsets.
// Histories with static members, KIP-848 members, transactions or a restarted
// broker are refused as a whole.
package linearize
