package basin_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
)

// TestPutBad puts everything into a pool that does not belong there, and some
// that does. What is dropped is counted under its reason and nowhere else,
// and never comes back.
func TestPutBad(t *testing.T) {
	reuses(t)
	misuses(t)
	alone(t)
	type pool = basin.BytePool
	kept := basin.Drops{}
	var (
		empty      = basin.Drops{Empty: 1}
		small      = basin.Drops{Small: 1}
		large      = basin.Drops{Large: 1}
		foreign    = basin.Drops{Foreign: 1}
		misaligned = basin.Drops{Misaligned: 1}
		double     = basin.Drops{Double: 1}
		full       = basin.Drops{Full: 1}
	)
	plain := basin.Config{}
	ranged := basin.Config{MinSize: 1024, MaxSize: 64 << 10}
	for _, tt := range []struct {
		name   string
		config basin.Config
		slice  func(p *pool) []byte
		want   basin.Drops
	}{
		// Nothing.
		{"nil", plain, func(*pool) []byte { return nil }, empty},
		{"empty", plain, func(*pool) []byte { return []byte{} }, empty},
		{"Get of zero", plain, func(p *pool) []byte { return p.Get(0) }, empty},
		{"Get of a negative length", plain, func(p *pool) []byte { return p.Get(-1) }, empty},
		{"capacity clipped to zero", plain, func(p *pool) []byte { return p.Get(64)[:0:0] }, empty},
		{"end of a slice", plain, func(p *pool) []byte { return p.Get(64)[64:] }, empty},

		// The pool's own, whatever is left of their length.
		{"own", plain, func(p *pool) []byte { return p.Get(1000) }, kept},
		{"own, length extended", plain, func(p *pool) []byte { b := p.Get(1000); return b[:cap(b)] }, kept},
		{"own, shortened", plain, func(p *pool) []byte { return p.Get(1000)[:10] }, kept},
		{"own, of length zero", plain, func(p *pool) []byte { return p.Get(1000)[:0] }, kept},
		{"own, large", plain, func(p *pool) []byte { return p.Get(4 << 20) }, kept},
		{"own, sub-sliced to its end and back", plain, func(p *pool) []byte { b := p.Get(1000); return b[5:][:10:10][:0:0][:0] }, empty},

		// Others'.
		{"make, of no class's capacity", plain, func(*pool) []byte { return make([]byte, 1000) }, foreign},
		{"make, one less than a class", plain, func(*pool) []byte { return make([]byte, 4095) }, foreign},
		{"make, one more than a class", plain, func(*pool) []byte { return make([]byte, 4097) }, foreign},
		{"make, capacity beyond its length", plain, func(*pool) []byte { return make([]byte, 4096, 5000) }, foreign},
		{"make, smaller than any class", plain, func(*pool) []byte { return make([]byte, 63) }, small},
		{"make, of one byte", plain, func(*pool) []byte { return make([]byte, 1) }, small},
		{"make, with the exact shape of a small class", plain, func(*pool) []byte { return make([]byte, 64) }, kept},
		{"make, with the exact shape of a class", plain, func(*pool) []byte { return make([]byte, 0, 4864) }, kept},
		{"make, with the exact shape of a large class", plain, func(*pool) []byte { return make([]byte, 1<<20) }, kept},
		{"MakeUninit with the exact shape of a class", plain, func(*pool) []byte { return basin.MakeUninit(0, 4096) }, kept},
		{"outside the heap", plain, func(*pool) []byte { return static[1:4097:4097] }, misaligned},

		// Parts of an array.
		{"all but the first byte", plain, func(p *pool) []byte { return p.Get(4096)[1:] }, foreign},
		{"the last byte", plain, func(p *pool) []byte { return p.Get(4096)[4095:] }, small},
		{"the last 63 bytes", plain, func(p *pool) []byte { return p.Get(4096)[4096-63:] }, small},
		{"capacity clipped", plain, func(p *pool) []byte { return p.Get(4096)[:1000:1000] }, foreign},
		{"capacity clipped by one", plain, func(p *pool) []byte { return p.Get(4096)[:10:4095] }, foreign},
		{"capacity clipped below all classes", plain, func(p *pool) []byte { return p.Get(4096)[:10:10] }, small},
		{"from 64 on, with the capacity of a class", plain, func(p *pool) []byte { return p.Get(8192)[64:4160:4160] }, misaligned},
		{"from 1 on, with the capacity of the smallest class", plain, func(p *pool) []byte { return p.Get(8192)[1:65:65] }, misaligned},
		{"from 32 on, with the capacity of the smallest class", plain, func(p *pool) []byte { return p.Get(8192)[32:96:96] }, misaligned},
		{"rest, with the capacity of a class", plain, func(p *pool) []byte { return p.Get(4864)[768:] }, misaligned}, // 4096
		{"from 4096 on, with the capacity of a large class", plain, func(p *pool) []byte { return p.Get(1 << 20)[4096 : 4096+40<<10 : 4096+40<<10] }, misaligned},
		{"from a byte on, with the capacity of a large class", plain, func(p *pool) []byte { return p.Get(1 << 20)[1 : 1+1<<19 : 1+1<<19] }, misaligned},

		// Parts that have both size and alignment of a class: as documented,
		// they are taken for one.
		{"second half of an array", plain, func(p *pool) []byte { return p.Get(8192)[4096:] }, kept},
		{"first half of an array, clipped", plain, func(p *pool) []byte { return p.Get(8192)[:0:4096] }, kept},

		// Too large, too small.
		{"beyond MaxSize", plain, func(p *pool) []byte { return p.Get(4<<20 + 1) }, large},
		{"far beyond MaxSize", plain, func(p *pool) []byte { return p.Get(16 << 20) }, large},
		{"make beyond MaxSize", plain, func(*pool) []byte { return make([]byte, 5<<20) }, large},
		{"a class beyond MaxSize", ranged, func(*pool) []byte { return make([]byte, 80<<10) }, large},
		{"a class below MinSize", ranged, func(*pool) []byte { return make([]byte, 512) }, small},
		{"no class, below MinSize", ranged, func(*pool) []byte { return make([]byte, 1000) }, small},
		{"no class, within the range", ranged, func(*pool) []byte { return make([]byte, 1025) }, foreign},
		{"no class, beyond MaxSize", ranged, func(*pool) []byte { return make([]byte, 64<<10+1) }, large},
		{"MinSize", ranged, func(p *pool) []byte { return p.Get(1) }, kept},
		{"MaxSize", ranged, func(p *pool) []byte { return p.Get(64 << 10) }, kept},

		// Another pool's.
		{"of another pool with other sizes, too small", ranged, func(*pool) []byte { return other.Get(64) }, small},
		{"of another pool with other sizes, too large", ranged, func(*pool) []byte { return other.Get(1 << 20) }, large},
		{"of another pool, within the range", ranged, func(*pool) []byte { return other.Get(10000) }, kept},

		// Twice.
		{"twice in a row", plain, func(p *pool) []byte { b := p.Get(100); p.Put(b); return b }, double},
		{"twice in a row, shortened", plain, func(p *pool) []byte { b := p.Get(100); p.Put(b); return b[:0] }, double},
		{"twice in a row, large", plain, func(p *pool) []byte { b := p.Get(3 << 20); p.Put(b); return b }, double},
		{"twice in a row, with other sizes between", plain, func(p *pool) []byte {
			b := p.Get(100)
			p.Put(b)
			p.Put(p.Get(1000))
			p.Put(make([]byte, 100))
			return b
		}, double},
		{"twice in a row, as the last of many", plain, func(p *pool) []byte { return putMany(p, 100) }, double},
		{"twice in a row, when the P's own are full", plain, func(p *pool) []byte { return putMany(p, 28) }, double},
		{"twice in a row, with a garbage collection between", plain, func(p *pool) []byte { b := putMany(p, 3); collect(); return b }, double},
		{"twice in a row, long after", plain, func(p *pool) []byte {
			b := putMany(p, 3)
			for range 5 {
				collect()
			}
			return b
		}, double},
		{"twice in a row, with little room", basin.Config{MaxIdle: 128}, func(p *pool) []byte { b := p.Get(100); p.Put(b); return b }, double},
		{"twice in a row, cleared", basin.Config{Zero: true}, func(p *pool) []byte { b := p.Get(100); p.Put(b); return b }, double},
		{"twice in a row, without room", basin.Config{MaxIdle: 1}, func(p *pool) []byte { b := p.Get(100); p.Put(b); return b }, full},

		// No room.
		{"MaxIdle 1", basin.Config{MaxIdle: 1}, func(p *pool) []byte { return p.Get(1) }, full},
		{"MaxIdle of one byte less than the slice", basin.Config{MaxIdle: 4095}, func(p *pool) []byte { return p.Get(4096) }, full},
		{"MaxIdle of the slice", basin.Config{MaxIdle: 4096}, func(p *pool) []byte { return p.Get(4096) }, kept},
		{"MaxIdle too small, but not for this one", basin.Config{MaxIdle: 4095}, func(p *pool) []byte { return p.Get(1024) }, kept},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runtime.GC() // nobody else does it here
			// Once for each way to put, into a pool of its own.
			p := basin.NewBytePool(tt.config)
			for i := range sinks(t, p) {
				p := basin.NewBytePool(tt.config)
				to := sinks(t, p)[i]
				b := tt.slice(p)
				before := p.Stats()
				if r := recovered(func() { to.put(b) }); r != nil {
					t.Fatalf("%s panics: %v", to.name, r)
				}
				after := p.Stats()
				if got := minus(after.DropsBy, before.DropsBy); got != tt.want {
					t.Errorf("%s: counted as %+v, want %+v", to.name, got, tt.want)
				}
				dropped := uint64(1)
				if tt.want == kept {
					dropped = 0
				}
				if got := after.Drops - before.Drops; got != dropped {
					t.Errorf("%s: %d drops, want %d", to.name, got, dropped)
				}
				idle := int64(cap(b))
				if dropped > 0 {
					idle = 0
				}
				if got := after.IdleBytes - before.IdleBytes; got != idle {
					t.Errorf("%s: %d more bytes idle, want %d", to.name, got, idle)
				}
				puts := uint64(0)
				if tt.want == kept || tt.want == full { // what can be the pool's
					puts = 1
				}
				if got := after.Puts - before.Puts; got != puts {
					t.Errorf("%s: %d Puts, want %d", to.name, got, puts)
				}
			}
			b := tt.slice(p)
			if got := p.TryPut(b); got != (tt.want == kept) {
				t.Errorf("TryPut reports %v", got)
			}
			// Nothing comes back twice.
			seen := map[*byte]bool{}
			for range min(200, 2+16<<20/max(cap(b), 1)) {
				again := p.Get(max(cap(b), 1))
				if seen[array(again)] {
					t.Fatal("two slices have one array")
				}
				seen[array(again)] = true
			}
		})
	}
}

