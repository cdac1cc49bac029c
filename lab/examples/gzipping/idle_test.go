package gzipping

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestIdleFollowsUse: a few goroutines that wait for their input need few writers and readers, on
// any number of Ps. proof/memory tests the same of other pools, and how many items they make.
func TestIdleFollowsUse(t *testing.T) {
	pooltest.Reuses(t)
	const text = "a text\n"
	var compressed bytes.Buffer
	if err := Compress(&compressed, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	const users = 3
	numbers, cycle, cycles := []int{8, 64}, 5*time.Millisecond, 12 // numbers of Ps
	if pooltest.Long() {
		numbers, cycle, cycles = []int{2, 8, 16, 32, 64}, 250*time.Millisecond, 16
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range numbers {
		runtime.GOMAXPROCS(procs)
		var stop atomic.Bool
		var all sync.WaitGroup
		for range users {
			all.Go(func() {
				for !stop.Load() {
					if err := Compress(io.Discard, &slowReader{r: strings.NewReader(text)}); err != nil {
						t.Error(err)
					}
					data, err := Decompress(&slowReader{r: bytes.NewReader(compressed.Bytes())}, len(text))
					if err != nil || string(data) != text {
						t.Errorf("%q, error %v", data, err)
					}
					basin.Put(data)
				}
			})
		}
		for range cycles {
			time.Sleep(cycle)
			runtime.GC()
			for _, s := range []basin.Stats{writers.Stats(), readers.Stats()} {
				if s.Items.Idle > 2*users+2 {
					t.Errorf("%d Ps: %d of the %s are idle, want at most %d", procs, s.Items.Idle, s.Name, 2*users+2)
				}
			}
		}
		stop.Store(true)
		all.Wait()
	}
}

// A slowReader sleeps before the first Read, so that its goroutine may wake up on another P.
type slowReader struct {
	r     io.Reader
	slept bool
}

func (s *slowReader) Read(b []byte) (int, error) {
	if !s.slept {
		s.slept = true
		time.Sleep(500 * time.Microsecond)
	}
	return s.r.Read(b)
}
