package check

import (
	"sync"
	"sync/atomic"
)

// How many bytes wait in quarantine, and how many arrays, if all acquisitions are tracked or
// some: then they are to be few in the filter. See memory.go for the bytes then.
const (
	quarantineFull         = 64 << 20
	quarantineFullCount    = 1 << 16
	quarantineSampledCount = 1 << 10
	quarantineSampledFound = 64
)

// A quarantine is what was put most recently.
type quarantine struct {
	limit, count, maxFound int

	mu      sync.Mutex
	queue   []quarantined // the first was put first
	bytes   int
	stopped bool
	writes  []Finding   // by letting go, and not reported yet
	some    atomic.Bool // there are such
}

type quarantined struct {
	*record
	held int // bytes that the record keeps alive
}

// hold puts what r is the record of, which keeps so many bytes alive, into quarantine, and
// verifies what has to go for it. That is not reported yet, as who puts must not be
// interrupted.
func (t *Tracker) hold(r *record, bytes int) {
	q := &t.quarantine
	q.mu.Lock()
	q.queue = append(q.queue, quarantined{r, bytes})
	q.bytes += bytes
	var gone []quarantined
	for q.bytes > q.limit || len(q.queue) > q.count || q.stopped && len(q.queue) > 0 {
		x := q.queue[0]
		q.queue[0] = quarantined{}
		q.queue = q.queue[1:]
		q.bytes -= x.held
		gone = append(gone, x)
	}
	q.mu.Unlock()
	for _, x := range gone {
		if !t.remove(x.record) {
			continue
		}
		f, ok := x.verify()
		if ok {
			continue
		}
		q.mu.Lock()
		if q.maxFound == 0 || len(q.writes) < q.maxFound {
			q.writes = append(q.writes, f)
			q.some.Store(true)
		}
		q.mu.Unlock()
	}
}

// held returns how many bytes are in quarantine.
func (q *quarantine) held() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int64(q.bytes)
}

// stop lets everything go, now and from now on.
func (q *quarantine) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue, q.bytes, q.writes, q.stopped = nil, 0, nil, true
	q.some.Store(false)
}

// Sweep reports the writes that were found when quarantine let go. It is called
// before something is handed out, while nothing has happened yet that a handler that panics
// would leave half done.
func (t *Tracker) Sweep() {
	q := &t.quarantine
	for q.some.Load() {
		q.mu.Lock()
		if len(q.writes) == 0 {
			q.mu.Unlock()
			return
		}
		f := q.writes[0]
		q.writes[0] = Finding{}
		q.writes = q.writes[1:]
		q.some.Store(len(q.writes) > 0)
		q.mu.Unlock()
		Report(f) // if it panics, the rest is for the next
	}
}
