// Package basinprom exports the statistics of all basin pools of a program to
// Prometheus.
//
//	prometheus.MustRegister(basinprom.NewCollector(basinprom.Opts{}))
//
// The metrics are listed in docs/metrics.md of basin's repository.
package basinprom

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/figures"
)

// Opts selects the metrics of a Collector. Each option costs series.
type Opts struct {
	// Classes adds the metrics basin_class_*, for each size class that was ever used,
	// labelled with its size. A BytePool with the default MaxSize has up to 61 classes,
	// and one with the largest up to 97.
	Classes bool

	// Sites is the most lines of the program that have series of their own in the metrics
	// basin_site_*. While checks are on, these count the items that each line acquires from
	// pools. All other lines are added up as the site "other". Lines that leak come first.
	// Zero means basinexport.DefaultMaxSites, less than zero none.
	Sites int

	// PerPool keeps pools of one name and kind apart, by the label id. An ID is never
	// used twice, so each pool that a program ever makes has series of its own, and
	// other series in each run of the program.
	PerPool bool
}

// NewCollector returns a Collector of the statistics of all pools that have been used.
// Its metrics are labelled with the name of the pool and its kind.
//
// Pools of the same name and kind are added up, unless opts.PerPool is set. When a pool is garbage,
// its counts stay in the sum, so that counters do not go back. The limit of several pools is the
// sum of their limits; if one of them has none, there is none. Names are cut to 200 bytes, and made
// UTF-8.
//
// Prometheus stores numbers as float64, so counters beyond 2^53 are rounded.
func NewCollector(opts Opts) prometheus.Collector {
	labels := []string{"pool", "kind"}
	if opts.PerPool {
		labels = append(labels, "id")
	}
	c := &collector{
		opts: opts, reader: basinexport.Reader{PerPool: opts.PerPool}, siteReader: basinexport.SiteReader{Max: opts.Sites},
		pools: metricsOf(figures.Pools, labels...),
		guard: metricsOf(figures.Guarded),
		waits: prometheus.NewDesc("basin_wait_seconds", "How long requests had to wait, whether they were served or gave up.", labels, nil),
	}
	if opts.Classes {
		c.classes = metricsOf(figures.Classes, append(labels, "size")...)
	}
	if opts.Sites >= 0 {
		c.sites = metricsOf(figures.Sites, "pool", "site")
	}
	return c
}

type collector struct {
	opts       Opts
	reader     basinexport.Reader
	siteReader basinexport.SiteReader

	pools   metrics[*basin.Stats]
	classes metrics[*basin.ClassStats]
	sites   metrics[basinexport.SiteCounts]
	guard   metrics[basincheck.Usage]
	waits   *prometheus.Desc
}

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	c.pools.describe(ch)
	c.classes.describe(ch)
	c.sites.describe(ch)
	c.guard.describe(ch)
	ch <- c.waits
}

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	if len(c.sites) > 0 {
		for s := range c.siteReader.All() {
			c.sites.send(ch, s, s.Pool, s.Site)
		}
	}
	c.guard.send(ch, basincheck.Stats())
	for s := range c.reader.All() {
		labels := []string{s.Name, s.Kind}
		if c.opts.PerPool {
			labels = append(labels, strconv.FormatUint(s.ID, 10))
		}
		c.pools.send(ch, s, labels...)
		if s.Waited > 0 { // most pools have no ceiling
			count, below := waitBuckets(s)
			ch <- prometheus.MustNewConstHistogram(c.waits, count, s.TotalWait.Seconds(), below, labels...)
		}
		for k := range s.Classes {
			c.classes.send(ch, &s.Classes[k], append(labels, strconv.Itoa(s.Classes[k].Size))...)
		}
	}
}
