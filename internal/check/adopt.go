//go:build go1.25

package check

// Adopt is [Tracker.Put] for an array of any origin. Unknown and Unjudged mean that the array
// has no record, and that the caller may take it. A Finding has a Kind only if the array, or
// the array around it, was put before. Adopt rejects without a Kind a part of an outstanding
// array and an outstanding array of another owner. It exempts those from leak checks, and the
// caller must not hand them out untracked.
func (t *Tracker) Adopt(o *Owner, x *byte, capacity int) (Verdict, Finding) {
	s := t.shard(addr(x))
	s.mu.Lock()
	r, stale := t.find(s, x)
	if r != nil {
		judged := r.state == put || capacity == r.size && r.belongs(o)
		if !judged {
			t.spare(r)
		}
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
