//go:build go1.25

package misuse

import (
	"context"
	"strings"

	"github.com/basin-go/basin"
)

// Release does not put what is in use.
func reservedBug(l *basin.Limit, p *basin.BytePool) {
	r, err := l.Acquire(context.Background(), 4<<10)
	if err != nil {
		return
	}
	defer r.Release()
	b, err := r.Pool(p).ReadAll(strings.NewReader("a body of a request")) // want: leak
	if err != nil || len(b) > 0 {
		return
	}
	p.Put(b)
}

func reservedFixed(l *basin.Limit, p *basin.BytePool) {
	r, err := l.Acquire(context.Background(), 4<<10)
	if err != nil {
		return
	}
	defer r.Release()
	b, err := r.Pool(p).ReadAll(strings.NewReader("a body of a request"))
	if err != nil {
		return
	}
	defer p.Put(b)
}

func init() {
	limit := &basin.Limit{Max: 1 << 20}
	p := &basin.BytePool{Name: "reserved", Limit: limit}
	add("leak_reserved", func() { reservedBug(limit, p) }, func() { reservedFixed(limit, p) })
}
