//go:build go1.25

package memory_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin"
)

// BenchmarkWorth compares code that uses the default pool with the same code without a pool, to
// find where a pool is not worth it with this version of Go: docs/benchmarks.md has the results. The
// two take turns within one process. Each round begins after a garbage collection, so that neither
// pays for the other's garbage:
//
//	go test -run - -bench Worth -benchtime 30x ./proof/memory
//
// min is the ratio of the fastest rounds, median the median of the rounds' ratios. Below 1, the
// pool is faster.
//
// The live heap is 16 MiB without pointers, so collections are rare and cheap, which favours the
// code without a pool.
func BenchmarkWorth(b *testing.B) {
	live := make([]byte, 16<<20)
	defer runtime.KeepAlive(live)
	for _, size := range []int{16, 64, 256, 1 << 10, 4 << 10, 32 << 10} {
		n := min(1<<20, 32<<20/size) // operations of a round: a million, or as many as allocate 32 MiB without a pool
		worth(b, fmt.Sprintf("Get and Put/escapes/%d", size), n, func() {
			x := basin.Get(size)
			x[0] = 1
			escaped = x
			basin.Put(x)
		}, func() {
			x := make([]byte, size)
			x[0] = 1
			escaped = x
		})
		worth(b, fmt.Sprintf("Get and Put/local/%d", size), n, func() {
			x := basin.Get(size)
			stays(x)
			basin.Put(x)
		}, func() {
			stays(make([]byte, size))
		})
	}
	chunk := make([]byte, 16)
	for _, size := range []int{32, 128, 1 << 10, 8 << 10} {
		n := min(1<<18, 8<<20/size)
		worth(b, fmt.Sprintf("Append/by byte/%d", size), n/4, func() {
			x := basin.Get(0)[:0]
			for i := range size {
				x = basin.Append(x, byte(i))
			}
			stays(x)
			basin.Put(x)
		}, func() {
			var x []byte
			for i := range size {
				x = append(x, byte(i)) // the only form that runtimefreegc sees
			}
			stays(x)
		})
		worth(b, fmt.Sprintf("Append/by 16/%d", size), n, func() {
			x := basin.Get(0)[:0]
			for range size / len(chunk) {
				x = basin.Append(x, chunk...)
			}
			stays(x)
			basin.Put(x)
		}, func() {
			var x []byte
			for range size / len(chunk) {
				x = append(x, chunk...)
			}
			stays(x)
		})
	}
	for _, size := range []int{100, 1 << 10, 8 << 10, 64 << 10, 1 << 20} {
		data := make([]byte, size)
		r := bytes.NewReader(nil)
		var plain io.Reader = onlyReader{r}
		worth(b, fmt.Sprintf("ReadAll/%d", size), min(1<<17, 16<<20/size), func() {
			r.Reset(data)
			x, err := basin.ReadAll(plain)
			if err != nil {
				b.Error(err)
			}
			basin.Put(x)
		}, func() {
			r.Reset(data)
			x, err := io.ReadAll(plain)
			if err != nil {
				b.Error(err)
			}
			stays(x)
		})
	}
	for _, items := range []int{1, 100} {
		v := make([]worthItem, items)
		for i := range v {
			v[i] = worthItem{ID: i, Name: "a thing of some kind", Tags: []string{"red", "round"}, Price: 1.25}
		}
		text, err := json.Marshal(&v)
		if err != nil {
			b.Fatal(err)
		}
		n := 8 << 20 / (len(text) + 100)
		worth(b, fmt.Sprintf("json.Marshal/%d", len(text)), n, func() {
			x := basin.GetBuffer()
			if err := json.NewEncoder(x).Encode(&v); err != nil {
				b.Error(err)
			}
			basin.PutBuffer(x)
		}, func() {
			x, err := json.Marshal(&v)
			if err != nil {
				b.Error(err)
			}
			stays(x)
		})
		r := bytes.NewReader(nil)
		var plain io.Reader = onlyReader{r}
		var decoded []worthItem
		worth(b, fmt.Sprintf("json.Decoder/%d", len(text)), n/8, func() {
			r.Reset(text)
			x, err := basin.ReadAll(plain)
			if err == nil {
				err = json.Unmarshal(x, &decoded)
			}
			if err != nil {
				b.Error(err)
			}
			basin.Put(x)
		}, func() {
			r.Reset(text)
			if err := json.NewDecoder(plain).Decode(&decoded); err != nil {
				b.Error(err)
			}
		})
	}
}

type worthItem struct {
	ID    int
	Name  string
	Tags  []string
	Price float64
}

// An onlyReader hides the other methods of a Reader.
type onlyReader struct{ io.Reader }

var escaped []byte

//go:noinline
func stays(b []byte) {
	if cap(b) > 0 {
		b[:1][0] = 1
	}
}

// worth runs n operations with and without a pool in each of b.N rounds.
func worth(b *testing.B, name string, n int, with, without func()) {
	b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
		ways := [2]func(){with, without}
		var times [2][]time.Duration
		for range b.N {
			first := rand.IntN(2)
			for _, way := range []int{first, 1 - first} {
				op := ways[way]
				op()
				runtime.GC()
				began := time.Now()
				for range n {
					op()
				}
				times[way] = append(times[way], time.Since(began))
			}
		}
		var ratios []float64
		for i, t := range times[0] {
			ratios = append(ratios, float64(t)/float64(times[1][i]))
		}
		slices.Sort(ratios)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(slices.Min(times[0]))/float64(slices.Min(times[1])), "min")
		b.ReportMetric(ratios[len(ratios)/2], "median")
		for way, name := range []string{"with", "without"} {
			b.ReportMetric(float64(slices.Min(times[way]))/float64(n), "ns-"+name)
			heap, objects := garbage(ways[way])
			b.ReportMetric(heap, "B-"+name)
			b.ReportMetric(objects, "allocs-"+name)
		}
	})
}

// garbage returns the number of bytes and of objects that f allocates, without those of other
// goroutines: the least of a few trials.
func garbage(f func()) (heap, objects float64) {
	const calls = 100
	type sum struct{ heap, objects uint64 }
	var trials []sum
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			f()
		}
		runtime.ReadMemStats(&after)
		trials = append(trials, sum{after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs})
	}
	least := slices.MinFunc(trials, func(a, b sum) int { return cmp.Compare(a.heap, b.heap) })
	return float64(least.heap) / calls, float64(least.objects) / calls
}
