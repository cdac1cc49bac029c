//go:build go1.25

package misuse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

const root = "../.."

// receivers has two values of each exported type of the package: a nil pointer, and the zero
// value.
var receivers = map[string][]any{
	"Amount":        {(*basin.Amount)(nil), new(basin.Amount)},
	"Buffer":        {(*basin.Buffer)(nil), new(basin.Buffer)},
	"BufferPool":    {(*basin.BufferPool)(nil), new(basin.BufferPool)},
	"BytePool":      {(*basin.BytePool)(nil), new(basin.BytePool)},
	"ClassStats":    {(*basin.ClassStats)(nil), new(basin.ClassStats)},
	"Drops":         {(*basin.Drops)(nil), new(basin.Drops)},
	"Holdings":      {(*basin.Holdings)(nil), new(basin.Holdings)},
	"FixedPool":     {(*basin.FixedPool)(nil), new(basin.FixedPool)},
	"Limit":         {(*basin.Limit)(nil), new(basin.Limit)},
	"Pool":          {(*basin.Pool[sampledItem])(nil), new(basin.Pool[sampledItem]), (*basin.Pool[*int])(nil), (*basin.Pool[[600]int])(nil), new(basin.Pool[[600]int])},
	"Reservation":   {(*basin.Reservation)(nil), new(basin.Reservation)},
	"Shared":        {(*basin.Shared)(nil), new(basin.Shared)},
	"Stats":         {(*basin.Stats)(nil), new(basin.Stats)},
	"StdBufferPool": {(*basin.StdBufferPool)(nil), new(basin.StdBufferPool)},
}

// TestReceiversAreComplete compares receivers with the sources, so that no new type is
// forgotten. Methods are found by reflection.
func TestReceiversAreComplete(t *testing.T) {
	files, err := os.ReadDir(root)
	if err != nil {
		t.Skip(err)
	}
	var names []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, f.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() {
				names = append(names, s.Name.Name)
			}
			_, isFunc := n.(*ast.FuncDecl)
			return !isFunc
		})
	}
	for name := range receivers {
		if !slices.Contains(names, name) {
			t.Errorf("no exported type %s", name)
		}
	}
	for _, name := range names {
		if receivers[name] == nil {
			t.Errorf("receivers lacks the exported type %s", name)
		}
	}
}

const receiversVariable = "BASIN_TEST_RECEIVERS"

// TestNilReceivers calls every exported method of every exported type on nil pointers and on
// zero values. The call may succeed or panic, but a handler of HTTP requests must be able to
// recover the panic, and it must leave nothing behind: with a goroutine still pinned to its P,
// the next garbage collection would wait forever. All this happens in a separate process, which
// prints each call that it makes.
func TestNilReceivers(t *testing.T) {
	if os.Getenv(receiversVariable) != "" || runtime.GOARCH == "wasm" { // wasm cannot start processes
		callReceivers(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNilReceivers$", "-test.v", "-test.timeout=10m")
	cmd.Env = append(os.Environ(), receiversVariable+"=1")
	out, err := cmd.CombinedOutput()
	calls := strings.Count(string(out), "\ncall ")
	if calls < 150 {
		t.Errorf("only %d methods were called, want all", calls)
	}
	if err != nil {
		last := "nothing"
		if i := strings.LastIndex(string(out), "\ncall "); i >= 0 {
			last, _, _ = strings.Cut(string(out[i+1:]), "\n")
		}
		t.Fatalf("%v: the last was %q\n%s", err, last, firstLines(string(out), "fatal error", "panic:", "--- FAIL", "nilreceiver_test.go"))
	}
}

// firstLines returns the lines of s that contain any of the given strings.
func firstLines(s string, any ...string) string {
	var found []string
	for line := range strings.Lines(s) {
		if slices.ContainsFunc(any, func(a string) bool { return strings.Contains(line, a) }) {
			found = append(found, line)
		}
	}
	return strings.Join(found[:min(len(found), 20)], "")
}

func callReceivers(t *testing.T) {
	pooltest.Misuses(t)
	fmt.Println()
	for name, values := range receivers {
		for _, v := range values {
			r := reflect.ValueOf(v)
			for i := range r.NumMethod() {
				if name == "Buffer" && slices.Contains([]string{"Lock", "Unlock"}, r.Type().Method(i).Name) {
					continue
				}
				for _, plausible := range []bool{false, true} {
					fmt.Printf("call (%T).%s, nil %t, with arguments %t\n", v, r.Type().Method(i).Name, r.IsNil(), plausible)
					callMethod(t, name, r, i, plausible)
				}
			}
		}
	}
}

// callMethod calls method i of v with zero or plausible arguments.
func callMethod(t *testing.T, name string, v reflect.Value, i int, plausible bool) {
	defer runtime.GC() // waits forever if a goroutine is still pinned
	method := fmt.Sprintf("(%v).%s", v.Type(), v.Type().Method(i).Name)
	defer func() {
		// The message must say that something is nil, or which method panics.
		if p := recover(); p != nil {
			message := fmt.Sprint(p)
			var err runtime.Error
			if e, ok := p.(error); ok && errors.As(e, &err) {
				for _, part := range []string{"nil pointer dereference", "index out of range", "called using nil"} {
					if strings.Contains(message, part) {
						return
					}
				}
			}
			for _, part := range []string{name, "basin: ", "bytes.Buffer", "bytes.Reader"} {
				if strings.Contains(message, part) {
					return
				}
			}
			t.Errorf("%s panics with %v", method, p)
		}
	}()
	m := v.Method(i)
	var in []reflect.Value
	for i := range m.Type().NumIn() {
		in = append(in, argument(m.Type().In(i), plausible))
	}
	if m.Type().IsVariadic() {
		m.CallSlice(in)
	} else {
		m.Call(in)
	}
}

// argument returns a plausible or a zero value of the given type.
func argument(of reflect.Type, plausible bool) reflect.Value {
	if plausible {
		for _, v := range []any{
			1, byte(1), int64(1), 'x', "text", true, make([]byte, 64), []slog.Attr{},
			basin.GetBuffer(), new(bytes.Buffer), new(int), new(basin.BytePool),
		} {
			if reflect.TypeOf(v) == of {
				return reflect.ValueOf(v)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		time.AfterFunc(time.Second, cancel)
		for _, v := range []any{ctx, strings.NewReader("text"), io.Discard} {
			if of.Kind() == reflect.Interface && reflect.TypeOf(v).Implements(of) {
				return reflect.ValueOf(v).Convert(of)
			}
		}
	}
	return reflect.Zero(of)
}
