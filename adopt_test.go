//go:build go1.25

package basin_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/testenv"
)

// adopters returns the ways to adopt into a pool with the given settings. Each makes a pool of its
// own.
func adopters(config pooltest.Config) map[string]func() (*basin.BytePool, func([]byte) bool) {
	adopting := config
	adopting.Adopts = true
	return map[string]func() (*basin.BytePool, func([]byte) bool){
		"Adopt": func() (*basin.BytePool, func([]byte) bool) { p := config.Pool(); return p, p.Adopt },
		"Put, in a pool that adopts": func() (*basin.BytePool, func([]byte) bool) {
			p := adopting.Pool()
			return p, func(b []byte) bool {
				before := p.Stats().Items.Idle
				p.Put(b)
				return p.Stats().Items.Idle > before
			}
		},
	}
}

// page returns n bytes. The address of the first one is a multiple of 8 KiB, plus off.
func page(off, n int) []byte {
	b := make([]byte, off+n+8192)
	begin := int(-uintptr(unsafe.Pointer(array(b)))&8191) + off
	return b[begin : begin+n : begin+n]
}

// TestAdopt adopts all kinds of slices into new pools and gets the pieces.
func TestAdopt(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	if testenv.ASan {
		t.Skip("arrays are aligned less")
	}
	own := func(n int) func(p *basin.BytePool) []byte { return func(p *basin.BytePool) []byte { return p.Get(n) } }
	is := func(b []byte) func(*basin.BytePool) []byte { return func(*basin.BytePool) []byte { return b } }
	plain, ranged := pooltest.Config{}, pooltest.Config{MinSize: 1024, MaxSize: 64 << 10}
	for _, tt := range []struct {
		name   string
		config pooltest.Config
		slice  func(p *basin.BytePool) []byte
		class  int // size of the piece
		begin  int // offset of the piece
		want   basin.Drops
	}{
		{"nil", plain, is(nil), 0, 0, basin.Drops{Empty: 1}},
		{"empty", plain, is([]byte{}), 0, 0, basin.Drops{Empty: 1}},
		{"make of zero", plain, is(make([]byte, 0)), 0, 0, basin.Drops{Empty: 1}},
		{"the end of an array", plain, is(page(0, 4096)[4096:]), 0, 0, basin.Drops{Empty: 1}},
		{"one byte", plain, is(page(0, 1)), 0, 0, basin.Drops{Small: 1}},
		{"63 bytes", plain, is(page(0, 63)), 0, 0, basin.Drops{Small: 1}},
		{"64 bytes, misaligned", plain, is(page(1, 64)), 0, 0, basin.Drops{Misaligned: 1}},
		{"126 bytes, misaligned", plain, is(page(1, 126)), 0, 0, basin.Drops{Misaligned: 1}},
		{"127 bytes, misaligned", plain, is(page(1, 127)), 64, 63, basin.Drops{}},
		{"127 bytes", plain, is(page(0, 127)), 64, 0, basin.Drops{}},
		{"make of no class's capacity", plain, is(page(0, 1000)), 896, 0, basin.Drops{}},
		{"no length", plain, is(page(0, 1000)[:0]), 896, 0, basin.Drops{}},
		{"one less than a class", plain, is(page(0, 4095)), 3456, 0, basin.Drops{}},
		{"one more than a class", plain, is(page(0, 4097)), 4096, 0, basin.Drops{}},
		{"a class's capacity, not where one begins", plain, is(page(64, 4096)), 4096, 0, basin.Drops{}},
		{"a class's capacity, from a byte on", plain, is(page(1, 4096)), 3456, 127, basin.Drops{}},
		{"starts where the pool's own slices do, if there is room", plain, is(page(8192-64, 4096+64)), 4096, 64, basin.Drops{}},
		{"starts at a cache line, if there is not", plain, is(page(8192-64, 4096+63)), 4096, 0, basin.Drops{}},
		{"large", plain, is(page(0, 3<<20-1)), 5 << 19, 0, basin.Drops{}},
		{"outside the heap", plain, is(static[1:5000:5000]), 0, 0, basin.Drops{}},
		{"clipped own", plain, func(p *basin.BytePool) []byte { return p.Get(4096)[:1000:1000] }, 896, 0, basin.Drops{}},
		{"end of an own", plain, func(p *basin.BytePool) []byte { return p.Get(4096)[100:] }, 3456, 28, basin.Drops{}},
		{"of another pool", plain, is(other.Get(100)[:100:100]), 64, 0, basin.Drops{}},
		{"beyond MaxSize", plain, is(make([]byte, 4<<20+1)), 0, 0, basin.Drops{Large: 1}},
		{"own, beyond MaxSize", plain, own(5 << 20), 0, 0, basin.Drops{Large: 1}},
		{"below MinSize", ranged, is(page(0, 1023)), 0, 0, basin.Drops{Small: 1}},
		{"MinSize, misaligned", ranged, is(page(1, 1024)), 0, 0, basin.Drops{Misaligned: 1}},
		{"MinSize and some", ranged, is(page(0, 1025)), 1024, 0, basin.Drops{}},
		{"MaxSize and one", ranged, is(page(0, 64<<10+1)), 0, 0, basin.Drops{Large: 1}},
		{"no room", pooltest.Config{MaxIdle: 1}, is(page(0, 1000)), 0, 0, basin.Drops{Full: 1}},
		{"no room for a piece of its class", pooltest.Config{MaxIdle: 895}, is(page(0, 1000)), 0, 0, basin.Drops{Full: 1}},
		{"room for a piece of its class", pooltest.Config{MaxIdle: 896}, is(page(0, 1000)), 896, 0, basin.Drops{}},
		{"one class", pooltest.Config{MinSize: 4096, MaxSize: 4096}, is(page(192, 4096)), 4096, 0, basin.Drops{}},
	} {
		for how, begin := range adopters(tt.config) {
			t.Run(tt.name+"/"+how, func(t *testing.T) {
				p, adopt := begin()
				b := tt.slice(p)
				before := p.Stats()
				kept := adopt(b)
				after := p.Stats()
				if got := minus(after.Drops, before.Drops); got != tt.want || kept != (got == basin.Drops{}) {
					t.Errorf("kept: %v, counted as %+v, want %+v", kept, got, tt.want)
				}
				if want := before; after.Puts != want.Puts || tt.want.Large == 0 && after.Bytes.InUse != want.Bytes.InUse {
					t.Errorf("%d Puts with %d bytes in use, want %d with %d", after.Puts, after.Bytes.InUse, want.Puts, want.Bytes.InUse)
				}
				adopted := uint64(0)
				if kept || tt.want.Full > 0 {
					adopted = 1
				}
				if after.Adopted != adopted {
					t.Errorf("%d Adopted, want %d", after.Adopted, adopted)
				}
				if !kept {
					return
				}
				if tt.class > 0 && after.Bytes.Idle != int64(tt.class) {
					t.Errorf("%d bytes idle, want %d", after.Bytes.Idle, tt.class)
				}
				class := int(after.Bytes.Idle)
				again := p.Get(class)
				if cap(again) != class || offset(b, again) < 0 || offset(b, again)+class > cap(b) {
					t.Fatalf("adopted %d bytes at %p, but %d at %p are handed out", cap(b), array(b), cap(again), array(again))
				}
				if got := offset(b, again); tt.class > 0 && got != tt.begin {
					t.Errorf("it begins at %d, want %d", got, tt.begin)
				}
				if s := p.Stats(); s.Bytes.InUse != after.Bytes.InUse+int64(class) || s.Hits != before.Hits+1 {
					t.Errorf("%d bytes are in use, want %d more: %v", s.Bytes.InUse, class, s)
				}
				p.Put(again) // belongs to the pool now, whatever its alignment
				if s := p.Stats(); s.Puts != before.Puts+1 || s.Adopted != 1 || s.Drops != after.Drops || s.Bytes.Idle != int64(class) || s.Bytes.InUse != after.Bytes.InUse {
					t.Errorf("after it was used and put: %+v", s)
				}
				if third := p.Get(class); array(third) != array(again) {
					t.Error("it is not used a second time")
				}
			})
		}
	}
}

