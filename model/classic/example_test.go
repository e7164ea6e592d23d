package classic_test

import (
	"fmt"

	"fencecheck/model"
	"fencecheck/model/classic"
)

func Example() {
	var group classic.Group
	members := make([]classic.Member, 4)
	c := classic.Coordinator{Rules: &model.Rules{}, Group: &group, Members: members}
	answer, _ := c.Decide(&classic.Request{API: model.JoinGroup, Protocols: model.ProtocolList(model.Range), Fresh: 1})
	fmt.Println(answer.Err)
	// Output: MEMBER_ID_REQUIRED
}
