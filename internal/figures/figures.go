//go:build go1.25

// Package figures has one table of the figures that metrics systems show: the names that each has in
// Prometheus and in OpenTelemetry, its meaning, and how it is read. The exporters are made from it, and tests
// compare it with the page, with basin top, with the dashboards and with docs/metrics.md.
//
// Touch it when [basin.Stats] has a new field, which needs a row, or when the name or the meaning of a metric changes.
package figures

import (
	"slices"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
)

// A Figure is one number of an S.
type Figure[S any] struct {
	Series     string // in Prometheus, or "" for none; if figures share it, the label reason has their Value
	Instrument string // in OpenTelemetry, or "" for none
	Key, Value string // the attribute that tells apart figures of one instrument, or ""
	Unit       string // "By", "s", or a thing in braces
	Kind       Kind
	Help       string // of the series
	About      string // of the instrument, if that is not Help
	Of         func(S) int64
	Has        func(S) bool // whether there is the figure; nil means always
}

// A Kind says how a figure moves.
type Kind uint8

const (
	Counter Kind = iota // never falls
	Level               // rises and falls; levels of several pools can be added up
	Longest             // a duration that is no sum
)

// Read returns the figure in s, in nanoseconds if its unit is "s", and false if there is none.
func (f *Figure[S]) Read(s S) (n int64, ok bool) {
	if f.Has != nil && !f.Has(s) {
		return 0, false
	}
	n = f.Of(s)
	return n, n != basin.Unknown
}

// Description describes the instrument.
func (f *Figure[S]) Description() string {
	if f.About != "" {
		return f.About
	}
	return f.Help
}

// The keys of attributes.
const (
	Result = "basin.get.result"
	Reason = "basin.drop.reason"
	State  = "basin.item.state"
	Misuse = "basin.misuse.kind"
	Wait   = "basin.wait.time"
)

type (
	stats = *basin.Stats
	class = *basin.ClassStats
)

// ofPool reports whether s is of pools, and not of a Limit.
func ofPool(s stats) bool { return !basinexport.OfLimit(s) }

// sized reports whether s is of a Limit, or of pools that know the size of their items.
func sized(s stats) bool { return s.Bytes.Idle != basin.Unknown }

func sizedPool(s stats) bool { return ofPool(s) && sized(s) }

// Texts that several figures share.
const (
	served      = "Requests, by how they were served."
	dropped     = "Items put back and not retained, by reason."
	itemStates  = "Items by state: outstanding (handed out and not put back), and idle."
	byteStates  = "Bytes by state: outstanding (handed out and not put back), and idle."
	waitedFor   = "Requests that have waited, by how long."
	classServed = "Requests served from a size class, by how they were served."
	classDrops  = "Items of a size class put back and not retained, by reason."
	classStates = "Bytes of a size class by state: outstanding, and idle."
	nowGarbage  = " that were handed out under a ceiling, never put back, and are garbage now."
)

