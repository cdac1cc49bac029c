//go:build go1.25

package basin_test

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

// appenders returns the ways to append to a slice of p. It makes p the default pool while the test
// runs.
func appenders(t testing.TB, p *basin.BytePool) []struct {
	name string
	call func(dst, src []byte) []byte
} {
	basin.SetDefault(p)
	t.Cleanup(func() { basin.SetDefault(nil) })
	return []struct {
		name string
		call func(dst, src []byte) []byte
	}{
		{"BytePool.Append", func(dst, src []byte) []byte { return p.Append(dst, src...) }},
		{"BytePool.AppendString", func(dst, src []byte) []byte { return p.AppendString(dst, asString(src)) }},
		{"Append", func(dst, src []byte) []byte { return basin.Append(dst, src...) }},
		{"AppendString", func(dst, src []byte) []byte { return basin.AppendString(dst, asString(src)) }},
		{"BytePool.Grow", func(dst, src []byte) []byte { return append(p.Grow(dst, len(src)), src...) }},
		{"Grow", func(dst, src []byte) []byte { return append(basin.Grow(dst, len(src)), src...) }},
	}
}

// TestAppendInlines asks the compiler whether it inlines Append.
func TestAppendInlines(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "js" || testing.Short() {
		t.Skip("nothing to ask, or no time to compile")
	}
	said, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, name := range []string{
		"(*BytePool).Append", "(*BytePool).AppendString", "(*BytePool).Grow", "Append", "AppendString", "Grow",
		"(*Buffer).WriteByte", "NewSmallBuffer",
	} {
		if !bytes.Contains(said, []byte(": can inline "+name+"\n")) {
			t.Errorf("%s is not inlined", name)
		}
	}
}

// asString returns the bytes of b as a string, without a copy.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// TestAppend compares Append with the built-in append.
func TestAppend(t *testing.T) {
	pooltest.Misuses(t)
	dsts := []struct {
		name string
		make func(p *basin.BytePool) []byte
	}{
		{"nil", func(*basin.BytePool) []byte { return nil }},
		{"empty", func(*basin.BytePool) []byte { return []byte{} }},
		{"empty, with room", func(p *basin.BytePool) []byte { return p.Get(1000)[:0] }},
		{"one byte", func(p *basin.BytePool) []byte { return append(p.Get(1)[:0], 'x') }},
		{"full", func(p *basin.BytePool) []byte { return append(p.Get(64)[:0], pattern(64)...) }},
		{"half full", func(p *basin.BytePool) []byte { return append(p.Get(4096)[:0], pattern(2048)...) }},
		{"largest", func(p *basin.BytePool) []byte { return append(p.Get(64 << 10)[:0], pattern(64<<10)...) }},
		{"beyond MaxSize", func(p *basin.BytePool) []byte { return append(p.Get(100 << 10)[:0], pattern(100<<10)...) }},
		{"foreign", func(*basin.BytePool) []byte { return pattern(1000) }},
		{"clipped", func(p *basin.BytePool) []byte { return append(p.Get(4096)[:0], pattern(2000)...)[:1000:1500] }},
		{"sub-slice", func(p *basin.BytePool) []byte { return append(p.Get(4096)[:0], pattern(4096)...)[100:200] }},
	}
	for _, config := range []pooltest.Config{{MaxSize: 64 << 10}, {MaxSize: 64 << 10, Zero: true}, {MaxSize: 64 << 10, MaxIdle: 1}} {
		p := config.Pool()
		for _, by := range appenders(t, p) {
			for _, dst := range dsts {
				t.Run(fmt.Sprintf("Zero %v, MaxIdle %d/%s/%s", config.Zero, config.MaxIdle, by.name, dst.name), func(t *testing.T) {
					for _, n := range []int{0, 1, 2, 63, 64, 65, 1000, 3000, 4096, 50000, 70000, 200000} {
						d, src := dst.make(p), pattern(n)
						fits := n <= cap(d)-len(d)
						want := append(slices.Clone(d), src...)
						got := by.call(d, src)
						if !bytes.Equal(got, want) {
							t.Errorf("appending %d bytes to %d gives %d other ones", n, len(d), len(got))
						}
						if (got == nil) != (want == nil) {
							t.Errorf("appending %d bytes to %d gives nil: %v, the built-in append: %v", n, len(d), got == nil, want == nil)
						}
						if moved := array(got) != array(d); moved == fits {
							t.Errorf("appending %d bytes to %d of %d moves the array: %v", n, len(d), cap(d), moved)
						}
						if fits && cap(got) != cap(d) {
							t.Errorf("appending %d bytes in place changes the capacity from %d to %d", n, cap(d), cap(got))
						}
					}
				})
			}
		}
		if s := p.Stats(); s.Drops.Empty != 0 || s.Drops.Double != 0 {
			t.Errorf("a slice without an array was put, or a slice twice: %+v", s.Drops)
		}
	}
}

