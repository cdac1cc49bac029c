// Package basinotel exports the statistics of all basin pools of a program as
// OpenTelemetry metrics.
//
//	registration, err := basinotel.Register(provider, basinotel.Opts{})
//
// The metrics are listed in docs/metrics.md of basin's repository.
package basinotel

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/figures"
)

// ScopeName is the name of the meter.
const ScopeName = "github.com/basin-go/basin/basinotel"

// The attributes of the metrics.
const (
	PoolNameKey  = attribute.Key("basin.pool.name")  // the Name of the pool
	PoolKindKey  = attribute.Key("basin.pool.kind")  // such as "BytePool"
	PoolIDKey    = attribute.Key("basin.pool.id")    // if Opts.PerPool is set
	ResultKey    = attribute.Key(figures.Result)     // basin.get.result: "hit", "miss" or "outside"
	StateKey     = attribute.Key(figures.State)      // basin.item.state: "in_use" or "idle"
	ReasonKey    = attribute.Key(figures.Reason)     // basin.drop.reason
	MisuseKey    = attribute.Key(figures.Misuse)     // basin.misuse.kind
	WaitTimeKey  = attribute.Key(figures.Wait)       // basin.wait.time: "under_1ms", "under_10ms" and so on, or "longer"
	ClassSizeKey = attribute.Key("basin.class.size") // in bytes, if Opts.Classes is set
	SiteKey      = attribute.Key("basin.site")       // a line of the program, or "other"
)

// Opts selects the metrics. Each option costs series.
type Opts struct {
	// Classes adds the metrics basin.class.*, for each size class that was ever used,
	// with its size as an attribute. A BytePool with the default MaxSize has up to 61
	// classes, and one with the largest up to 97.
	Classes bool

	// Sites is the most lines of the program that have metrics basin.site.* of their own.
	// While checks are on, these count the items that each line acquires from pools. All
	// other lines are added up as the site "other". Lines that leak come first. Zero means
	// basinexport.DefaultMaxSites, less than zero none.
	Sites int

	// PerPool keeps pools of one name and kind apart, by the attribute basin.pool.id.
	// An ID is never used twice, so each pool that a program ever makes has series of
	// its own, and other series in each run of the program.
	PerPool bool
}

// Register makes instruments for the statistics of all pools that have been used. One
// callback observes them whenever the provider's reader collects, until the
// registration is unregistered. In between, they cost nothing.
//
// Pools of the same name and kind are added up, unless opts.PerPool is set. When a pool is garbage,
// its counts stay in the sum, so that counters do not go back. The limit of several pools is the
// sum of their limits; if one of them has none, there is none. Names are cut to 200 bytes, and made
// UTF-8.
//
// It panics if the provider is nil. If it returns an error, nothing is observed.
func Register(provider metric.MeterProvider, opts Opts) (metric.Registration, error) {
	if provider == nil {
		panic("basinotel: Register with a nil MeterProvider")
	}
	in := &instruments{meter: provider.Meter(ScopeName), made: map[string]metric.Observable{}}
	pools, guard := observe(in, figures.Pools), observe(in, figures.Guarded)
	var classes observed[*basin.ClassStats]
	if opts.Classes {
		classes = observe(in, figures.Classes)
	}
	var lines observed[basinexport.SiteCounts]
	if opts.Sites >= 0 {
		lines = observe(in, figures.Sites)
	}
	if in.err != nil {
		return nil, fmt.Errorf("basinotel: %w", in.err)
	}
	reader := &basinexport.Reader{PerPool: opts.PerPool}
	sites := &basinexport.SiteReader{Max: opts.Sites}
	return in.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		for s := range reader.All() {
			attrs := []attribute.KeyValue{PoolNameKey.String(s.Name), PoolKindKey.String(s.Kind)}
			if opts.PerPool {
				attrs = append(attrs, PoolIDKey.Int64(int64(s.ID)))
			}
			pools.send(o, s, attrs...)
			for k := range s.Classes {
				classes.send(o, &s.Classes[k], append(attrs, ClassSizeKey.Int(s.Classes[k].Size))...)
			}
		}
		guard.send(o, basincheck.Stats())
		if len(lines) > 0 {
			for s := range sites.All() {
				lines.send(o, s, PoolNameKey.String(s.Pool), SiteKey.String(s.Site))
			}
		}
		return nil
	}, in.all...)
}
