package basinprom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/export"
)

const (
	counter = prometheus.CounterValue
	gauge   = prometheus.GaugeValue
)

type metric struct {
	name, help string
	kind       prometheus.ValueType
	reason     string // value of the label reason, if there is one
}

const (
	drops      = "Items given back that were not kept, by reason."
	classDrops = "Items of a size class given back that were not kept, by reason."
)

// poolMetrics has the metrics of a pool, and whether it has them.
var poolMetrics = []struct {
	metric
	of func(*basin.Snapshot) (v float64, ok bool)
}{
	{metric{"basin_gets_total", "Requests: hits, misses and oversize.", counter, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.Gets) })},
	{metric{"basin_hits_total", "Requests served with something recycled.", counter, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.Hits) })},
	{metric{"basin_misses_total", "Requests served with something new.", counter, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.Misses) })},
	{metric{"basin_oversize_total", "Requests too large for the pool or its ceiling, served by the allocator.", counter, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.Oversize) })},
	{metric{"basin_puts_total", "Items given back that can be the pool's.", counter, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.Puts) })},
	{metric{"basin_drops_total", drops, counter, "empty"}, always(func(s *basin.Snapshot) float64 { return float64(s.DropsBy.Empty) })},
	{metric{"basin_drops_total", drops, counter, "small"}, always(func(s *basin.Snapshot) float64 { return float64(s.DropsBy.Small) })},
	{metric{"basin_drops_total", drops, counter, "large"}, always(func(s *basin.Snapshot) float64 { return float64(s.DropsBy.Large) })},
	{metric{"basin_drops_total", drops, counter, "foreign"}, always(func(s *basin.Snapshot) float64 { return float64(s.DropsBy.Foreign) })},
	{metric{"basin_drops_total", drops, counter, "misaligned"}, always(func(s *basin.Snapshot) float64 { return float64(s.DropsBy.Misaligned) })},
	{metric{"basin_drops_total", drops, counter, "double"}, always(func(s *basin.Snapshot) float64 { return float64(s.DropsBy.Double) })},
	{metric{"basin_drops_total", drops, counter, "full"}, always(func(s *basin.Snapshot) float64 { return float64(s.DropsBy.Full) })},
	{metric{"basin_trimmed_total", "Idle items let go.", counter, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.Trimmed) })},

	{metric{"basin_in_use_items", "Items handed out and not given back.", gauge, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.InUse) })},
	{metric{"basin_idle_items", "Items kept for the next request.", gauge, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.Idle) })},
	{metric{"basin_max_idle_items", "Most items that are kept.", gauge, ""}, limit(func(s *basin.Snapshot) int64 { return s.MaxIdleItems })},

	{metric{"basin_asked_bytes_total", "Bytes asked for.", counter, ""}, bytes(func(s *basin.Snapshot) float64 { return float64(s.AskedBytes) })},
	{metric{"basin_handed_out_bytes_total", "Bytes handed out for those asked for.", counter, ""}, bytes(func(s *basin.Snapshot) float64 { return float64(s.HandedOutBytes) })},
	{metric{"basin_oversize_bytes_total", "Bytes asked for and handed out by oversize requests.", counter, ""}, bytes(func(s *basin.Snapshot) float64 { return float64(s.OversizeBytes) })},
	{metric{"basin_in_use_bytes", "Bytes handed out and not given back.", gauge, ""}, bytes(func(s *basin.Snapshot) float64 { return float64(s.InUseBytes) })},
	{metric{"basin_idle_bytes", "Bytes kept for the next request.", gauge, ""}, bytes(func(s *basin.Snapshot) float64 { return float64(s.IdleBytes) })},
	{metric{"basin_max_idle_bytes", "Most bytes that are kept.", gauge, ""}, limit(func(s *basin.Snapshot) int64 { return s.MaxIdle })},
	{metric{"basin_max_in_use_bytes", "Most bytes that are handed out, if there is a ceiling.", gauge, ""}, limit(func(s *basin.Snapshot) int64 { return s.MaxInUse })},

	{metric{"basin_waiting_requests", "Requests that wait at the moment.", gauge, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.Waiting) })},
	{metric{"basin_waited_total", "Requests that had to wait.", counter, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.Waited) })},
	{metric{"basin_longest_wait_seconds", "Longest that a request has waited so far.", gauge, ""}, always(func(s *basin.Snapshot) float64 { return s.LongestWait.Seconds() })},
	{metric{"basin_refused_total", "Requests that got nothing: would not wait, gave up or asked for too much.", counter, ""}, always(func(s *basin.Snapshot) float64 { return float64(s.Refused) })},
}

func init() {
	for _, m := range export.Misuse {
		poolMetrics = append(poolMetrics, struct {
			metric
			of func(*basin.Snapshot) (v float64, ok bool)
		}{
			metric{"basin_misuse_total", "Misuse that checked mode has found, by reason.", counter, m.Kind},
			func(s *basin.Snapshot) (float64, bool) { return float64(m.Of(s)), export.Checked(s) },
		})
	}
}

func always(of func(*basin.Snapshot) float64) func(*basin.Snapshot) (float64, bool) {
	return func(s *basin.Snapshot) (float64, bool) { return of(s), true }
}

// bytes is for what is known of pools of bytes only.
func bytes(of func(*basin.Snapshot) float64) func(*basin.Snapshot) (float64, bool) {
	return func(s *basin.Snapshot) (float64, bool) { return of(s), !export.OfValues(s) }
}

// limit is for what is zero if there is no limit.
func limit(of func(*basin.Snapshot) int64) func(*basin.Snapshot) (float64, bool) {
	return func(s *basin.Snapshot) (float64, bool) { n := of(s); return float64(n), n > 0 }
}

// classMetrics has the metrics of a size class.
var classMetrics = []struct {
	metric
	of func(*basin.ClassStats) float64
}{
	{metric{"basin_class_gets_total", "Requests served from a size class.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Gets) }},
	{metric{"basin_class_hits_total", "Requests served from a size class with something recycled.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Hits) }},
	{metric{"basin_class_misses_total", "Requests served from a size class with something new.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Misses) }},
	{metric{"basin_class_puts_total", "Items of a size class given back.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Puts) }},
	{metric{"basin_class_drops_total", classDrops, counter, "double"}, func(c *basin.ClassStats) float64 { return float64(c.Double) }},
	{metric{"basin_class_drops_total", classDrops, counter, "full"}, func(c *basin.ClassStats) float64 { return float64(c.Full) }},
	{metric{"basin_class_trimmed_total", "Idle items of a size class let go.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Trimmed) }},
	{metric{"basin_class_asked_bytes_total", "Bytes asked for that a size class served.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.AskedBytes) }},
	{metric{"basin_class_handed_out_bytes_total", "Bytes that a size class handed out for those asked for.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.HandedOutBytes) }},
	{metric{"basin_class_in_use_bytes", "Bytes of a size class handed out and not given back.", gauge, ""}, func(c *basin.ClassStats) float64 { return float64(c.InUseBytes) }},
	{metric{"basin_class_idle_bytes", "Bytes of a size class kept for the next request.", gauge, ""}, func(c *basin.ClassStats) float64 { return float64(c.IdleBytes) }},
}
