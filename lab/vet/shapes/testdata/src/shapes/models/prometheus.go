package models

import promPool "github.com/prometheus/prometheus/util/pool"

type marker struct{ from, to int }

var markers = markerPool{promPool.New(64, 1024, 2, func(n int) any { return make([]marker, 0, n) })}

type markerPool struct{ pool *promPool.Pool }

func (p *markerPool) Get(n int) []marker { return p.pool.Get(n).([]marker) }

func (p *markerPool) Put(m []marker) {
	m = m[:0]
	p.pool.Put(m)
}

func BugPrometheus(in []marker, to int) (n int) {
	page := markers.Get(len(in))
	defer markers.Put(page) // BUG
	for _, m := range in {
		if m.to < to {
			page = append(page, m)
		}
	}
	for _, m := range page {
		n += m.from
	}
	return n
}

func LegalPrometheus(in []marker, to int) (n int) {
	page := markers.Get(len(in))
	defer func() { markers.Put(page) }()
	for _, m := range in {
		if m.to < to {
			page = append(page, m)
		}
	}
	for _, m := range page {
		n += m.from
	}
	return n
}
