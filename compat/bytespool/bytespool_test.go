//go:build go1.25

package bytespool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httputil"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
)

// reuses notes that t expects reuse, which is certain only on the same P.
func reuses(t *testing.T) {
	t.Helper()
	pooltest.Alone(t)
	if basincheck.Now().Level == basincheck.Full {
		t.Skip("nothing is reused under full checks")
	}
}

// TestSizes requests each size twice: first a slice is made, then it is reused.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name      string
		pools     *CapacityPools
		size      int
		len, cap_ int
		kept      bool
	}{
		{"negative", DefaultCapacityPools, -1, 0, 2, true},
		{"most negative", DefaultCapacityPools, math.MinInt, 0, 2, true},
		{"zero", DefaultCapacityPools, 0, 0, 2, true},
		{"one", DefaultCapacityPools, 1, 1, 2, true},
		{"three", DefaultCapacityPools, 3, 3, 4, true},
		{"33", DefaultCapacityPools, 33, 33, 64, true},
		{"a power of two", DefaultCapacityPools, 1024, 1024, 1024, true},
		{"1025", DefaultCapacityPools, 1025, 1025, 2048, true},
		{"largest", DefaultCapacityPools, 4 << 20, 4 << 20, 4 << 20, true},
		{"larger", DefaultCapacityPools, 4<<20 + 1, 4<<20 + 1, 4<<20 + 1, false},
		{"below a range", NewCapacityPools(512, 4096), 10, 10, 512, true},
		{"above a range", NewCapacityPools(512, 4096), 10240, 10240, 10240, false},
		{"above an odd range", NewCapacityPools(500, 1000), 1001, 1001, 1001, false},
		{"the most of an odd range", NewCapacityPools(500, 1000), 1000, 1000, 1024, false},
		{"within an odd range", NewCapacityPools(500, 1000), 501, 501, 512, true},
		{"small, the most of an odd range", NewCapacityPools(2, 7), 7, 7, 8, false},
		{"a range without a power of two", NewCapacityPools(700, 1000), 5, 5, 1024, false},
		{"range upside down", NewCapacityPools(1000, 128), 5, 5, 128, true},
		{"range of nothing", NewCapacityPools(-5, -5), 2, 2, 2, true},
		{"range of one", NewCapacityPools(0, 1), 3, 3, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				b := c.pools.New(c.size)
				if b == nil || len(b) != c.len || cap(b) != c.cap_ {
					t.Fatalf("New: length %d and capacity %d, want %d and %d", len(b), cap(b), c.len, c.cap_)
				}
				if m := c.pools.Make(c.size); m == nil || len(m) != 0 || cap(m) != c.cap_ {
					t.Errorf("Make: length %d and capacity %d, want 0 and %d", len(m), cap(m), c.cap_)
				}
				if kept := c.pools.Release(b[:0]); kept != c.kept {
					t.Errorf("Release: %v, want %v", kept, c.kept)
				}
			}
		})
	}
}

// TestPowersOfTwo requests each capacity of the default pools in each way, and one byte more
// and less.
func TestPowersOfTwo(t *testing.T) {
	for want := 2; want <= MaxSize(); want *= 2 {
		for _, n := range []int{want, max(want-1, want/2+1)} {
			for name, get := range map[string]func() []byte{
				"New":       func() []byte { return New(n) },
				"New64":     func() []byte { return New64(uint64(n)) },
				"Get":       func() []byte { return Get(n) },
				"Make":      func() []byte { return Make(n)[:n] },
				"Make64":    func() []byte { return Make64(uint64(n))[:n] },
				"NewBytes":  func() []byte { return NewBytes(make([]byte, n)) },
				"NewString": func() []byte { return NewString(strings.Repeat("x", n)) },
				"Clone":     func() []byte { return Clone(make([]byte, n)) },
				"Append":    func() []byte { return Append(nil, make([]byte, n)...) },
			} {
				b := get()
				if len(b) != n || cap(b) != want {
					t.Errorf("%s of %d bytes: length %d and capacity %d, want %d", name, n, len(b), cap(b), want)
				}
				if !Release(b) {
					t.Errorf("%s of %d bytes: Release does not keep it", name, n)
				}
			}
		}
	}
}

