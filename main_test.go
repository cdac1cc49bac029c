//go:build go1.25

package basin_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
)

func TestMain(m *testing.M) {
	if pooltest.FullChecks {
		// Examples cannot skip themselves: these depend on reuse, or show misuse.
		skip := "^Example(Pool|FixedPool|BytePool_Put|BytePool_Stats)$"
		flag.Parse()
		if more := flag.Lookup("test.skip").Value.String(); more != "" {
			skip += "|" + more
		}
		flag.Set("test.skip", skip)
	}
	pooltest.Main(m)
}

// array identifies the array of b.
func array(b []byte) *byte { return unsafe.SliceData(b) }

// dirty fills the whole array of b, which must have one.
func dirty(b []byte) []byte {
	whole := b[:cap(b)]
	whole[0] = 0xAA
	for n := 1; n < len(whole); n *= 2 {
		copy(whole[n:], whole[:n])
	}
	return b
}

// recovered returns the value that f panics with, or nil.
func recovered(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

func minus(a, b basin.Drops) basin.Drops {
	return basin.Drops{
		Empty:      a.Empty - b.Empty,
		Small:      a.Small - b.Small,
		Large:      a.Large - b.Large,
		Extra:      a.Extra - b.Extra,
		Foreign:    a.Foreign - b.Foreign,
		Misaligned: a.Misaligned - b.Misaligned,
		Double:     a.Double - b.Double,
		Full:       a.Full - b.Full,
		Checked:    a.Checked - b.Checked,
	}
}

// pattern returns n bytes that encode their positions.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i ^ i>>8)
	}
	return b
}

// differsAt returns the position of the first difference of a and b.
func differsAt(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// withPool makes a pool the default pool while the test runs.
func withPool(t *testing.T, c pooltest.Config) *basin.BytePool {
	t.Helper()
	p := c.Pool()
	basin.SetDefault(p)
	t.Cleanup(func() { basin.SetDefault(nil) })
	return p
}

// mustPanic runs f, which must panic with a message that contains all parts.
func mustPanic(t *testing.T, f func(), parts ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		v := recover()
		message, ok := v.(string)
		if !ok {
			t.Fatalf("panicked with %v, want a string", v)
		}
		for _, part := range parts {
			if !strings.Contains(message, part) {
				t.Errorf("panicked with %q, want %q in it", message, part)
			}
		}
	}()
	f()
}

// oneP keeps the test on one P: items in the magazine of another P would be out of its reach for
// some time.
func oneP(t *testing.T) {
	procs := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(procs) })
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

var errReader = errors.New("the reader failed")

// statsOf returns the snapshots of the pools whose name begins with prefix, by name.
func statsOf(t *testing.T, prefix string) map[string]basin.Stats {
	t.Helper()
	found := map[string]basin.Stats{}
	last := uint64(0)
	for _, s := range basinexport.Append(nil) {
		if s.ID <= last {
			t.Errorf("pool %d comes after pool %d", s.ID, last)
		}
		last = s.ID
		if !strings.HasPrefix(s.Name, prefix) {
			continue
		}
		if _, ok := found[s.Name]; ok {
			t.Errorf("pool %q is there twice", s.Name)
		}
		found[s.Name] = s
	}
	return found
}

// Each type of values compiles the engine again, so tests share few: int, like entry, []byte,
// pointers, any, block128, block4K and struct{}.
type entry int

// collectAll also collects objects that only finalizers keep alive.
func collectAll() {
	for range 4 {
		runtime.GC()
	}
}

// someValue returns a valid argument of the given type.
func someValue(t *testing.T, of reflect.Type) reflect.Value {
	for _, v := range []any{100, int64(100), "some string", make([]byte, 100), new(basin.Buffer), new(bytes.Buffer), entry(0)} {
		if reflect.TypeOf(v) == of {
			return reflect.ValueOf(v)
		}
	}
	for _, v := range []any{t.Context(), struct{ io.Reader }{strings.NewReader("some data")}, struct{ io.Writer }{io.Discard}} {
		if of.Kind() == reflect.Interface && reflect.TypeOf(v).Implements(of) {
			return reflect.ValueOf(v)
		}
	}
	t.Fatalf("no value of type %v", of)
	panic("unreachable")
}

// callMethodOf calls a method of a pool with valid arguments that make it do something.
func callMethodOf(t *testing.T, pool reflect.Value, method string) []reflect.Value {
	f := pool.MethodByName(method)
	var args []reflect.Value
	for i := range f.Type().NumIn() {
		args = append(args, someValue(t, f.Type().In(i)))
	}
	if f.Type().IsVariadic() {
		return f.CallSlice(args)
	}
	return f.Call(args)
}

// Results are stored here, so that the compiler cannot optimize them away.
var (
	lastString string
	lastWriter io.Writer
)

// waitFor gets n bytes of p, and waits if need be.
func waitFor(t *testing.T, p *basin.BytePool, n int) []byte {
	b, err := p.GetContext(context.Background(), n)
	if err != nil {
		t.Error(err)
	}
	return b
}
