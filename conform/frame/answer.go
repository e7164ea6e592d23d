package frame

import (
	"fmt"

	"fencecheck/model"
)

// Field is one field in which two answers differ.
type Field struct {
	Name   string `json:"field"`
	Model  string `json:"model"`
	Broker string `json:"broker"`
}

// Said is what an answer says, a name and a value each, in the order of
// comparison. The error comes first.
type Said [][2]string

// Compare lists the fields in which the model's answer and the broker's differ.
func Compare(m, b Said) []Field {
	var all []Field
	for i, f := range m {
		if f[1] != b[i][1] {
			all = append(all, Field{f[0], f[1], b[i][1]})
		}
	}
	return all
}

// Text is an answer in a line: its error, and whatever else it says that an empty
// answer does not.
func (s Said) Text(e model.Error, empty Said) string {
	text := ErrorName(e)
	for i, f := range s {
		if i > 0 && f[1] != empty[i][1] {
			text += " " + f[0] + "=" + f[1]
		}
	}
	return text
}

// ErrorName also names the errors that the model does not have, by number.
func ErrorName(e model.Error) string {
	if name := e.String(); name != "UNKNOWN_ERROR" {
		return name
	}
	return fmt.Sprintf("error %d", e)
}

// Oddity is what a broker said that the model has no words for.
type Oddity string

// Add notes something more.
func (o *Oddity) Add(format string, args ...any) {
	if *o != "" {
		*o += "; "
	}
	*o += Oddity(fmt.Sprintf(format, args...))
}
