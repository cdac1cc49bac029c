//go:build go1.25

package mem_test

import (
	"testing"

	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/testenv"
)

func TestMakeUninit(t *testing.T) {
	for _, tt := range []struct{ length, capacity int }{{0, 0}, {0, 1}, {1, 1}, {3, 7}, {64, 64}, {100, 4096}, {0, 1 << 20}, {1 << 20, 1<<20 + 1}} {
		b := mem.MakeUninit(tt.length, tt.capacity)
		if len(b) != tt.length || cap(b) != tt.capacity {
			t.Errorf("MakeUninit(%d, %d) has length %d and capacity %d", tt.length, tt.capacity, len(b), cap(b))
		}
		for i := range b[:cap(b)] {
			b[:cap(b)][i] = byte(i)
		}
	}
}

func TestMakeUninitPanicsAsMakeDoes(t *testing.T) {
	for _, tt := range []struct {
		name             string
		length, capacity int
	}{{"negative length", -1, 4}, {"length above capacity", 5, 4}, {"negative both", -2, -1}} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Errorf("MakeUninit(%d, %d) did not panic", tt.length, tt.capacity)
				}
			}()
			mem.MakeUninit(tt.length, tt.capacity)
		})
	}
}

var sink []byte

func TestMakeUninitAllocatesOnce(t *testing.T) {
	if testenv.ASan {
		t.Skip("with -asan the strings.Builder is on the heap too")
	}
	if n := testing.AllocsPerRun(100, func() { sink = mem.MakeUninit(4096, 4096) }); n != 1 {
		t.Errorf("MakeUninit makes %v allocations, want 1", n)
	}
}

func BenchmarkMakeUninit(b *testing.B) {
	b.Run("uninit", func(b *testing.B) {
		for b.Loop() {
			sink = mem.MakeUninit(32768, 32768)
		}
	})
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			sink = make([]byte, 32768)
		}
	})
}
