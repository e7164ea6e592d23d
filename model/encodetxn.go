package model

// The encoding of what transactions need, behind the rest of a state.

func (s *State) appendTransactions(dst []byte, c *Config) []byte {
	t := &s.Txns
	dst = append(dst, byte(t.Epoch)|bit(t.Loading, 5)|bit(t.Zombie, 6)|bit(t.Leaderless, 7))
	for i := range c.TransactionalIDs() {
		dst = t.IDs[i].append(dst)
		if t.Zombie {
			dst = t.Old[i].append(dst)
		}
	}
	for p := range t.Logs {
		if c.HasLog(p) {
			dst = t.Logs[p].append(dst)
		}
	}
	for i := range c.Clients() {
		cl := &s.Clients[i]
		if !c.HasProducer(i) {
			continue
		}
		dst = cl.Producer.append(dst)
		if c.Transactional && c.IsMember(i) {
			dst = append(dst, byte(cl.MetaID), byte(cl.MetaGeneration))
		}
		for _, w := range t.Works[i] {
			dst = append(dst, byte(w.Told)|bit(w.Fenced, 2)|w.Committed<<4, w.Aborted)
		}
	}
	if c.Transactional {
		for p := range c.AllPartitions() {
			dst = append(dst, byte(t.OffsetsAt[p]))
		}
		for _, o := range t.Pending {
			if dst = append(dst, byte(o.PID)); o.PID != 0 {
				dst = append(dst, o.Partition|byte(o.At)<<4, byte(o.Offset))
			}
		}
	}
	return dst
}

func (s *State) decodeTransactions(src []byte, c *Config) {
	t := &s.Txns
	t.Epoch, t.Loading, t.Zombie, t.Leaderless = int16(src[0]&31), has(src[0], 5), has(src[0], 6), has(src[0], 7)
	src = src[1:]
	for i := range c.TransactionalIDs() {
		src = t.IDs[i].decode(src)
		if t.Zombie {
			src = t.Old[i].decode(src)
		}
	}
	for p := range t.Logs {
		if c.HasLog(p) {
			src = t.Logs[p].decode(src)
		}
	}
	for i := range c.Clients() {
		cl := &s.Clients[i]
		if !c.HasProducer(i) {
			continue
		}
		src = cl.Producer.decode(src)
		if c.Transactional && c.IsMember(i) {
			cl.MetaID, cl.MetaGeneration = MemberID(src[0]), Generation(src[1])
			src = src[2:]
		}
		for n := range t.Works[i] {
			t.Works[i][n] = Work{Told: Told(src[0] & 3), Fenced: has(src[0], 2), Committed: src[0] >> 4, Aborted: src[1]}
			src = src[2:]
		}
	}
	if c.Transactional {
		for p := range c.AllPartitions() {
			t.OffsetsAt[p] = uint32(src[0])
			src = src[1:]
		}
		for i := range t.Pending {
			if src[0] == 0 {
				src = src[1:]
				continue
			}
			t.Pending[i] = PendingOffset{ProducerID(src[0]), src[1] & 15, Offset(src[2]), uint32(src[1] >> 4)}
			src = src[3:]
		}
	}
}

// append writes what the log holds only where it differs from what is in memory.
func (t *Transactional) append(dst []byte) []byte {
	same := t.Log == t.Txn.Durable()
	dst = append(dst, bit(same, 0)|bit(t.Unsure, 1)|bit(t.Outbox != Marker{}, 2))
	dst = t.Txn.append(dst)
	if !same {
		dst = t.Log.append(dst)
	}
	if m := &t.Outbox; *m != (Marker{}) {
		dst = append(dst, byte(m.PID)|bit(m.Commit, 4)|bit(m.Stuck, 5)|bit(m.Version.bumps(), 6), byte(m.Epoch), byte(m.CoordinatorEpoch), byte(m.To))
	}
	return dst
}

func (t *Transactional) decode(src []byte) []byte {
	flags := src[0]
	t.Unsure = has(flags, 1)
	src = t.Txn.decode(src[1:])
	if t.Log = t.Txn.Durable(); !has(flags, 0) {
		src = t.Log.decode(src)
	}
	if has(flags, 2) {
		b := src[0]
		t.Outbox = Marker{PID: ProducerID(b & 15), Commit: has(b, 4), Stuck: has(b, 5), Version: style(has(b, 6)),
			Epoch: Epoch(int8(src[1])), CoordinatorEpoch: int16(src[2]), To: PartSet(src[3])}
		src = src[4:]
	}
	return src
}

