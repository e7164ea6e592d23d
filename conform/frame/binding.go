package frame

// A Binding holds which id of the model is which on the wire. Both sides make up
// their own.
type Binding[M ~uint8 | ~uint16 | ~uint32 | ~int16 | ~int32, W comparable] struct {
	Wire  map[M]W
	model map[W]M
	odd   M
}

// NewBinding is empty. Ids that the broker makes up without having been asked to
// are numbered from odd.
func NewBinding[M ~uint8 | ~uint16 | ~uint32 | ~int16 | ~int32, W comparable](odd M) *Binding[M, W] {
	return &Binding[M, W]{map[M]W{}, map[W]M{}, odd}
}

// Bind notes that two ids are one.
func (b *Binding[M, W]) Bind(id M, wire W) { b.Wire[id], b.model[wire] = wire, id }

// Known tells whether the id is known on the wire.
func (b *Binding[M, W]) Known(id M) bool {
	_, ok := b.Wire[id]
	return ok
}

// Read is the model's name of an id on the wire. One that is new is the id
// that was to be made up, if there was one.
func (b *Binding[M, W]) Read(wire W, fresh M) M {
	if id, ok := b.model[wire]; ok {
		return id
	}
	if fresh == 0 || b.Known(fresh) {
		fresh = b.odd + M(len(b.Wire))
	}
	b.Bind(fresh, wire)
	return fresh
}

// Forget: an id is given anew, so what it stood for is over.
func (b *Binding[M, W]) Forget(id M) {
	if wire, ok := b.Wire[id]; ok && id != 0 {
		delete(b.Wire, id)
		delete(b.model, wire)
	}
}