// TestExactOrigin puts slices from make whose capacities are those of the pools, and gets them
// next.
func TestExactOrigin(t *testing.T) {
	reuses(t)
	for n := 2; n <= 4<<20; n *= 2 {
		p := NewCapacityPools(2, 4<<20)
		b := make([]byte, n)
		if !p.Release(b[:n/2]) {
			t.Errorf("a slice of %d bytes is not kept", n)
		}
		if next := p.New(n); &next[0] != &b[0] {
			t.Errorf("New(%d) is another slice than the one that was put", n)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct{ min, max, wantMin, wantMax int }{
		{8, 1024, 8, 1024},
		{10, 1000, 10, 1000},
		{-1, 0, 2, 2},
		{100, 10, 10, 10},
		{2, math.MaxInt, 2, math.MaxInt32},
	} {
		p := NewCapacityPools(c.min, c.max)
		if p.MinSize() != c.wantMin || p.MaxSize() != c.wantMax {
			t.Errorf("NewCapacityPools(%d, %d): %d to %d, want %d to %d", c.min, c.max, p.MinSize(), p.MaxSize(), c.wantMin, c.wantMax)
		}
		if c.wantMax > 1<<20 {
			continue
		}
		if b := p.NewMin(); len(b) != c.wantMin {
			t.Errorf("NewMin has length %d, want %d", len(b), c.wantMin)
		}
		if b := p.NewMax(); len(b) != c.wantMax || cap(p.MakeMax()) != cap(b) || cap(p.MakeMin()) != cap(p.NewMin()) {
			t.Errorf("NewMax has length %d, want %d", len(b), c.wantMax)
		}
	}
}

// TestRelease checks the result of Release for slices of any origin, and their reuse.
func TestRelease(t *testing.T) {
	reuses(t)
	array := make([]byte, 10_000)
	for _, c := range []struct {
		name string
		put  []byte
		kept bool
		get  int // size whose next slice has the same array
	}{
		{"nil", nil, false, 0},
		{"too small", make([]byte, 1), false, 0},
		{"three", make([]byte, 0, 3), true, 2},
		{"small", make([]byte, 63), true, 32},
		{"odd", make([]byte, 100), true, 0}, // the reused part may begin later
		{"large and odd", make([]byte, 3000), true, 2048},
		{"a part", array[64:5000:5000], true, 4096},
		{"a part that begins anywhere", array[5001:7000:7000], true, 0},
		{"largest", make([]byte, 4<<20), true, 4 << 20},
		{"too large", make([]byte, 4<<20+1), false, 0},
	} {
		p := NewCapacityPools(2, 4<<20)
		if kept := p.Release(c.put[:0]); kept != c.kept {
			t.Errorf("%s: kept: %v, want %v", c.name, kept, c.kept)
		}
		if c.get > 0 {
			if b := p.New(c.get); &b[0] != &c.put[:1][0] {
				t.Errorf("%s: New(%d) has another array", c.name, c.get)
			}
		}
	}
}

// TestAnyOrigin puts slices of all lengths at all addresses, and writes to all slices that it
// gets.
func TestAnyOrigin(t *testing.T) {
	p := NewCapacityPools(2, 4096)
	for n := range 4000 {
		array := make([]byte, n+128)
		p.Put(array[n%64 : n%64+n/2 : n%64+n])
		b := p.New(n)
		clear(b[:cap(b)])
		for i := range b[:cap(b)] {
			b[:cap(b)][i] = 1
		}
		if array[n%64+n] != 0 {
			t.Fatalf("something was written behind a slice of %d bytes", n)
		}
	}
}

func TestCopies(t *testing.T) {
	for _, text := range []string{"", "xyz", strings.Repeat("a", 5000)} {
		for name, b := range map[string][]byte{
			"NewBytes":  NewBytes([]byte(text)),
			"NewString": NewString(text),
			"Clone":     Clone([]byte(text)),
		} {
			if string(b) != text || b == nil {
				t.Errorf("%s: %q, want %q", name, b, text)
			}
		}
	}
	for _, empty := range [][]byte{nil, {}} {
		if b := Clone(empty); b == nil || len(b) != 0 || cap(b) != 2 {
			t.Errorf("Clone(%#v) is %#v with capacity %d", empty, b, cap(b))
		}
	}
	first := []byte("abc")
	for name, b := range map[string][]byte{"NewBytes": NewBytes(first), "Clone": Clone(first)} {
		if b[0] = 'x'; string(first) != "abc" {
			t.Errorf("%s does not copy", name)
		}
	}
}

func TestAppend(t *testing.T) {
	want, b, s := []byte(nil), []byte(nil), []byte(nil)
	for i := range 200 {
		piece := bytes.Repeat([]byte{byte(i)}, i)
		want = append(want, piece...)
		b = Append(b, piece...)
		s = AppendString(s, string(piece))
		if !bytes.Equal(b, want) || !bytes.Equal(s, want) {
			t.Fatalf("piece %d: contents differ", i)
		}
	}
	reuses(t)
	p := NewCapacityPools(2, 1024)
	grown := []byte{}
	for name, grow := range map[string]func([]byte) []byte{
		"Append":       func(b []byte) []byte { return p.Append(b, make([]byte, 100)...) },
		"AppendString": func(b []byte) []byte { return p.AppendString(b, strings.Repeat("x", 100)) },
	} {
		outgrown := p.New(100)
		grown = grow(outgrown)
		if b := p.New(100); &b[0] != &outgrown[0] {
			t.Errorf("%s: the outgrown array is not reused", name)
		}
	}
	if room := grown[:150]; &p.Append(room, 1, 2)[0] != &grown[0] {
		t.Error("a new array although there was room")
	}
	large := make([]byte, 2000)
	if b := p.Append(large, 1); len(b) != 2001 {
		t.Errorf("a large slice has length %d", len(b))
	}
}

// TestUnsigned: sizes do not wrap.
func TestUnsigned(t *testing.T) {
	for _, size := range []uint64{1 << 63, math.MaxUint64} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New64(%d) does not panic", size)
				}
			}()
			New64(size)
		}()
	}
}

