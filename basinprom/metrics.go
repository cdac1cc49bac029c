package basinprom

import (
	"github.com/prometheus/client_golang/prometheus"
	"math"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/figures"
)

// metrics are the series of figures of an S.
type metrics[S any] []metric[S]

type metric[S any] struct {
	*figures.Figure[S]
	desc   *prometheus.Desc
	reason bool // whether there is a label reason, because figures share the series
}

// metricsOf describes the series of the figures that have one. All have the given labels.
func metricsOf[S any](all []figures.Figure[S], labels ...string) (ms metrics[S]) {
	shared := map[string]int{}
	for i := range all {
		shared[all[i].Series]++
	}
	for i := range all {
		f := &all[i]
		if f.Series == "" {
			continue
		}
		m := metric[S]{Figure: f, reason: shared[f.Series] > 1}
		names := labels[:len(labels):len(labels)]
		if m.reason {
			names = append(names, "reason")
		}
		m.desc = prometheus.NewDesc(f.Series, f.Help, names, nil)
		ms = append(ms, m)
	}
	return ms
}

func (ms metrics[S]) describe(ch chan<- *prometheus.Desc) {
	for _, m := range ms {
		ch <- m.desc
	}
}

// send sends the figures of s that there are.
func (ms metrics[S]) send(ch chan<- prometheus.Metric, s S, labels ...string) {
	for _, m := range ms {
		n, ok := m.Read(s)
		if !ok {
			continue
		}
		v, kind := float64(n), prometheus.GaugeValue
		if m.Unit == "s" {
			v /= 1e9
		}
		if m.Kind == figures.Counter {
			kind = prometheus.CounterValue
		}
		values := labels[:len(labels):len(labels)]
		if m.reason {
			values = append(values, m.Value)
		}
		ch <- prometheus.MustNewConstMetric(m.desc, kind, v, values...)
	}
}

// waitBuckets returns the cumulative count at each bound of the histogram of waits.
func waitBuckets(s *basin.Stats) (count uint64, below map[float64]uint64) {
	below = map[float64]uint64{}
	for i, n := range s.WaitTimes {
		count += n
		if i < len(s.WaitTimes)-1 {
			below[math.Pow10(i-3)] = count
		}
	}
	return count, below
}
