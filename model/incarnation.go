package model

// An Incarnation says which broker is a coordinator. Another one that is elected
// has nothing in memory until it has read the log; the one before may go on with
// what it has, since it does not know.
type Incarnation struct {
	Epoch int16 // of the coordinator: that of its log's leader
	// Loading: a coordinator was elected and has not read its log.
	Loading bool
	// Zombie: the coordinator before it goes on with what it had in memory.
	Zombie bool
}

// FailOver lets another broker become the coordinator. live is what its kind
// keeps for each key, what is in its log included; forget drops the rest. If the
// one before stays, old is what it goes on with.
func FailOver[M any](i *Incarnation, live, old []M, stays bool, forget func(*M)) {
	if stays {
		i.Zombie = true
		copy(old, live)
	}
	i.Epoch++
	i.Loading = true
	for k := range live {
		forget(&live[k])
	}
}

// Load is the end of reading the log.
func (i *Incarnation) Load() { i.Loading = false }