func TestBytes(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {0, 10}, {5, 10}, {1000, 1000}, {1, 1001}} {
		if b := Bytes(c[0], c[1]); b == nil || len(b) != c[0] || cap(b) != c[1] {
			t.Errorf("Bytes%v: length %d and capacity %d", c, len(b), cap(b))
		}
	}
}

// TestInitDefaultPools is an example from the original's documentation.
func TestInitDefaultPools(t *testing.T) {
	before := DefaultCapacityPools
	defer func() { DefaultCapacityPools = before }()
	InitDefaultPools(512, 4096)
	if MinSize() != 512 || MaxSize() != 4096 {
		t.Errorf("%d to %d", MinSize(), MaxSize())
	}
	if b := Make(10); cap(b) != 512 {
		t.Errorf("Make(10) has capacity %d, want 512", cap(b))
	}
	b := New(10240)
	if cap(b) != 10240 || Release(b) {
		t.Errorf("New(10240) has capacity %d, or is kept", cap(b))
	}
	if len(NewMin()) != 512 || len(NewMax()) != 4096 || cap(MakeMin()) != 512 || cap(MakeMax()) != 4096 {
		t.Error("the smallest or largest forms have other sizes")
	}
}

// TestSameArray tests reuse as the original documents it.
func TestSameArray(t *testing.T) {
	reuses(t)
	p := NewCapacityPools(2, 4<<20)
	three := append(p.Make(3), "123"...)
	p.Release(three)
	four := p.New(4)
	if len(four) != 4 || cap(four) != 4 || &three[0] != &four[0] || string(four[:3]) != "123" {
		t.Errorf("New(4) is %q with capacity %d, want the released one", four, cap(four))
	}
}

