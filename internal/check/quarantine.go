//go:build go1.25

package check

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/misuse"
)

// Limits of the quarantine in bytes and items, for full tracking and for sampling. With
// sampling, the count is low to keep the filter sparse; quarantineSampled has the limit in
// bytes.
const (
	quarantineFull         = 64 << 20
	quarantineFullCount    = 1 << 16
	quarantineSampledCount = 1 << 10
	quarantineGuardedCount = 1 << 11 // these take no memory but their records
	quarantineSampledFound = 64
)

// A quarantine has the items that were put most recently.
type quarantine struct {
	table                  *table // has the records
	limit, count, maxFound int    // most bytes, items and unreported writes

	mu      sync.Mutex
	queue   []quarantined // oldest first
	bytes   int
	stopped bool
	writes  []misuse.Finding // found in items that left quarantine, not reported yet
	some    atomic.Bool      // whether writes has any
}

// init sets the limits, for full tracking or for sampling.
func (q *quarantine) init(t *table, full, guarded bool) {
	q.table, q.limit, q.count = t, quarantineFull, quarantineFullCount
	if !full {
		q.limit, q.count, q.maxFound = quarantineSampled, quarantineSampledCount, quarantineSampledFound
		if guarded {
			q.count = quarantineGuardedCount
		}
	}
}

type quarantined struct {
	*record
	held int // bytes that the record keeps alive
}

// hold puts the item of r, which keeps the given number of bytes alive, into quarantine. The
// oldest items beyond the limits leave and are verified. hold only notes their findings, for
// Sweep to report, so that no handler interrupts a Put.
func (q *quarantine) hold(r *record, bytes int) {
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
	stopped := q.stopped
	q.mu.Unlock()
	for _, x := range gone {
		removed := q.table.remove(x.record)
		switch {
		case !x.guarded:
		case stopped:
			remember(x.record)
		default:
			x.lose()
		}
		if !removed {
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

// held returns the number of bytes in quarantine.
func (q *quarantine) held() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int64(q.bytes)
}

// stop empties the quarantine, and keeps it empty.
func (q *quarantine) stop() {
	q.mu.Lock()
	queue := q.queue
	q.queue, q.bytes, q.writes, q.stopped = nil, 0, nil, true
	q.some.Store(false)
	q.mu.Unlock()
	for _, x := range queue {
		if x.guarded {
			remember(x.record)
		}
	}
}

// Sweep reports writes to items that have left quarantine. A pool calls it before it hands out
// anything: a handler that panics then leaves no operation half done.
func (q *quarantine) Sweep() {
	for q.some.Load() {
		q.mu.Lock()
		if len(q.writes) == 0 {
			q.mu.Unlock()
			return
		}
		f := q.writes[0]
		q.writes[0] = misuse.Finding{}
		q.writes = q.writes[1:]
		q.some.Store(len(q.writes) > 0)
		q.mu.Unlock()
		misuse.Report(f) // if the handler panics, the next Sweep goes on
	}
}
