package basin

import (
	"time"

	"github.com/basin-go/basin/internal/waitlist"
)

// Waits is what has happened so far to requests that a pool could not serve at
// once: it had reached its ceiling, or its buffers were all out.
type Waits struct {
	Waiting     int           // requests that wait at the moment
	Waited      uint64        // requests that ever had to
	LongestWait time.Duration // of those, the ones that still wait included
	Refused     uint64        // requests that got nothing: would not wait, gave up, or asked for too much
}

func waitsOf(l *waitlist.List) Waits {
	s := l.Stats()
	return Waits{Waiting: s.Waiting, Waited: s.Waited, LongestWait: s.Longest, Refused: s.Refused}
}