func TestGrow(t *testing.T) {
	p := &basin.BytePool{MaxSize: 64 << 10}
	basin.SetDefault(p)
	defer basin.SetDefault(nil)
	for _, grow := range []struct {
		name string
		call func([]byte, int) []byte
	}{{"BytePool.Grow", p.Grow}, {"Grow", basin.Grow}} {
		for _, tt := range []struct {
			name string
			b    func() []byte
		}{
			{"nil", func() []byte { return nil }},
			{"empty", func() []byte { return []byte{} }},
			{"some", func() []byte { return append(p.Get(100)[:0], pattern(50)...) }},
			{"full", func() []byte { return append(p.Get(128)[:0], pattern(128)...) }},
			{"beyond MaxSize", func() []byte { return append(p.Get(70000)[:0], pattern(70000)...) }},
		} {
			for _, n := range []int{0, 1, 64, 1000, 100000} {
				t.Run(fmt.Sprintf("%s/%s/%d", grow.name, tt.name, n), func(t *testing.T) {
					b := tt.b()
					room := cap(b) - len(b)
					want := slices.Grow(slices.Clone(b), n)
					got := grow.call(b, n)
					if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
						t.Errorf("it changes %d bytes to %d others; nil: %v, with slices.Grow: %v", len(b), len(got), got == nil, want == nil)
					}
					if cap(got)-len(got) < n {
						t.Errorf("there is room for %d bytes", cap(got)-len(got))
					}
					if n <= room && (array(got) != array(b) || cap(got) != cap(b)) {
						t.Error("it moved although there was room")
					}
				})
			}
			for _, n := range []int{-1, -64, math.MinInt} {
				t.Run(fmt.Sprintf("%s/%s/%d", grow.name, tt.name, n), func(t *testing.T) {
					if recovered(func() { _ = slices.Grow(tt.b(), n) }) == nil {
						t.Fatal("slices.Grow does not panic")
					}
					b := tt.b()
					before := p.Stats()
					if recovered(func() { grow.call(b, n) }) == nil {
						t.Error("it does not panic")
					}
					if s := p.Stats(); s.Puts != before.Puts || s.Drops.Total() != before.Drops.Total() {
						t.Error("the slice went to the pool all the same")
					}
				})
			}
			// Impossible lengths must panic and not wrap around.
			for _, n := range []int{math.MaxInt, math.MaxInt - 63} {
				t.Run(fmt.Sprintf("%s/%s/%d", grow.name, tt.name, n), func(t *testing.T) {
					b := tt.b()
					if bits.UintSize == 32 && len(b) < 64 {
						t.Skip("an array of that length is possible here")
					}
					if recovered(func() { _ = slices.Grow(tt.b(), n) }) == nil {
						t.Fatal("slices.Grow does not panic")
					}
					before := p.Stats()
					var got []byte
					if recovered(func() { got = grow.call(b, n) }) == nil {
						t.Errorf("it does not panic, but returns room for %d bytes", cap(got)-len(got))
					}
					if s := p.Stats(); s.Puts != before.Puts || s.Drops.Total() != before.Drops.Total() {
						t.Error("the slice went to the pool all the same")
					}
				})
			}
		}
	}
}