var (
	static [8192]byte
	other  = basin.NewBytePool(basin.Config{})
)

// putMany puts n slices and returns the last.
func putMany(p *basin.BytePool, n int) []byte {
	live := make([][]byte, n)
	for i := range live {
		live[i] = p.Get(100)
	}
	for _, b := range live {
		p.Put(b)
	}
	return live[n-1]
}

func minus(a, b basin.Drops) basin.Drops {
	return basin.Drops{
		Empty:      a.Empty - b.Empty,
		Small:      a.Small - b.Small,
		Large:      a.Large - b.Large,
		Foreign:    a.Foreign - b.Foreign,
		Misaligned: a.Misaligned - b.Misaligned,
		Double:     a.Double - b.Double,
		Full:       a.Full - b.Full,
	}
}

// TestPutHugeCapacity puts slices whose capacity looks harmless in 32 bits.
// There is no memory behind what they claim, and nobody looks for it.
func TestPutHugeCapacity(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("no int is larger than 32 bits")
	}
	word := 32 // not a constant, for the compilers that would not have it
	for _, config := range []basin.Config{{}, {Zero: true}, {MaxSize: 64}, {MaxSize: 1 << 30}, {MinSize: 4096, MaxSize: 4096}} {
		p := basin.NewBytePool(config)
		p.Put(p.Get(4096))
		for _, low := range []int{-1, 0, 1, 2, 63, 64, 127, 128, 4096, 4 << 20, 1 << 30} {
			for _, high := range []int{1, 2, 1 << 10} {
				capacity := high<<word + low
				t.Run(fmt.Sprintf("MaxSize %d, Zero %v/%d<<32%+d", config.MaxSize, config.Zero, high, low), func(t *testing.T) {
					header := struct {
						array         *byte
						len, capacity int
					}{array(p.Get(4096)), 10, capacity}
					b := *(*[]byte)(unsafe.Pointer(&header))
					for _, to := range sinks(t, p) {
						before := p.Stats()
						if r := recovered(func() { to.put(b) }); r != nil {
							t.Fatalf("%s panics: %v", to.name, r)
						}
						after := p.Stats()
						if got := minus(after.DropsBy, before.DropsBy); got != (basin.Drops{Large: 1}) || after.IdleBytes != before.IdleBytes {
							t.Errorf("%s: counted as %+v, %d more bytes idle", to.name, got, after.IdleBytes-before.IdleBytes)
						}
					}
				})
			}
		}
	}
}

