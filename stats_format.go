package basin

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// String returns the statistics as one line to read, with sizes rounded and
// without what is zero and means nothing. Of the size classes it has the three
// that were reused most often. Names are quoted, and cut if they are long.
func (s Stats) String() string {
	var l line
	l.name(s.Name)
	l.bytes(&s)
	return l.String()
}

// LogValue returns the statistics as a group of attributes with exact figures: all
// but those of size classes, of which it has what they hold and how often they were
// reused. Keys are those of the fields, in snake case; sizes are in bytes.
func (s Stats) LogValue() slog.Value { return slog.GroupValue(s.attrs()...) }

// String returns the statistics as one line to read, as [Stats.String] does, with
// kind and ID of the pool before them.
func (s Snapshot) String() string {
	var l line
	l.printf("%s %d ", s.Kind, s.ID)
	l.name(s.Name)
	if s.MaxIdleItems > 0 { // a Pool
		l.gets(s.Gets, s.Hits, s.Oversize)
		l.items(s.InUse, s.Idle, s.MaxIdleItems, s.Trimmed)
		l.drops(s.DropsBy)
		l.misuse(s.Misuse)
		return l.String()
	}
	l.bytes(&s.Stats)
	return l.String()
}

// LogValue returns the snapshot as a group of attributes: those of [Stats.LogValue]
// and id, kind, in_use, idle and max_idle_items.
func (s Snapshot) LogValue() slog.Value {
	return slog.GroupValue(append([]slog.Attr{
		slog.Uint64("id", s.ID),
		slog.String("kind", s.Kind),
		slog.Int64("in_use", s.InUse),
		slog.Int64("idle", s.Idle),
		slog.Int64("max_idle_items", s.MaxIdleItems),
	}, s.attrs()...)...)
}

// String returns the statistics as one line to read.
func (s PoolStats) String() string {
	var l line
	l.name(s.Name)
	l.gets(s.Gets, s.Hits, 0)
	l.items(s.InUse, s.Idle, s.MaxIdle, s.Trimmed)
	l.drops(Drops{Full: s.Drops})
	l.misuse(s.Misuse)
	return l.String()
}

// LogValue returns the statistics as a group of attributes, one for each field,
// with its name in snake case.
func (s PoolStats) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("name", s.Name),
		slog.Uint64("gets", s.Gets),
		slog.Uint64("hits", s.Hits),
		slog.Uint64("misses", s.Misses),
		slog.Uint64("puts", s.Puts),
		slog.Uint64("drops", s.Drops),
		slog.Uint64("trimmed", s.Trimmed),
		slog.Int64("in_use", s.InUse),
		slog.Int64("idle", s.Idle),
		slog.Int64("max_idle", s.MaxIdle),
		s.Misuse.attr(),
	)
}

// String returns the statistics as one line to read.
func (s FixedStats) String() string {
	var l line
	l.name(s.Name)
	l.gets(s.Gets, s.Hits, 0)
	l.items(s.InUse, s.Idle, 0, 0)
	l.drops(s.DropsBy)
	l.waits(s.Waits)
	l.misuse(s.Misuse)
	return l.String()
}

// LogValue returns the statistics as a group of attributes, one for each field,
// with its name in snake case.
func (s FixedStats) LogValue() slog.Value {
	return slog.GroupValue(append([]slog.Attr{
		slog.String("name", s.Name),
		slog.Uint64("gets", s.Gets),
		slog.Uint64("hits", s.Hits),
		slog.Uint64("misses", s.Misses),
		slog.Uint64("puts", s.Puts),
		slog.Uint64("drops", s.Drops),
		s.DropsBy.attr(),
		slog.Int64("in_use", s.InUse),
		slog.Int64("idle", s.Idle),
		s.Misuse.attr(),
	}, s.Waits.attrs()...)...)
}

func (s *Stats) attrs() []slog.Attr {
	attrs := append([]slog.Attr{
		slog.String("name", s.Name),
		slog.Uint64("gets", s.Gets),
		slog.Uint64("hits", s.Hits),
		slog.Uint64("misses", s.Misses),
		slog.Uint64("oversize", s.Oversize),
		slog.Uint64("puts", s.Puts),
		slog.Uint64("drops", s.Drops),
		s.DropsBy.attr(),
		slog.Uint64("asked_bytes", s.AskedBytes),
		slog.Uint64("handed_out_bytes", s.HandedOutBytes),
		slog.Uint64("oversize_bytes", s.OversizeBytes),
		slog.Int64("in_use_bytes", s.InUseBytes),
		slog.Int64("idle_bytes", s.IdleBytes),
		slog.Int64("max_idle", s.MaxIdle),
		slog.Int64("max_in_use", s.MaxInUse),
		slog.Uint64("trimmed", s.Trimmed),
		s.Misuse.attr(),
	}, s.Waits.attrs()...)
	classes := make([]slog.Attr, len(s.Classes))
	for i, c := range s.Classes {
		classes[i] = slog.Attr{Key: strconv.Itoa(c.Size), Value: slog.GroupValue(
			slog.Uint64("gets", c.Gets),
			slog.Uint64("hits", c.Hits),
			slog.Int64("in_use_bytes", c.InUseBytes),
			slog.Int64("idle_bytes", c.IdleBytes),
		)}
	}
	return append(attrs, slog.Attr{Key: "classes", Value: slog.GroupValue(classes...)})
}

