package basinotel

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
)

type kind int

const (
	counter kind = iota
	upDownCounter
	gauge // of durations only
)

type instrument struct {
	kind                    kind
	name, unit, description string
}

// in makes the instrument.
func (i instrument) in(m metric.Meter) (metric.Int64Observable, error) {
	if i.kind == counter {
		return m.Int64ObservableCounter(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.description))
	}
	return m.Int64ObservableUpDownCounter(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.description))
}

// A value is one of the values that an instrument observes of a T.
type value[T any] struct {
	attr attribute.KeyValue // distinguishes the values of an instrument, if there are several
	of   func(T) int64
}

func one[T any](of func(T) int64) []value[T] { return []value[T]{{of: of}} }

type (
	pool  = *basin.Stats
	class = *basin.ClassStats
)

var (
	hit     = ResultKey.String("hit")
	miss    = ResultKey.String("miss")
	outside = ResultKey.String("outside")
	inUse   = StateKey.String("in_use")
	idle    = StateKey.String("idle")
)

// poolMetrics has the metrics of a pool. has reports whether the pool has the metric; nil means always.
var poolMetrics = []struct {
	instrument
	has    func(pool) bool
	values []value[pool]
}{
	{instrument{counter, "basin.pool.gets", "{get}", "Requests, by how they were served."}, ofPool, []value[pool]{
		{hit, func(s pool) int64 { return int64(s.Hits) }},
		{miss, func(s pool) int64 { return int64(s.Misses) }},
		{outside, func(s pool) int64 { return int64(s.Outside) }},
	}},
	{instrument{counter, "basin.pool.puts", "{put}", "Items put back that can be the pool's."}, ofPool,
		one(func(s pool) int64 { return int64(s.Puts) })},
	{instrument{counter, "basin.pool.adoptions", "{item}", "Slices of other origin that were cut to a size class."}, ofPool,
		one(func(s pool) int64 { return int64(s.Adopted) })},
	{instrument{counter, "basin.pool.drops", "{item}", "Items put back and not retained, by reason."}, ofPool, []value[pool]{
		{ReasonKey.String("empty"), func(s pool) int64 { return int64(s.Drops.Empty) }},
		{ReasonKey.String("small"), func(s pool) int64 { return int64(s.Drops.Small) }},
		{ReasonKey.String("large"), func(s pool) int64 { return int64(s.Drops.Large) }},
		{ReasonKey.String("outside"), func(s pool) int64 { return int64(s.Drops.Outside) }},
		{ReasonKey.String("foreign"), func(s pool) int64 { return int64(s.Drops.Foreign) }},
		{ReasonKey.String("misaligned"), func(s pool) int64 { return int64(s.Drops.Misaligned) }},
		{ReasonKey.String("double"), func(s pool) int64 { return int64(s.Drops.Double) }},
		{ReasonKey.String("full"), func(s pool) int64 { return int64(s.Drops.Full) }},
		{ReasonKey.String("checked"), func(s pool) int64 { return int64(s.Drops.Checked) }},
	}},
	{instrument{counter, "basin.pool.trims", "{item}", "Idle items released."}, ofPool,
		one(func(s pool) int64 { return int64(s.Trimmed) })},
	{instrument{counter, "basin.pool.losses", "{item}", "Items that were handed out under a ceiling, never put back, and are garbage now."}, nil,
		one(func(s pool) int64 { return s.Lost.Items })},

	{instrument{upDownCounter, "basin.pool.item.count", "{item}", "Items by state: outstanding (handed out and not put back), and idle."}, ofPool, []value[pool]{
		{inUse, func(s pool) int64 { return s.Items.InUse }},
		{idle, func(s pool) int64 { return s.Items.Idle }},
	}},
	{instrument{upDownCounter, "basin.pool.item.idle.max", "{item}", "Limit on idle items."}, func(s pool) bool { return s.Items.MaxIdle > 0 },
		one(func(s pool) int64 { return s.Items.MaxIdle })},
	{instrument{upDownCounter, "basin.pool.item.in_use.max", "{item}", "Ceiling on outstanding items, if there is one."}, func(s pool) bool { return s.Items.MaxInUse > 0 },
		one(func(s pool) int64 { return s.Items.MaxInUse })},

	{instrument{counter, "basin.pool.asked", "By", "Sum of the lengths asked for, in bytes."}, bytesOfPool,
		one(func(s pool) int64 { return int64(s.AskedBytes) })},
	{instrument{counter, "basin.pool.handed_out", "By", "Sum of the capacities handed out, in bytes."}, bytesOfPool,
		one(func(s pool) int64 { return int64(s.HandedOutBytes) })},
	{instrument{counter, "basin.pool.outside", "By", "Bytes of requests that the heap served: larger than MaxSize."}, bytesOfPool,
		one(func(s pool) int64 { return int64(s.OutsideBytes) })},
	{instrument{counter, "basin.pool.lost", "By", "Bytes that were handed out under a ceiling, never put back, and are garbage now."}, ofBytes,
		one(func(s pool) int64 { return s.Lost.Bytes })},
	{instrument{upDownCounter, "basin.pool.memory.usage", "By", "Bytes by state: outstanding (handed out and not put back), and idle."}, ofBytes, []value[pool]{
		{inUse, func(s pool) int64 { return s.Bytes.InUse }},
		{idle, func(s pool) int64 { return s.Bytes.Idle }},
	}},
	{instrument{upDownCounter, "basin.pool.memory.idle.max", "By", "Limit on idle bytes."}, func(s pool) bool { return s.Bytes.MaxIdle > 0 },
		one(func(s pool) int64 { return s.Bytes.MaxIdle })},
	{instrument{upDownCounter, "basin.pool.memory.in_use.max", "By", "Ceiling on outstanding bytes, if there is one."}, func(s pool) bool { return s.Bytes.MaxInUse > 0 },
		one(func(s pool) int64 { return s.Bytes.MaxInUse })},

	{instrument{upDownCounter, "basin.pool.memory.reserved", "By", "Bytes that reservations under a Limit hold in advance. They are not in use."}, basinexport.OfLimit,
		one(func(s pool) int64 { return s.Reserved })},

	{instrument{upDownCounter, "basin.pool.item.in_use.peak", "{item}", "Most items outstanding at one time, as far as statistics were read."}, nil,
		one(func(s pool) int64 { return s.PeakInUse.Items })},
	{instrument{upDownCounter, "basin.pool.memory.in_use.peak", "By", "Most bytes outstanding at one time: exact under a ceiling, else as far as statistics were read."}, ofBytes,
		one(func(s pool) int64 { return s.PeakInUse.Bytes })},
	{instrument{upDownCounter, "basin.pool.item.in_use.outside", "{item}", "Outstanding items larger than MaxSize."}, ofPool,
		one(func(s pool) int64 { return s.OutsideInUse.Items })},
	{instrument{upDownCounter, "basin.pool.memory.in_use.outside", "By", "Bytes of outstanding items larger than MaxSize."}, bytesOfPool,
		one(func(s pool) int64 { return s.OutsideInUse.Bytes })},

	{instrument{upDownCounter, "basin.pool.pending_requests", "{request}", "Requests that wait now."}, nil,
		one(func(s pool) int64 { return int64(s.Waiting) })},
	{instrument{counter, "basin.pool.waits", "{request}", "Requests that had to wait."}, nil,
		one(func(s pool) int64 { return int64(s.Waited) })},
	{instrument{counter, "basin.pool.wait.times", "{request}", "Requests that have waited, by how long."}, func(s pool) bool { return s.Waited > 0 }, []value[pool]{
		{WaitTimeKey.String("under_1ms"), func(s pool) int64 { return int64(s.WaitTimes.Under1ms) }},
		{WaitTimeKey.String("under_10ms"), func(s pool) int64 { return int64(s.WaitTimes.Under10ms) }},
		{WaitTimeKey.String("under_100ms"), func(s pool) int64 { return int64(s.WaitTimes.Under100ms) }},
		{WaitTimeKey.String("under_1s"), func(s pool) int64 { return int64(s.WaitTimes.Under1s) }},
		{WaitTimeKey.String("under_10s"), func(s pool) int64 { return int64(s.WaitTimes.Under10s) }},
		{WaitTimeKey.String("longer"), func(s pool) int64 { return int64(s.WaitTimes.Longer) }},
	}},
	{instrument{counter, "basin.pool.refusals", "{request}", "Requests that got nothing: would not wait, gave up or asked for too much."}, nil,
		one(func(s pool) int64 { return int64(s.Refused) })},
	{instrument{counter, "basin.pool.beyond", "{request}", "Requests that went beyond a limit, because they can neither wait nor fail."}, nil,
		one(func(s pool) int64 { return int64(s.Beyond) })},

	{instrument{counter, "basin.pool.misuses", "{misuse}", "Misuse that checks have found, by kind."}, checked, misuses()},
	{instrument{counter, "basin.pool.leaks", "{item}", "Tracked items that became garbage and were never put back; an estimate if checks are sampled."}, checked,
		one(func(s pool) int64 { return int64(s.Misuse.Of(basincheck.Leak)) })},
}

