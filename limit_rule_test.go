//go:build go1.25

package basin_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// Ways in which a call meets a limit without room, as docs/limits.md calls them.
const (
	waits  = "waits"
	refuse = "is refused"
	beyond = "goes beyond"
	none   = "takes no memory"
)

// A full has pools of all kinds, and shares: a Limit without room.
type full struct {
	limit  *basin.Limit
	bytes  *basin.BytePool // the default pool, too
	std    *basin.StdBufferPool
	values *basin.Pool[[]byte]
	ctx    context.Context // is done after a second
}

// A reader hides all methods but Read.
type reader struct{ io.Reader }

// long needs a new array in every Buffer.
var long = strings.Repeat("x", 3000)

// failed reports whether a call that returns err was refused. Other errors are the test's own.
func failed(t *testing.T, err error) bool {
	if err != nil && !errors.Is(err, basin.ErrLimit) && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	return err != nil
}

// ruleCalls has a call of everything that may take memory. It reports whether the call was refused.
var ruleCalls = map[string]func(t *testing.T, f *full) bool{
	"BytePool.Get":          func(t *testing.T, f *full) bool { return len(f.bytes.Get(3000)) != 3000 },
	"BytePool.GetZeroed":    func(t *testing.T, f *full) bool { return len(f.bytes.GetZeroed(3000)) != 3000 },
	"BytePool.Append":       func(t *testing.T, f *full) bool { return string(f.bytes.Append(nil, []byte(long)...)) != long },
	"BytePool.AppendString": func(t *testing.T, f *full) bool { return string(f.bytes.AppendString(nil, long)) != long },
	"BytePool.Grow":         func(t *testing.T, f *full) bool { return cap(f.bytes.Grow(nil, 3000)) < 3000 },
	"BytePool.GetContext": func(t *testing.T, f *full) bool {
		_, err := f.bytes.GetContext(f.ctx, 3000)
		return failed(t, err)
	},
	"BytePool.TryGet": func(t *testing.T, f *full) bool { _, ok := f.bytes.TryGet(3000); return !ok },
	"BytePool.ReadAll": func(t *testing.T, f *full) bool {
		data, err := f.bytes.ReadAll(reader{strings.NewReader(long)})
		if err != nil && data != nil {
			t.Error("data beside an error")
		}
		return failed(t, err)
	},
	"BytePool.ReadAllSize": func(t *testing.T, f *full) bool {
		_, err := f.bytes.ReadAllSize(reader{strings.NewReader(long)}, 3000)
		return failed(t, err)
	},
	"Get":       func(t *testing.T, f *full) bool { return len(basin.Get(3000)) != 3000 },
	"GetZeroed": func(t *testing.T, f *full) bool { return len(basin.GetZeroed(3000)) != 3000 },
	"Append": func(t *testing.T, f *full) bool {
		return string(basin.AppendString([]byte("x"), long[1:])) != long
	},
	"AppendString": func(t *testing.T, f *full) bool { return string(basin.AppendString(nil, long)) != long },
	"Grow":         func(t *testing.T, f *full) bool { return cap(basin.Grow(nil, 3000)) < 3000 },
	"ReadAll": func(t *testing.T, f *full) bool {
		_, err := basin.ReadAll(reader{strings.NewReader(long)})
		return failed(t, err)
	},
	"Buffer.Write":       inBuffers(func(b *basin.Buffer) error { _, err := b.Write([]byte(long)); return err }),
	"Buffer.WriteString": inBuffers(func(b *basin.Buffer) error { _, err := b.WriteString(long); return err }),
	"Buffer.WriteByte": inBuffers(func(b *basin.Buffer) (err error) {
		for i := 0; i < 3000 && err == nil; i++ {
			err = b.WriteByte('x')
		}
		return err
	}),
	"Buffer.WriteRune": inBuffers(func(b *basin.Buffer) (err error) {
		for i := 0; i < 1000 && err == nil; i++ {
			_, err = b.WriteRune('€')
		}
		return err
	}),
	"Buffer.ReadFrom": inBuffers(func(b *basin.Buffer) error { _, err := b.ReadFrom(strings.NewReader(long)); return err }),
	"Buffer.Grow": func(t *testing.T, f *full) bool {
		var b basin.Buffer
		b.Grow(3000)
		_, err := b.WriteString(long)
		return failed(t, err)
	},
	"Buffer.Detach":     func(t *testing.T, f *full) bool { return string(basin.NewBuffer([]byte(long)).Detach()) != long },
	"StdBufferPool.Get": func(t *testing.T, f *full) bool { return f.std.Get() == nil },
	"Pool.Get":          func(t *testing.T, f *full) bool { return f.values.Get() == nil },
	"Limit.Acquire":     func(t *testing.T, f *full) bool { _, err := f.limit.Acquire(f.ctx, 1); return failed(t, err) },
	"BufferPool.Get": func(t *testing.T, f *full) bool {
		return (&basin.BufferPool{Bytes: f.bytes}).Get() == nil || basin.GetBuffer() == nil
	},
	"GetBuffer": func(t *testing.T, f *full) bool { return basin.GetBuffer() == nil },
}

