package model_test

import (
	"fmt"

	"fencecheck/model"
)

func Example() {
	var group model.Group
	members := make([]model.Member, 4)
	c := model.Coordinator{Rules: &model.Rules{}, Group: &group, Members: members}
	answer, _ := c.Decide(&model.GroupRequest{API: model.JoinGroup, Protocols: model.ProtocolList(model.Range), Fresh: 1})
	fmt.Println(answer.Err)
	// Output: MEMBER_ID_REQUIRED
}