func (d Drops) attr() slog.Attr {
	return slog.Attr{Key: "drops_by", Value: slog.GroupValue(
		slog.Uint64("empty", d.Empty),
		slog.Uint64("small", d.Small),
		slog.Uint64("large", d.Large),
		slog.Uint64("foreign", d.Foreign),
		slog.Uint64("misaligned", d.Misaligned),
		slog.Uint64("double", d.Double),
		slog.Uint64("full", d.Full),
	)}
}

// attr has what is not zero, so nothing if nothing was found: handlers leave out an empty group.
func (m Misuses) attr() slog.Attr {
	var found []slog.Attr
	for _, k := range m.kinds() {
		if k.n > 0 {
			found = append(found, slog.Uint64(k.name, k.n))
		}
	}
	return slog.Attr{Key: "misuse", Value: slog.GroupValue(found...)}
}

func (w Waits) attrs() []slog.Attr {
	return []slog.Attr{
		slog.Int("waiting", w.Waiting),
		slog.Uint64("waited", w.Waited),
		slog.Duration("longest_wait", w.LongestWait),
		slog.Uint64("refused", w.Refused),
	}
}

// A line is statistics as text, in parts that semicolons separate.
type line struct{ strings.Builder }

func (l *line) printf(format string, args ...any) { fmt.Fprintf(l, format, args...) }

// name begins the line. A name may be anything, of any length.
func (l *line) name(name string) {
	const most = 64
	if name == "" {
		l.printf("unnamed pool: ")
		return
	}
	if len(name) > most {
		cut := most
		for cut > most-utf8.UTFMax && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "…"
	}
	l.printf("%q: ", name)
}

// bytes is all that is to be said of a pool of bytes.
func (l *line) bytes(s *Stats) {
	l.gets(s.Gets, s.Hits, s.Oversize)
	l.printf("; %s in use", size(s.InUseBytes))
	l.most(s.MaxInUse, size)
	l.printf(", %s idle", size(s.IdleBytes))
	l.most(s.MaxIdle, size)
	l.some(", %d trimmed", s.Trimmed)
	l.drops(s.DropsBy)
	l.waits(s.Waits)
	l.misuse(s.Misuse)
	for i, c := range s.Top(3) {
		if c.Hits == 0 {
			break
		}
		if i == 0 {
			l.printf("; most reused:")
		} else {
			l.printf(",")
		}
		l.printf(" %s (%s hits, %s in use, %s idle)", size(int64(c.Size)), share(c.Hits, c.Gets), size(c.InUseBytes), size(c.IdleBytes))
	}
}

func (l *line) gets(gets, hits, oversize uint64) {
	l.printf("%d gets", gets)
	if gets > 0 {
		l.printf(", %s hits", share(hits, gets))
	}
	l.some(", %d oversize", oversize)
}

func (l *line) items(inUse, idle, maxIdle int64, trimmed uint64) {
	l.printf("; %d in use, %d idle", inUse, idle)
	l.most(maxIdle, func(n int64) string { return strconv.FormatInt(n, 10) })
	l.some(", %d trimmed", trimmed)
}

func (l *line) drops(d Drops) {
	n := d.sum()
	if n == 0 {
		return
	}
	l.printf("; %d dropped:", n)
	l.some(" %d empty", d.Empty)
	l.some(" %d small", d.Small)
	l.some(" %d large", d.Large)
	l.some(" %d foreign", d.Foreign)
	l.some(" %d misaligned", d.Misaligned)
	l.some(" %d double", d.Double)
	l.some(" %d full", d.Full)
}

func (l *line) misuse(m Misuses) {
	first := true
	for _, k := range m.kinds() {
		if k.n == 0 {
			continue
		}
		if first {
			l.printf("; misuse found:")
			first = false
		}
		l.printf(" %d %v", k.n, k.kind)
	}
}

func (l *line) waits(w Waits) {
	if w.Waiting == 0 && w.Waited == 0 && w.Refused == 0 {
		return
	}
	l.printf("; %d waiting, %d waited, longest %v, %d refused", w.Waiting, w.Waited, w.LongestWait.Round(time.Microsecond), w.Refused)
}

// some prints n if there are any.
func (l *line) some(format string, n uint64) {
	if n > 0 {
		l.printf(format, n)
	}
}

// most prints a limit if there is one.
func (l *line) most(n int64, format func(int64) string) {
	if n > 0 {
		l.printf(" of at most %s", format(n))
	}
}

// share returns which part of all part is, rounded down, so that only all of it is 100%.
func share(part, all uint64) string {
	return fmt.Sprintf("%.1f%%", math.Floor(float64(part)/float64(all)*1000)/10)
}

// size returns n bytes in the largest binary unit of which they are at least one.
func size(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	f, unit := float64(n)/1024, 0
	for f >= 1024 {
		f /= 1024
		unit++
	}
	return strings.TrimSuffix(strconv.FormatFloat(math.Floor(f*10)/10, 'f', 1, 64), ".0") + " " + units[unit:unit+1] + "iB"
}