// offset returns the offset of part's start in the array of b.
func offset(b, part []byte) int {
	return int(uintptr(unsafe.Pointer(array(part))) - uintptr(unsafe.Pointer(array(b))))
}

// TestAdoptExactShape adopts slices with the shape of the pool's own. They count as Puts.
func TestAdoptExactShape(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for how, begin := range adopters(pooltest.Config{}) {
		t.Run(how, func(t *testing.T) {
			p, adopt := begin()
			b := p.Get(1000)
			if !adopt(b[:3]) {
				t.Error("the pool's own is not kept")
			}
			if s := p.Stats(); s.Puts != 1 || s.Adopted != 0 || s.Bytes.InUse != 0 {
				t.Errorf("the pool's own: %v", s)
			}
			if adopt(b) {
				t.Error("it is kept twice")
			}
			if again := p.Get(1000); array(again) != array(b) {
				t.Error("it is not used again")
			}
			if array(p.Get(1000)) == array(b) {
				t.Error("it is handed out twice")
			}
			if !adopt(make([]byte, 4096)) || p.Stats().Bytes.Idle != 4096 {
				t.Error("a slice of make with a class's capacity is not kept")
			}
		})
	}
}

// TestAdoptTwice adopts an array twice in a row.
func TestAdoptTwice(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for how, begin := range adopters(pooltest.Config{}) {
		for _, b := range [][]byte{make([]byte, 1000), page(1, 5000), page(64, 4096)} {
			t.Run(fmt.Sprint(how, " of ", len(b)), func(t *testing.T) {
				p, adopt := begin()
				if !adopt(b) || adopt(b) {
					t.Error("not kept once")
				}
				if s := p.Stats(); s.Drops != (basin.Drops{Double: 1}) || s.Items.Idle != 1 {
					t.Errorf("%v, want one item idle and one double Put", s)
				}
			})
		}
	}
}

