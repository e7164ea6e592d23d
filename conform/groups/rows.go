package groups

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// A row is all that is known of one kind of step: a request, or a timer that
// fires. How the rules decide a request follows from its API (game.decide).
type row struct {
	name   string // in search's coverage
	title  string // of a timer in reports; a request has its API's name
	api    model.API
	weight int // how often a walk takes it
	tokens tokens
	// variants are the forms of the request besides the plain one, with the current
	// generation where it has one, and words what reports call them.
	variants func(s *state, w who) []variant
	words    []string
	repeats  bool // the plain form is what the member said before
	leads    bool // the rules ask whether the sender leads the group
	// resolve fills in what the tokens stand for besides member and generation; false
	// where they stand for nothing. Nil: nothing.
	resolve func(s *state, r *request) bool
	fire    func(c *classic.Coordinator, o *outcome, r *request) // a timer

	// key and version are those in which the request is sent, message what is sent
	// besides, and values what a report says of it besides member and generation.
	key     kmsg.Key
	version int16
	message func(x *sending, r *request) kmsg.Request
	values  func(r *request) []string
	// read reads an answer; answer is the model's, where it has more than an error.
	// Rows of one API have both in common: an answer is known by its API alone.
	read   func(x *sending, m kmsg.Response, fresh model.MemberID, a *answer)
	answer func(s *state, r classic.Reply, a *answer)
	rules  []rule
	// story has the operations of scenarios that are the step, where no client sends
	// it. Where one does, fromStory fills in what it says besides member and generation.
	story     []string
	fromStory func(t *storyStep, r *request)
}

// op is a row of the table.
type op uint8

// The steps. Timers are steps like requests; on the wire they are made by
// waiting.
const (
	joinNew op = iota // JoinGroup without a member id
	joinKnown
	syncGroup
	heartbeat
	leaveGroup
	offsetCommit
	offsetFetch
	deleteGroup
	offsetDelete
	sessionTimer
	joinTimer
	syncTimer
	numOps
)

var rows = [numOps]row{
	joinNew: {name: "join-new", api: model.JoinGroup, weight: 4, tokens: ofNewcomer, variants: newcomerVariants, words: joinWords,
		resolve: (*state).resolveNewcomer, key: kmsg.JoinGroup, version: 9, message: (*sending).join, values: (*request).joinValues,
		read: (*sending).readJoin, answer: (*state).joined, rules: joinRules, fromStory: (*storyStep).join},
	joinKnown: {name: "join", api: model.JoinGroup, weight: 8, tokens: ofMember, variants: joinVariants, words: joinWords, repeats: true, leads: true,
		resolve: (*state).resolveJoin, key: kmsg.JoinGroup, version: 9, message: (*sending).join, values: (*request).joinValues,
		read: (*sending).readJoin, answer: (*state).joined, rules: joinRules, fromStory: (*storyStep).join},
	syncGroup: {name: "sync", api: model.SyncGroup, weight: 8, tokens: ofGeneration, variants: syncVariants, words: syncWords, leads: true,
		resolve: (*state).resolveSync, key: kmsg.SyncGroup, version: 5, message: (*sending).sync, values: (*request).syncValues,
		read: (*sending).readSync, answer: (*state).synced, rules: syncRules, fromStory: (*storyStep).sync},
	heartbeat: {name: "heartbeat", api: model.Heartbeat, weight: 2, tokens: ofGeneration,
		key: kmsg.Heartbeat, version: 4, message: (*sending).heartbeat, read: (*sending).readHeartbeat, rules: always("2.5", "Heartbeat: member, then generation, then REBALANCE_IN_PROGRESS during the join phase")},
	leaveGroup: {name: "leave", api: model.LeaveGroup, weight: 2, tokens: ofMember, variants: leaveVariants, words: leaveWords, resolve: (*state).resolveLeave,
		key: kmsg.LeaveGroup, version: 5, message: (*sending).leave, values: (*request).leaveValues, read: (*sending).readLeave, rules: always("2.6", "LeaveGroup removes a member or a pending id of any generation, and the others rebalance")},
	offsetCommit: {name: "commit", api: model.OffsetCommit, weight: 3, tokens: ofGeneration, resolve: (*state).resolveCommit,
		key: kmsg.OffsetCommit, version: 9, message: (*sending).commit, values: (*request).commitValues, read: (*sending).readCommit, rules: commitRules, fromStory: (*storyStep).commit},
	offsetFetch: {name: "fetch", api: model.OffsetFetch, weight: 1, tokens: ofGroup,
		key: kmsg.OffsetFetch, version: 9, message: (*sending).fetch, read: (*sending).readFetch, rules: always("4.6", "OffsetFetch answers the committed offsets, -1 where there is none")},
	deleteGroup: {name: "delete", story: []string{"delete-group"}, api: model.DeleteGroups, weight: 1, tokens: ofGroup,
		key: kmsg.DeleteGroups, version: 2, message: (*sending).delete, read: (*sending).readDeleted, rules: always("4.7", "an empty group is deleted with its offsets, another is not")},
	offsetDelete: {name: "offset-delete", api: model.OffsetDelete, weight: 1, tokens: ofGroup, resolve: (*state).resolveOffsetDelete,
		key: kmsg.OffsetDelete, version: 0, message: (*sending).offsetDelete, values: (*request).offsetDeleteValues, read: (*sending).readOffsetDelete,
		rules: always("4.7", "an administrator deletes the offsets of a topic, unless the group subscribes to it")},

	sessionTimer: {name: "session-timeout", title: "session timeout", story: []string{"session-timeout"}, weight: 3, tokens: ofKnown,
		resolve: func(s *state, r *request) bool { return s.find(r.MemberID) != nil },
		fire:    func(c *classic.Coordinator, o *outcome, r *request) { o.Ignored = !c.ExpireSession(r.MemberID) },
		rules:   always("2.7", "a silent member is removed when its session ends, unless it waits in a parked request")},
	joinTimer: {name: "join-timeout", title: "join timer", story: []string{"initial-delay", "rebalance-timeout"}, weight: 4, tokens: ofPhase,
		fire:  func(c *classic.Coordinator, o *outcome, _ *request) { o.fire(c) },
		rules: always("2.3", "the join timer completes the join phase with those who have joined")},
	syncTimer: {name: "sync-timeout", title: "sync timer", story: []string{"sync-timeout"}, weight: 3, tokens: ofPhase,
		fire:  func(c *classic.Coordinator, o *outcome, _ *request) { o.Ignored = !c.FireSyncTimer() },
		rules: always("2.7", "the sync timer removes everybody who has not sent SyncGroup")},
}

func (o op) row() *row { return &rows[o] }

func (o op) timer() bool { return o.row().api == model.NoAPI }

func (o op) title() string {
	if o.timer() {
		return o.row().title
	}
	return o.row().api.String()
}

// rowOf is the first row of a request.
func rowOf(api model.API) *row {
	for o := range rows {
		if rows[o].api == api {
			return &rows[o]
		}
	}
	panic("groups: " + api.String() + " has no row")
}

// opOf is the step of a request, of a newcomer or of somebody with an id.
func opOf(api model.API, id model.MemberID) op {
	for o := range numOps {
		if rows[o].api == api && (rows[o].tokens != ofNewcomer || id == 0) {
			return o
		}
	}
	return numOps
}

// always is the one rule of a step.
func always(id, text string) []rule { return []rule{{rule: frame.Rule{ID: id, Text: text}}} }
