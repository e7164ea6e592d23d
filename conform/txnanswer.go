package conform

import (
	"fmt"

	"fencecheck/model"
)

// txnAnswer is what the answer to a step says, in the model's terms. What an
// answer does not have, or what an error leaves without a meaning, is zero.
type txnAnswer struct {
	Err    model.Error
	PID    model.ProducerID
	Epoch  model.Epoch
	Place  int  // Produce: where the batch is, from 1; ListOffsets: the offset
	Again  bool // Produce: it had been appended before; the broker does not say so
	Reads  string
	Offset model.Offset // OffsetFetch, one more than committed
	State  string       // DescribeTransactions
	// Odd is what the broker said or did that the model has no words for.
	Odd string

	// What the driver wants to know of the model's answer.
	Ignored bool // a timer to which nothing happened
	Moved   bool // markers were sent
	Stuck   bool // and the transaction will never be complete
}

func answerOfTxn(r model.TransactionReply) txnAnswer {
	a := txnAnswer{Err: r.Err, PID: r.PID, Epoch: r.Epoch}
	if a.PID == 0 {
		a.Epoch = 0
	}
	return a
}

// fields writes an answer field by field, in the order of comparison.
func (a *txnAnswer) fields() [][2]string {
	epoch := ""
	if a.PID != 0 {
		epoch = fmt.Sprint(a.Epoch)
	}
	return [][2]string{
		{"error", a.Err.String()}, {"producer id", pidName(a.PID)}, {"epoch", epoch}, {"offset", fmt.Sprint(a.Place)},
		{"reads", a.Reads}, {"committed offset", fmt.Sprint(a.Offset - 1)}, {"state", a.State}, {"beside", a.Odd},
	}
}

func compareTxn(m, b *txnAnswer) []Field {
	var all []Field
	of := b.fields()
	for i, f := range m.fields() {
		if f[1] != of[i][1] {
			all = append(all, Field{f[0], f[1], of[i][1]})
		}
	}
	return all
}

// equal tells whether the answers say the same to a client.
func (a *txnAnswer) equal(b *txnAnswer) bool {
	return a.Err == b.Err && a.PID == b.PID && (a.PID == 0 || a.Epoch == b.Epoch) && a.Place == b.Place && a.Reads == b.Reads &&
		a.Offset == b.Offset && a.State == b.State && a.Odd == b.Odd
}

// text is an answer in a line.
func (a *txnAnswer) text() string {
	empty := (&txnAnswer{}).fields()
	text := errorName(a.Err)
	for i, f := range a.fields() {
		if i > 0 && f[1] != empty[i][1] {
			text += " " + f[0] + "=" + f[1]
		}
	}
	return text
}

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
