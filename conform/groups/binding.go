package groups

import (
	"fmt"
	"strings"

	"fencecheck/conform/wire"
	"fencecheck/model"
)

// binding holds which member id of the model is which on the wire.
type binding struct {
	wire  map[model.MemberID]string
	model map[string]model.MemberID
}

// unexpectedIDs is where the numbers of ids begin that the broker made up
// without having been asked to.
const unexpectedIDs model.MemberID = 1 << 15

func newBinding() binding {
	b := binding{map[model.MemberID]string{}, map[string]model.MemberID{}}
	b.bind(0, "")
	b.bind(strangerID, wire.ClientID+"-00000000-0000-0000-0000-000000000000")
	return b
}

func (b *binding) bind(id model.MemberID, wire string) {
	b.wire[id], b.model[wire] = wire, id
}

// read is the model's name of an id on the wire. One that is new is the id
// that was to be made up, if there was one.
func (b *binding) read(wire string, fresh model.MemberID) model.MemberID {
	if id, ok := b.model[wire]; ok {
		return id
	}
	if _, taken := b.wire[fresh]; fresh == 0 || taken {
		fresh = unexpectedIDs + model.MemberID(len(b.wire))
	}
	b.bind(fresh, wire)
	return fresh
}

// forget: an id is given anew, so what it stood for is over.
func (b *binding) forget(id model.MemberID) {
	if wire, ok := b.wire[id]; ok && id != 0 {
		delete(b.wire, id)
		delete(b.model, wire)
	}
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

// legend lists what the names stand for.
func (b *binding) legend() map[string]string {
	all := map[string]string{}
	for id, real := range b.wire {
		if id != 0 && strings.HasPrefix(real, wire.ClientID) {
			all[Name(id)] = real
		}
	}
	return all
}