func style(bumps bool) TransactionVersion {
	if bumps {
		return TV2
	}
	return TV1
}

func (t *Transaction) append(dst []byte) []byte {
	if t.State == NoTransaction {
		return append(dst, 0)
	}
	return append(dst, byte(t.State)|byte(t.Pending)<<4, byte(t.PID)|byte(t.Prev)<<4, byte(t.Next)|byte(t.Version)<<4|bit(t.FailedFence, 6)|bit(t.ByFence, 7),
		byte(t.Epoch), byte(t.LastEpoch), byte(t.Partitions))
}

func (t *Transaction) decode(src []byte) []byte {
	if src[0] == 0 {
		*t = Transaction{}
		return src[1:]
	}
	*t = Transaction{State: TransactionState(src[0] & 15), Pending: TransactionState(src[0] >> 4), PID: ProducerID(src[1] & 15), Prev: ProducerID(src[1] >> 4),
		Next: ProducerID(src[2] & 15), Version: TransactionVersion(src[2] >> 4 & 3), FailedFence: has(src[2], 6), ByFence: has(src[2], 7),
		Epoch: Epoch(int8(src[3])), LastEpoch: Epoch(int8(src[4])), Partitions: PartSet(src[5])}
	return src[6:]
}

func (l *PartitionLog) append(dst []byte) []byte {
	n := 0
	for n < MaxProducerIDs && l.Entries[n].PID != 0 {
		n++
	}
	length := l.Len()
	dst = append(dst, byte(n)|byte(length)<<4)
	for i := range n {
		e := &l.Entries[i]
		dst = append(dst, byte(e.PID)|bit(e.Open, 4)|bit(e.Guard != 0, 5)|bit(e.GuardBumps, 6), byte(e.Epoch), byte(e.CoordinatorEpoch+1), byte(e.Last), e.Kept)
		if e.Guard != 0 {
			dst = append(dst, e.Guard, byte(e.Lowest), byte(e.GuardEpoch))
		}
	}
	for i := range length {
		r := &l.Log[i]
		dst = append(dst, byte(r.Rec.Kind)|byte(r.Rec.PID)<<4, byte(r.Work), r.Value, byte(r.Stale)|bit(r.Read, 7))
	}
	return dst
}

func (l *PartitionLog) decode(src []byte) []byte {
	n, length := int(src[0]&15), int(src[0]>>4)
	src = src[1:]
	for i := range n {
		e := &l.Entries[i]
		*e = newEntry(ProducerID(src[0] & 15))
		guarded := has(src[0], 5)
		e.Open, e.GuardBumps = has(src[0], 4), has(src[0], 6)
		e.Epoch, e.CoordinatorEpoch, e.Last, e.Kept = Epoch(int8(src[1])), int16(src[2])-1, int32(int8(src[3])), src[4]
		src = src[5:]
		if guarded {
			e.Guard, e.Lowest, e.GuardEpoch = src[0], int32(int8(src[1])), Epoch(int8(src[2]))
			src = src[3:]
		}
	}
	for i := range length {
		l.Log[i] = Entry{Rec: Record{Kind: RecordKind(src[0] & 15), PID: ProducerID(src[0] >> 4)}, Work: WorkID(src[1]), Value: src[2], Stale: PartSet(src[3] & 15), Read: has(src[3], 7)}
		src = src[4:]
	}
	return src
}

func (p *Producer) append(dst []byte) []byte {
	dst = append(dst, byte(p.Phase)|bit(p.Renew, 4)|bit(p.Failing, 5)|bit(p.Replaced, 6)|bit(p.Overdue, 7), byte(p.PID)|p.Begun<<4, byte(p.Epoch), bit(p.Succeeded, 0),
		p.Added|p.Written<<4, p.Sending, byte(p.Work))
	for o := range p.Next {
		dst = append(dst, byte(p.Next[o]), p.Value[o])
	}
	return dst
}

func (p *Producer) decode(src []byte) []byte {
	b := src[0]
	*p = Producer{Phase: ProducerPhase(b & 7), Renew: has(b, 4), Failing: has(b, 5), Replaced: has(b, 6), Overdue: has(b, 7),
		PID: ProducerID(src[1] & 15), Begun: src[1] >> 4, Epoch: Epoch(int8(src[2])), Succeeded: has(src[3], 0), Added: src[4] & 15, Written: src[4] >> 4, Sending: src[5], Work: WorkID(src[6])}
	src = src[7:]
	for o := range p.Next {
		p.Next[o], p.Value[o] = int8(src[0]), src[1]
		src = src[2:]
	}
	return src
}