// TestAdoptRandom adopts 2,000 slices of random lengths. Nine in ten of their bytes are used, and
// the pieces are within the arrays, do not overlap and share no cache lines.
func TestAdoptRandom(t *testing.T) {
	pooltest.Reuses(t)
	for _, limit := range []int{4 << 10, 64 << 10} {
		for how, begin := range adopters(pooltest.Config{MaxFit: 1, MaxIdle: 1 << 30}) {
			t.Run(fmt.Sprint(how, " up to ", limit), func(t *testing.T) {
				pooltest.Alone(t)
				p, adopt := begin()
				random := rand.New(rand.NewPCG(1, uint64(limit)))
				arrays := make([][]byte, 2000)
				total := int64(0)
				for i := range arrays {
					n := 1 + random.IntN(limit)
					if sizeclass.For(n, n).Smallest() == n {
						n++ // otherwise it would count as a Put
					}
					arrays[i] = make([]byte, n)
					total += int64(len(arrays[i]))
				}
				for _, b := range arrays {
					adopt(b)
				}
				idle := p.Stats()
				if share := float64(idle.Bytes.Idle) / float64(total); share < 0.9 {
					t.Errorf("%.3f of the bytes find a use, want 0.9: %v", share, idle)
				}
				if d := idle.Drops; d.Total() != d.Small+d.Misaligned || d.Total() > 200 {
					t.Errorf("dropped: %+v", d)
				}
				byAddress := func(a, b []byte) int { return -offset(a, b) }
				slices.SortFunc(arrays, byAddress)
				var out [][]byte
				for _, c := range idle.Classes {
					for range c.Items.Idle {
						b := p.Get(c.Size)
						i, found := slices.BinarySearchFunc(arrays, b, byAddress)
						if !found {
							i--
						}
						if i < 0 || offset(arrays[i], b)+cap(b) > cap(arrays[i]) {
							t.Fatalf("%d bytes at %p are handed out, which are in no array", cap(b), array(b))
						}
						if uintptr(unsafe.Pointer(array(b)))%64 != 0 && !testenv.ASan {
							t.Errorf("%d bytes at %p do not start at a cache line", cap(b), array(b))
						}
						out = append(out, b)
					}
				}
				if s := p.Stats(); s.Misses != 0 || s.Bytes.Idle != 0 || s.Bytes.InUse != idle.Bytes.Idle {
					t.Errorf("adopted slices do not serve as many requests: %v", s)
				}
				slices.SortFunc(out, byAddress)
				for i := 1; i < len(out); i++ {
					if offset(out[i-1], out[i]) < cap(out[i-1]) {
						t.Fatalf("%d bytes at %p and %d at %p overlap", cap(out[i-1]), array(out[i-1]), cap(out[i]), array(out[i]))
					}
				}
				for _, b := range out {
					p.Put(b)
				}
				if s := p.Stats(); s.Bytes.Idle != idle.Bytes.Idle || s.Drops != idle.Drops || s.Bytes.InUse != 0 || s.Puts != uint64(len(out)) {
					t.Errorf("put again: %v", s)
				}
			})
		}
	}
}