func TestBufPool(t *testing.T) {
	pooltest.Alone(t)
	for size, length := range map[int]int{math.MinInt: 2, -1: 2, 2: 2, 3: 3, 1500: 1500, 32 << 10: 32 << 10} {
		var p httputil.BufferPool = NewBufPool(size)
		b := p.Get()
		if len(b) != length {
			t.Errorf("of size %d: length %d, want %d", size, len(b), length)
		}
		p.Put(b[:1])
		if next := p.Get(); &next[0] != &b[0] && basincheck.Now().Level != basincheck.Full {
			t.Errorf("of size %d nothing is reused", size)
		}
	}
}

func TestStats(t *testing.T) {
	reuses(t)
	p := NewCapacityPools(2, 1024)
	use := func() {
		for range 3 {
			p.Put(p.New(10))
			p.Put(p.New(200))
		}
		p.Put(p.New(16))
		p.New(5000)
	}
	use() // is not counted
	if m := RuntimeStats(p); m != nil {
		t.Errorf("while they are off: %v, want nil", m)
	}
	if s := RuntimeStatsSummary(5, p); !reflect.DeepEqual(s, RuntimeSummary{}) || p.GetWithStats() {
		t.Errorf("while they are off: %+v", s)
	}
	want := RuntimeSummary{}
	for times := range uint64(3) { // off and on again, they go on
		p.SetWithStats(true)
		p.SetWithStats(true)
		use()
		p.New(300)
		want = RuntimeSummary{
			NewBytes:    512 * (times + 1),
			OutBytes:    5000 * (times + 1),
			OutCount:    times + 1,
			ReusedBytes: (4*16 + 3*256) * (times + 1),
			TopPools: []PoolStat{
				{Rank: 1, Capacity: 16, ReuseHits: 4 * (times + 1)}, {Rank: 2, Capacity: 256, ReuseHits: 3 * (times + 1)},
			},
		}
		if got := RuntimeStatsSummary(5, p); !reflect.DeepEqual(got, want) {
			t.Errorf("time %d: %+v, want %+v", times, got, want)
		}
		p.SetWithStats(false)
		p.SetWithStats(false)
		use()
		p.New(600)
		if got := PoolReuseStats(5, p); got != nil || p.GetWithStats() {
			t.Errorf("off again: %v", got)
		}
	}
	p.SetWithStats(true)
	all := map[string]uint64{"NewBytes": want.NewBytes, "OutBytes": want.OutBytes, "OutCount": want.OutCount, "ReusedBytes": want.ReusedBytes}
	if got := RuntimeStats(p); !reflect.DeepEqual(got, all) {
		t.Errorf("%v, want %v", got, all)
	}
	if got := RuntimeStatsSummary(0, p).TopPools; got != nil {
		t.Errorf("the top 0 capacities are %v, want nil", got)
	}
	for n, want := range map[int]int{math.MinInt: 0, -1: 0, 0: 0, 1: 1, 2: 2, 100: 2} {
		for name, f := range map[string]func(int, ...*CapacityPools) []PoolStat{"PoolReuseStats": PoolReuseStats, "PoolReuseStatsN": PoolReuseStatsN} {
			if got := f(n, p); len(got) != want || (got == nil) != (want == 0) {
				t.Errorf("%s: the top %d are %v", name, n, got)
			}
		}
	}
	if strconv.IntSize == 64 { // otherwise the runtime ends the program for lack of memory
		func() {
			defer func() { recover() }()
			p.New(math.MaxInt)
		}()
		if got := RuntimeStats(p); got["OutCount"] != want.OutCount || got["OutBytes"] != want.OutBytes {
			t.Errorf("after a New that panicked: %v", got)
		}
	}
	defer SetWithStats(false)
	SetWithStats(true)
	before := RuntimeStats()["OutCount"]
	New(4<<20 + 1)
	if after := RuntimeStats()["OutCount"]; !GetWithStats() || after != before+1 {
		t.Errorf("of the default pools: %d slices outside, and then %d", before, after)
	}
}