// inBuffers returns a call that writes into Buffers of all origins. A refused write changes nothing but for
// complete parts of it.
func inBuffers(write func(*basin.Buffer) error) func(t *testing.T, f *full) bool {
	return func(t *testing.T, f *full) bool {
		pool := &basin.BufferPool{Bytes: f.bytes}
		sum := 0
		for _, b := range []*basin.Buffer{new(basin.Buffer), basin.NewBuffer([]byte("")), basin.NewSmallBuffer(), f.bytes.NewBuffer(), pool.Get(), basin.GetBuffer()} {
			if failed(t, write(b)) {
				sum++
			}
			if len(bytes.Trim(b.Bytes(), "x€")) != 0 || b.Len() > 64 {
				t.Errorf("%q was written without room", b)
			}
			b.Free()
		}
		if sum != 0 && sum != 6 {
			t.Errorf("%d of 6 Buffers refuse", sum)
		}
		return sum == 6
	}
}

// TestRule calls everything that may take memory at a limit without room. docs/limits.md says how each meets it.
func TestRule(t *testing.T) {
	pooltest.Alone(t)
	said := readRule(t)
	for name, call := range ruleCalls {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pooltest.Misuses(t)
				f := &full{limit: &basin.Limit{Max: 64 << 10}}
				f.bytes = &basin.BytePool{Limit: f.limit}
				f.std = &basin.StdBufferPool{Limit: f.limit, InitialSize: 1000}
				f.values = &basin.Pool[[]byte]{
					Limit: f.limit,
					Size:  func(b []byte) int { return cap(b) },
					New:   func() []byte { return make([]byte, 1000) },
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				f.ctx = ctx
				all := f.bytes.Get(64 << 10)
				basin.SetDefault(f.bytes)
				defer basin.SetDefault(nil)
				refused := call(t, f)
				got := none
				switch s := f.limit.Stats(); {
				case s.Waited > 0:
					got = waits
				case refused:
					got = refuse
				case s.Beyond > 0:
					got = beyond
				}
				if s := f.limit.Stats(); got != beyond && s.Bytes.InUse != 64<<10 || got == beyond && s.Bytes.InUse == 64<<10 {
					t.Errorf("%s, and %d bytes are in use", got, s.Bytes.InUse)
				}
				if said[name] != got {
					t.Errorf("the call %s; docs/limits.md says that it %s", got, said[name])
				}
				f.bytes.Put(all)
			})
		})
	}
	// Every exported name is in the table, and those that are not called here take no memory.
	for _, name := range exportedCalls() {
		way, ok := said[name]
		if !ok {
			t.Errorf("docs/limits.md does not say how %s meets a limit", name)
		}
		if _, called := ruleCalls[name]; !called && way != none && !strings.HasPrefix(name, "FixedPool.") { // which has its own number of buffers
			t.Errorf("docs/limits.md says that %s %s: call it in this test", name, way)
		}
		delete(said, name)
	}
	for name := range said {
		if strings.Contains(name, ".") {
			t.Errorf("docs/limits.md has %s, which does not exist", name)
		}
	}
}

// exportedCalls returns the exported methods of all types that hold memory.
func exportedCalls() (names []string) {
	for _, x := range []any{
		&basin.BytePool{}, &basin.Buffer{}, &basin.BufferPool{}, &basin.StdBufferPool{}, &basin.Pool[int]{}, &basin.FixedPool{},
		&basin.Shared{}, &basin.Limit{}, &basin.Reservation{},
	} {
		typ := reflect.TypeOf(x)
		name, _, _ := strings.Cut(typ.Elem().Name(), "[")
		for i := range typ.NumMethod() {
			names = append(names, name+"."+typ.Method(i).Name)
		}
	}
	return names
}

// readRule returns how each call meets a limit without room, by docs/limits.md.
func readRule(t *testing.T) map[string]string {
	testenv.Tree()
	text, err := os.ReadFile("docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	said := make(map[string]string)
	_, table, found := strings.Cut(string(text), "| Without room | Calls |")
	if !found {
		t.Fatal("docs/limits.md has no table")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	code := regexp.MustCompile("`([A-Za-z.]+)`")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		way := strings.TrimSpace(cells[1])
		if strings.HasPrefix(way, "-") {
			continue
		}
		if !slices.Contains([]string{waits, refuse, beyond, none}, way) {
			t.Errorf("docs/limits.md: %q is no way to meet a limit", way)
		}
		for _, m := range code.FindAllStringSubmatch(cells[2], -1) {
			if said[m[1]] != "" {
				t.Errorf("docs/limits.md has %s twice", m[1])
			}
			said[m[1]] = way
		}
	}
	return said
}
