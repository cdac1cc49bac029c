package top

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/cmd/internal/printable"
)

// A reading is a program's report, with the one before, if there is one.
type reading struct {
	last, now *basinhttp.Report
	byID      map[uint64]*basin.Stats // the pools of last
	trends    map[uint64][]float64    // gets per second of each pool, the latest last
}

// trendLength is the most readings in a trend.
const trendLength = 10

// next returns the reading after r.
func (r reading) next(now *basinhttp.Report) reading {
	next := reading{last: r.now, now: now}
	if r.now != nil {
		next.byID = make(map[uint64]*basin.Stats, len(r.now.Pools))
		for i := range r.now.Pools {
			next.byID[r.now.Pools[i].ID] = &r.now.Pools[i]
		}
	}
	next.trends = make(map[uint64][]float64, len(now.Pools))
	for _, w := range next.rows() {
		if !math.IsNaN(w.getsPerSecond) {
			before := r.trends[w.ID]
			before = before[max(0, len(before)-trendLength+1):]
			next.trends[w.ID] = append(slices.Clone(before), w.getsPerSecond)
		}
	}
	return next
}

// seconds returns the time between last and now, or zero if they cannot be compared: there is
// no last, or the program was restarted.
func (r reading) seconds() float64 {
	if r.last == nil || !r.last.Started.Equal(r.now.Started) {
		return 0
	}
	return max(0, r.now.Time.Sub(r.last.Time).Seconds())
}

// A row is a pool, or one of its size classes, as it is shown.
type row struct {
	basin.Stats
	size int // of a class
	getsPerSecond,
	refusedPerSecond,
	hitRate float64 // since last; the hit rate since the start of the program if there were no gets; NaN if unknown
	trend   []float64 // gets per second, the latest last
	garbage bool      // memory in use of this pool is garbage: a pool without a ceiling does not notice
	suspect bool      // or may be
}