func TestPutAfterSetDefault(t *testing.T) {
	reuses(t)
	alone(t)
	for _, tt := range []struct {
		name   string
		config basin.Config
		n      int
		want   basin.Drops
	}{
		{"within the new pool's range", basin.Config{}, 1000, basin.Drops{}},
		{"too small for the new pool", basin.Config{MinSize: 4096}, 1000, basin.Drops{Small: 1}},
		{"too large for the new pool", basin.Config{MaxSize: 512}, 1000, basin.Drops{Large: 1}},
		{"no room in the new pool", basin.Config{MaxIdle: 1}, 1000, basin.Drops{Full: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := basin.Default()
			b := basin.Get(tt.n)
			before := first.Stats()
			p := basin.NewBytePool(tt.config)
			basin.SetDefault(p)
			defer basin.SetDefault(nil)
			basin.Put(b)
			s := p.Stats()
			if s.DropsBy != tt.want || s.InUseBytes != 0 {
				t.Errorf("the new pool counts %+v", s)
			}
			if after := first.Stats(); after.Puts != before.Puts || after.Drops != before.Drops || after.IdleBytes != before.IdleBytes {
				t.Error("the old pool counts it as well")
			}
			if kept := tt.want == (basin.Drops{}); kept != (array(basin.Get(tt.n)) == array(b)) {
				t.Errorf("kept: %v, but what the new pool hands out says otherwise", kept)
			}
		})
	}
}

