// Samples are appended to a slice whose old header was deferred.
package alloy5670

import "sync"

type Sample struct {
	T int64
	V float64
}

var samples = sync.Pool{New: func() any { return make([]Sample, 0, 64) }}

func BugSamples(in []float64, flush func([]Sample) error) error {
	batch := samples.Get().([]Sample)
	defer samples.Put(batch[:0]) // BUG
	for i, v := range in {
		batch = append(batch, Sample{int64(i), v})
	}
	return flush(batch)
}

func LegalSamples(in []float64, flush func([]Sample) error) error {
	batch := samples.Get().([]Sample)
	defer func() { samples.Put(batch[:0]) }()
	for i, v := range in {
		batch = append(batch, Sample{int64(i), v})
	}
	return flush(batch)
}

func LegalBounded(in []float64, flush func([]Sample) error) error {
	batch := samples.Get().([]Sample)
	defer samples.Put(batch)
	batch = batch[:0]
	return flush(batch)
}