// guardMetrics has the metrics of guarded memory, once there has been any. They have no attributes.
var guardMetrics = []struct {
	instrument
	of func(basincheck.Usage) int64
}{
	{instrument{upDownCounter, "basin.guard.memory.usage", "By", "Guarded memory of checks: pages of outstanding slices, and bookkeeping."},
		func(u basincheck.Usage) int64 { return u.GuardBytes }},
	{instrument{upDownCounter, "basin.guard.memory.max", "By", "Limit on guarded memory of checks."},
		func(u basincheck.Usage) int64 { return u.MaxGuardBytes }},
}

// siteMetrics has the metrics of a line of the program.
var siteMetrics = []struct {
	instrument
	of func(basinexport.SiteCounts) uint64
}{
	{instrument{counter, "basin.site.gets", "{item}", "Tracked items that a line of the program has acquired and must put back; an estimate if checks are sampled."},
		func(s basinexport.SiteCounts) uint64 { return s.Gets }},
	{instrument{counter, "basin.site.puts", "{item}", "Items of basin.site.gets that were put back, at any line."},
		func(s basinexport.SiteCounts) uint64 { return s.Puts }},
	{instrument{counter, "basin.site.leaks", "{item}", "Items of basin.site.gets that became garbage and were never put back."},
		func(s basinexport.SiteCounts) uint64 { return s.Leaks }},
	{instrument{counter, "basin.site.unfreed", "{item}", "Tracked items of a line of the program that need not be put back, and became garbage: Buffers without Free; an estimate if checks are sampled."},
		func(s basinexport.SiteCounts) uint64 { return s.Unfreed }},
}

