//go:build go1.25

package pooltest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/basin-go/basin"
)

// CheckStats reports each figure in s that breaks a promise of Stats. correct says that the pool is
// used correctly; only then Puts never exceed Gets.
func CheckStats(t testing.TB, s basin.Stats, correct bool) {
	t.Helper()
	hold := func(holds bool, format string, args ...any) {
		t.Helper()
		if !holds {
			t.Errorf("%s: %s\n%+v", s.Name, fmt.Sprintf(format, args...), s)
		}
	}
	hold(s.Gets == s.Hits+s.Misses+s.Outside, "%d Gets of %d Hits, %d Misses, %d Outside", s.Gets, s.Hits, s.Misses, s.Outside)
	hold(!correct || s.Puts <= s.Gets, "%d Puts of %d Gets", s.Puts, s.Gets)
	hold(s.AskedBytes <= s.HandedOutBytes, "%d bytes asked for, %d handed out", s.AskedBytes, s.HandedOutBytes)
	items, bytes := Known(t, s, s.Items, s.Bytes)
	hold(items.InUse >= 0 && items.Idle >= 0 && bytes.InUse >= 0 && bytes.Idle >= 0,
		"in use %d, %d bytes; idle %d, %d bytes", s.Items.InUse, s.Bytes.InUse, s.Items.Idle, s.Bytes.Idle)
	hold(s.Bytes.MaxInUse <= 0 || s.Bytes.InUse <= s.Bytes.MaxInUse || s.Beyond > 0, "%d bytes in use of at most %d", s.Bytes.InUse, s.Bytes.MaxInUse)
	hold(s.Bytes.MaxIdle <= 0 || s.Bytes.Idle <= s.Bytes.MaxIdle, "%d bytes idle of at most %d", s.Bytes.Idle, s.Bytes.MaxIdle)
	hold(s.Items.MaxIdle <= 0 || s.Items.Idle <= s.Items.MaxIdle, "%d idle of at most %d", s.Items.Idle, s.Items.MaxIdle)
	hold(s.Kind != "FixedPool" || s.Bytes.InUse+s.Bytes.Idle == s.Bytes.MaxIdle, "%d bytes in use and %d idle, of %d", s.Bytes.InUse, s.Bytes.Idle, s.Bytes.MaxIdle)

	last := 0
	var sum basin.Stats
	for _, c := range s.Classes {
		hold(c.Size > last, "class %d comes after class %d", c.Size, last)
		last = c.Size
		items, bytes := Known(t, s, c.Items, c.Bytes)
		hold(items.InUse >= 0 && items.Idle >= 0 && bytes.InUse == items.InUse*int64(c.Size) && bytes.Idle == items.Idle*int64(c.Size),
			"class %d: in use %d, %d bytes; idle %d, %d bytes", c.Size, c.Items.InUse, c.Bytes.InUse, c.Items.Idle, c.Bytes.Idle)
		if !grows(s) { // because items may grow from one class into another
			hold(c.Gets == c.Hits+c.Misses, "class %d: %d Gets of %d Hits, %d Misses", c.Size, c.Gets, c.Hits, c.Misses)
			hold(!correct || c.Puts <= c.Gets, "class %d: %d Puts of %d Gets", c.Size, c.Puts, c.Gets)
		}
		if s.Kind == "BytePool" {
			hold(c.Gets+c.Puts+c.Double > 0, "class %d was never used, but is listed", c.Size)
			hold(c.AskedBytes <= c.HandedOutBytes, "class %d: %d bytes asked for, %d handed out", c.Size, c.AskedBytes, c.HandedOutBytes)
			hold(c.HandedOutBytes == c.Gets*uint64(c.Size), "class %d: %d bytes handed out by %d Gets", c.Size, c.HandedOutBytes, c.Gets)
			hold(items.InUse == max(int64(c.Gets-c.Puts), 0), "class %d: %d in use after %d Gets and %d Puts", c.Size, items.InUse, c.Gets, c.Puts)
		}
		sum.Hits += c.Hits
		sum.Misses += c.Misses
		sum.Puts += c.Puts
		sum.Drops.Full += c.Full
		sum.Drops.Double += c.Double
		sum.Drops.Checked += c.Checked
		sum.AskedBytes += c.AskedBytes
		sum.HandedOutBytes += c.HandedOutBytes
		sum.Bytes.InUse += bytes.InUse
		sum.Bytes.Idle += bytes.Idle
	}
	if s.Kind == "BytePool" {
		hold(s.Hits == sum.Hits && s.Misses == sum.Misses && s.Puts == sum.Puts && s.Bytes.Idle == sum.Bytes.Idle &&
			s.Drops.Full == sum.Drops.Full && s.Drops.Double == sum.Drops.Double && s.Drops.Checked == sum.Drops.Checked &&
			s.AskedBytes == sum.AskedBytes+s.OutsideBytes && s.HandedOutBytes == sum.HandedOutBytes+s.OutsideBytes &&
			(s.Bytes.MaxInUse > 0 || s.Bytes.InUse == sum.Bytes.InUse+s.OutsideInUse.Bytes), "the classes add up to %+v", sum)
	}
}

// Refused returns the number of Puts that the pool turned away, without tracked ones: checks never
// reuse these, whoever put them.
func Refused(s basin.Stats) uint64 { return s.Drops.Total() - s.Drops.Checked }

// grows reports whether s is of a pool whose values may grow, unknown to the pool, while they are
// in use.
func grows(s basin.Stats) bool {
	return s.Kind == "StdBufferPool" || strings.HasPrefix(s.Kind, "Pool[") && s.Bytes.MaxIdle > 0
}

// Known returns the holdings of the pool of s, or of one of its classes, with zeros for figures
// that the pool cannot know. It fails if other figures are unknown.
func Known(t testing.TB, s basin.Stats, items, bytes basin.Holdings) (basin.Holdings, basin.Holdings) {
	t.Helper()
	values := strings.HasPrefix(s.Kind, "Pool[")
	isClass := items.InUse == basin.Unknown
	for _, u := range []struct {
		n       *int64
		unknown bool
	}{
		{&items.InUse, grows(s) && isClass},
		{&items.Idle, false},
		{&bytes.InUse, values || grows(s)},
		{&bytes.Idle, values && !grows(s)},
	} {
		if got := *u.n == basin.Unknown; got != u.unknown {
			t.Errorf("%s: unknown is %v, want %v: %+v, %+v", s.Kind, got, u.unknown, items, bytes)
		}
		if u.unknown {
			*u.n = 0
		}
	}
	return items, bytes
}