// Pools are the figures of the pools of one name and kind, and of a Limit.
var Pools = append([]Figure[stats]{
	{"basin_gets_total", "", "", "", "{get}", Counter, "Requests: hits, misses and outside.", "", func(s stats) int64 { return int64(s.Gets) }, ofPool},
	{"basin_hits_total", "basin.pool.gets", Result, "hit", "{get}", Counter, "Requests served with a recycled item.", served, func(s stats) int64 { return int64(s.Hits) }, ofPool},
	{"basin_misses_total", "basin.pool.gets", Result, "miss", "{get}", Counter, "Requests served with a new item.", served, func(s stats) int64 { return int64(s.Misses) }, ofPool},
	{"basin_outside_total", "basin.pool.gets", Result, "outside", "{get}", Counter, "Requests that the heap served: larger than MaxSize.", served, func(s stats) int64 { return int64(s.Outside) }, ofPool},
	{"basin_puts_total", "basin.pool.puts", "", "", "{put}", Counter, "Items put back that can be the pool's.", "", func(s stats) int64 { return int64(s.Puts) }, ofPool},
	{"basin_adopted_total", "basin.pool.adoptions", "", "", "{item}", Counter, "Slices of other origin that were cut to a size class.", "", func(s stats) int64 { return int64(s.Adopted) }, ofPool},
	drop("empty", func(d *basin.Drops) uint64 { return d.Empty }),
	drop("small", func(d *basin.Drops) uint64 { return d.Small }),
	drop("large", func(d *basin.Drops) uint64 { return d.Large }),
	drop("extra", func(d *basin.Drops) uint64 { return d.Extra }),
	drop("foreign", func(d *basin.Drops) uint64 { return d.Foreign }),
	drop("misaligned", func(d *basin.Drops) uint64 { return d.Misaligned }),
	drop("double", func(d *basin.Drops) uint64 { return d.Double }),
	drop("full", func(d *basin.Drops) uint64 { return d.Full }),
	drop("checked", func(d *basin.Drops) uint64 { return d.Checked }),
	{"basin_trimmed_total", "basin.pool.trims", "", "", "{item}", Counter, "Idle items released.", "", func(s stats) int64 { return int64(s.Trimmed) }, ofPool},
	{"basin_lost_total", "basin.pool.losses", "", "", "{item}", Counter, "Items" + nowGarbage, "", func(s stats) int64 { return s.Lost.Items }, nil},

	{"basin_in_use_items", "basin.pool.item.count", State, "in_use", "{item}", Level, "Items outstanding: handed out and not put back, garbage included where there is no ceiling.", itemStates, func(s stats) int64 { return s.Items.InUse }, nil},
	{"basin_idle_items", "basin.pool.item.count", State, "idle", "{item}", Level, "Items idle: retained for the next request.", itemStates, func(s stats) int64 { return s.Items.Idle }, ofPool},
	{"basin_max_idle_items", "basin.pool.item.idle.max", "", "", "{item}", Level, "Limit on idle items.", "", func(s stats) int64 { return s.Items.MaxIdle }, func(s stats) bool { return s.Items.MaxIdle > 0 }},
	{"basin_max_in_use_items", "basin.pool.item.in_use.max", "", "", "{item}", Level, "Ceiling on outstanding items, if there is one.", "", func(s stats) int64 { return s.Items.MaxInUse }, func(s stats) bool { return s.Items.MaxInUse > 0 }},

	{"basin_asked_bytes_total", "basin.pool.asked", "", "", "By", Counter, "Sum of the lengths asked for, in bytes.", "", func(s stats) int64 { return int64(s.AskedBytes) }, sizedPool},
	{"basin_handed_out_bytes_total", "basin.pool.handed_out", "", "", "By", Counter, "Sum of the capacities handed out, in bytes.", "", func(s stats) int64 { return int64(s.HandedOutBytes) }, sizedPool},
	{"basin_outside_bytes_total", "basin.pool.outside", "", "", "By", Counter, "Bytes of requests that the heap served: larger than MaxSize.", "", func(s stats) int64 { return int64(s.OutsideBytes) }, sizedPool},
	{"basin_lost_bytes_total", "basin.pool.lost", "", "", "By", Counter, "Bytes" + nowGarbage, "", func(s stats) int64 { return s.Lost.Bytes }, sized},
	{"basin_in_use_bytes", "basin.pool.memory.usage", State, "in_use", "By", Level, "Bytes outstanding: handed out and not put back, garbage included where there is no ceiling.", byteStates, func(s stats) int64 { return s.Bytes.InUse }, nil},
	{"basin_idle_bytes", "basin.pool.memory.usage", State, "idle", "By", Level, "Bytes idle: retained for the next request.", byteStates, func(s stats) int64 { return s.Bytes.Idle }, ofPool},
	{"basin_max_idle_bytes", "basin.pool.memory.idle.max", "", "", "By", Level, "Limit on idle bytes.", "", func(s stats) int64 { return s.Bytes.MaxIdle }, func(s stats) bool { return s.Bytes.MaxIdle > 0 }},
	{"basin_max_in_use_bytes", "basin.pool.memory.in_use.max", "", "", "By", Level, "Ceiling on outstanding bytes, if there is one.", "", func(s stats) int64 { return s.Bytes.MaxInUse }, func(s stats) bool { return s.Bytes.MaxInUse > 0 }},
	{"basin_reserved_bytes", "basin.pool.memory.reserved", "", "", "By", Level, "Bytes that reservations under a Limit hold in advance. They are not in use.", "", func(s stats) int64 { return s.Reserved }, basinexport.OfLimit},

	{"basin_peak_in_use_items", "basin.pool.item.in_use.peak", "", "", "{item}", Level, "Most items outstanding at one time, as far as statistics were read.", "", func(s stats) int64 { return s.PeakInUse.Items }, nil},
	{"basin_peak_in_use_bytes", "basin.pool.memory.in_use.peak", "", "", "By", Level, "Most bytes outstanding at one time: exact under a ceiling, else as far as statistics were read.", "", func(s stats) int64 { return s.PeakInUse.Bytes }, nil},
	{"basin_outside_in_use_items", "basin.pool.item.in_use.outside", "", "", "{item}", Level, "Outstanding items larger than MaxSize.", "", func(s stats) int64 { return s.OutsideInUse.Items }, ofPool},
	{"basin_outside_in_use_bytes", "basin.pool.memory.in_use.outside", "", "", "By", Level, "Bytes of outstanding items larger than MaxSize.", "", func(s stats) int64 { return s.OutsideInUse.Bytes }, ofPool},

	{"basin_waiting_requests", "basin.pool.pending_requests", "", "", "{request}", Level, "Requests that wait now.", "", func(s stats) int64 { return int64(s.Waiting) }, nil},
	{"basin_waited_total", "basin.pool.waits", "", "", "{request}", Counter, "Requests that had to wait.", "", func(s stats) int64 { return int64(s.Waited) }, nil},
	{"basin_longest_wait_seconds", "basin.pool.wait.longest", "", "", "s", Longest, "Longest that a request has waited so far.", "", func(s stats) int64 { return int64(s.LongestWait) }, nil},
	{"basin_recent_longest_wait_seconds", "basin.pool.wait.recent_longest", "", "", "s", Longest, "Longest that a request has waited in the last one to two minutes.", "", func(s stats) int64 { return int64(s.RecentLongestWait) }, nil},
	{"basin_refused_total", "basin.pool.refusals", "", "", "{request}", Counter, "Requests that got nothing: would not wait, gave up or asked for too much.", "", func(s stats) int64 { return int64(s.Refused) }, nil},
	{"basin_beyond_total", "basin.pool.beyond", "", "", "{request}", Counter, "Requests that went beyond a limit, because they can neither wait nor fail.", "", func(s stats) int64 { return int64(s.Beyond) }, nil},

	// Prometheus has a histogram of waits instead.
	{"", "basin.pool.wait.total", "", "", "s", Counter, "Sum of the waits of requests.", "", func(s stats) int64 { return int64(s.TotalWait) }, nil},
}, slices.Concat(waits(), misuses())...)