// TestPutClearsAfterChecks puts what is no slice of the pool into one that
// clears: somebody may still be using the bytes.
func TestPutClearsAfterChecks(t *testing.T) {
	misuses(t)
	p := basin.NewBytePool(basin.Config{Zero: true, MaxSize: 64 << 10})
	for _, tt := range []struct {
		name  string
		slice []byte
	}{
		{"foreign", make([]byte, 1000)},
		{"small", make([]byte, 10)},
		{"large", make([]byte, 128<<10)},
		{"misaligned", make([]byte, 8192)[64:4160:4160]},
		{"part", p.Get(4096)[1:]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := dirty(tt.slice)
			p.Put(b)
			if bytes.Count(b, []byte{0xAA}) != len(b) {
				t.Error("Put cleared what it dropped")
			}
		})
	}
}

func TestConfigRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config basin.Config
		fields string // that the message must name
	}{
		{"MinSize negative", basin.Config{MinSize: -1}, "Config.MinSize"},
		{"MinSize smallest int", basin.Config{MinSize: math.MinInt}, "Config.MinSize"},
		{"MinSize beyond 1 GiB", basin.Config{MinSize: 1<<30 + 1}, "Config.MinSize"},
		{"MinSize largest int", basin.Config{MinSize: math.MaxInt}, "Config.MinSize"},
		{"MaxSize negative", basin.Config{MaxSize: -1}, "Config.MaxSize"},
		{"MaxSize smallest int", basin.Config{MaxSize: math.MinInt}, "Config.MaxSize"},
		{"MaxSize beyond 1 GiB", basin.Config{MaxSize: 1<<30 + 1}, "Config.MaxSize"},
		{"MaxSize largest int", basin.Config{MaxSize: math.MaxInt}, "Config.MaxSize"},
		{"MaxSize below MinSize", basin.Config{MinSize: 4096, MaxSize: 4095}, "Config.MaxSize Config.MinSize"},
		{"MaxSize far below MinSize", basin.Config{MinSize: 1 << 30, MaxSize: 1}, "Config.MaxSize Config.MinSize"},
		{"MaxSize below MinSize, in one class", basin.Config{MinSize: 60, MaxSize: 50}, "Config.MaxSize Config.MinSize"},
		{"MaxIdle negative", basin.Config{MaxIdle: -1}, "Config.MaxIdle"},
		{"MaxIdle smallest int64", basin.Config{MaxIdle: math.MinInt64}, "Config.MaxIdle"},
		{"MaxInUse negative", basin.Config{MaxInUse: -1}, "Config.MaxInUse"},
		{"MaxInUse smallest int64", basin.Config{MaxInUse: math.MinInt64}, "Config.MaxInUse"},
		{"MaxInUse largest int64", basin.Config{MaxInUse: math.MaxInt64}, "Config.MaxInUse"},
		{"IdleTime negative", basin.Config{IdleTime: -1}, "Config.IdleTime"},
		{"IdleTime smallest Duration", basin.Config{IdleTime: math.MinInt64}, "Config.IdleTime"},
		{"one of many", basin.Config{Name: "x", MinSize: 64, MaxSize: 4096, MaxIdle: -7, IdleTime: time.Second, Zero: true}, "Config.MaxIdle -7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			message := fmt.Sprint(recovered(func() { basin.NewBytePool(tt.config) }))
			if !strings.HasPrefix(message, "basin: ") {
				t.Fatalf("it panics with %q", message)
			}
			for field := range strings.FieldsSeq(tt.fields) {
				if !strings.Contains(message, field) {
					t.Errorf("it panics with %q, which does not say %s", message, field)
				}
			}
		})
	}
}

