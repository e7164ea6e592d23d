package counterexamples

import (
	"fmt"

	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

// A deed says in words what the actor of a step does.
type deed func(t *teller, before, after *model.State, a ops.Args) string

func plain(text string) deed {
	return func(*teller, *model.State, *model.State, ops.Args) string { return text }
}

// deeds has the words for each operation that needs more, or other ones, than
// its Doc.
var deeds = map[string]deed{
	"join": func(_ *teller, before, _ *model.State, a ops.Args) string {
		cl := &before.Clients[a.A]
		text := "joins the group"
		if cl.ID != 0 {
			text = "joins under its member id"
		}
		if cl.Owned != 0 {
			return fmt.Sprintf("gives up %s and %s", partitionNames(cl.Owned), text)
		}
		return text
	},
	"sync": func(t *teller, before, after *model.State, a ops.Args) string {
		switch {
		case after.Clients[a.A].Phase == model.Failed:
			return "finds no assignor for the generation"
		case before.Clients[a.A].Leads:
			return "computes the plan as the leader and sends it"
		}
		return "asks for its assignment"
	},
	"fetch": plain("asks where to start reading"),
	"take": func(_ *teller, before, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("takes record %d of %s, to commit before it processes it", before.Clients[a.A].Position[a.B], partitionName(int(a.B)))
	},
	"process": func(_ *teller, before, after *model.State, a ops.Args) string {
		for record := range model.Offset(model.MaxRecords) {
			bit := uint8(1) << record
			switch p := a.B; {
			case after.Ghost.Twice[p]&^before.Ghost.Twice[p]&bit != 0:
				return fmt.Sprintf("processes record %d of %s, which had been processed before", record, partitionName(int(p)))
			case after.Ghost.Done[p]&^before.Ghost.Done[p]&bit != 0:
				return fmt.Sprintf("processes record %d of %s", record, partitionName(int(p)))
			}
		}
		return fmt.Sprintf("processes a record of %s once more", partitionName(int(a.B)))
	},
	"commit":    plain("commits what it has consumed"),
	"heartbeat": plain("sends a heartbeat"),
	"receive": func(t *teller, before, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("takes the answer to its %s", awaited(&before.Clients[a.A], a.B).API)
	},
	"decide": func(t *teller, before, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("decides %s's %s", t.client(int(a.A)), t.named(awaited(&before.Clients[a.A], a.B)))
	},
	"decide-late": func(t *teller, before, _ *model.State, a ops.Args) string {
		r := &before.Late[a.A]
		return fmt.Sprintf("decides the %s that %s gave up on", t.named(r), t.client(int(r.Client)))
	},
	"initial-delay": func(_ *teller, _, after *model.State, _ ops.Args) string {
		if after.Last.Completed {
			return "the initial delay is over, and so is the join phase"
		}
		return "the initial delay is extended, because somebody joined"
	},
	"rebalance-timeout": plain("the rebalance timeout is over: it waits no longer for members to join"),
	"sync-timeout":      plain("the sync timeout is over: it removes the members that did not send SyncGroup"),
	"session-timeout": func(t *teller, before, _ *model.State, a ops.Args) string {
		id := model.MemberID(a.A)
		if m := memberOf(before, id); m != nil && m.Is(model.Pending) {
			return fmt.Sprintf("the id %s, which never joined, expires", t.member(id))
		}
		return fmt.Sprintf("the session of %s is over: it has been silent for too long, and is removed", t.member(id))
	},
	"poll-timeout":      plain("has not polled for max.poll.interval.ms: its heartbeat thread leaves the group"),
	"notice-partitions": plain("sees as the leader that there are more partitions, and must join again"),
	"assign": func(_ *teller, _, after *model.State, a ops.Args) string {
		return fmt.Sprintf("assigns itself %s, outside any group membership", partitionNames(after.Clients[a.A].Owned))
	},
	"request-timeout": plain("waits no longer for an answer that will never come"),
	"give-up": func(t *teller, before, _ *model.State, a ops.Args) string {
		r := awaited(&before.Clients[a.A], a.B)
		if r.Status == model.InFlight || r.Status == model.Admitted {
			return fmt.Sprintf("gives up on its %s, which stays in flight on the old connection", t.named(r))
		}
		return fmt.Sprintf("gives up on its %s; the answer is lost", t.named(r))
	},
	"subscribe": func(_ *teller, _, after *model.State, a ops.Args) string {
		return "subscribes to " + topicNames(after.Clients[a.A].Topics)
	},
	"leave":         plain("leaves the group"),
	"pause":         plain("its process stops, heartbeats included (a long garbage collection)"),
	"resume":        plain("its process wakes up and goes on where it stopped"),
	"stall":         plain("its application thread stands still; heartbeats go on"),
	"unstall":       plain("its application thread goes on"),
	"crash":         plain("its process dies"),
	"restart":       plain("a new process starts in its place"),
	"add-partition": plain("adds a partition"),
	"delete-group":  plain("deletes the empty group with its offsets"),
}

// deed is what a step's actor does. An operation without words of its own is
// told by its Doc.
func (t *teller) deed(before, after *model.State, st search.Step) string {
	if text, ok := t.producerDeed(before, after, st); ok {
		return text
	}
	if d, ok := deeds[OpName(st)]; ok {
		return d(t, before, after, ops.Unpack(st.Arg))
	}
	return ops.Table[st.Op].Doc
}