func drop(reason string, of func(*basin.Drops) uint64) Figure[stats] {
	return Figure[stats]{"basin_drops_total", "basin.pool.drops", Reason, reason, "{item}", Counter, dropped, "", func(s stats) int64 { return int64(of(&s.Drops)) }, ofPool}
}

// waits are there once a request has waited.
func waits() (all []Figure[stats]) {
	for i, time := range WaitTimes {
		all = append(all, Figure[stats]{"", "basin.pool.wait.times", Wait, time, "{request}", Counter, waitedFor, "",
			func(s stats) int64 { return int64(s.WaitTimes[i]) }, func(s stats) bool { return s.Waited > 0 }})
	}
	return all
}

// WaitTimes are the names of the counts in WaitTimes of [basin.Stats].
var WaitTimes = [...]string{"under_1ms", "under_10ms", "under_100ms", "under_1s", "under_10s", "under_100s", "under_1000s", "longer"}

// misuses are there if checks are on, or have found something in the pools.
func misuses() (all []Figure[stats]) {
	checked := func(s stats) bool { return ofPool(s) && basinexport.Checked(s) }
	for _, k := range basincheck.Kinds() {
		of := func(s stats) int64 { return int64(s.Misuse.Of(k)) }
		f := Figure[stats]{"basin_misuse_total", "basin.pool.misuses", Misuse, k.Name(), "{misuse}", Counter, "Misuse that checks have found, by reason.", "Misuse that checks have found, by kind.", of, checked}
		if k == basincheck.Leak {
			f = Figure[stats]{"basin_leaks_total", "basin.pool.leaks", "", "", "{item}", Counter, "Tracked items that became garbage and were never put back; an estimate if checks are sampled.", "", of, checked}
		}
		all = append(all, f)
	}
	return all
}

