package top

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

// A reading is what a program said, and what it had said before, if it did.
type reading struct {
	last, now *basinhttp.Report
}

// next returns the reading after r.
func (r reading) next(now *basinhttp.Report) reading { return reading{r.now, now} }

// seconds returns the time between both, or zero if they cannot be compared: there is
// but one, or the program was started anew.
func (r reading) seconds() float64 {
	if r.last == nil || !r.last.Started.Equal(r.now.Started) {
		return 0
	}
	return max(0, r.now.Time.Sub(r.last.Time).Seconds())
}

// A row is a pool, or one of its size classes, as it is shown.
type row struct {
	basin.Snapshot
	size int // of a class
	getsPerSecond,
	hitRate float64 // since the reading before, or else since the beginning; NaN if unknown
}

// rows returns a row for each pool.
func (r reading) rows() []row {
	rows := make([]row, len(r.now.Pools))
	for i, s := range r.now.Pools {
		rows[i] = row{Snapshot: s}
		gets, hits := uint64(0), uint64(0)
		if last := r.before(s.ID); last != nil {
			gets, hits = last.Gets, last.Hits
		}
		rows[i].rates(s.Gets, gets, s.Hits, hits, r.seconds())
	}
	return rows
}

// classes returns a row for each size class of the pool with the given ID.
func (r reading) classes(id uint64) []row {
	var rows []row
	last := r.before(id)
	for _, s := range r.now.Pools {
		if s.ID != id {
			continue
		}
		for _, c := range s.Classes {
			w := row{size: c.Size, Snapshot: basin.Snapshot{Stats: basin.Stats{
				Gets: c.Gets, Hits: c.Hits, Misses: c.Misses, Puts: c.Puts,
				DropsBy:    basin.Drops{Full: c.Full, Double: c.Double},
				InUseBytes: c.InUseBytes, IdleBytes: c.IdleBytes, Trimmed: c.Trimmed,
			}}}
			gets, hits := uint64(0), uint64(0)
			if last != nil {
				for _, l := range last.Classes {
					if l.Size == c.Size {
						gets, hits = l.Gets, l.Hits
					}
				}
			}
			w.rates(c.Gets, gets, c.Hits, hits, r.seconds())
			rows = append(rows, w)
		}
	}
	return rows
}

// before returns the pool as it was in the reading before, or nil.
func (r reading) before(id uint64) *basin.Snapshot {
	if r.seconds() == 0 {
		return nil
	}
	for i := range r.last.Pools {
		if r.last.Pools[i].ID == id {
			return &r.last.Pools[i]
		}
	}
	return nil
}

func (w *row) rates(gets, lastGets, hits, lastHits uint64, seconds float64) {
	w.getsPerSecond, w.hitRate = math.NaN(), math.NaN()
	if seconds > 0 && gets >= lastGets {
		w.getsPerSecond = float64(gets-lastGets) / seconds
	}
	switch {
	case gets > lastGets && hits >= lastHits:
		w.hitRate = float64(hits-lastHits) / float64(gets-lastGets)
	case gets > 0:
		w.hitRate = float64(hits) / float64(gets)
	}
}

// misuse returns how many slices were put that should not have been.
func (w row) misuse() uint64 { return w.DropsBy.Foreign + w.DropsBy.Misaligned + w.DropsBy.Double }

// A column is what a table says of each row.
type column struct {
	title string
	key   string // that sorts by it
	text  bool   // sorted from A to Z, and on the left
	keep  int    // the columns with the least go first where room is short
	cell  func(row) string
	less  func(a, b row) int
}

