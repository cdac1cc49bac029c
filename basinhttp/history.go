//go:build go1.25

package basinhttp

import (
	"cmp"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
)

// Limits of [KeepHistory].
const (
	maxHistory = 24 * time.Hour
	maxMoments = 240 // in a history, approximately; then a history takes about 3 MB at most
	maxPools   = 128 // in a moment
)

// KeepHistory makes the handler read the figures of all pools at intervals, so that the
// curves of the page begin span before the page is opened. A span below a minute counts as a
// minute, a span above a day as a day. Without this option, curves begin when the page
// is opened.
//
// The handler reads every second, or 240 times in the span if that is less often. A
// moment has at most the 128 pools with the most memory in use, and a history takes about 3 MB at
// most. The reading ends when the handler is garbage.
func KeepHistory(span time.Duration) Option {
	span = min(max(span, time.Minute), maxHistory)
	return func(h *handler) { h.history = newHistory(span, max(time.Second, span/maxMoments)) }
}

// History is the answer of a handler with [KeepHistory] to ?format=history.
type History struct {
	Started time.Time     `json:"started"` // as in Report
	Span    time.Duration `json:"span"`    // the argument of KeepHistory
	Moments []Moment      `json:"moments"` // the oldest first
}

// A Moment is the figures of all pools at a time.
type Moment struct {
	Time  time.Time    `json:"time"`
	Pools []PoolMoment `json:"pools"` // by ID; at most the 128 that have the most in use
}

// PoolMoment is the part of [basin.Stats] that the page has curves of.
type PoolMoment struct {
	ID      uint64 `json:"id"`
	Gets    uint64 `json:"gets"`
	Hits    uint64 `json:"hits"`
	Refused uint64 `json:"refused"`
	Items   bool   `json:"items"`  // whether InUse and Idle count items: the pool does not know bytes
	Limit   bool   `json:"limit"`  // whether it is a basin.Limit, whose memory is that of pools
	InUse   int64  `json:"in_use"` // or basin.Unknown
	Idle    int64  `json:"idle"`
	Waiting int    `json:"waiting"`
}

// A history reads all pools from time to time.
type history struct {
	span time.Duration

	mu      sync.Mutex
	moments []Moment      // of span
	all     []basin.Stats // reused
}

func newHistory(span, interval time.Duration) *history {
	h := &history{span: span}
	readEvery(weak.Make(h), interval)
	return h
}

// readEvery makes a history read the pools at each interval, until the history is garbage.
func readEvery(w weak.Pointer[history], interval time.Duration) {
	time.AfterFunc(interval, func() {
		if h := w.Value(); h != nil {
			h.add(time.Now())
			readEvery(w, interval)
		}
	})
}

// add adds a moment, and forgets moments older than span.
func (h *history) add(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = basinexport.Append(h.all[:0])
	m := Moment{Time: now, Pools: make([]PoolMoment, len(h.all))}
	for i := range h.all {
		s := &h.all[i]
		held, items := &s.Bytes, s.Bytes.Idle == basin.Unknown
		if items {
			held = &s.Items
		}
		m.Pools[i] = PoolMoment{
			ID: s.ID, Gets: s.Gets, Hits: s.Hits, Refused: s.Refused,
			Items: items, Limit: basinexport.OfLimit(s), InUse: held.InUse, Idle: held.Idle, Waiting: s.Waiting,
		}
	}
	if len(m.Pools) > maxPools {
		slices.SortStableFunc(m.Pools, func(a, b PoolMoment) int { return cmp.Compare(b.InUse, a.InUse) })
		m.Pools = slices.Clone(m.Pools[:maxPools])
		slices.SortFunc(m.Pools, func(a, b PoolMoment) int { return cmp.Compare(a.ID, b.ID) })
	}
	old := 0
	for old < len(h.moments) && now.Sub(h.moments[old].Time) > h.span {
		old++
	}
	h.moments = append(slices.Delete(h.moments, 0, old), m)
}

// read returns a copy of the moments.
func (h *history) read() any {
	h.mu.Lock()
	defer h.mu.Unlock()
	return &History{Started: started, Span: h.span, Moments: slices.Clone(h.moments)}
}