// TestAdoptRest adopts arrays that have too little room for a class by a byte. The bytes left over
// are as few as Adopt documents.
func TestAdoptRest(t *testing.T) {
	if testenv.ASan {
		t.Skip("arrays are aligned less")
	}
	for _, size := range pooltest.ClassSizes(1 << 20) {
		n := size + 62
		if n < 512 {
			continue
		}
		p := &basin.BytePool{}
		p.Adopt(page(1, n)) // 63 bytes before a cache line
		if rest := n - int(p.Stats().Bytes.Idle); rest >= 64+n/4 {
			t.Errorf("of %d bytes, %d are left over", n, rest)
		}
	}
}

// TestAdoptBestFit: a larger adopted slice serves a request.
func TestAdoptBestFit(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	p := &basin.BytePool{}
	b := page(64, 10_000)
	p.Adopt(b)
	if got := p.Get(4096); cap(got) != 8192 || offset(b, got) != 0 {
		t.Errorf("Get returns %d bytes", cap(got))
	}
}

// TestAdoptZero adopts arrays full of other users' bytes into a pool that clears.
func TestAdoptZero(t *testing.T) {
	for how, begin := range adopters(pooltest.Config{Zero: true}) {
		for _, n := range []int{10, 100, 1000, 4096, 5000} {
			t.Run(fmt.Sprint(how, " of ", n), func(t *testing.T) {
				pooltest.Misuses(t)
				p, adopt := begin()
				b := dirty(make([]byte, n))
				adopt(b[:1])
				if !pooltest.FullChecks && !pooltest.IsZero(b) {
					t.Error("the array is not cleared")
				}
				if got := p.Get(n); !pooltest.IsZero(got[:cap(got)]) {
					t.Error("Get returns others' bytes")
				}
			})
		}
	}
}

// TestAdoptMaxInUse adopts while the pool is at its ceiling, which must not make room.
func TestAdoptMaxInUse(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	for how, begin := range adopters(pooltest.Config{MaxInUse: 4096}) {
		t.Run(how, func(t *testing.T) {
			p, adopt := begin()
			held := p.Get(4096)
			if !adopt(make([]byte, 1000)) {
				t.Fatal("not adopted")
			}
			if b, ok := p.TryGet(500); ok {
				t.Errorf("%d bytes beyond the ceiling", cap(b))
			}
			if beyond := p.Append(nil, make([]byte, 1000)...); !adopt(beyond) {
				t.Error("a slice beyond the limit is not kept")
			}
			if s := p.Stats(); s.Bytes.InUse != 4096 || s.Bytes.Idle != 896+1024 || s.Adopted != 1 || s.Beyond != 1 {
				t.Errorf("%v", s)
			}
			p.Put(held)
			b, ok := p.TryGet(896)
			if s := p.Stats(); !ok || s.Bytes.InUse != 896 || s.Hits != 1 {
				t.Errorf("there is room, and served: %v, %v", ok, s)
			}
			p.Put(b)
			if s := p.Stats(); s.Bytes.InUse != 0 {
				t.Errorf("%v", s)
			}
		})
	}
}

// TestAdoptHugeCapacity adopts slices that claim more bytes than there are.
func TestAdoptHugeCapacity(t *testing.T) {
	p := &basin.BytePool{}
	for _, capacity := range []int{1<<30 + 1, math.MaxInt32, math.MaxInt - 64, math.MaxInt} {
		header := struct {
			array         *byte
			len, capacity int
		}{array(make([]byte, 4096)), 10, capacity}
		if p.Adopt(*(*[]byte)(unsafe.Pointer(&header))) {
			t.Errorf("capacity %d is kept", capacity)
		}
	}
	if d := p.Stats().Drops; d != (basin.Drops{Large: 4}) {
		t.Errorf("%+v", d)
	}
}