// rows returns a row for each pool.
func (r reading) rows() []row {
	rows := make([]row, len(r.now.Pools))
	for i, s := range r.now.Pools {
		rows[i] = row{Stats: s, trend: r.trends[s.ID]}
		rows[i].suspect = r.now.Garbage != "" && s.ID == r.now.GarbageID
		rows[i].garbage = rows[i].suspect && r.now.GarbageBytes > 0
		gets, hits := uint64(0), uint64(0)
		if last := r.before(s.ID); last != nil {
			gets, hits = last.Gets, last.Hits
			rows[i].refusedPerSecond = float64(max(s.Refused, last.Refused)-last.Refused) / r.seconds()
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
			w := row{size: c.Size, Stats: basin.Stats{
				Gets: c.Gets, Hits: c.Hits, Misses: c.Misses, Puts: c.Puts,
				Drops: basin.Drops{Full: c.Full, Double: c.Double, Checked: c.Checked},
				Items: c.Items, Bytes: c.Bytes, Trimmed: c.Trimmed,
				Lost: basin.Amount{Items: int64(min(c.Lost, math.MaxInt64))},
			}}
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

// before returns the statistics of the pool in last, or nil if there are none to compare.
func (r reading) before(id uint64) *basin.Stats {
	if r.seconds() == 0 {
		return nil
	}
	return r.byID[id]
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

// ofLimit reports whether the row is a Limit, which is no pool: its memory is that of pools.
func (w row) ofLimit() bool { return basinexport.OfLimit(&w.Stats) }

// taken returns the bytes in use, and those that are reserved.
func (w row) taken() int64 { return max(0, w.Bytes.InUse) + max(0, w.Reserved) }

func (w row) misuse() uint64 { return w.Misuse.Total() }

// lost returns the number of lost items. A hostile program may send a negative number.
func (w row) lost() uint64 { return uint64(max(0, w.Lost.Items)) }

func (w row) leaks() uint64 { return w.Misuse.Of(basincheck.Leak) }

// Foreign and wrong items should not have been put, and were dropped. The pool notices these without checks.

func (w row) foreign() uint64 { return w.Drops.Foreign + w.Drops.Misaligned }

func (w row) wrong() uint64 { return w.foreign() + w.Drops.Double }

// A trouble is a reason to look at a pool.
type trouble struct {
	text  string // in the column
	in    func(row) bool
	alarm string           // in the header, after the number, or ""
	of    func(row) uint64 // the number
}

// troubles begins with the worst.
var troubles = []trouble{
	{"waiting", func(w row) bool { return w.Waiting > 0 }, " waiting", func(w row) uint64 { return uint64(max(0, w.Waiting)) }},
	{"refusing", func(w row) bool { return w.refusedPerSecond > 0 }, "/s refused", func(w row) uint64 { return uint64(math.Ceil(w.refusedPerSecond)) }},
	{"misuse", func(w row) bool { return w.misuse() > 0 }, " misuse", row.misuse},
	{"put twice", func(w row) bool { return w.Drops.Double > 0 }, " dropped as double", func(w row) uint64 { return w.Drops.Double }},
	{"foreign", func(w row) bool { return w.foreign() > 0 }, " dropped as foreign or misaligned", row.foreign},
	{"leaks", func(w row) bool { return w.leaks() > 0 }, " leaked", row.leaks},
	{"lost", func(w row) bool { return w.lost() > 0 }, " lost", row.lost},
	{"garbage", func(w row) bool { return w.garbage }, "", nil},
	{"at ceiling", row.atCeiling, "", nil},
	{"beyond", func(w row) bool { return w.Beyond > 0 }, " beyond a limit", func(w row) uint64 { return w.Beyond }},
	{"refused", func(w row) bool { return w.Refused > 0 }, "", nil},
	{"garbage?", func(w row) bool { return w.suspect }, "", nil},
}

// trouble returns the index of the worst trouble of a row, or the number of troubles.
func (w row) trouble() int {
	if i := slices.IndexFunc(troubles, func(t trouble) bool { return t.in(w) }); i >= 0 {
		return i
	}
	return len(troubles)
}

// atCeiling reports whether a twentieth of the ceiling, or less, is left. All of a FixedPool may be in use all the time.
func (w row) atCeiling() bool {
	return w.Kind != "FixedPool" && w.Bytes.MaxInUse > 0 && w.taken() >= w.Bytes.MaxInUse-w.Bytes.MaxInUse/20
}

// alarms lists the troubles, the worst first, each with its number in all pools and the pool that has most of it. It
// returns "" if there are none.
func (r reading) alarms() string {
	var reasons []string
	rows := r.rows()
	for _, t := range troubles {
		if t.alarm == "" {
			continue
		}
		if n, where := total(rows, t.of); n > 0 {
			about, key := "", ""
			if t.text == "leaks" && r.now.Checking != nil && r.now.Checking.Every > 1 {
				about = "about "
			}
			if (t.text == "leaks" || t.text == "misuse") && r.now.Checking != nil {
				key = " (key s)"
			}
			reasons = append(reasons, fmt.Sprintf("%s%s%s%s%s", about, count(n), t.alarm, where, key))
		}
	}
	if r.now.Garbage != "" {
		what, where := "in use may be garbage", ""
		if r.now.GarbageBytes > 0 {
			what = "at least " + bytes(r.now.GarbageBytes) + " garbage"
		}
		for _, w := range rows {
			if w.suspect && len(rows) > 1 {
				where = " in " + cutMiddle(name(w), maxNamed)
			}
		}
		reasons = append(reasons, what+where+" (key s)")
	}
	return strings.Join(reasons, "  ")
}

// total returns the sum of a number over all pools, and where it is, if there are several: the pool that has most of
// it. Of Limits only the largest
// number counts, and only if it is larger than the sum: a request of a pool counts in each Limit that the pool lies in.
func total(rows []row, of func(row) uint64) (sum uint64, where string) {
	var ofLimits, most uint64
	others := -1
	for _, w := range rows {
		n := of(w)
		switch {
		case n == 0:
			continue
		case w.ofLimit():
			ofLimits = max(ofLimits, n)
			if sum > 0 {
				continue
			}
		default:
			sum += n
			others++
		}
		if n > most || others == 0 && !w.ofLimit() {
			where, most = cutMiddle(name(w), maxNamed), n
		}
	}
	if others > 0 {
		where = fmt.Sprintf("%s and %d more", where, others)
	}
	if len(rows) > 1 && where != "" {
		where = " in " + where
	} else {
		where = ""
	}
	return max(sum, ofLimits), where
}

// maxNamed is the width of a name in the header.
const maxNamed = 20

// drops returns how many items were put back and not retained.
func (w row) drops() uint64 { return w.Drops.Total() }

// A column has one figure of each row.
type column struct {
	title    string
	key      string // that sorts by it
	means    string // for the help
	text     bool   // sorted from A to Z, and on the left
	priority int    // the columns with the least go first where room is short
	cell     func(row) string
	less     func(a, b row) int
	alarm    func(row) bool // whether the cell is a reason to look, or nil
}

// columns are those of the table of pools. The first is cut to fit.
var columns = []column{
	{title: "NAME", key: "n", means: "of the pool, or # and its ID", text: true, priority: 9, cell: name, less: func(a, b row) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	}},
	{title: "TROUBLE", key: "y", means: "the worst, if any", text: true, priority: 9,
		cell: func(w row) string {
			if i := w.trouble(); i < len(troubles) {
				return troubles[i].text
			}
			return unknown
		},
		less: func(a, b row) int {
			return cmp.Or(cmp.Compare(a.trouble(), b.trouble()), -number(a.getsPerSecond, b.getsPerSecond))
		},
		alarm: func(w row) bool { return w.trouble() < len(troubles) },
	},
	{title: "KIND", key: "k", means: "its type", text: true, priority: 2, cell: func(w row) string { return cut(printable.Text(w.Kind), 24) },
		less: func(a, b row) int { return strings.Compare(a.Kind, b.Kind) }},
	{title: "GETS/S", key: "g", means: "requests per second", priority: 8, cell: ofPool(func(w row) string { return perSecond(w.getsPerSecond) }),
		less: func(a, b row) int { return number(a.getsPerSecond, b.getsPerSecond) }},
	{title: "HIT%", key: "h", means: "gets served by idle items", priority: 8, cell: func(w row) string { return percent(w.hitRate) },
		less: func(a, b row) int { return number(a.hitRate, b.hitRate) }},
	{title: "IN-USE", key: "u", means: "handed out, not put back; without a ceiling, garbage too", priority: 8, cell: func(w row) string { return amount(w, w.Bytes.InUse, w.Items.InUse) }, less: func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Bytes.InUse, b.Bytes.InUse), cmp.Compare(a.Items.InUse, b.Items.InUse))
	}, alarm: func(w row) bool { return w.atCeiling() || w.garbage }},
	{title: "RESERVED", key: "v", means: "of a Limit, in advance", priority: 4, cell: func(w row) string {
		if !w.ofLimit() {
			return unknown
		}
		return bytes(w.Reserved)
	}, less: func(a, b row) int { return cmp.Compare(a.Reserved, b.Reserved) }},
	{title: "PEAK", key: "a", means: "the most in use so far", priority: 3, cell: func(w row) string { return amount(w, w.PeakInUse.Bytes, w.PeakInUse.Items) }, less: func(a, b row) int {
		return cmp.Or(cmp.Compare(a.PeakInUse.Bytes, b.PeakInUse.Bytes), cmp.Compare(a.PeakInUse.Items, b.PeakInUse.Items))
	}},
	{title: "CEILING", key: "c", means: "the limit on in-use: MaxInUse, or Max of a Limit", priority: 4, cell: func(w row) string { return limit(bytes, w.Bytes.MaxInUse) },
		less: func(a, b row) int { return cmp.Compare(a.Bytes.MaxInUse, b.Bytes.MaxInUse) }},
	{title: "IDLE", key: "i", means: "retained for the next request", priority: 8, cell: ofPool(func(w row) string { return amount(w, w.Bytes.Idle, w.Items.Idle) }), less: func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Bytes.Idle, b.Bytes.Idle), cmp.Compare(a.Items.Idle, b.Items.Idle))
	}},
	{title: "MAX-IDLE", key: "x", means: "the limit on idle, MaxIdle or MaxItems", priority: 1, cell: func(w row) string {
		if w.Bytes.MaxIdle == 0 && w.Items.MaxIdle > 0 {
			return limit(items, w.Items.MaxIdle)
		}
		return limit(bytes, w.Bytes.MaxIdle)
	}, less: func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Bytes.MaxIdle, b.Bytes.MaxIdle), cmp.Compare(a.Items.MaxIdle, b.Items.MaxIdle))
	}},
	{title: "DROPS", key: "d", means: "put back and not retained; red if foreign or put twice", priority: 5, cell: ofPool(func(w row) string { return count(w.drops()) }),
		less: func(a, b row) int { return cmp.Compare(a.drops(), b.drops()) }, alarm: func(w row) bool { return w.wrong() > 0 }},
	{title: "LOST", key: "o", means: "under a ceiling: never put back, garbage now, room free again", priority: 4, cell: func(w row) string { return count(w.lost()) },
		less: func(a, b row) int { return cmp.Compare(a.lost(), b.lost()) }, alarm: func(w row) bool { return w.lost() > 0 }},
	{title: "LEAKS", key: "l", means: "tracked by checks, never put back, garbage now", priority: 5, cell: ofPool(func(w row) string { return count(w.leaks()) }),
		less: func(a, b row) int { return cmp.Compare(a.leaks(), b.leaks()) }, alarm: func(w row) bool { return w.leaks() > 0 }},
	{title: "MISUSE", key: "m", means: "found by checks, leaks not included", priority: 5, cell: ofPool(func(w row) string { return count(w.misuse()) }),
		less: func(a, b row) int { return cmp.Compare(a.misuse(), b.misuse()) }, alarm: func(w row) bool { return w.misuse() > 0 }},
	{title: "WAITING", key: "w", means: "requests that wait for room", priority: 6, cell: func(w row) string { return count(uint64(max(0, w.Waiting))) },
		less: func(a, b row) int { return cmp.Compare(a.Waiting, b.Waiting) }, alarm: func(w row) bool { return w.Waiting > 0 }},
	{title: "LONGEST", key: "t", means: "longest so far", priority: 3, cell: func(w row) string {
		if w.Waited == 0 {
			return unknown
		}
		return short(w.LongestWait).String()
	}, less: func(a, b row) int { return cmp.Compare(a.LongestWait, b.LongestWait) }},
	{title: "REFUSED", key: "e", means: "requests that got nothing", priority: 6, cell: func(w row) string { return count(w.Refused) },
		less: func(a, b row) int { return cmp.Compare(a.Refused, b.Refused) }, alarm: func(w row) bool { return w.refusedPerSecond > 0 }},
	{title: "BEYOND", key: "b", means: "requests that went beyond a limit", priority: 5, cell: func(w row) string { return count(w.Beyond) },
		less: func(a, b row) int { return cmp.Compare(a.Beyond, b.Beyond) }, alarm: func(w row) bool { return w.Beyond > 0 }},
}

