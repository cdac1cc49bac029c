package legal

import (
	"bytes"
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
