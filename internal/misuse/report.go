//go:build go1.25

package misuse

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// handler receives every finding.
var handler atomic.Pointer[listener]

// A listener is a handler, with the ID of the tracker whose leaks it receives.
type listener struct {
	tell    func(*Finding) // may be nil
	tracker uint64
}

// Handle makes h the handler of all findings from now on. h receives leaks only of the tracker with
// the given ID. Call Handle before that tracker is switched on.
func Handle(tracker uint64, h func(*Finding)) { handler.Store(&listener{h, tracker}) }

// Report counts f and calls the handler. The handler may panic, so the caller must hold no
// locks and must have completed its work.
func Report(f Finding) { Tell(&f) }

// Tell is Report for callers that go on with f, whose Count it sets.
func Tell(f *Finding) {
	count(f)
	if l := handler.Load(); l != nil && l.tell != nil {
		l.tell(f)
	}
}

// ReportLeak reports a leak that the tracker with the given ID has found. Cleanups call it, perhaps
// after that tracker was stopped. If the handler already belongs to another tracker, ReportLeak
// does nothing.
func ReportLeak(tracker uint64, f Finding) {
	l := handler.Load()
	if l != nil && l.tracker != tracker {
		return
	}
	f.Kind = Leak
	count(&f)
	if l != nil && l.tell != nil {
		leaks.tell(func() { l.tell(&f) })
	}
}

func count(f *Finding) {
	f.Weight = max(f.Weight, 1)
	f.Pool.counts[f.Kind].Add(f.Weight)
	groups.count(f)
}

// A teller calls handlers with the findings of cleanups, one at a time, on a goroutine that
// exits when none are left. A cleanup must not call a handler itself: the handler may wait for
// memory that only other cleanups recover.
type teller struct {
	mu      sync.Mutex
	waiting []func()
	running bool
}

var leaks teller

// maxWaiting is the most findings that wait for a handler. Further ones are counted, but the
// handler does not see them.
const maxWaiting = 1000

func (t *teller) tell(call func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == maxWaiting {
		return
	}
	t.waiting = append(t.waiting, call)
	if !t.running {
		t.running = true
		go t.run()
	}
}

func (t *teller) run() {
	for {
		t.mu.Lock()
		if len(t.waiting) == 0 {
			t.waiting, t.running = nil, false
			t.mu.Unlock()
			return
		}
		next := t.waiting[0]
		t.waiting = t.waiting[1:]
		t.mu.Unlock()
		next()
	}
}

// Told waits until handlers have received all leaks found so far. It is for tests.
func Told() {
	for {
		leaks.mu.Lock()
		running := leaks.running
		leaks.mu.Unlock()
		if !running {
			return
		}
		runtime.Gosched()
	}
}