// columns are those of the table of pools. The first is cut to fit.
var columns = []column{
	{"NAME", "n", true, 9, name, func(a, b row) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	}},
	{"KIND", "k", true, 2, func(w row) string { return cut(clean(w.Kind), 24) }, func(a, b row) int { return strings.Compare(a.Kind, b.Kind) }},
	{"GETS/S", "g", false, 8, func(w row) string { return perSecond(w.getsPerSecond) }, func(a, b row) int { return number(a.getsPerSecond, b.getsPerSecond) }},
	{"HIT%", "h", false, 7, func(w row) string { return percent(w.hitRate) }, func(a, b row) int { return number(a.hitRate, b.hitRate) }},
	{"IN-USE", "u", false, 8, func(w row) string { return amount(w, w.InUseBytes, w.InUse) }, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.InUseBytes, b.InUseBytes), cmp.Compare(a.InUse, b.InUse))
	}},
	{"CEILING", "c", false, 4, func(w row) string { return limit(bytes, w.MaxInUse) }, func(a, b row) int { return cmp.Compare(a.MaxInUse, b.MaxInUse) }},
	{"IDLE", "i", false, 8, func(w row) string { return amount(w, w.IdleBytes, w.Idle) }, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.IdleBytes, b.IdleBytes), cmp.Compare(a.Idle, b.Idle))
	}},
	{"MAX-IDLE", "x", false, 1, func(w row) string {
		if w.MaxIdleItems > 0 {
			return limit(items, w.MaxIdleItems)
		}
		return limit(bytes, w.MaxIdle)
	}, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.MaxIdle, b.MaxIdle), cmp.Compare(a.MaxIdleItems, b.MaxIdleItems))
	}},
	{"DROPS", "d", false, 5, func(w row) string { return count(w.Drops) }, func(a, b row) int { return cmp.Compare(a.Drops, b.Drops) }},
	{"MISUSE", "m", false, 6, func(w row) string { return count(w.misuse()) }, func(a, b row) int { return cmp.Compare(a.misuse(), b.misuse()) }},
	{"WAITING", "w", false, 6, func(w row) string { return count(uint64(max(0, w.Waiting))) }, func(a, b row) int { return cmp.Compare(a.Waiting, b.Waiting) }},
	{"REFUSED", "e", false, 3, func(w row) string { return count(w.Refused) }, func(a, b row) int { return cmp.Compare(a.Refused, b.Refused) }},
}

// classColumns are those of the table of a pool's size classes.
var classColumns = []column{
	{title: "SIZE", keep: 9, cell: func(w row) string { return count(uint64(max(0, w.size))) }},
	{title: "GETS/S", keep: 8, cell: func(w row) string { return perSecond(w.getsPerSecond) }},
	{title: "HIT%", keep: 7, cell: func(w row) string { return percent(w.hitRate) }},
	{title: "IN-USE", keep: 8, cell: func(w row) string { return bytes(w.InUseBytes) }},
	{title: "IDLE", keep: 8, cell: func(w row) string { return bytes(w.IdleBytes) }},
	{title: "GETS", keep: 5, cell: func(w row) string { return count(w.Gets) }},
	{title: "PUTS", keep: 4, cell: func(w row) string { return count(w.Puts) }},
	{title: "FULL", keep: 2, cell: func(w row) string { return count(w.DropsBy.Full) }},
	{title: "DOUBLE", keep: 3, cell: func(w row) string { return count(w.DropsBy.Double) }},
	{title: "TRIMMED", keep: 1, cell: func(w row) string { return count(w.Trimmed) }},
}

// ColumnNames returns what Config.Sort may be.
func ColumnNames() (names []string) {
	for _, c := range columns {
		names = append(names, strings.ToLower(c.title))
	}
	return names
}

// columnNamed returns the index of a column, or -1.
func columnNamed(name string) int {
	return slices.IndexFunc(columns, func(c column) bool { return strings.EqualFold(c.title, name) })
}

// An order is how rows are sorted.
type order struct {
	column  int
	reverse bool
}

// sort sorts rows, equal ones in the order in which the pools were first used.
func (o order) sort(rows []row) {
	c := columns[o.column]
	sign := -1
	if o.ascending() {
		sign = 1
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(sign*c.less(a, b), cmp.Compare(a.ID, b.ID))
	})
}

func (o order) ascending() bool { return columns[o.column].text != o.reverse }

// mark follows the title of the column.
func (o order) mark() string {
	if o.ascending() {
		return "▴"
	}
	return "▾"
}

// number compares numbers, of which those that are not known are the smallest.
func number(a, b float64) int { return cmp.Compare(a, b) }

func name(w row) string {
	if w.Name == "" {
		return "#" + strconv.FormatUint(w.ID, 10)
	}
	return clean(w.Name)
}

const unknown = "-"

func perSecond(f float64) string {
	if math.IsNaN(f) {
		return unknown
	}
	return humanize.Comma(int64(math.Round(f)))
}

// percent rounds down: only all of them are 100.
func percent(f float64) string {
	if math.IsNaN(f) {
		return unknown
	}
	return strconv.FormatFloat(math.Floor(f*1000)/10, 'f', 1, 64)
}

func bytes(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

func items(n int64) string { return humanize.Comma(n) + " items" }

// amount is in bytes, or in items if the pool does not know how large they are.
func amount(w row, b, n int64) string {
	if w.MaxIdleItems > 0 || b == 0 && n > 0 {
		return items(n)
	}
	return bytes(b)
}

func limit(format func(int64) string, n int64) string {
	if n <= 0 {
		return unknown
	}
	return format(n)
}

func count(n uint64) string {
	if n > math.MaxInt64 {
		return strconv.FormatUint(n, 10)
	}
	return humanize.Comma(int64(n))
}