func misuses() (values []value[pool]) {
	for _, k := range basincheck.Kinds() {
		if k == basincheck.Leak {
			continue
		}
		values = append(values, value[pool]{MisuseKey.String(k.Name()), func(s pool) int64 { return int64(s.Misuse.Of(k)) }})
	}
	return values
}

// durationMetrics has the metrics of a pool that are durations.
var durationMetrics = []struct {
	instrument
	of func(pool) time.Duration
}{
	{instrument{counter, "basin.pool.wait.total", "s", "Sum of the waits of requests."}, func(s pool) time.Duration { return s.TotalWait }},
	{instrument{gauge, "basin.pool.wait.longest", "s", "Longest that a request has waited so far."}, func(s pool) time.Duration { return s.LongestWait }},
	{instrument{gauge, "basin.pool.wait.recent_longest", "s", "Longest that a request has waited in the last one to two minutes."}, func(s pool) time.Duration { return s.RecentLongestWait }},
}

// inSeconds makes the instrument, for durations.
func (i instrument) inSeconds(m metric.Meter) (metric.Float64Observable, error) {
	if i.kind == counter {
		return m.Float64ObservableCounter(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.description))
	}
	return m.Float64ObservableGauge(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.description))
}

// ofPool reports whether s is of pools, and not of a Limit.
func ofPool(s pool) bool { return !basinexport.OfLimit(s) }

// bytesOfPool reports whether s is of pools that know the size of their items.
func bytesOfPool(s pool) bool { return ofPool(s) && ofBytes(s) }

// checked reports whether checks are on, or have found something in the pools of s.
func checked(s pool) bool { return ofPool(s) && basinexport.Checked(s) }

// ofBytes reports whether s is of a Limit, or of pools that know the size of their items.
func ofBytes(s pool) bool { return s.Bytes.Idle != basin.Unknown }

// classMetrics has the metrics of a size class.
var classMetrics = []struct {
	instrument
	values []value[class]
}{
	{instrument{counter, "basin.class.gets", "{get}", "Requests served from a size class, by how they were served."}, []value[class]{
		{hit, func(c class) int64 { return int64(c.Hits) }},
		{miss, func(c class) int64 { return int64(c.Misses) }},
	}},
	{instrument{counter, "basin.class.puts", "{put}", "Items of a size class put back."},
		one(func(c class) int64 { return int64(c.Puts) })},
	{instrument{counter, "basin.class.drops", "{item}", "Items of a size class put back and not retained, by reason."}, []value[class]{
		{ReasonKey.String("double"), func(c class) int64 { return int64(c.Double) }},
		{ReasonKey.String("full"), func(c class) int64 { return int64(c.Full) }},
		{ReasonKey.String("checked"), func(c class) int64 { return int64(c.Checked) }},
	}},
	{instrument{counter, "basin.class.trims", "{item}", "Idle items of a size class released."},
		one(func(c class) int64 { return int64(c.Trimmed) })},
	{instrument{counter, "basin.class.losses", "{item}", "Items of a size class that were handed out under a ceiling, never put back, and are garbage now."},
		one(func(c class) int64 { return int64(c.Lost) })},
	{instrument{counter, "basin.class.asked", "By", "Sum of the lengths asked for that a size class served, in bytes."},
		one(func(c class) int64 { return int64(c.AskedBytes) })},
	{instrument{counter, "basin.class.handed_out", "By", "Sum of the capacities that a size class handed out, in bytes."},
		one(func(c class) int64 { return int64(c.HandedOutBytes) })},
	{instrument{upDownCounter, "basin.class.memory.usage", "By", "Bytes of a size class by state: outstanding, and idle."}, []value[class]{
		{inUse, func(c class) int64 { return c.Bytes.InUse }},
		{idle, func(c class) int64 { return c.Bytes.Idle }},
	}},
}
