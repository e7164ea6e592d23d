package counterexamples

import (
	"slices"

	"pgregory.net/rapid"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/scenarios"
)

// drawProducers draws a scenario with transactions, of writers or of members
// that consume and produce, and of the newest transaction version: with the older
// one, the protocol has holes.
func drawProducers(t *rapid.T, d *scenarios.Definition) {
	*d = scenarios.Definition{
		ID: "random", Title: "a random scenario with transactions", Protocol: "transactional-producer",
		Expect:  scenarios.Expectation{Verdict: "holds"},
		Outputs: rapid.IntRange(1, cluster.MaxOutputs).Draw(t, "outputs"),
		Clock:   rapid.SampledFrom([]string{"timely", "async"}).Draw(t, "clock"),
		Faults:  map[string]int{},
		Invariants: []string{"no-torn-transaction", "truthful-outcome", "epoch-monotone", "tokens-unique-durable",
			"replay-equals-live", "no-duplicate-record"},
	}
	if rapid.Bool().Draw(t, "members") {
		d.Protocol, d.Members = "eos-v2", 2
		d.Partitions = rapid.IntRange(1, 2).Draw(t, "partitions")
		d.Records = rapid.IntRange(1, 3).Draw(t, "records")
		d.Generations = 40
		d.Invariants = append(d.Invariants, "no-duplicate-output", "no-lost-input", "single-owner", "no-stale-commit", "offset-monotone")
	} else {
		d.Writers = rapid.IntRange(1, 3).Draw(t, "writers")
		d.Transactions = rapid.IntRange(1, 4).Draw(t, "transactions")
		for range d.Writers {
			d.IDs = append(d.IDs, rapid.IntRange(0, cluster.MaxTransactionals-1).Draw(t, "transactional id"))
		}
	}
	if d.Writers > 0 && !slices.Contains(d.IDs, 1-d.IDs[0]) {
		// The open transaction of another transactional id would keep readers from a
		// record that was committed in time.
		d.Invariants = append(d.Invariants, "no-stale-write")
	}
	drawProducerFaults(t, d)
	if d.Faults[cluster.Zombies.String()] == 0 { // a deposed coordinator gives out what it has in memory
		d.Invariants = append(d.Invariants, "fence-is-final")
	}
}

// drawProducerFaults leaves out that ids and producers are forgotten, after which
// tokens begin again.
func drawProducerFaults(t *rapid.T, d *scenarios.Definition) {
	for _, b := range []cluster.Budget{cluster.Pauses, cluster.Crashes, cluster.LateRequests, cluster.LostAnswers, cluster.Aborts, cluster.Failovers, cluster.Zombies, cluster.LeaderFailovers} {
		if n := rapid.IntRange(0, 2).Draw(t, b.String()); n > 0 {
			d.Faults[b.String()] = n
		}
	}
	if zombies := cluster.Zombies.String(); d.Faults[zombies] > 0 { // each comes of a failover
		d.Faults[cluster.Failovers.String()] = d.Faults[zombies]
	}
	if d.Clock == "async" {
		d.Faults[cluster.Expiries.String()] = rapid.IntRange(1, 2).Draw(t, "expiries")
	}
	travelling := d.Faults["late_requests"]+d.Faults["lost_answers"]+d.Faults["zombie_coordinators"] > 0
	if travelling {
		drawTravels(t, d, func(part model.ProtocolPart) bool { return part == model.TransactionsPart })
	}
	if travelling && len(d.Travels) == 0 {
		d.Travels = []string{"EndTxn"}
	}
}
