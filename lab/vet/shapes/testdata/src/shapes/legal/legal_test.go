package legal

import (
	"bytes"
	"sync"
	"testing"

	"github.com/basin-go/basin"
)

func TestPoolHandsOutTheSame(t *testing.T) {
	b := getBuf()
	b.WriteString("x")
	putBuf(b)
	c := getBuf()
	if c.Len() != 0 {
		t.Fatal("not reset")
	}
	putBuf(c)
}

type entry struct {
	name string
	buf  bytes.Buffer
}

var entries = sync.Pool{New: func() any { return new(entry) }}

func getEntry() *entry { return entries.Get().(*entry) }

func putEntry(e *entry) {
	e.name = ""
	e.buf.Reset()
	entries.Put(e)
}

func resetBuf(b *bytes.Buffer) {
	b.Reset()
	buffers.Put(b)
}

func TestPutResets(t *testing.T) {
	b := getBuf()
	b.WriteString("x")
	resetBuf(b)
	if b.Len() != 0 {
		t.Fatal("not reset")
	}
}

func TestPutClears(t *testing.T) {
	e := getEntry()
	e.name = "x"
	e.buf.WriteString("x")
	putEntry(e)
	if e.name != "" || e.buf.Len() != 0 {
		t.Fatal("not cleared")
	}
}

func TestTable(t *testing.T) {
	for _, n := range []int{1, 64, 1000} {
		t.Run("", func(t *testing.T) {
			b := basin.Get(n)
			defer basin.Put(b)
			if len(b) != n {
				t.Errorf("%d bytes", len(b))
			}
		})
	}
}

func TestParallel(t *testing.T) {
	b := basin.Get(64)
	t.Run("group", func(t *testing.T) {
		for range 4 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				if !bytes.Equal(b, b) {
					t.Error("changed")
				}
			})
		}
	})
	basin.Put(b)
}

func BenchmarkGetPut(b *testing.B) {
	for b.Loop() {
		p := basin.Get(4096)
		basin.Put(p)
	}
}