// ofPool returns cell for pools, and for Limits one that says nothing.
func ofPool(cell func(row) string) func(row) string {
	return func(w row) string {
		if w.ofLimit() {
			return unknown
		}
		return cell(w)
	}
}

// trendColumn is the last of a table that refreshes itself.
var trendColumn = column{title: "RECENT GETS/S", priority: 3, text: true, cell: func(w row) string {
	if w.ofLimit() {
		return ""
	}
	return sparkline(w.trend, trendLength)
}}

// sparkline draws values as a line of blocks, the latest on the right. The largest value has a block
// of full height.
func sparkline(values []float64, width int) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	most := 0.0
	for _, v := range values {
		most = max(most, v)
	}
	line := []rune(strings.Repeat(" ", max(0, width-len(values))))
	for _, v := range values {
		at := 0
		if most > 0 {
			at = min(int(v/most*float64(len(blocks))), len(blocks)-1)
		}
		line = append(line, blocks[at])
	}
	return string(line)
}

// classColumns are those of the table of a pool's size classes.
var classColumns = []column{
	{title: "SIZE", priority: 9, cell: func(w row) string { return bytes(int64(w.size)) }},
	{title: "GETS/S", priority: 8, cell: func(w row) string { return perSecond(w.getsPerSecond) }},
	{title: "HIT%", priority: 7, cell: func(w row) string { return percent(w.hitRate) }},
	{title: "IN-USE", priority: 8, cell: func(w row) string { return bytes(w.Bytes.InUse) }},
	{title: "IDLE", priority: 8, cell: func(w row) string { return bytes(w.Bytes.Idle) }},
	{title: "GETS", priority: 5, cell: func(w row) string { return count(w.Gets) }},
	{title: "PUTS", priority: 4, cell: func(w row) string { return count(w.Puts) }},
	{title: "FULL", priority: 2, cell: func(w row) string { return count(w.Drops.Full) }},
	{title: "DOUBLE", priority: 3, cell: func(w row) string { return count(w.Drops.Double) }},
	{title: "CHECKED", priority: 1, cell: func(w row) string { return count(w.Drops.Checked) }},
	{title: "LOST", priority: 3, cell: func(w row) string { return count(w.lost()) }},
	{title: "TRIMMED", priority: 1, cell: func(w row) string { return count(w.Trimmed) }},
}

// ColumnNames returns the values that Config.Sort may have.
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

// number compares numbers. NaN, for unknown, is the smallest.
func number(a, b float64) int { return cmp.Compare(a, b) }

func name(w row) string {
	if w.Name == "" {
		return "#" + strconv.FormatUint(w.ID, 10)
	}
	return printable.Text(w.Name)
}

const unknown = "-"

func perSecond(f float64) string {
	if math.IsNaN(f) {
		return unknown
	}
	return humanize.Comma(int64(math.Round(f)))
}

// percent rounds down, so that 100.0 means all.
func percent(f float64) string {
	if math.IsNaN(f) {
		return unknown
	}
	return strconv.FormatFloat(math.Floor(f*1000)/10, 'f', 1, 64)
}

func bytes(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

func items(n int64) string {
	if n == 1 {
		return "1 item"
	}
	return humanize.Comma(max(0, n)) + " items"
}

// amount formats bytes, or items if the pool does not know their size.
func amount(w row, b, n int64) string {
	if b == basin.Unknown {
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