// TestAdoptChecked uses a pool that adopts, correctly and incorrectly.
func TestAdoptChecked(t *testing.T) {
	type kind = basincheck.Kind
	for _, level := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}} {
		for _, tt := range []struct {
			name string
			do   func(p, other *basin.BytePool)
			want []kind
		}{
			{"foreign", func(p, _ *basin.BytePool) { p.Put(make([]byte, 100)) }, nil},
			{"foreign in the shape of a class", func(p, _ *basin.BytePool) { p.Put(make([]byte, 4096)) }, nil},
			{"foreign, twice", func(p, _ *basin.BytePool) { b := make([]byte, 100); p.Put(b); p.Put(b) }, nil},
			{"outgrown foreign", func(p, _ *basin.BytePool) { p.Put(p.Append(make([]byte, 100), 1)) }, nil},
			{"larger than MaxSize", func(p, _ *basin.BytePool) { p.Put(make([]byte, 2<<20)) }, nil},
			{"own", func(p, _ *basin.BytePool) { p.Put(p.Get(100)) }, nil},
			{"own, re-sliced", func(p, _ *basin.BytePool) { p.Put(p.Get(100)[:100:100]) }, nil},
			{"own, in two parts", func(p, _ *basin.BytePool) { b := p.Get(4096); p.Put(b[:2000:2000]); p.Put(b[2000:]) }, nil},
			{"own, without its start", func(p, _ *basin.BytePool) { p.Put(p.Get(100)[10:]) }, nil},
			{"another pool's", func(p, other *basin.BytePool) { p.Put(other.Get(100)) }, nil},
			{"part of another pool's, larger than MaxSize", func(p, other *basin.BytePool) { p.Put(other.Get(3 << 20)[1:]) }, nil},
			{"part of another pool's", func(p, other *basin.BytePool) { p.Put(other.Get(100)[10:]) }, nil},
			{"put twice", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b); p.Put(b) }, []kind{basincheck.DoublePut}},
			{"put twice, re-sliced", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b); p.Put(b[:64:64]) }, []kind{basincheck.DoublePut}},
			{"put, and then a part", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b); p.Put(b[10:]) }, []kind{basincheck.InteriorPut}},
			{"written to after Put", func(p, _ *basin.BytePool) { b := p.Get(100); p.Put(b); b[0]++ }, []kind{basincheck.WriteAfterPut}},
		} {
			t.Run(fmt.Sprint(level.Level, "/", tt.name), func(t *testing.T) {
				pooltest.Misuses(t)
				told := pooltest.BeginChecks(t, level)
				tt.do(&basin.BytePool{Name: "adopting", MaxSize: 1 << 20, Adopts: true}, &basin.BytePool{Name: "other"})
				basincheck.Verify()
				if got := told.Take(); !slices.Equal(pooltest.Kinds(got), tt.want) {
					t.Errorf("reported: %v, want %v\n%v", pooltest.Kinds(got), tt.want, got)
				}
				for range 5 { // slices that need not be put do not leak
					pooltest.Collect()
				}
				if got := told.Take(); len(got) > 0 {
					t.Errorf("reported later: %v", got)
				}
				if left := basincheck.Outstanding(); len(left) > 0 {
					t.Errorf("outstanding: %v", left)
				}
			})
		}
	}
}

// TestAdoptCheckedSlices: slices that are handed out are intact while everything is adopted and
// some slices are checked.
func TestAdoptCheckedSlices(t *testing.T) {
	pooltest.Misuses(t)
	told := pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 3})
	p := &basin.BytePool{Adopts: true}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		if i%100 == 0 {
			pooltest.Collect() // an array of which parts were put has not leaked
		}
		b := dirty(p.Get(1 + random.IntN(5000)))
		switch random.IntN(4) {
		case 0:
			p.Put(b)
		case 1:
			p.Put(b[:len(b):len(b)])
		case 2:
			p.Put(b[random.IntN(len(b)):])
		case 3:
			p.Put(make([]byte, 1+random.IntN(5000)))
			p.Put(b)
		}
	}
	pooltest.Collect()
	basincheck.Verify()
	if got := told.Take(); len(got) > 0 {
		t.Errorf("correct use is reported: %v", got[0])
	}
}

// TestAdoptConcurrently: many goroutines put parts of their slices, and foreign slices.
func TestAdoptConcurrently(t *testing.T) {
	p := &basin.BytePool{Adopts: true, MaxIdle: 1 << 20}
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(g)))
			mark := []byte{byte(g)}
			for range rounds {
				b := p.Get(1 + random.IntN(10_000))
				b = b[:cap(b)]
				for i := range b {
					b[i] = byte(g)
				}
				if bytes.Count(b, mark) != len(b) {
					t.Error("another goroutine writes to the slice")
				}
				switch random.IntN(3) {
				case 0:
					p.Put(b)
				case 1:
					k := random.IntN(len(b))
					p.Put(b[:k:k])
					p.Put(b[k:])
				case 2:
					p.Put(b)
					p.Put(make([]byte, random.IntN(5000)))
				}
			}
		})
	}
	for range 20 {
		if s := p.Stats(); s.Bytes.Idle > s.Bytes.MaxIdle {
			t.Errorf("%v", s)
		}
	}
	wg.Wait()
}
