//go:build go1.25

package uninit_test

import (
	"testing"

	"github.com/basin-go/basin/internal/uninit"
)

func TestBytes(t *testing.T) {
	for _, tt := range []struct{ length, capacity int }{{0, 0}, {0, 1}, {1, 1}, {3, 7}, {64, 64}, {100, 4096}, {0, 1 << 20}, {1 << 20, 1<<20 + 1}} {
		b := uninit.Bytes(tt.length, tt.capacity)
		if len(b) != tt.length || cap(b) != tt.capacity {
			t.Errorf("Bytes(%d, %d) has length %d and capacity %d", tt.length, tt.capacity, len(b), cap(b))
		}
		for i := range b[:cap(b)] {
			b[:cap(b)][i] = byte(i)
		}
	}
}

func TestBytesPanicsAsMakeDoes(t *testing.T) {
	for _, tt := range []struct {
		name             string
		length, capacity int
	}{{"negative length", -1, 4}, {"length above capacity", 5, 4}, {"negative both", -2, -1}} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Errorf("Bytes(%d, %d) did not panic", tt.length, tt.capacity)
				}
			}()
			uninit.Bytes(tt.length, tt.capacity)
		})
	}
}

var sink []byte

func TestBytesAllocatesOnce(t *testing.T) {
	if asanEnabled {
		t.Skip("with -asan the strings.Builder is on the heap too")
	}
	if n := testing.AllocsPerRun(100, func() { sink = uninit.Bytes(4096, 4096) }); n != 1 {
		t.Errorf("Bytes makes %v allocations, want 1", n)
	}
}

func BenchmarkBytes(b *testing.B) {
	b.Run("uninit", func(b *testing.B) {
		for b.Loop() {
			sink = uninit.Bytes(32768, 32768)
		}
	})
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			sink = make([]byte, 32768)
		}
	})
}
