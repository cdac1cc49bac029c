package check

import "sync"

// How many bytes wait in quarantine, and how many arrays, if all acquisitions are tracked or
// some: then they are to be few in the filter.
const (
	quarantineFull         = 64 << 20
	quarantineFullCount    = 1 << 16
	quarantineSampled      = 4 << 20
	quarantineSampledCount = 1 << 10
)

// A quarantine is what was put most recently.
type quarantine struct {
	limit, count int

	mu    sync.Mutex
	queue []quarantined // the first was put first
	bytes int
}

type quarantined struct {
	addr uintptr
	*record
}

// add adds what r is the record of.
func (q *quarantine) add(a uintptr, r *record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, quarantined{a, r})
	q.bytes += r.size
}

// next takes out what has been in longest, if there is too much.
func (q *quarantine) next() (x quarantined, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.bytes <= q.limit && len(q.queue) <= q.count {
		return x, false
	}
	x = q.queue[0]
	q.queue[0] = quarantined{}
	q.queue = q.queue[1:]
	q.bytes -= x.size
	return x, true
}

// Sweep verifies what has been in quarantine for long enough, and lets it go. It is called
// before something is handed out, while nothing has happened yet that a handler that panics
// would leave half done.
func (t *Tracker) Sweep() {
	for {
		x, ok := t.quarantine.next()
		if !ok {
			return
		}
		r := t.remove(x.addr)
		if r == nil {
			continue
		}
		if f, ok := r.verify(); !ok {
			t.report(f) // the rest is for the next
			return
		}
	}
}
