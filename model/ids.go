package model

import "math/bits"

// MemberID names a member as the coordinator knows it; 0 is the empty id "".
// Ids are compared and sorted, nothing else: whoever uses the package decides
// which number stands for which string.
type MemberID uint16

// Generation counts the completed rebalances of one group; -1 is "none".
type Generation int32

// NoGeneration is the wire's -1: a request that names no generation.
const NoGeneration Generation = -1

// Offset is the number of the next record to read; -1 is "none".
type Offset int32

// NoOffset is the wire's -1: nothing committed, or partition not named.
const NoOffset Offset = -1

// PartSet is a set of at most 64 partitions, a bit each.
type PartSet uint64

// Part is the set of one partition.
func Part(p int) PartSet { return 1 << p }

// Has tells whether p is in the set.
func (s PartSet) Has(p int) bool { return s&Part(p) != 0 }

// Len is the number of partitions in the set.
func (s PartSet) Len() int { return bits.OnesCount64(uint64(s)) }

// Protocol is the name of an assignor as it travels in JoinGroup; 0 is none.
// Further names up to MaxProtocol may be given by whoever uses the package.
type Protocol uint8

const (
	// Range is the range assignor (groups.md section 9).
	Range Protocol = 1
	// RoundRobin is the round-robin assignor (groups.md section 9).
	RoundRobin Protocol = 2
	// MaxProtocol is the largest name that Protocols can hold.
	MaxProtocol Protocol = 15
)

// Protocols is an ordered list of at most eight protocols, a nibble each, the
// most wanted one lowest.
type Protocols uint32

// ProtocolList packs names in their order of preference.
func ProtocolList(names ...Protocol) Protocols {
	var l Protocols
	for i, n := range names {
		l |= Protocols(n) << (4 * i)
	}
	return l
}

// First is the most wanted protocol, 0 for an empty list.
func (l Protocols) First() Protocol { return Protocol(l & 15) }

// Rest is the list without its first name.
func (l Protocols) Rest() Protocols { return l >> 4 }

// Has tells whether p is in the list.
func (l Protocols) Has(p Protocol) bool {
	for ; l != 0; l = l.Rest() {
		if l.First() == p {
			return true
		}
	}
	return false
}

// Meta stands for the subscription bytes of a JoinGroup: equal numbers are
// equal bytes. Exploration keeps the set of subscribed topics here.
type Meta uint32

// ProducerID names a producer session; 0 is none, the wire's -1. Ids are
// compared, nothing else.
type ProducerID uint16

// Epoch is a producer epoch; -1 is none. What a rule does with one beyond
// comparing it is said where it is done (transactions.md section 9).
type Epoch int16

const (
	// NoEpoch is the wire's -1.
	NoEpoch Epoch = -1
	// MaxEpoch is the largest epoch. No client is ever given it: from MaxEpoch-1
	// on, an epoch is exhausted (TransactionMetadata.isEpochExhausted).
	MaxEpoch Epoch = 32767
)

// TransactionVersion is the style of a request: 2 raises the epoch with every
// transaction and adds partitions on the way (KIP-890 part 2), what is smaller
// does neither. A broker reads it off the version of a request, not off the
// feature (TransactionVersion.transactionVersionForEndTxn and its like).
type TransactionVersion uint8

// The two styles.
const (
	TV1 TransactionVersion = 1
	TV2 TransactionVersion = 2
)

// OrDefault is the version, that of Kafka 4.x where none is said.
func (v TransactionVersion) OrDefault() TransactionVersion {
	if v == 0 {
		return TV2
	}
	return v
}

// Bumps tells whether a transaction of this style raises the epoch at its end.
func (v TransactionVersion) Bumps() bool { return v >= TV2 }

// Adds tells whether the broker adds partitions to the transaction on the way.
func (v TransactionVersion) Adds() bool { return v.Bumps() }
