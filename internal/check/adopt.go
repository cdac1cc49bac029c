package check

// Adopt is [Tracker.Put] where any array may be put, whoever it is from. So there is nothing to
// find but that it was put before. What has no record, or has none any more, is for the
// caller to take. Of what is out it rejects parts, and the arrays of other owners: those are
// to be tracked no more, and not to be handed out untracked.
func (t *Tracker) Adopt(o *Owner, x *byte, capacity int) (Verdict, Finding) {
	s := t.shard(addr(x))
	s.mu.Lock()
	r, stale := t.find(s, x)
	if r != nil {
		judged := r.state == put || capacity == r.size && r.belongs(o)
		r.exempt = r.exempt || !judged
		s.mu.Unlock()
		if judged {
			return t.Put(o, x, capacity)
		}
		return Rejected, Finding{}
	}
	s.mu.Unlock()
	if stale || t.stopped.Load() {
		return Unjudged, Finding{}
	}
	f, state, ok := t.inside(x, capacity, true)
	switch {
	case !ok:
		return Unknown, Finding{}
	case state == out:
		return Rejected, Finding{}
	}
	return Rejected, f
}
