package ops

import (
	"fmt"

	"fencecheck/model"
	"fencecheck/model/cluster"
)

// answers are taken by whoever waits for them.
var answers = []Op{
	{Name: "receive", Rare: true, Actor: ByClient, Params: [2]Param{Client, Lane}, Asked: always, when: when(awake), Request: awaitedRequest, step: (*Exec).receive, urgent: (*Exec).urgentReceive,
		Doc:    "a client takes the answer to its request",
		Tells:  says("takes the answer to its {answered}"),
		Source: "groups.md 8.1"},
}

// decisions are what brokers do with requests that travel.
var decisions = []Op{
	{Name: "decide", Actor: ByBroker, Params: [2]Param{Client, Lane}, Picks: true, Asked: travels, Request: awaitedRequest, step: (*Exec).decide,
		Doc:    "the coordinator decides the first request in flight on a client's connection",
		Tells:  decides,
		Source: "groups.md E2"},
	{Name: "decide-late", Actor: ByBroker, Params: [2]Param{Late}, Picks: true, Asked: budget(cluster.LateRequests), Request: lateRequest, step: (*Exec).decideLate,
		Doc:    "the coordinator decides a request whose sender gave up on it; between connections there is no order",
		Tells:  decidesLate,
		Source: "groups.md E2; museum M04"},
}

// losses are what befalls requests on their way.
var losses = []Op{
	{Name: "give-up", Actor: ByClient, Params: [2]Param{Client, Lane}, Fault: true, Asked: travels, step: (*Exec).giveUp,
		Doc:    "a client gives up on a request and opens a new connection; undecided, the request stays in flight; decided, its answer is lost",
		Tells:  givesUp,
		Source: "request.timeout.ms; groups.md 8.1"},
}

// processFaults are what befalls the processes of clients.
var processFaults = []Op{
	{Name: "pause", Actor: ByClient, Params: [2]Param{Client}, Fault: true, Asked: budget(cluster.Pauses), when: processIs(cluster.Running), step: (*Exec).pause,
		Doc:    "a process stops, both threads: a long garbage collection, a suspended machine",
		Tells:  says("its process stops, heartbeats included (a long garbage collection)"),
		Source: "groups.md 8.1, threads"},
	{Name: "resume", Actor: ByClient, Params: [2]Param{Client}, Fault: true, Asked: budget(cluster.Pauses), when: processIs(cluster.Paused), step: (*Exec).goOn,
		Doc:    "a paused process goes on where it stopped",
		Tells:  says("its process wakes up and goes on where it stopped"),
		Source: "groups.md 8.1, threads"},
	{Name: "stall", Actor: ByClient, Params: [2]Param{Client}, Fault: true, Asked: budget(cluster.Stalls), when: processIs(cluster.Running), step: (*Exec).stall,
		Doc:    "an application thread stands still; its heartbeats go on",
		Tells:  says("its application thread stands still; heartbeats go on"),
		Source: "groups.md 8.1, threads"},
	{Name: "unstall", Actor: ByClient, Params: [2]Param{Client}, Fault: true, Asked: budget(cluster.Stalls), when: processIs(cluster.Stalled), step: (*Exec).goOn,
		Doc:    "a stalled application thread goes on",
		Tells:  says("its application thread goes on"),
		Source: "groups.md 8.1, threads"},
	{Name: "crash", Actor: ByClient, Params: [2]Param{Client}, Fault: true, Asked: budget(cluster.Crashes), when: when(func(cl *cluster.Client) bool { return cl.Process != cluster.Down }), step: (*Exec).crash,
		Doc:    "a process dies with all it knew; what it sent stays in flight while late_requests allows",
		Tells:  says("its process dies"),
		Source: "museum, faults"},
	{Name: "restart", Actor: ByClient, Params: [2]Param{Client}, Fault: true, Asked: budget(cluster.Crashes), when: processIs(cluster.Down), step: (*Exec).goOn,
		Doc:    "a new process takes the place of one that died, with no id",
		Tells:  says("a new process starts in its place"),
		Source: "museum, faults"},
}

func always(*cluster.Config) bool { return true }

func budget(b cluster.Budget) func(*cluster.Config) bool {
	return func(c *cluster.Config) bool { return c.MayHappen(b) }
}

func travels(c *cluster.Config) bool { return c.Travels != [model.NumAPIs]bool{} }

func heartbeats(c *cluster.Config) bool { return c.Travels[model.Heartbeat] }

func awaitedRequest(s *cluster.State, a Args) cluster.Request { return *Awaited(&s.Clients[a.A], a.B) }

func lateRequest(s *cluster.State, a Args) cluster.Request { return s.Late[a.A] }

func decides(_ *cluster.Config, before, _ *cluster.State, a Args) string {
	if r := Awaited(&before.Clients[a.A], a.B); r.Status == cluster.Admitted {
		return fmt.Sprintf("appends the batch of {transaction %d} that it has admitted", r.Work)
	}
	return "decides {client}'s {request}"
}

func decidesLate(_ *cluster.Config, before, _ *cluster.State, a Args) string {
	r := &before.Late[a.A]
	if r.API == model.WriteTxnMarkers {
		return "receives the {marker} marker that the coordinator had given up on"
	}
	return fmt.Sprintf("decides the {request} that {client %d} gave up on", r.Client)
}

func givesUp(_ *cluster.Config, before, _ *cluster.State, a Args) string {
	if r := Awaited(&before.Clients[a.A], a.B); r.Status == cluster.InFlight || r.Status == cluster.Admitted {
		return "gives up on its {awaited}, which stays in flight on the old connection"
	}
	return "gives up on its {awaited}; the answer is lost"
}