// Classes are the figures of a size class.
var Classes = []Figure[class]{
	{"basin_class_gets_total", "", "", "", "{get}", Counter, "Requests served from a size class.", "", func(c class) int64 { return int64(c.Gets) }, nil},
	{"basin_class_hits_total", "basin.class.gets", Result, "hit", "{get}", Counter, "Requests served from a size class with a recycled item.", classServed, func(c class) int64 { return int64(c.Hits) }, nil},
	{"basin_class_misses_total", "basin.class.gets", Result, "miss", "{get}", Counter, "Requests served from a size class with a new item.", classServed, func(c class) int64 { return int64(c.Misses) }, nil},
	{"basin_class_puts_total", "basin.class.puts", "", "", "{put}", Counter, "Items of a size class put back.", "", func(c class) int64 { return int64(c.Puts) }, nil},
	{"basin_class_drops_total", "basin.class.drops", Reason, "double", "{item}", Counter, classDrops, "", func(c class) int64 { return int64(c.Double) }, nil},
	{"basin_class_drops_total", "basin.class.drops", Reason, "full", "{item}", Counter, classDrops, "", func(c class) int64 { return int64(c.Full) }, nil},
	{"basin_class_drops_total", "basin.class.drops", Reason, "checked", "{item}", Counter, classDrops, "", func(c class) int64 { return int64(c.Checked) }, nil},
	{"basin_class_trimmed_total", "basin.class.trims", "", "", "{item}", Counter, "Idle items of a size class released.", "", func(c class) int64 { return int64(c.Trimmed) }, nil},
	{"basin_class_lost_total", "basin.class.losses", "", "", "{item}", Counter, "Items of a size class" + nowGarbage, "", func(c class) int64 { return int64(c.Lost) }, nil},
	{"basin_class_asked_bytes_total", "basin.class.asked", "", "", "By", Counter, "Sum of the lengths asked for that a size class served, in bytes.", "", func(c class) int64 { return int64(c.AskedBytes) }, nil},
	{"basin_class_handed_out_bytes_total", "basin.class.handed_out", "", "", "By", Counter, "Sum of the capacities that a size class handed out, in bytes.", "", func(c class) int64 { return int64(c.HandedOutBytes) }, nil},
	{"basin_class_in_use_bytes", "basin.class.memory.usage", State, "in_use", "By", Level, "Bytes of a size class outstanding.", classStates, func(c class) int64 { return c.Bytes.InUse }, nil},
	{"basin_class_idle_bytes", "basin.class.memory.usage", State, "idle", "By", Level, "Bytes of a size class idle.", classStates, func(c class) int64 { return c.Bytes.Idle }, nil},
}

// Guarded are the figures of guarded memory, once there has been any.
var Guarded = []Figure[basincheck.Usage]{
	{"basin_guard_bytes", "basin.guard.memory.usage", "", "", "By", Level, "Guarded memory of checks: pages of outstanding slices, and bookkeeping.", "", func(u basincheck.Usage) int64 { return u.GuardBytes }, guarding},
	{"basin_max_guard_bytes", "basin.guard.memory.max", "", "", "By", Level, "Limit on guarded memory of checks.", "", func(u basincheck.Usage) int64 { return u.MaxGuardBytes }, guarding},
}

func guarding(u basincheck.Usage) bool { return u.MaxGuardBytes > 0 }

// Sites are the figures of a line of the program.
var Sites = []Figure[basinexport.SiteCounts]{
	{"basin_site_gets_total", "basin.site.gets", "", "", "{item}", Counter, "Tracked items that a line of the program has acquired and must put back; an estimate if checks are sampled.", "", func(s basinexport.SiteCounts) int64 { return int64(s.Gets) }, nil},
	{"basin_site_puts_total", "basin.site.puts", "", "", "{item}", Counter, "Acquired items of a line of the program that were put back, at any line.", "", func(s basinexport.SiteCounts) int64 { return int64(s.Puts) }, nil},
	{"basin_site_leaks_total", "basin.site.leaks", "", "", "{item}", Counter, "Acquired items of a line of the program that became garbage and were never put back.", "", func(s basinexport.SiteCounts) int64 { return int64(s.Leaks) }, nil},
	{"basin_site_unfreed_total", "basin.site.unfreed", "", "", "{item}", Counter, "Tracked items of a line of the program that need not be put back, and became garbage: Buffers without Free; an estimate if checks are sampled.", "", func(s basinexport.SiteCounts) int64 { return int64(s.Unfreed) }, nil},
}
