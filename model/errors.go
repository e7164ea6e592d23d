package model

// Error is a Kafka error, by its number on the wire
// (org.apache.kafka.common.protocol.Errors).
type Error int16

// The errors that the modelled requests can be answered with.
const (
	None                      Error = 0
	CoordinatorNotAvailable   Error = 15
	IllegalGeneration         Error = 22
	InconsistentGroupProtocol Error = 23
	UnknownMemberID           Error = 25
	InvalidSessionTimeout     Error = 26
	RebalanceInProgress       Error = 27
	NonEmptyGroup             Error = 68
	GroupIDNotFound           Error = 69
	MemberIDRequired          Error = 79
	GroupMaxSizeReached       Error = 81
)

// errorNames is in the order of the numbers on the wire.
var errorNames = []struct {
	err  Error
	name string
}{
	{None, "NONE"},
	{CoordinatorNotAvailable, "COORDINATOR_NOT_AVAILABLE"},
	{IllegalGeneration, "ILLEGAL_GENERATION"},
	{InconsistentGroupProtocol, "INCONSISTENT_GROUP_PROTOCOL"},
	{UnknownMemberID, "UNKNOWN_MEMBER_ID"},
	{InvalidSessionTimeout, "INVALID_SESSION_TIMEOUT"},
	{RebalanceInProgress, "REBALANCE_IN_PROGRESS"},
	{NonEmptyGroup, "NON_EMPTY_GROUP"},
	{GroupIDNotFound, "GROUP_ID_NOT_FOUND"},
	{MemberIDRequired, "MEMBER_ID_REQUIRED"},
	{GroupMaxSizeReached, "GROUP_MAX_SIZE_REACHED"},
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
