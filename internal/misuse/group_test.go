//go:build go1.25

package misuse

import (
	"testing"
	"time"
)

// TestLogTable: a line is due once an interval, and a flood of lines does not take all memory.
func TestLogTable(t *testing.T) {
	l := logTable{last: make(map[uint64]time.Time)}
	at := time.Unix(1000, 0)
	due := func(line uint64, after time.Duration, want bool) {
		t.Helper()
		if got := l.due(line, at.Add(after), time.Minute); got != want {
			t.Errorf("line %d after %v: %v, want %v", line, after, got, want)
		}
	}
	due(0, 0, true)
	due(0, 59*time.Second, false)
	due(1, 59*time.Second, true)
	due(0, 60*time.Second, true)
	for i := range uint64(maxLogged - 2) {
		due(2+i, 90*time.Second, true)
	}
	due(maxLogged, 91*time.Second, false)
	if len(l.last) != maxLogged || l.bytes() != maxLogged*loggedCost {
		t.Errorf("%d lines, %d bytes", len(l.last), l.bytes())
	}
	due(maxLogged, 119*time.Second, true) // line 1 has gone
	due(1, 119*time.Second, false)
	due(1, 151*time.Second, true)
}
