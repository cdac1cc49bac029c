//go:build go1.25

package basin

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/basin-go/basin/basincheck"
)

// String returns the statistics as one line to read. Sizes are rounded, and zeros
// that mean nothing are left out. Of the size classes, it has the three that were
// reused most often. Names are quoted, and cut if they are long.
func (s Stats) String() string {
	var l line
	l.pool(&s)
	l.gets(s.Gets, s.Hits, s.Outside)
	l.some(", %d adopted", s.Adopted)
	l.holdings(&s)
	l.drops(s.Drops)
	l.waits(s.Waits)
	l.misuse(s.Misuse)
	l.classes(mostReused(s.Classes, 3))
	return l.String()
}

// LogValue returns the statistics as a group of attributes with exact figures. It has
// all fields of s. Of each size class it has only the gets and hits, and the items in
// use and idle.
func (s Stats) LogValue() slog.Value {
	classes := make([]slog.Attr, len(s.Classes))
	for i, c := range s.Classes {
		classes[i] = slog.Attr{Key: strconv.Itoa(c.Size), Value: slog.GroupValue(
			slog.Uint64("gets", c.Gets),
			slog.Uint64("hits", c.Hits),
			slog.Int64("in_use", c.Items.InUse),
			slog.Int64("idle", c.Items.Idle),
		)}
	}
	return slog.GroupValue(
		slog.Uint64("id", s.ID),
		slog.String("kind", s.Kind),
		slog.String("name", s.Name),
		slog.Uint64("gets", s.Gets),
		slog.Uint64("hits", s.Hits),
		slog.Uint64("misses", s.Misses),
		slog.Uint64("outside", s.Outside),
		slog.Uint64("puts", s.Puts),
		slog.Uint64("adopted", s.Adopted),
		s.Drops.attr(),
		slog.Uint64("trimmed", s.Trimmed),
		s.Lost.attr("lost"),
		slog.Uint64("asked_bytes", s.AskedBytes),
		slog.Uint64("handed_out_bytes", s.HandedOutBytes),
		slog.Uint64("outside_bytes", s.OutsideBytes),
		s.Items.attr("items"),
		s.Bytes.attr("bytes"),
		s.PeakInUse.attr("peak_in_use"),
		s.OutsideInUse.attr("outside_in_use"),
		slog.Int64("memory_limit", s.MemoryLimit),
		slog.String("memory_limit_source", s.MemoryLimitSource),
		slog.Int("waiting", s.Waiting),
		slog.Uint64("waited", s.Waited),
		s.WaitTimes.attr(),
		slog.Duration("total_wait", s.TotalWait),
		slog.Duration("longest_wait", s.LongestWait),
		slog.Duration("recent_longest_wait", s.RecentLongestWait),
		slog.Uint64("refused", s.Refused),
		slog.Any("misuse", s.Misuse),
		slog.Attr{Key: "classes", Value: slog.GroupValue(classes...)},
	)
}

func (h Holdings) attr(key string) slog.Attr {
	return slog.Attr{Key: key, Value: slog.GroupValue(
		slog.Int64("in_use", h.InUse),
		slog.Int64("idle", h.Idle),
		slog.Int64("max_idle", h.MaxIdle),
		slog.Int64("max_in_use", h.MaxInUse),
	)}
}

func (a Amount) attr(key string) slog.Attr {
	return slog.Attr{Key: key, Value: slog.GroupValue(slog.Int64("items", a.Items), slog.Int64("bytes", a.Bytes))}
}

func (t WaitTimes) attr() slog.Attr {
	return slog.Attr{Key: "wait_times", Value: slog.GroupValue(
		slog.Uint64("under_1ms", t.Under1ms),
		slog.Uint64("under_10ms", t.Under10ms),
		slog.Uint64("under_100ms", t.Under100ms),
		slog.Uint64("under_1s", t.Under1s),
		slog.Uint64("under_10s", t.Under10s),
		slog.Uint64("longer", t.Longer),
	)}
}

func (d Drops) attr() slog.Attr {
	return slog.Attr{Key: "drops", Value: slog.GroupValue(
		slog.Uint64("empty", d.Empty),
		slog.Uint64("small", d.Small),
		slog.Uint64("large", d.Large),
		slog.Uint64("outside", d.Outside),
		slog.Uint64("foreign", d.Foreign),
		slog.Uint64("misaligned", d.Misaligned),
		slog.Uint64("double", d.Double),
		slog.Uint64("full", d.Full),
		slog.Uint64("checked", d.Checked),
	)}
}

