package counterexamples

import (
	"fmt"
	"strings"

	"fencecheck/model"
	"fencecheck/scenarios"
)

// Bounds says in words how large a scenario is.
func Bounds(s *scenarios.Scenario) string {
	cfg := &s.Config
	var words []string
	if cfg.Members+cfg.Simple > 0 {
		words = append(words, count(cfg.Members, "member"), count(cfg.Partitions, "partition"), count(cfg.Records, "record")+" each")
	}
	if cfg.Simple > 0 {
		words = append(words, count(cfg.Simple, "simple consumer"))
	}
	words = append(words, producerBounds(cfg)...)
	for b, n := range cfg.Budgets {
		name := strings.ReplaceAll(model.Budget(b).String(), "_", " ")
		switch {
		case cfg.Unbounded[b]:
			words = append(words, "any number of "+name)
		case n > 0:
			words = append(words, fmt.Sprintf("%s %d", name, n))
		}
	}
	var travels []string
	for api := model.NoAPI + 1; api < model.NumAPIs; api++ {
		if cfg.Travels[api] {
			travels = append(travels, api.String())
		}
	}
	if len(travels) > 0 {
		words = append(words, strings.Join(travels, " and ")+" may be late")
	}
	if cfg.AnyOrder {
		words = append(words, "members listed in any order")
	}
	if cfg.Clock == model.Async {
		words = append(words, "timers may fire early")
	}
	if cfg.Ranks {
		words = append(words, "any number of rebalances")
	}
	return strings.Join(words, ", ")
}

// producerBounds says who produces, and under which rules.
func producerBounds(cfg *model.Config) []string {
	if !cfg.Producing() {
		return nil
	}
	var words []string
	if cfg.Writers > 0 {
		words = append(words, fmt.Sprintf("%s with %s each", count(cfg.Writers, "writer"), count(cfg.Transactions, "transaction")))
	}
	if cfg.Writers == 1 {
		words[0] = strings.TrimSuffix(words[0], " each")
	}
	words = append(words, count(cfg.Outputs, "output partition"), owners(cfg))
	version := fmt.Sprintf("transaction.version %d", cfg.Version)
	if cfg.Rules.Feature != cfg.Version {
		version += fmt.Sprintf(" (the brokers' feature is %d)", cfg.Rules.Feature)
	}
	words = append(words, version)
	if cfg.BareGroup {
		words = append(words, "TxnOffsetCommit without group metadata")
	}
	if cfg.Rules.NoVerification {
		words = append(words, "partitions not verified")
	}
	if cfg.Rules.MaxEpoch > 0 {
		words = append(words, fmt.Sprintf("epochs end at %d in place of %d", cfg.Rules.MaxEpoch, model.MaxEpoch))
	}
	return words
}

// owners says who has which transactional id.
func owners(cfg *model.Config) string {
	var words []string
	for id := range cfg.TransactionalIDs() {
		var names []string
		for i := range cfg.Clients() {
			if cfg.HasProducer(i) && int(cfg.IDs[i]) == id {
				names = append(names, clientName(cfg, i))
			}
		}
		words = append(words, fmt.Sprintf("%s of %s", idName(id), strings.Join(names, " and ")))
	}
	if len(words) == 1 {
		return "transactional id " + words[0]
	}
	return "transactional ids " + strings.Join(words, " and ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