// TestConfigExtreme has the settings that are just about possible.
func TestConfigExtreme(t *testing.T) {
	reuses(t)
	alone(t)
	for _, tt := range []struct {
		name   string
		config basin.Config
		n      int // a length
		want   int // its capacity
		kept   bool
	}{
		{"MinSize without MaxSize", basin.Config{MinSize: 5 << 20}, 1, 5 << 20, true},
		{"MinSize without MaxSize, beyond", basin.Config{MinSize: 5 << 20}, 5<<20 + 1, 5<<20 + 1, false},
		{"MinSize between classes without MaxSize", basin.Config{MinSize: 5<<20 + 1}, 6 << 20, 6 << 20, true},
		{"MinSize just above the default MaxSize", basin.Config{MinSize: basin.DefaultMaxSize + 1}, 1, 5 << 20, true},
		{"MinSize is the default MaxSize", basin.Config{MinSize: basin.DefaultMaxSize}, 1, 4 << 20, true},
		{"MinSize 1", basin.Config{MinSize: 1}, 1, 64, true},
		{"MaxSize 1", basin.Config{MaxSize: 1}, 64, 64, true},
		{"MaxSize 1, beyond", basin.Config{MaxSize: 1}, 65, 65, false},
		{"MaxSize 1 GiB", basin.Config{MaxSize: 1 << 30}, 9 << 20, 10 << 20, true},
		{"MaxIdle 1", basin.Config{MaxIdle: 1}, 64, 64, false},
		{"MaxIdle smaller than one buffer", basin.Config{MaxIdle: 1000}, 1001, 1024, false},
		{"MaxIdle smaller than one buffer, but not than a smaller one", basin.Config{MaxIdle: 1000}, 100, 128, true},
		{"MaxIdle largest int64", basin.Config{MaxIdle: math.MaxInt64}, 4 << 20, 4 << 20, true},
		{"IdleTime 1 ns", basin.Config{IdleTime: 1}, 1000, 1024, true},
		{"IdleTime largest Duration", basin.Config{IdleTime: math.MaxInt64}, 1000, 1024, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := basin.NewBytePool(tt.config)
			b := p.Get(tt.n)
			if len(b) != tt.n || cap(b) != tt.want {
				t.Errorf("Get(%d) has length %d and capacity %d, want capacity %d", tt.n, len(b), cap(b), tt.want)
			}
			if kept := p.TryPut(b); kept != tt.kept {
				t.Errorf("kept: %v", kept)
			}
			collect()
			collect()
			p.Trim()
			if s := p.Stats(); s.IdleBytes != 0 || s.InUseBytes != 0 {
				t.Errorf("after Trim %d bytes are idle and %d in use", s.IdleBytes, s.InUseBytes)
			}
		})
	}
}

// A script is a reader that plays one step after another, the last one for ever.
type script struct {
	steps []func(p []byte) (int, error)
	calls int
}

func (s *script) Read(p []byte) (int, error) {
	step := s.steps[min(s.calls, len(s.steps)-1)]
	s.calls++
	return step(p)
}

var errReader = errors.New("the reader failed")

// Steps of a script.
func gives(data string, err error) func([]byte) (int, error) {
	return func(p []byte) (int, error) { return copy(p, data), err }
}
func fills(err error) func([]byte) (int, error) {
	return func(p []byte) (int, error) { clear(p); return len(p), err }
}
func claims(n int, err error) func([]byte) (int, error) {
	return func([]byte) (int, error) { return n, err }
}
func overclaims(by int, err error) func([]byte) (int, error) {
	return func(p []byte) (int, error) { return len(p) + by, err }
}
func panics(with any) func([]byte) (int, error) {
	return func([]byte) (int, error) { panic(with) }
}
func repeat(n int, step func([]byte) (int, error), then ...func([]byte) (int, error)) (steps []func([]byte) (int, error)) {
	for range n {
		steps = append(steps, step)
	}
	return append(steps, then...)
}

