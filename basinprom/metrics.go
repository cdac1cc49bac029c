package basinprom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
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
	drops      = "Items put back and not retained, by reason."
	classDrops = "Items of a size class put back and not retained, by reason."
)

// poolMetrics has the metrics of a pool. ok is false for those that the pool lacks.
var poolMetrics = []struct {
	metric
	of func(*basin.Stats) (v float64, ok bool)
}{
	{metric{"basin_gets_total", "Requests: hits, misses and outside.", counter, ""}, ofPool(func(s *basin.Stats) float64 { return float64(s.Gets) })},
	{metric{"basin_hits_total", "Requests served with a recycled item.", counter, ""}, ofPool(func(s *basin.Stats) float64 { return float64(s.Hits) })},
	{metric{"basin_misses_total", "Requests served with a new item.", counter, ""}, ofPool(func(s *basin.Stats) float64 { return float64(s.Misses) })},
	{metric{"basin_outside_total", "Requests that the heap served: larger than MaxSize.", counter, ""}, ofPool(func(s *basin.Stats) float64 { return float64(s.Outside) })},
	{metric{"basin_puts_total", "Items put back that can be the pool's.", counter, ""}, ofPool(func(s *basin.Stats) float64 { return float64(s.Puts) })},
	{metric{"basin_adopted_total", "Slices of other origin that were cut to a size class.", counter, ""}, ofPool(func(s *basin.Stats) float64 { return float64(s.Adopted) })},
	{metric{"basin_drops_total", drops, counter, "empty"}, ofPool(func(s *basin.Stats) float64 { return float64(s.Drops.Empty) })},
	{metric{"basin_drops_total", drops, counter, "small"}, ofPool(func(s *basin.Stats) float64 { return float64(s.Drops.Small) })},
	{metric{"basin_drops_total", drops, counter, "large"}, ofPool(func(s *basin.Stats) float64 { return float64(s.Drops.Large) })},
	{metric{"basin_drops_total", drops, counter, "outside"}, ofPool(func(s *basin.Stats) float64 { return float64(s.Drops.Outside) })},
	{metric{"basin_drops_total", drops, counter, "foreign"}, ofPool(func(s *basin.Stats) float64 { return float64(s.Drops.Foreign) })},
	{metric{"basin_drops_total", drops, counter, "misaligned"}, ofPool(func(s *basin.Stats) float64 { return float64(s.Drops.Misaligned) })},
	{metric{"basin_drops_total", drops, counter, "double"}, ofPool(func(s *basin.Stats) float64 { return float64(s.Drops.Double) })},
	{metric{"basin_drops_total", drops, counter, "full"}, ofPool(func(s *basin.Stats) float64 { return float64(s.Drops.Full) })},
	{metric{"basin_drops_total", drops, counter, "checked"}, ofPool(func(s *basin.Stats) float64 { return float64(s.Drops.Checked) })},
	{metric{"basin_trimmed_total", "Idle items released.", counter, ""}, ofPool(func(s *basin.Stats) float64 { return float64(s.Trimmed) })},
	{metric{"basin_lost_total", "Items that were handed out under a ceiling, never put back, and are garbage now.", counter, ""}, always(func(s *basin.Stats) float64 { return float64(s.Lost.Items) })},

	{metric{"basin_in_use_items", "Items outstanding: handed out and not put back, garbage included where there is no ceiling.", gauge, ""}, known(func(s *basin.Stats) int64 { return s.Items.InUse })},
	{metric{"basin_idle_items", "Items idle: retained for the next request.", gauge, ""}, knownOfPool(func(s *basin.Stats) int64 { return s.Items.Idle })},
	{metric{"basin_max_idle_items", "Limit on idle items.", gauge, ""}, limit(func(s *basin.Stats) int64 { return s.Items.MaxIdle })},
	{metric{"basin_max_in_use_items", "Ceiling on outstanding items, if there is one.", gauge, ""}, limit(func(s *basin.Stats) int64 { return s.Items.MaxInUse })},

	{metric{"basin_asked_bytes_total", "Sum of the lengths asked for, in bytes.", counter, ""}, bytes(func(s *basin.Stats) float64 { return float64(s.AskedBytes) })},
	{metric{"basin_handed_out_bytes_total", "Sum of the capacities handed out, in bytes.", counter, ""}, bytes(func(s *basin.Stats) float64 { return float64(s.HandedOutBytes) })},
	{metric{"basin_outside_bytes_total", "Bytes of requests that the heap served: larger than MaxSize.", counter, ""}, bytes(func(s *basin.Stats) float64 { return float64(s.OutsideBytes) })},
	{metric{"basin_lost_bytes_total", "Bytes that were handed out under a ceiling, never put back, and are garbage now.", counter, ""}, func(s *basin.Stats) (float64, bool) { return float64(s.Lost.Bytes), s.Bytes.Idle != basin.Unknown }},
	{metric{"basin_in_use_bytes", "Bytes outstanding: handed out and not put back, garbage included where there is no ceiling.", gauge, ""}, known(func(s *basin.Stats) int64 { return s.Bytes.InUse })},
	{metric{"basin_idle_bytes", "Bytes idle: retained for the next request.", gauge, ""}, knownOfPool(func(s *basin.Stats) int64 { return s.Bytes.Idle })},
	{metric{"basin_max_idle_bytes", "Limit on idle bytes.", gauge, ""}, limit(func(s *basin.Stats) int64 { return s.Bytes.MaxIdle })},
	{metric{"basin_max_in_use_bytes", "Ceiling on outstanding bytes, if there is one.", gauge, ""}, limit(func(s *basin.Stats) int64 { return s.Bytes.MaxInUse })},

	{metric{"basin_reserved_bytes", "Bytes that reservations under a Limit hold in advance. They are not in use.", gauge, ""}, func(s *basin.Stats) (float64, bool) { return float64(s.Reserved), basinexport.OfLimit(s) }},

	{metric{"basin_peak_in_use_items", "Most items outstanding at one time, as far as statistics were read.", gauge, ""}, known(func(s *basin.Stats) int64 { return s.PeakInUse.Items })},
	{metric{"basin_peak_in_use_bytes", "Most bytes outstanding at one time: exact under a ceiling, else as far as statistics were read.", gauge, ""}, known(func(s *basin.Stats) int64 { return s.PeakInUse.Bytes })},
	{metric{"basin_outside_in_use_items", "Outstanding items larger than MaxSize.", gauge, ""}, knownOfPool(func(s *basin.Stats) int64 { return s.OutsideInUse.Items })},
	{metric{"basin_outside_in_use_bytes", "Bytes of outstanding items larger than MaxSize.", gauge, ""}, knownOfPool(func(s *basin.Stats) int64 { return s.OutsideInUse.Bytes })},

	{metric{"basin_waiting_requests", "Requests that wait now.", gauge, ""}, always(func(s *basin.Stats) float64 { return float64(s.Waiting) })},
	{metric{"basin_waited_total", "Requests that had to wait.", counter, ""}, always(func(s *basin.Stats) float64 { return float64(s.Waited) })},
	{metric{"basin_longest_wait_seconds", "Longest that a request has waited so far.", gauge, ""}, always(func(s *basin.Stats) float64 { return s.LongestWait.Seconds() })},
	{metric{"basin_recent_longest_wait_seconds", "Longest that a request has waited in the last one to two minutes.", gauge, ""}, always(func(s *basin.Stats) float64 { return s.RecentLongestWait.Seconds() })},
	{metric{"basin_refused_total", "Requests that got nothing: would not wait, gave up or asked for too much.", counter, ""}, always(func(s *basin.Stats) float64 { return float64(s.Refused) })},
	{metric{"basin_beyond_total", "Requests that went beyond a limit, because they can neither wait nor fail.", counter, ""}, always(func(s *basin.Stats) float64 { return float64(s.Beyond) })},
}

