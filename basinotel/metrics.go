package basinotel

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/basin-go/basin/internal/figures"
)

// instruments are made as figures need them. Several figures may share one.
type instruments struct {
	meter metric.Meter
	made  map[string]metric.Observable
	all   []metric.Observable
	err   error // the first
}

// of returns the instrument of f.
func of[S any](in *instruments, f *figures.Figure[S]) metric.Observable {
	if made := in.made[f.Instrument]; made != nil {
		return made
	}
	var made metric.Observable
	var err error
	unit, about := metric.WithUnit(f.Unit), metric.WithDescription(f.Description())
	switch {
	case f.Kind == figures.Longest:
		made, err = in.meter.Float64ObservableGauge(f.Instrument, unit, about)
	case f.Unit == "s":
		made, err = in.meter.Float64ObservableCounter(f.Instrument, unit, about)
	case f.Kind == figures.Counter:
		made, err = in.meter.Int64ObservableCounter(f.Instrument, unit, about)
	default:
		made, err = in.meter.Int64ObservableUpDownCounter(f.Instrument, unit, about)
	}
	if err != nil && in.err == nil {
		in.err = err
	}
	in.made[f.Instrument] = made
	in.all = append(in.all, made)
	return made
}

// observed are the figures of an S that have an instrument.
type observed[S any] []struct {
	*figures.Figure[S]
	by metric.Observable
}

func observe[S any](in *instruments, all []figures.Figure[S]) (o observed[S]) {
	for i := range all {
		if f := &all[i]; f.Instrument != "" {
			o = append(o, struct {
				*figures.Figure[S]
				by metric.Observable
			}{f, of(in, f)})
		}
	}
	return o
}

// send sends the figures of s that there are.
func (o observed[S]) send(to metric.Observer, s S, attrs ...attribute.KeyValue) {
	for _, f := range o {
		n, ok := f.Read(s)
		if !ok {
			continue
		}
		with := attrs[:len(attrs):len(attrs)]
		if f.Key != "" {
			with = append(with, attribute.String(f.Key, f.Value))
		}
		switch by := f.by.(type) {
		case metric.Float64Observable:
			to.ObserveFloat64(by, float64(n)/1e9, metric.WithAttributes(with...))
		case metric.Int64Observable:
			to.ObserveInt64(by, n, metric.WithAttributes(with...))
		}
	}
}