// TestReadAll compares with io.ReadAll and bytes.Buffer.ReadFrom.
func TestReadAll(t *testing.T) {
	reuses(t)
	type step = func([]byte) (int, error)
	play := func(steps ...step) func() io.Reader {
		return func() io.Reader { return &script{steps: steps} }
	}
	of := func(data []byte, wrap ...func(io.Reader) io.Reader) func() io.Reader {
		return func() io.Reader {
			r := io.Reader(bytes.NewReader(data))
			for _, w := range wrap {
				r = w(r)
			}
			return r
		}
	}
	data := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i * 7)
		}
		return b
	}
	eof := claims(0, io.EOF)
	const (
		alike     = ""                 // as the others do
		panicking = "panics"           // as bytes.Buffer does
		hopeless  = "io.ErrNoProgress" // where the others go on for ever
	)
	tests := []struct {
		name   string
		reader func() io.Reader
		want   string
	}{
		{"EOF at once", play(eof), alike},
		{"EOF with the data", play(gives("abc", io.EOF)), alike},
		{"EOF after the data", play(gives("abc", nil), eof), alike},
		{"error at once", play(claims(0, errReader)), alike},
		{"error with data", play(gives("abc", errReader)), alike},
		{"error with a full read", play(fills(errReader)), alike},
		{"error midway", play(repeat(10, fills(nil), claims(0, errReader))...), alike},
		{"error midway, with data", play(repeat(10, fills(nil), gives("abc", errReader))...), alike},
		{"io.ErrUnexpectedEOF", play(gives("abc", io.ErrUnexpectedEOF)), alike},
		{"EOF wrapped, which is not EOF", play(gives("abc", fmt.Errorf("not %w", io.EOF))), alike},
		{"time-out", of(data(10000), iotest.OneByteReader, iotest.TimeoutReader), alike},
		{"negative count at once", play(claims(-1, nil)), panicking},
		{"negative count midway", play(repeat(10, fills(nil), claims(-1, nil))...), panicking},
		{"negative count with EOF", play(claims(-1, io.EOF)), panicking},
		{"negative count with an error", play(claims(-1, errReader)), panicking},
		{"smallest count", play(claims(math.MinInt, nil)), panicking},
		{"too large a count at once", play(overclaims(1, nil)), panicking},
		{"too large a count midway", play(repeat(10, fills(nil), overclaims(1, nil))...), panicking},
		{"too large a count with EOF", play(overclaims(1, io.EOF)), panicking},
		{"largest count", play(claims(math.MaxInt, nil)), panicking},
		{"panic at once", play(panics("the reader's")), panicking},
		{"panic midway", play(repeat(10, fills(nil), panics("the reader's"))...), panicking},
		{"panic with an error", play(gives("abc", nil), panics(errReader)), panicking},
		{"nothing for ever", play(claims(0, nil)), hopeless},
		{"nothing for ever, after data", play(repeat(10, fills(nil), claims(0, nil))...), hopeless},
		{"nothing 100 times in a row", play(append(repeat(100, claims(0, nil)), eof)...), hopeless},
		{"nothing 99 times, then data, twice", play(append(repeat(99, claims(0, nil), gives("abc", nil)), repeat(99, claims(0, nil), gives("def", io.EOF))...)...), alike},
		{"one byte at a time", of(data(10000), iotest.OneByteReader), alike},
		{"half at a time", of(data(100000), iotest.HalfReader), alike},
		{"EOF with the last data", of(data(100000), iotest.DataErrReader), alike},
		{"one byte at a time, EOF with the last", of(data(10000), iotest.OneByteReader, iotest.DataErrReader), alike},
		{"an iotest.ErrReader", func() io.Reader { return iotest.ErrReader(errReader) }, alike},
		{"nil data", of(nil), alike},
		{"a strings.Reader that could tell its length", func() io.Reader { return strings.NewReader("abc") }, alike},
		{"a bytes.Buffer", func() io.Reader { return bytes.NewBuffer(data(5000)) }, alike},
		{"a pipe", func() io.Reader {
			r, w := io.Pipe()
			go func() {
				for range 10 {
					w.Write(data(1000))
				}
				w.CloseWithError(errReader)
			}()
			return r
		}, alike},
	}
	for _, n := range []int{1, 63, 64, 65, 4095, 4096, 4097, 8191, 8192, 8193, 16384, 65535, 65536, 65537, 1 << 20, 1<<20 + 1, 4 << 20, 4<<20 + 1, 5 << 20} {
		tests = append(tests, struct {
			name   string
			reader func() io.Reader
			want   string
		}{fmt.Sprint(n, " bytes"), of(data(n)), alike})
	}

	for _, config := range []basin.Config{
		{Name: "default"},
		{Name: "Zero", Zero: true},
		{Name: "small slices", MaxSize: 1024},
		{Name: "large slices", MinSize: 1 << 20},
		{Name: "keeps nothing", MaxIdle: 1},
	} {
		t.Run(config.Name, func(t *testing.T) {
			p := basin.NewBytePool(config)
			for _, tt := range tests {
				t.Run(tt.name, func(t *testing.T) {
					p.Trim()
					before := p.Stats()
					var got []byte
					var err error
					r := recovered(func() { got, err = p.ReadAll(tt.reader()) })

					switch tt.want {
					case alike:
						if r != nil {
							t.Fatalf("it panics: %v", r)
						}
						want, wantErr := io.ReadAll(tt.reader())
						var buffer bytes.Buffer
						n, bufferErr := buffer.ReadFrom(tt.reader())
						if fmt.Sprint(err) != fmt.Sprint(wantErr) || fmt.Sprint(err) != fmt.Sprint(bufferErr) {
							t.Errorf("its error is %v, io.ReadAll's is %v, bytes.Buffer's %v", err, wantErr, bufferErr)
						}
						if err == nil && (!bytes.Equal(got, want) || !bytes.Equal(got, buffer.Bytes()) || int64(len(got)) != n) {
							t.Errorf("it read %d bytes, io.ReadAll %d, bytes.Buffer %d", len(got), len(want), n)
						}
						if err == nil && got == nil {
							t.Error("it returns nil without an error, which io.ReadAll never does")
						}
					case panicking:
						var buffer bytes.Buffer
						want := recovered(func() { buffer.ReadFrom(tt.reader()) })
						if r == nil || want == nil {
							t.Fatalf("it panics with %v, bytes.Buffer with %v", r, want)
						}
						if err, ok := r.(error); ok && !errors.Is(err, errReader) && !strings.HasPrefix(err.Error(), "basin: ") {
							t.Errorf("it panics with %v", err)
						}
					case hopeless:
						if r != nil || err != io.ErrNoProgress {
							t.Errorf("its error is %v, it panics with %v; want %v", err, r, io.ErrNoProgress)
						}
					}
					if (err != nil || r != nil) && got != nil {
						t.Errorf("it returns %d bytes with error %v", len(got), err)
					}
					if err == nil && r == nil {
						p.Put(got)
					}
					s := p.Stats()
					if s.InUseBytes != 0 {
						t.Errorf("%d bytes are in use after all was given back", s.InUseBytes)
					}
					if s.DropsBy.Double != 0 || s.DropsBy.Foreign != 0 || s.DropsBy.Misaligned != 0 || s.DropsBy.Small != 0 {
						t.Errorf("it put what is not the pool's: %+v", s.DropsBy)
					}
					if config.MaxIdle == 0 && s.IdleBytes == 0 && s.Gets > before.Gets+s.Oversize-before.Oversize {
						t.Error("the pool got nothing back")
					}
				})
			}
		})
	}
}

