package basinotel

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/export"
)

type kind int

const (
	counter kind = iota
	upDownCounter
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

// A value is one of those that an instrument observes of a T.
type value[T any] struct {
	attr attribute.KeyValue // that tells it from the others, if there are others
	of   func(T) int64
}

func one[T any](of func(T) int64) []value[T] { return []value[T]{{of: of}} }

type (
	snapshot = *basin.Snapshot
	class    = *basin.ClassStats
)

var (
	hit      = ResultKey.String("hit")
	miss     = ResultKey.String("miss")
	oversize = ResultKey.String("oversize")
	used     = StateKey.String("used")
	idle     = StateKey.String("idle")
)

// poolMetrics has the metrics of a pool, and which pools have them if not all do.
var poolMetrics = []struct {
	instrument
	has    func(snapshot) bool
	values []value[snapshot]
}{
	{instrument{counter, "basin.pool.gets", "{get}", "Requests, by how they were served."}, nil, []value[snapshot]{
		{hit, func(s snapshot) int64 { return int64(s.Hits) }},
		{miss, func(s snapshot) int64 { return int64(s.Misses) }},
		{oversize, func(s snapshot) int64 { return int64(s.Oversize) }},
	}},
	{instrument{counter, "basin.pool.puts", "{put}", "Items given back that can be the pool's."}, nil,
		one(func(s snapshot) int64 { return int64(s.Puts) })},
	{instrument{counter, "basin.pool.drops", "{item}", "Items given back that were not kept, by reason."}, nil, []value[snapshot]{
		{ReasonKey.String("empty"), func(s snapshot) int64 { return int64(s.DropsBy.Empty) }},
		{ReasonKey.String("small"), func(s snapshot) int64 { return int64(s.DropsBy.Small) }},
		{ReasonKey.String("large"), func(s snapshot) int64 { return int64(s.DropsBy.Large) }},
		{ReasonKey.String("foreign"), func(s snapshot) int64 { return int64(s.DropsBy.Foreign) }},
		{ReasonKey.String("misaligned"), func(s snapshot) int64 { return int64(s.DropsBy.Misaligned) }},
		{ReasonKey.String("double"), func(s snapshot) int64 { return int64(s.DropsBy.Double) }},
		{ReasonKey.String("full"), func(s snapshot) int64 { return int64(s.DropsBy.Full) }},
	}},
	{instrument{counter, "basin.pool.trims", "{item}", "Idle items let go."}, nil,
		one(func(s snapshot) int64 { return int64(s.Trimmed) })},

	{instrument{upDownCounter, "basin.pool.item.count", "{item}", "Items handed out and not given back, and kept."}, nil, []value[snapshot]{
		{used, func(s snapshot) int64 { return s.InUse }},
		{idle, func(s snapshot) int64 { return s.Idle }},
	}},
	{instrument{upDownCounter, "basin.pool.item.idle.max", "{item}", "Most items that are kept."}, func(s snapshot) bool { return s.MaxIdleItems > 0 },
		one(func(s snapshot) int64 { return s.MaxIdleItems })},

	{instrument{counter, "basin.pool.asked", "By", "Bytes asked for."}, ofBytes,
		one(func(s snapshot) int64 { return int64(s.AskedBytes) })},
	{instrument{counter, "basin.pool.handed_out", "By", "Bytes handed out for those asked for."}, ofBytes,
		one(func(s snapshot) int64 { return int64(s.HandedOutBytes) })},
	{instrument{counter, "basin.pool.oversize", "By", "Bytes asked for and handed out by oversize requests."}, ofBytes,
		one(func(s snapshot) int64 { return int64(s.OversizeBytes) })},
	{instrument{upDownCounter, "basin.pool.memory.usage", "By", "Bytes handed out and not given back, and kept."}, ofBytes, []value[snapshot]{
		{used, func(s snapshot) int64 { return s.InUseBytes }},
		{idle, func(s snapshot) int64 { return s.IdleBytes }},
	}},
	{instrument{upDownCounter, "basin.pool.memory.idle.max", "By", "Most bytes that are kept."}, func(s snapshot) bool { return s.MaxIdle > 0 },
		one(func(s snapshot) int64 { return s.MaxIdle })},
	{instrument{upDownCounter, "basin.pool.memory.used.max", "By", "Most bytes that are handed out, if there is a ceiling."}, func(s snapshot) bool { return s.MaxInUse > 0 },
		one(func(s snapshot) int64 { return s.MaxInUse })},

	{instrument{upDownCounter, "basin.pool.pending_requests", "{request}", "Requests that wait at the moment."}, nil,
		one(func(s snapshot) int64 { return int64(s.Waiting) })},
	{instrument{counter, "basin.pool.waits", "{request}", "Requests that had to wait."}, nil,
		one(func(s snapshot) int64 { return int64(s.Waited) })},
	{instrument{counter, "basin.pool.refusals", "{request}", "Requests that got nothing: would not wait, gave up or asked for too much."}, nil,
		one(func(s snapshot) int64 { return int64(s.Refused) })},

	{instrument{counter, "basin.pool.misuses", "{misuse}", "Misuse that checked mode has found, by kind."}, export.Checked, misuses()},
}

func misuses() (values []value[snapshot]) {
	for _, m := range export.Misuse {
		values = append(values, value[snapshot]{MisuseKey.String(m.Kind), func(s snapshot) int64 { return int64(m.Of(s)) }})
	}
	return values
}

func ofBytes(s snapshot) bool { return !export.OfValues(s) }

// classMetrics has the metrics of a size class.
var classMetrics = []struct {
	instrument
	values []value[class]
}{
	{instrument{counter, "basin.class.gets", "{get}", "Requests served from a size class, by how they were served."}, []value[class]{
		{hit, func(c class) int64 { return int64(c.Hits) }},
		{miss, func(c class) int64 { return int64(c.Misses) }},
	}},
	{instrument{counter, "basin.class.puts", "{put}", "Items of a size class given back."},
		one(func(c class) int64 { return int64(c.Puts) })},
	{instrument{counter, "basin.class.drops", "{item}", "Items of a size class given back that were not kept, by reason."}, []value[class]{
		{ReasonKey.String("double"), func(c class) int64 { return int64(c.Double) }},
		{ReasonKey.String("full"), func(c class) int64 { return int64(c.Full) }},
	}},
	{instrument{counter, "basin.class.trims", "{item}", "Idle items of a size class let go."},
		one(func(c class) int64 { return int64(c.Trimmed) })},
	{instrument{counter, "basin.class.asked", "By", "Bytes asked for that a size class served."},
		one(func(c class) int64 { return int64(c.AskedBytes) })},
	{instrument{counter, "basin.class.handed_out", "By", "Bytes that a size class handed out for those asked for."},
		one(func(c class) int64 { return int64(c.HandedOutBytes) })},
	{instrument{upDownCounter, "basin.class.memory.usage", "By", "Bytes of a size class handed out and not given back, and kept."}, []value[class]{
		{used, func(c class) int64 { return c.InUseBytes }},
		{idle, func(c class) int64 { return c.IdleBytes }},
	}},
}