// TestAppendRecycles checks that outgrown arrays are recycled.
func TestAppendRecycles(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	pooltest.Alone(t)
	for i := range appenders(t, &basin.BytePool{}) {
		for _, tt := range []struct {
			name  string
			dst   func(p *basin.BytePool) []byte
			grow  int
			puts  uint64
			drops basin.Drops
		}{
			{"nil", func(*basin.BytePool) []byte { return nil }, 100, 0, basin.Drops{}},
			{"empty", func(*basin.BytePool) []byte { return []byte{} }, 100, 0, basin.Drops{}},
			{"end of a slice", func(p *basin.BytePool) []byte { return p.Get(64)[64:] }, 100, 0, basin.Drops{}},
			{"in place", func(p *basin.BytePool) []byte { return p.Get(100)[:0] }, 100, 0, basin.Drops{}},
			{"nothing", func(p *basin.BytePool) []byte { return p.Get(64) }, 0, 0, basin.Drops{}},
			{"own", func(p *basin.BytePool) []byte { return p.Get(64) }, 1, 1, basin.Drops{}},
			{"own, empty", func(p *basin.BytePool) []byte { return p.Get(64)[:0] }, 65, 1, basin.Drops{}},
			{"own, beyond MaxSize", func(p *basin.BytePool) []byte { return p.Get(4 << 20) }, 1, 1, basin.Drops{}},
			{"oversize", func(p *basin.BytePool) []byte { return p.Get(5 << 20) }, 1, 0, basin.Drops{Large: 1}},
			{"foreign", func(*basin.BytePool) []byte { return make([]byte, 100) }, 1, 0, basin.Drops{Foreign: 1}},
			{"clipped", func(p *basin.BytePool) []byte { return p.Get(100)[:100:100] }, 1, 0, basin.Drops{Foreign: 1}},
			{"sub-slice", func(p *basin.BytePool) []byte { return p.Get(256)[10:] }, 1, 0, basin.Drops{Foreign: 1}},
			{"sub-slice with a class's capacity", func(p *basin.BytePool) []byte { return p.Get(8192)[8:4104:4104] }, 1, 0, basin.Drops{Misaligned: 1}},
		} {
			p := &basin.BytePool{}
			by := appenders(t, p)[i]
			t.Run(by.name+"/"+tt.name, func(t *testing.T) {
				dst := tt.dst(p)
				before := p.Stats()
				got := by.call(dst, pattern(tt.grow))
				s := p.Stats()
				if puts := s.Puts - before.Puts; puts != tt.puts {
					t.Errorf("%d arrays were put back, want %d", puts, tt.puts)
				}
				if drops := minus(s.Drops, before.Drops); drops != tt.drops {
					t.Errorf("dropped were %+v, want %+v", drops, tt.drops)
				}
				if again := p.Get(max(cap(dst), 1)); (array(again) == array(dst)) != (tt.puts == 1) {
					t.Errorf("the outgrown array is handed out again: %v", array(again) == array(dst))
				}
				if tt.puts == 1 && array(got) == array(dst) {
					t.Error("the result has the array that was put back")
				}
			})
		}
	}
}

// TestAppendGrowsByDoubling counts the moves of n appended bytes.
func TestAppendGrowsByDoubling(t *testing.T) {
	p := &basin.BytePool{MaxSize: 64 << 10}
	for _, n := range []int{100, 10_000, 1_000_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			before := p.Stats()
			var b []byte
			for i := range n {
				b = p.Append(b, byte(i))
			}
			s := p.Stats()
			if gets, limit := s.Gets-before.Gets, uint64(bits.Len(uint(n))); gets > limit {
				t.Errorf("%d bytes, one at a time, were moved %d times, want at most %d", n, gets, limit)
			}
			if cap(b) > 3*n {
				t.Errorf("%d bytes, one at a time, end up in a capacity of %d", n, cap(b))
			}
			for i := range b {
				if b[i] != byte(i) {
					t.Fatalf("byte %d is %d", i, b[i])
				}
			}
			p.Put(b)
		})
	}
}

// TestAppendAliases: as with the built-in append, slices share an array if they did not have to
// grow.
func TestAppendAliases(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Misuses(t)
	pooltest.Alone(t)
	for i := range appenders(t, &basin.BytePool{}) {
		p := &basin.BytePool{}
		by := appenders(t, p)[i]
		t.Run(by.name+"/in place", func(t *testing.T) {
			b := append(p.Get(64)[:0], "hello"...)
			first := by.call(b, []byte(" world"))
			second := by.call(b[:1], []byte("op"))
			if string(second) != "hop" || string(first) != "hoplo world" || string(b) != "hoplo" {
				t.Errorf("the slices read %q, %q and %q", b, first, second)
			}
		})
		t.Run(by.name+"/room that belongs to others", func(t *testing.T) {
			b := append(p.Get(64)[:0], "hello world"...)
			got := by.call(b[:5:5], []byte("!"))
			if string(got) != "hello!" || string(b) != "hello world" {
				t.Errorf("the slices read %q and %q", b, got)
			}
		})
		t.Run(by.name+"/outgrown", func(t *testing.T) {
			b := append(p.Get(64)[:0], pattern(64)...)
			got := by.call(b, []byte("!"))
			copy(got, "overwritten")
			if !bytes.Equal(b, pattern(64)) { // true because nobody else uses the pool
				t.Error("the result shares the array that it outgrew")
			}
			next := p.Get(64)
			if array(next) != array(b) {
				t.Error("the outgrown array is not the next to be handed out")
			}
		})
		t.Run(by.name+"/source from the pool", func(t *testing.T) {
			src := append(p.Get(64)[:0], pattern(64)...)
			got := by.call(append(p.Get(64)[:0], pattern(64)...), src)
			if !bytes.Equal(got, append(pattern(64), pattern(64)...)) || !bytes.Equal(src, pattern(64)) {
				t.Error("it changes another slice of the pool")
			}
		})
	}
}