func init() {
	for _, k := range basincheck.Kinds() {
		m := metric{"basin_misuse_total", "Misuse that checks have found, by reason.", counter, k.Name()}
		if k == basincheck.Leak {
			m = metric{"basin_leaks_total", "Tracked items that became garbage and were never put back; an estimate if checks are sampled.", counter, ""}
		}
		poolMetrics = append(poolMetrics, struct {
			metric
			of func(*basin.Stats) (v float64, ok bool)
		}{m, func(s *basin.Stats) (float64, bool) {
			return float64(s.Misuse.Of(k)), basinexport.Checked(s) && !basinexport.OfLimit(s)
		}})
	}
}

// guardMetrics has the metrics of guarded memory, once there has been any. They have no labels.
var guardMetrics = []struct {
	metric
	of func(basincheck.Usage) int64
}{
	{metric{"basin_guard_bytes", "Guarded memory of checks: pages of outstanding slices, and bookkeeping.", gauge, ""}, func(u basincheck.Usage) int64 { return u.GuardBytes }},
	{metric{"basin_max_guard_bytes", "Limit on guarded memory of checks.", gauge, ""}, func(u basincheck.Usage) int64 { return u.MaxGuardBytes }},
}

// siteMetrics has the metrics of a line of the program.
var siteMetrics = []struct {
	metric
	of func(basinexport.SiteCounts) uint64
}{
	{metric{"basin_site_gets_total", "Tracked items that a line of the program has acquired and must put back; an estimate if checks are sampled.", counter, ""}, func(s basinexport.SiteCounts) uint64 { return s.Gets }},
	{metric{"basin_site_puts_total", "Items of basin_site_gets_total that were put back, at any line.", counter, ""}, func(s basinexport.SiteCounts) uint64 { return s.Puts }},
	{metric{"basin_site_leaks_total", "Items of basin_site_gets_total that became garbage and were never put back.", counter, ""}, func(s basinexport.SiteCounts) uint64 { return s.Leaks }},
	{metric{"basin_site_unfreed_total", "Tracked items of a line of the program that need not be put back, and became garbage: Buffers without Free; an estimate if checks are sampled.", counter, ""}, func(s basinexport.SiteCounts) uint64 { return s.Unfreed }},
}

