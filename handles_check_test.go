//go:build go1.25

package basin_test

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

// arguments returns valid arguments for a method of the given type.
func arguments(method reflect.Type) (values []reflect.Value) {
	for i := range method.NumIn() {
		switch in := method.In(i); in {
		case reflect.TypeFor[io.Reader]():
			values = append(values, reflect.ValueOf(strings.NewReader("more")))
		case reflect.TypeFor[io.Writer]():
			values = append(values, reflect.ValueOf(io.Discard))
		case reflect.TypeFor[[]byte]():
			values = append(values, reflect.ValueOf(make([]byte, 4)))
		case reflect.TypeFor[int]():
			values = append(values, reflect.ValueOf(1))
		default:
			values = append(values, reflect.Zero(in))
		}
	}
	return values
}

// harmless lists the exported methods that full checks need not detect after the release, with
// the reason.
var harmless = map[string]string{
	"Buffer.Len":             "reveals no contents",
	"Buffer.Cap":             "likewise",
	"Buffer.Available":       "likewise",
	"Buffer.AvailableBuffer": "has no room then, and a Write of the slice appended to is found",
	"Buffer.UnreadByte":      "fails: nothing was read",
	"Buffer.UnreadRune":      "likewise",
}

// TestCheckAfterRelease calls each exported method of a handle after its Put, and of a Shared after its last Release.
func TestCheckAfterRelease(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	for _, tt := range []struct {
		name    string
		release func() any
	}{
		{"a handle", func() any {
			var p basin.BufferPool
			b := p.Get()
			b.WriteString("contents")
			p.Put(b)
			return b
		}},
		{"a handle that has grown", func() any {
			var p basin.BufferPool
			b := p.Get()
			b.Write(make([]byte, 100_000))
			b.ReadByte()
			p.Put(b)
			return b
		}},
		{"a handle of GetBuffer", func() any {
			b := basin.GetBuffer()
			b.WriteString("contents")
			basin.PutBuffer(b)
			return b
		}},
		{"a Shared", func() any {
			s := basin.Default().NewShared(basin.Get(10))
			s.Release()
			return s
		}},
	} {
		of := reflect.TypeOf(tt.release())
		for i := range of.NumMethod() {
			method := reflect.ValueOf(tt.release()).Method(i)
			name := of.Elem().Name() + "." + of.Method(i).Name
			func() {
				defer func() { recover() }() // a Shared panics, too
				method.Call(arguments(method.Type()))
			}()
			basincheck.Verify()
			got := pooltest.Kinds(told.Take())
			if _, may := harmless[name]; may == (len(got) > 0) || len(got) > 0 && !slices.Equal(got, []basincheck.Kind{basincheck.UseAfterRelease}) {
				t.Errorf("%s of %s after its release: reported %v", name, tt.name, got)
			}
		}
	}
}
