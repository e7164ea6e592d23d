package groups

import (
	"fmt"

	"fencecheck/conform/frame"
	"fencecheck/conform/wire"
	"fencecheck/model"
)

// binding holds which member id of the model is which on the wire.
type binding = frame.Binding[model.MemberID, string]

// unexpectedIDs is where the numbers of ids begin that the broker made up
// without having been asked to.
const unexpectedIDs model.MemberID = 1 << 15

func newBinding() *binding {
	b := frame.NewBinding[model.MemberID, string](unexpectedIDs)
	b.Bind(0, "")
	b.Bind(strangerID, wire.ClientID+"-00000000-0000-0000-0000-000000000000")
	return b
}

// Name is how reports write an id.
func Name(id model.MemberID) string {
	switch {
	case id == 0:
		return `""`
	case id == strangerID:
		return "stranger"
	case id > unexpectedIDs:
		return fmt.Sprintf("unexpected%d", id-unexpectedIDs)
	}
	return fmt.Sprintf("m%d", id)
}
