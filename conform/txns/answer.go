package txns

import (
	"fmt"

	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// answer is what the answer to a step says, in the model's terms. What an
// answer does not have, or what an error leaves without a meaning, is zero.
type answer struct {
	Err    model.Error
	PID    model.ProducerID
	Epoch  model.Epoch
	At     int  // Produce: where the batch is, from 1; ListOffsets: the offset
	Again  bool // Produce: it had been appended before; the broker does not say so
	Reads  string
	Offset model.Offset // OffsetFetch, one more than committed
	State  string       // DescribeTransactions
	// Odd is what the broker said or did that the model has no words for.
	Odd frame.Oddity

	// What the driver wants to know of the model's answer.
	Ignored bool // a timer to which nothing happened
	Moved   bool // markers were sent
	Stuck   bool // and the transaction will never be complete
}

func answerOf(r txn.TransactionReply) answer {
	a := answer{Err: r.Err, PID: r.PID, Epoch: r.Epoch}
	if a.PID == 0 {
		a.Epoch = 0
	}
	return a
}

// said is an answer field by field, in the order of comparison.
func (a *answer) said() frame.Said {
	epoch := ""
	if a.PID != 0 {
		epoch = fmt.Sprint(a.Epoch)
	}
	return frame.Said{
		{"error", a.Err.String()}, {"producer id", pidName(a.PID)}, {"epoch", epoch}, {"offset", fmt.Sprint(a.At)},
		{"reads", a.Reads}, {"committed offset", fmt.Sprint(a.Offset - 1)}, {"state", a.State}, {"beside", string(a.Odd)},
	}
}

// equal tells whether the answers say the same to a client.
func (a *answer) equal(b *answer) bool {
	return a.Err == b.Err && a.PID == b.PID && (a.PID == 0 || a.Epoch == b.Epoch) && a.At == b.At && a.Reads == b.Reads &&
		a.Offset == b.Offset && a.State == b.State && a.Odd == b.Odd
}

// text is an answer in a line.
func (a *answer) text() string { return a.said().Text(a.Err, (&answer{}).said()) }

// pidName is how reports write a producer id.
func pidName(p model.ProducerID) string {
	switch {
	case p == 0:
		return ""
	case p == strangerPID:
		return "stranger"
	case p > strangerPID:
		return "unexpected"
	}
	return fmt.Sprintf("pid%d", p)
}
