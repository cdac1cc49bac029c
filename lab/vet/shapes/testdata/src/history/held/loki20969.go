package held

import (
	"encoding/binary"
	"sync"
)

// grafana/loki#20969: page markers grow after the deferred Put has taken them.
type chunkMeta struct{ minTime, maxTime int64 }

type chunkMarkers []chunkMeta

var markersPool = sync.Pool{New: func() any { return chunkMarkers(make([]chunkMeta, 0, 64)) }}

type markerPool struct{ p *sync.Pool }

func (m markerPool) Get(n int) chunkMarkers {
	c := m.p.Get().(chunkMarkers)
	return c[:0]
}

func (m markerPool) Put(c chunkMarkers) { m.p.Put(c) }

type decbuf struct {
	b   []byte
	err error
}

func (d *decbuf) varint() int64 {
	v, n := binary.Varint(d.b)
	d.b = d.b[n:]
	return v
}

func BugReadPages(d *decbuf, through int64, each func(chunkMeta)) error {
	pool := markerPool{&markersPool}
	markers := pool.Get(8)
	defer pool.Put(markers) // BUG
	for len(d.b) > 0 {
		m := chunkMeta{d.varint(), d.varint()}
		markers = append(markers, m)
		if m.minTime > through {
			break
		}
	}
	for _, m := range markers {
		each(m)
	}
	return d.err
}
