package ops

import "fencecheck/model"

// Outcomes names what the coordinator can do with a request, for coverage; the
// first is no decision.
var Outcomes = outcomeNames()

func outcomeNames() []string {
	names := []string{""}
	for _, api := range model.EveryAPI() {
		for _, err := range model.Errors() {
			names = append(names, api.String()+" "+err.String())
		}
		names = append(names, api.String()+" parked")
	}
	return names
}

// outcomeIndex is the place of each error in an API's block of Outcomes.
var outcomeIndex = func() (index [256]uint16) {
	for i, err := range model.Errors() {
		index[uint8(err)] = uint16(i)
	}
	return index
}()

var outcomesPerAPI = uint16(len(model.Errors()) + 1)

func outcomeOf(api model.API, err model.Error, parked bool) uint16 {
	i := outcomesPerAPI - 1
	if !parked {
		i = outcomeIndex[uint8(err)]
	}
	return 1 + uint16(api-1)*outcomesPerAPI + i
}