// TestStatsAsPrinted has the figures that the original prints for the same calls, line by line.
func TestStatsAsPrinted(t *testing.T) {
	reuses(t)
	p := NewCapacityPools(8, 1024)
	p.SetWithStats(true)
	for i := range 1000 {
		p.Release(p.Make(i))
	}
	p.Get(1025)
	p.Get(8)
	printed, err := json.Marshal(RuntimeStatsSummary(10, p))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"NewBytes":2040,"OutBytes":1025,"OutCount":1,"ReusedBytes":671448,"TopPools":[`
	for i, c := range [][2]int{{1024, 486}, {512, 255}, {256, 127}, {128, 63}, {64, 31}, {32, 15}, {8, 9}, {16, 7}} {
		if i > 0 {
			want += ","
		}
		want += fmt.Sprintf(`{"Rank":%d,"Capacity":%d,"ReuseHits":%d}`, i+1, c[0], c[1])
	}
	if want += "]}"; string(printed) != want {
		t.Errorf("%s, want\n%s", printed, want)
	}
	printed, err = json.Marshal(RuntimeStats(p))
	if want := `{"NewBytes":2040,"OutBytes":1025,"OutCount":1,"ReusedBytes":671448}`; string(printed) != want || err != nil {
		t.Errorf("%s, want\n%s", printed, want)
	}
	unused := NewCapacityPools(8, 1024)
	unused.SetWithStats(true)
	printed, err = json.Marshal(RuntimeStatsSummary(10, unused))
	if want := `{"NewBytes":0,"OutBytes":0,"OutCount":0,"ReusedBytes":0,"TopPools":null}`; string(printed) != want || err != nil {
		t.Errorf("%s, want\n%s", printed, want)
	}
}

// TestStatsAdd: figures of many users add up, while others read them.
func TestStatsAdd(t *testing.T) {
	p := NewCapacityPools(2, 4096)
	p.SetWithStats(true)
	const users, rounds = 4, 500
	asked := uint64(0)
	for size := 2; size <= 4096; size *= 2 {
		asked += uint64(users * rounds * size)
	}
	var wg sync.WaitGroup
	for range users {
		wg.Go(func() {
			for range rounds {
				for size := 2; size <= 4096; size *= 2 {
					p.Put(p.New(size))
				}
				p.New(5000)
				if s := RuntimeStatsSummary(20, p); s.NewBytes+s.ReusedBytes > 2*asked { // a figure below zero
					t.Errorf("%+v", s)
				}
			}
		})
	}
	wg.Wait()
	if s := RuntimeStatsSummary(20, p); s.NewBytes+s.ReusedBytes != asked || s.OutCount != users*rounds || s.OutBytes != users*rounds*5000 {
		t.Errorf("%+v, want %d bytes in all", s, asked)
	}
}

// TestReleased: as with the original, the result depends on the capacity alone.
func TestReleased(t *testing.T) {
	p := NewCapacityPools(500, 1000)
	for capacity, want := range map[int]bool{0: false, 1: false, 499: false, 500: true, 505: true, 512: true, 700: true, 1000: true, 1001: false, 1024: false} {
		if got := p.Release(make([]byte, 0, capacity)); got != want {
			t.Errorf("Release of a capacity of %d: %v, want %v", capacity, got, want)
		}
	}
	p = NewCapacityPools(2, 1024)
	for capacity := range 1030 {
		for front := range 3 {
			b := make([]byte, capacity+front)[front:]
			if got, want := p.Release(b), cap(b) >= 2 && cap(b) <= 1024; got != want {
				t.Errorf("Release of a capacity of %d: %v, want %v", cap(b), got, want)
			}
		}
	}
}

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				b := New(i % 300)
				for i := range b {
					b[i] = byte(g)
				}
				if slices.ContainsFunc(b, func(c byte) bool { return c != byte(g) }) {
					t.Error("somebody else's bytes")
				}
				Release(b)
			}
		})
	}
	wg.Wait()
}

func TestName(t *testing.T) {
	Put(New(100))
	names := []string{}
	for _, s := range basinexport.Append(nil) {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, "bytespool") {
		t.Errorf("no pool named bytespool among %q", names)
	}
}
