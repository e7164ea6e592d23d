package counterexamples

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/scenarios"
)

// pickParam is the key of the coordinator's choice, where it had one.
const pickParam = "pick"

// orderParam is the key of the order in which the leader lists the members,
// where it had a choice.
const orderParam = "order"

func number(n int) string { return strconv.Itoa(n) }

// A story calls clients and transactional ids what the bounds of its scenario
// call them.
var (
	clientName = scenarios.ClientName
	idName     = scenarios.IDName
	count      = scenarios.Count
)

func partitionName(p int) string { return "p" + number(p) }

// memberName is the client that an id was made for, and which of its ids it is.
func memberName(cfg *cluster.Config, id model.MemberID) string {
	return clientName(cfg, cluster.ClientOf(id)) + "." + number(cluster.LifeOf(id)+1)
}

// list is each item in words, one behind the other.
func list[T any](items []T, separator string, words func(T) string) string {
	all := make([]string, len(items))
	for i, item := range items {
		all[i] = words(item)
	}
	return strings.Join(all, separator)
}

// places lists the bits of a set.
func places[S ~uint32 | ~uint64](set S) []int {
	var all []int
	for rest := uint64(set); rest != 0; rest &= rest - 1 {
		all = append(all, bits.TrailingZeros64(rest))
	}
	return all
}

// topicNames lists a subscription.
func topicNames(topics model.Meta) string {
	return list(places(topics), ",", func(topic int) string { return "t" + number(topic) })
}

// partitionNames lists a set of partitions.
func partitionNames(set model.PartSet) string { return list(places(set), ", ", partitionName) }

func orNothing(set model.PartSet) string {
	if set == 0 {
		return "nothing"
	}
	return partitionNames(set)
}

// logName is o0, o1, ... for output partitions, and the group's partition of
// __consumer_offsets.
func logName(p int) string {
	if p == cluster.OffsetsLog {
		return "offsets"
	}
	return "o" + number(p)
}

// logNames lists a set of logs.
func logNames(set model.PartSet) string { return list(places(set), " ", logName) }

// leaderName is a log in a sentence.
func leaderName(p uint8) string {
	if p == cluster.OffsetsLog {
		return "the group's offsets"
	}
	return logName(int(p))
}

// leaderNames lists a set of logs in a sentence.
func leaderNames(set model.PartSet) string {
	return list(places(set), " and ", func(p int) string { return leaderName(uint8(p)) })
}

// inputName is an input record by its partition and offset.
func inputName(value uint8) string {
	v := int(value - 1)
	return fmt.Sprintf("%s@%d", partitionName(v/cluster.MaxRecords), v%cluster.MaxRecords)
}

var lanes = [...]string{"app", "heartbeat"}

// paramValue is how a parameter's value is written.
func paramValue(cfg *cluster.Config, kind ops.Param, v uint8) string {
	switch kind {
	case ops.Client:
		return clientName(cfg, int(v))
	case ops.Partition:
		return partitionName(int(v))
	case ops.Lane:
		return lanes[v]
	case ops.Member:
		return memberName(cfg, model.MemberID(v))
	case ops.Topics:
		return topicNames(model.Meta(v))
	case ops.Log, ops.Output:
		return logName(int(v))
	case ops.TransactionalID:
		return idName(int(v))
	}
	return number(int(v))
}

// parseParam is the inverse of paramValue; its error says what would be right.
func parseParam(cfg *cluster.Config, kind ops.Param, word string) (uint8, error) {
	switch kind {
	case ops.Client:
		return parseClient(cfg, word)
	case ops.Partition:
		return parseNumbered("p", word, 0, cfg.AllPartitions()-1)
	case ops.Lane:
		for i, lane := range lanes {
			if lane == word {
				return uint8(i), nil
			}
		}
		return 0, fmt.Errorf("found %q; right would be %s", word, strings.Join(lanes[:], " or "))
	case ops.Member:
		client, life, _ := strings.Cut(word, ".")
		c, err := parseClient(cfg, client)
		if err != nil {
			return 0, err
		}
		l, err := strconv.Atoi(life)
		if err != nil || l < 1 || cluster.ClientOf(cluster.NewMemberID(int(c), l-1)) != int(c) {
			return 0, fmt.Errorf("found %q; right would be a member id such as %s.1", word, client)
		}
		return uint8(cluster.NewMemberID(int(c), l-1)), nil
	case ops.Topics:
		return parseTopics(cfg, word)
	case ops.Log:
		if word == logName(cluster.OffsetsLog) && cfg.HasLog(cluster.OffsetsLog) {
			return cluster.OffsetsLog, nil
		}
		return parseNumbered("o", word, 0, cfg.Outputs-1)
	case ops.Output:
		return parseNumbered("o", word, 0, cfg.Outputs-1)
	case ops.TransactionalID:
		return parseNumbered("x", word, 0, cfg.TransactionalIDs()-1)
	case ops.Choice:
		return parseNumbered("", word, 0, 1)
	}
	return parseNumbered("", word, 0, cluster.MaxLate-1)
}

func parseClient(cfg *cluster.Config, word string) (uint8, error) {
	if cfg.Simple > 0 && strings.HasPrefix(word, "s") {
		n, err := parseNumbered("s", word, 1, cfg.Simple)
		return n - 1 + uint8(cfg.Members), err
	}
	if cfg.Writers > 0 && strings.HasPrefix(word, "w") {
		n, err := parseNumbered("w", word, 1, cfg.Writers)
		return n - 1 + uint8(cfg.Members+cfg.Simple), err
	}
	n, err := parseNumbered("m", word, 1, cfg.Members)
	return n - 1, err
}

// parseNumbered takes a letter followed by a number in a range.
func parseNumbered(letter, word string, low, high int) (uint8, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(word, letter))
	if err != nil || n < low || n > high || word != letter+number(n) {
		return 0, fmt.Errorf("found %q; right would be %s", word, span(letter, low, high))
	}
	return uint8(n), nil
}

func parseOrder(word string) (uint16, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || n >= ops.MaxOrders || word != number(n) {
		return 0, fmt.Errorf("found %q; right would be %s", word, span("", 0, ops.MaxOrders-1))
	}
	return uint16(n), nil
}

func span(letter string, low, high int) string {
	if low == high {
		return letter + number(low)
	}
	return fmt.Sprintf("%s%d to %s%d", letter, low, letter, high)
}

func parseTopics(cfg *cluster.Config, word string) (uint8, error) {
	var set model.Meta
	for name := range strings.SplitSeq(word, ",") {
		n, err := parseNumbered("t", name, 0, cfg.Topics-1)
		if err != nil {
			return 0, err
		}
		set |= 1 << n
	}
	return uint8(set), nil
}

// answerOf is the part of an outcome's name behind the API's.
func answerOf(outcome string) string {
	_, answer, _ := strings.Cut(outcome, " ")
	return answer
}
