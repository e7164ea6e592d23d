package model

// Error is a Kafka error, by its number on the wire
// (org.apache.kafka.common.protocol.Errors).
type Error int16

// The errors that the modelled requests can be answered with.
const (
	UnknownServerError           Error = -1
	None                         Error = 0
	NotLeaderOrFollower          Error = 6
	CoordinatorLoadInProgress    Error = 14
	CoordinatorNotAvailable      Error = 15
	NotCoordinator               Error = 16
	NotEnoughReplicas            Error = 19
	IllegalGeneration            Error = 22
	InconsistentGroupProtocol    Error = 23
	UnknownMemberID              Error = 25
	InvalidSessionTimeout        Error = 26
	RebalanceInProgress          Error = 27
	OutOfOrderSequenceNumber     Error = 45
	InvalidProducerEpoch         Error = 47
	InvalidTxnState              Error = 48
	InvalidProducerIDMapping     Error = 49
	ConcurrentTransactions       Error = 51
	TransactionCoordinatorFenced Error = 52
	NonEmptyGroup                Error = 68
	GroupIDNotFound              Error = 69
	MemberIDRequired             Error = 79
	GroupMaxSizeReached          Error = 81
	GroupSubscribedToTopic       Error = 86
	UnstableOffsetCommit         Error = 88
	ProducerFenced               Error = 90
	TransactionAbortable         Error = 120
)

// errorNames is in the order of the numbers on the wire.
var errorNames = []struct {
	err  Error
	name string
}{
	{UnknownServerError, "UNKNOWN_SERVER_ERROR"},
	{None, "NONE"},
	{NotLeaderOrFollower, "NOT_LEADER_OR_FOLLOWER"},
	{CoordinatorLoadInProgress, "COORDINATOR_LOAD_IN_PROGRESS"},
	{CoordinatorNotAvailable, "COORDINATOR_NOT_AVAILABLE"},
	{NotCoordinator, "NOT_COORDINATOR"},
	{NotEnoughReplicas, "NOT_ENOUGH_REPLICAS"},
	{IllegalGeneration, "ILLEGAL_GENERATION"},
	{InconsistentGroupProtocol, "INCONSISTENT_GROUP_PROTOCOL"},
	{UnknownMemberID, "UNKNOWN_MEMBER_ID"},
	{InvalidSessionTimeout, "INVALID_SESSION_TIMEOUT"},
	{RebalanceInProgress, "REBALANCE_IN_PROGRESS"},
	{OutOfOrderSequenceNumber, "OUT_OF_ORDER_SEQUENCE_NUMBER"},
	{InvalidProducerEpoch, "INVALID_PRODUCER_EPOCH"},
	{InvalidTxnState, "INVALID_TXN_STATE"},
	{InvalidProducerIDMapping, "INVALID_PRODUCER_ID_MAPPING"},
	{ConcurrentTransactions, "CONCURRENT_TRANSACTIONS"},
	{TransactionCoordinatorFenced, "TRANSACTION_COORDINATOR_FENCED"},
	{NonEmptyGroup, "NON_EMPTY_GROUP"},
	{GroupIDNotFound, "GROUP_ID_NOT_FOUND"},
	{MemberIDRequired, "MEMBER_ID_REQUIRED"},
	{GroupMaxSizeReached, "GROUP_MAX_SIZE_REACHED"},
	{GroupSubscribedToTopic, "GROUP_SUBSCRIBED_TO_TOPIC"},
	{UnstableOffsetCommit, "UNSTABLE_OFFSET_COMMIT"},
	{ProducerFenced, "PRODUCER_FENCED"},
	{TransactionAbortable, "TRANSACTION_ABORTABLE"},
}

// Errors lists every error that the model can answer, by rising number.
func Errors() []Error {
	all := make([]Error, len(errorNames))
	for i, e := range errorNames {
		all[i] = e.err
	}
	return all
}

// String is Kafka's name of the error.
func (e Error) String() string {
	for _, n := range errorNames {
		if n.err == e {
			return n.name
		}
	}
	return "UNKNOWN_ERROR"
}

// ErrorByName finds an error by Kafka's name for it.
func ErrorByName(name string) (Error, bool) {
	for _, n := range errorNames {
		if n.name == name {
			return n.err, true
		}
	}
	return 0, false
}