func always(of func(*basin.Stats) float64) func(*basin.Stats) (float64, bool) {
	return func(s *basin.Stats) (float64, bool) { return of(s), true }
}

// ofPool is for figures that a Limit lacks.
func ofPool(of func(*basin.Stats) float64) func(*basin.Stats) (float64, bool) {
	return func(s *basin.Stats) (float64, bool) { return of(s), !basinexport.OfLimit(s) }
}

// bytes is for figures that pools have if they know the size of their items.
func bytes(of func(*basin.Stats) float64) func(*basin.Stats) (float64, bool) {
	return func(s *basin.Stats) (float64, bool) {
		return of(s), s.Bytes.Idle != basin.Unknown && !basinexport.OfLimit(s)
	}
}

// known is for figures that may be Unknown.
func known(of func(*basin.Stats) int64) func(*basin.Stats) (float64, bool) {
	return func(s *basin.Stats) (float64, bool) { n := of(s); return float64(n), n != basin.Unknown }
}

// knownOfPool is known for figures that a Limit lacks.
func knownOfPool(of func(*basin.Stats) int64) func(*basin.Stats) (float64, bool) {
	known := known(of)
	return func(s *basin.Stats) (float64, bool) {
		v, ok := known(s)
		return v, ok && !basinexport.OfLimit(s)
	}
}

// limit is for figures that are zero if there is no limit.
func limit(of func(*basin.Stats) int64) func(*basin.Stats) (float64, bool) {
	return func(s *basin.Stats) (float64, bool) { n := of(s); return float64(n), n > 0 }
}

// classMetrics has the metrics of a size class.
var classMetrics = []struct {
	metric
	of func(*basin.ClassStats) float64
}{
	{metric{"basin_class_gets_total", "Requests served from a size class.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Gets) }},
	{metric{"basin_class_hits_total", "Requests served from a size class with a recycled item.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Hits) }},
	{metric{"basin_class_misses_total", "Requests served from a size class with a new item.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Misses) }},
	{metric{"basin_class_puts_total", "Items of a size class put back.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Puts) }},
	{metric{"basin_class_drops_total", classDrops, counter, "double"}, func(c *basin.ClassStats) float64 { return float64(c.Double) }},
	{metric{"basin_class_drops_total", classDrops, counter, "full"}, func(c *basin.ClassStats) float64 { return float64(c.Full) }},
	{metric{"basin_class_drops_total", classDrops, counter, "checked"}, func(c *basin.ClassStats) float64 { return float64(c.Checked) }},
	{metric{"basin_class_trimmed_total", "Idle items of a size class released.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Trimmed) }},
	{metric{"basin_class_lost_total", "Items of a size class that were handed out under a ceiling, never put back, and are garbage now.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.Lost) }},
	{metric{"basin_class_asked_bytes_total", "Sum of the lengths asked for that a size class served, in bytes.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.AskedBytes) }},
	{metric{"basin_class_handed_out_bytes_total", "Sum of the capacities that a size class handed out, in bytes.", counter, ""}, func(c *basin.ClassStats) float64 { return float64(c.HandedOutBytes) }},
	{metric{"basin_class_in_use_bytes", "Bytes of a size class outstanding.", gauge, ""}, func(c *basin.ClassStats) float64 { return float64(c.Bytes.InUse) }},
	{metric{"basin_class_idle_bytes", "Bytes of a size class idle.", gauge, ""}, func(c *basin.ClassStats) float64 { return float64(c.Bytes.Idle) }},
}

// waits describes the histogram of waits that have ended.
var waits = metric{name: "basin_wait_seconds", help: "How long requests had to wait, whether they were served or gave up."}

// waitBuckets returns the cumulative count at each bound of the histogram.
func waitBuckets(t *basin.WaitTimes) (count uint64, below map[float64]uint64) {
	below = map[float64]uint64{}
	for _, b := range []struct {
		seconds float64
		n       uint64
	}{{0.001, t.Under1ms}, {0.01, t.Under10ms}, {0.1, t.Under100ms}, {1, t.Under1s}, {10, t.Under10s}} {
		count += b.n
		below[b.seconds] = count
	}
	return count + t.Longer, below
}
