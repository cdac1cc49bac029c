package dev

import (
	"context"
	"sync"
	"sync/atomic"
)

// xxddpac/go-flow#6: a value is sent if there is room, and put in any case.
type traffic struct {
	SrcIP, DstIP string
	Bytes        int
}

var trafficPool = sync.Pool{New: func() any { return new(traffic) }}

type window struct {
	queue   chan *traffic
	kafka   chan *traffic
	dropped atomic.Int64
}

func (w *window) BugAdd(ctx context.Context, src, dst string, size int) {
	t := trafficPool.Get().(*traffic)
	t.SrcIP, t.DstIP, t.Bytes = src, dst, size
	select {
	case w.kafka <- t: // BUG
	case <-ctx.Done():
		w.dropped.Add(1)
	default:
		w.dropped.Add(1)
	}
	trafficPool.Put(t)
}

func (w *window) fixedAdd(ctx context.Context, src, dst string, size int) {
	t := trafficPool.Get().(*traffic)
	t.SrcIP, t.DstIP, t.Bytes = src, dst, size
	c := *t
	select {
	case w.kafka <- &c:
	case <-ctx.Done():
		w.dropped.Add(1)
	default:
		w.dropped.Add(1)
	}
	trafficPool.Put(t)
}