// havingRead are pools that differ in what they have read, from which ReadAll learns.
var havingRead = []struct {
	name   string
	config basin.Config
	sizes  []int
}{
	{"nothing", basin.Config{}, nil},
	{"little", basin.Config{}, []int{10}},
	{"1 MiB", basin.Config{}, []int{1 << 20}},
	{"3 MiB", basin.Config{}, []int{3 << 20}},
	{"3 MiB, with a MaxSize of 100,000", basin.Config{MaxSize: 100_000}, []int{3 << 20}},
	{"300 KB and little", basin.Config{Zero: true}, []int{300_000, 10, 10, 10}},
}

// poolHavingRead returns a pool that has read data of the given sizes again and again.
func poolHavingRead(t *testing.T, config basin.Config, sizes []int) *basin.BytePool {
	p := basin.NewBytePool(config)
	for range 20 {
		for _, size := range sizes {
			b, err := p.ReadAll(bytes.NewReader(make([]byte, size)))
			if len(b) != size || err != nil {
				t.Fatalf("it read %d bytes of %d, with error %v", len(b), size, err)
			}
			p.Put(b)
		}
	}
	return p
}

// TestReadAllFullReads has readers that give as much as they are asked for, which
// io.ReadAll asks differently.
func TestReadAllFullReads(t *testing.T) {
	for _, before := range havingRead {
		t.Run("having read "+before.name, func(t *testing.T) { testReadAllFullReads(t, before.config, before.sizes) })
	}
}

