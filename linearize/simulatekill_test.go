package linearize

import "fencecheck/model/classic"

// A simulated broker that is killed: what its log holds of the group is what a
// GroupMetadata record held last (groups.md section 7).

// log notes what the newest record of the group holds.
func (s *simulation) log() {
	g := s.memory.Group
	if g.State != classic.Stable && g.State != classic.Empty || s.logged == *g {
		return
	}
	s.logged = *g
	s.loggedMembers = append(s.loggedMembers[:0], s.memory.Members...)
}

// kill ends a life of the broker. Requests on their way are lost; commits that
// were applied are in the log, whether they were acknowledged or not.
func (s *simulation) kill() bool {
	s.run.Kills--
	s.build.Note("kill", "broker")
	for _, c := range s.clients {
		if c.waits != nil {
			s.giveUp(c.waits)
		}
	}
	s.build.Note("start", "broker")
	for len(s.appended) > 0 {
		s.advance()
	}
	s.network, s.answers = nil, nil
	clear(s.parked)
	*s.memory.Group = s.logged
	clear(s.memory.Members)
	copy(s.memory.Members, s.loggedMembers)
	if s.logged.State != classic.Absent {
		s.memory.Load()
	}
	return true
}