// TestAppendOfItself appends parts of a slice to the slice. As with the built-in append, the parts
// keep their contents, although a Zero pool clears an array as soon as it is put.
func TestAppendOfItself(t *testing.T) {
	p := &basin.BytePool{Zero: true}
	for _, by := range appenders(t, p) {
		if strings.HasSuffix(by.name, "Grow") { // the user appends the source later
			continue
		}
		for _, tt := range []struct{ n, from, to int }{{10, 0, 10}, {64, 0, 64}, {64, 60, 64}, {100, 1, 99}, {100_000, 5, 100_000}} {
			t.Run(fmt.Sprintf("%s/%d bytes, %d to %d", by.name, tt.n, tt.from, tt.to), func(t *testing.T) {
				b := append(p.Get(tt.n)[:0], pattern(tt.n)...)
				got := by.call(b, b[tt.from:tt.to])
				if want := append(pattern(tt.n), pattern(tt.n)[tt.from:tt.to]...); !bytes.Equal(got, want) {
					t.Errorf("the result differs from that of append at byte %d", differsAt(got, want))
				}
			})
		}
	}
}

// FuzzAppend runs the input as a program for two slices: one of the pool, and one made by the
// built-in functions.
func FuzzAppend(f *testing.F) {
	f.Add([]byte("append"), uint16(64), false)
	f.Add([]byte{0, 255, 1, 200, 2, 3, 3, 100, 4, 9, 5, 0, 6, 1, 7, 80}, uint16(0), true)
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		program := make([]byte, r.IntN(200))
		for i := range program {
			program[i] = byte(r.Uint32())
		}
		f.Add(program, uint16(r.Uint32()), r.IntN(2) == 0)
	}
	f.Fuzz(func(t *testing.T, program []byte, start uint16, zero bool) {
		p := &basin.BytePool{MaxSize: 8 << 10, Zero: zero}
		got := p.Append(nil, pattern(int(start))...)
		want := pattern(int(start))
		for pc := 0; pc+1 < len(program); pc += 2 {
			n := int(program[pc+1])
			switch op := program[pc] % 8; op {
			case 0:
				got, want = p.Append(got, program[:pc]...), append(want, program[:pc]...)
			case 1:
				got, want = p.AppendString(got, string(pattern(n))), append(want, pattern(n)...)
			case 2:
				got, want = p.Grow(got, n*n), slices.Grow(want, n*n)
				if cap(got)-len(got) < n*n {
					t.Fatalf("step %d: after Grow(%d) there is room for %d", pc/2, n*n, cap(got)-len(got))
				}
			case 3:
				old := got
				got, want = p.Append(nil, got...), bytes.Clone(want)
				p.Put(old)
			case 4:
				got, want = got[:len(got)*n/256], want[:len(want)*n/256]
			case 5:
				p.Put(got)
				got, want = nil, nil
			case 6:
				got, want = p.Append(got, pattern(n*n)...), append(want, pattern(n*n)...)
			case 7: // other uses of the pool meanwhile
				other := p.Get(n * n)
				for i := range other {
					other[i] = 0xEE
				}
				p.Put(other)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("step %d, operation %d: %d bytes are not the %d expected", pc/2, program[pc]%8, len(got), len(want))
			}
		}
		p.Put(got)
		if s := p.Stats(); s.Bytes.InUse != 0 || s.Drops.Foreign+s.Drops.Misaligned+s.Drops.Double+s.Drops.Small != 0 {
			t.Fatalf("the statistics are %+v", s)
		}
	})
}