func testReadAllFullReads(t *testing.T, config basin.Config, sizes []int) {
	for _, tt := range []struct {
		name string
		full int
		last func([]byte) (int, error)
	}{
		{"EOF with the first", 0, fills(io.EOF)},
		{"EOF with the second", 1, fills(io.EOF)},
		{"EOF after the first", 1, claims(0, io.EOF)},
		{"EOF after the second", 2, claims(0, io.EOF)},
		{"EOF with the tenth", 9, fills(io.EOF)},
		{"EOF after the tenth", 10, claims(0, io.EOF)},
		{"more after the tenth", 10, gives("abc", io.EOF)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := poolHavingRead(t, config, sizes)
			var want []byte
			step := func(do func([]byte) (int, error)) func([]byte) (int, error) {
				return func(b []byte) (int, error) {
					if len(b) == 0 {
						t.Fatal("it asks for nothing")
					}
					n, err := do(b)
					if n > 0 {
						b[n-1] = byte(len(want) / 7)
					}
					want = append(want, b[:n]...)
					return n, err
				}
			}
			got, err := p.ReadAll(&script{steps: repeat(tt.full, step(fills(nil)), step(tt.last))})
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("it read %d bytes of %d, with error %v", len(got), len(want), err)
			}
			p.Put(got)
			if s := p.Stats(); s.InUseBytes != 0 {
				t.Errorf("%d bytes are in use after all was given back", s.InUseBytes)
			}
		})
	}
}

// TestReadAllTakesMemoryAsDataArrives has readers that stop early: whatever they
// might have claimed, memory is of the order of what they gave, or, if others have given
// much more, 33 times that.
func TestReadAllTakesMemoryAsDataArrives(t *testing.T) {
	for _, before := range havingRead {
		t.Run("having read "+before.name, func(t *testing.T) {
			base, factor := 8<<10, 4
			if before.sizes != nil {
				base, factor = 160<<10, 33
			}
			testReadAllMemory(t, before.config, before.sizes, int64(base), int64(factor))
		})
	}
}

func testReadAllMemory(t *testing.T, config basin.Config, sizes []int, base, factor int64) {
	for _, n := range []int{0, 1, 1000, 5000, 100_000, 1 << 20, 5 << 20} {
		for _, err := range []error{io.EOF, errReader} {
			t.Run(fmt.Sprint(n, " bytes, ", err), func(t *testing.T) {
				p := poolHavingRead(t, config, sizes)
				var most int64
				left := n
				r := &script{steps: []func([]byte) (int, error){func(b []byte) (int, error) {
					most = max(most, p.Stats().InUseBytes)
					k := min(left, len(b), max(700, n/100))
					if left -= k; left == 0 {
						return k, err
					}
					return k, nil
				}}}
				b, _ := p.ReadAll(r)
				if limit := base + factor*int64(n); most > limit {
					t.Errorf("%d bytes were in use while %d were read, want at most %d", most, n, limit)
				}
				if class := cap(p.Get(n)); cap(b) > max(class, 4*n) {
					t.Errorf("%d bytes have a capacity of %d, want at most %d", n, cap(b), max(class, 4*n))
				}
			})
		}
	}
}

// TestReadAllGoexit ends the reader's goroutine from within Read.
func TestReadAllGoexit(t *testing.T) {
	reuses(t)
	p := basin.NewBytePool(basin.Config{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.ReadAll(&script{steps: repeat(10, fills(nil), func([]byte) (int, error) { runtime.Goexit(); return 0, nil })})
	}()
	<-done
	if s := p.Stats(); s.InUseBytes != 0 || s.IdleBytes == 0 {
		t.Errorf("%d bytes in use, %d idle", s.InUseBytes, s.IdleBytes)
	}
}