// A line is statistics as text, in parts that semicolons separate.
type line struct{ strings.Builder }

func (l *line) printf(format string, args ...any) { fmt.Fprintf(l, format, args...) }

// pool writes which pool the line is about. A name may be anything, of any length.
func (l *line) pool(s *Stats) {
	if s.Kind != "" {
		l.printf("%s ", s.Kind)
	}
	l.some("%d ", s.ID)
	if s.Name == "" {
		l.printf("unnamed pool: ")
		return
	}
	const most = 64
	name := s.Name
	if len(name) > most {
		cut := most
		for cut > most-utf8.UTFMax && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "…"
	}
	l.printf("%q: ", name)
}

func (l *line) gets(gets, hits, outside uint64) {
	l.printf("%d gets", gets)
	if gets > 0 {
		l.printf(", %s hits", share(hits, gets))
	}
	l.some(", %d outside", outside)
}

// holdings is in bytes where those are known.
func (l *line) holdings(s *Stats) {
	l.printf("; ")
	l.amount(s.Bytes.InUse, s.Items.InUse, " in use")
	l.most(s.Bytes.MaxInUse, s.Items.MaxInUse)
	l.printf(", ")
	l.amount(s.Bytes.Idle, s.Items.Idle, " idle")
	l.most(s.Bytes.MaxIdle, s.Items.MaxIdle)
	l.some(", %d trimmed", s.Trimmed)
	if s.Lost.Items > 0 {
		l.printf(", %d lost", s.Lost.Items)
	}
}

func (l *line) amount(bytes, items int64, what string) {
	if bytes == Unknown {
		l.printf("%d%s", items, what)
		return
	}
	l.printf("%s%s", inUnits(bytes), what)
}

// most prints a limit if there is one.
func (l *line) most(bytes, items int64) {
	switch {
	case bytes > 0:
		l.printf(" of at most %s", inUnits(bytes))
	case items > 0:
		l.printf(" of at most %d", items)
	}
}

// classes prints those that were reused.
func (l *line) classes(top []ClassStats) {
	separator := "; most reused:"
	for _, c := range top {
		if c.Hits == 0 {
			break
		}
		l.printf("%s %s (%s hits", separator, inUnits(int64(c.Size)), share(c.Hits, c.Gets))
		if c.Bytes.InUse != Unknown {
			l.printf(", %s in use", inUnits(c.Bytes.InUse))
		}
		l.printf(", %s idle)", inUnits(c.Bytes.Idle))
		separator = ","
	}
}

func (l *line) drops(d Drops) {
	n := d.Total()
	if n == 0 {
		return
	}
	l.printf("; %d dropped:", n)
	l.some(" %d empty", d.Empty)
	l.some(" %d small", d.Small)
	l.some(" %d large", d.Large)
	l.some(" %d outside", d.Outside)
	l.some(" %d foreign", d.Foreign)
	l.some(" %d misaligned", d.Misaligned)
	l.some(" %d double", d.Double)
	l.some(" %d full", d.Full)
	l.some(" %d checked", d.Checked)
}

func (l *line) misuse(counts basincheck.Counts) {
	if counts.Total() > 0 {
		l.printf("; misuse found:")
		for _, k := range basincheck.Kinds() {
			if n := counts.Of(k); n > 0 && k != basincheck.Leak {
				l.printf(" %d %v", n, k)
			}
		}
	}
	l.some("; %d leaked", counts.Of(basincheck.Leak))
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

// share returns which part of all part is, rounded down, so that only all of it is
// 100%.
func share(part, all uint64) string {
	return fmt.Sprintf("%.1f%%", math.Floor(float64(part)/float64(all)*1000)/10)
}

// inUnits returns n bytes in the largest binary unit of which they are at least one.
func inUnits(n int64) string {
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

// mostReused returns the n classes that were reused most often, or all if there are fewer, the most
// reused first.
func mostReused(classes []ClassStats, n int) []ClassStats {
	top := slices.Clone(classes)
	slices.SortStableFunc(top, func(a, b ClassStats) int { return cmp.Compare(b.Hits, a.Hits) })
	return top[:min(n, len(top))]
}
