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
	c := &collector{opts: opts, pools: basinexport.Reader{PerPool: opts.PerPool}, sites: basinexport.SiteReader{Max: opts.Sites}}
	c.waits = c.desc(waits)
	if opts.Sites >= 0 {
		for _, m := range siteMetrics {
			c.siteDescs = append(c.siteDescs, prometheus.NewDesc(m.name, m.help, []string{"pool", "site"}, nil))
		}
	}
	for _, m := range guardMetrics {
		c.guardDescs = append(c.guardDescs, prometheus.NewDesc(m.name, m.help, nil, nil))
	}
	for _, m := range poolMetrics {
		c.descs = append(c.descs, c.desc(m.metric))
	}
	if opts.Classes {
		for _, m := range classMetrics {
			c.classDescs = append(c.classDescs, c.desc(m.metric, "size"))
		}
	}
	return c
}

type collector struct {
	opts              Opts
	pools             basinexport.Reader
	sites             basinexport.SiteReader
	descs, classDescs []*prometheus.Desc // of poolMetrics and classMetrics
	siteDescs         []*prometheus.Desc // of siteMetrics
	guardDescs        []*prometheus.Desc // of guardMetrics
	waits             *prometheus.Desc
}

// desc describes m. The labels in more follow those that all metrics have.
func (c *collector) desc(m metric, more ...string) *prometheus.Desc {
	labels := []string{"pool", "kind"}
	if c.opts.PerPool {
		labels = append(labels, "id")
	}
	labels = append(labels, more...)
	if m.reason != "" {
		labels = append(labels, "reason")
	}
	return prometheus.NewDesc(m.name, m.help, labels, nil)
}

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
	ch <- c.waits
	for _, d := range c.classDescs {
		ch <- d
	}
	for _, d := range c.siteDescs {
		ch <- d
	}
	for _, d := range c.guardDescs {
		ch <- d
	}
}

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	c.collectSites(ch)
	if u := basincheck.Stats(); u.MaxGuardBytes > 0 {
		for i, m := range guardMetrics {
			m.send(ch, c.guardDescs[i], float64(m.of(u)), nil)
		}
	}
	c.pools.Each(func(s *basin.Stats) {
		labels := []string{s.Name, s.Kind}
		if c.opts.PerPool {
			labels = append(labels, strconv.FormatUint(s.ID, 10))
		}
		for i, m := range poolMetrics {
			if v, ok := m.of(s); ok {
				m.send(ch, c.descs[i], v, labels)
			}
		}
		if s.Waited > 0 { // most pools have no ceiling
			count, below := waitBuckets(&s.WaitTimes)
			ch <- prometheus.MustNewConstHistogram(c.waits, count, s.TotalWait.Seconds(), below, labels...)
		}
		if !c.opts.Classes {
			return
		}
		for k := range s.Classes {
			class := &s.Classes[k]
			labels := append(labels, strconv.Itoa(class.Size))
			for i, m := range classMetrics {
				if v := m.of(class); v != basin.Unknown {
					m.send(ch, c.classDescs[i], v, labels)
				}
			}
		}
	})
}

// collectSites sends the metrics of lines of the program.
func (c *collector) collectSites(ch chan<- prometheus.Metric) {
	if len(c.siteDescs) == 0 {
		return
	}
	c.sites.Each(func(s basinexport.SiteCounts) {
		for i, m := range siteMetrics {
			m.send(ch, c.siteDescs[i], float64(m.of(s)), []string{s.Pool, s.Site})
		}
	})
}

func (m metric) send(ch chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels []string) {
	if m.reason != "" {
		labels = append(labels, m.reason)
	}
	ch <- prometheus.MustNewConstMetric(d, m.kind, v, labels...)
}
