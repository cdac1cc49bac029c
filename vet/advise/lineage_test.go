package advise

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLineage runs a program and takes its profiles: along their stacks, memory belongs to values from pools, or does not.
func TestLineage(t *testing.T) {
	needGo(t)
	const grow = `package grow

// A Writer's memory is that of its holder.
type Writer struct{ B []byte }

func (w *Writer) Write(p []byte) (int, error) {
	w.B = append(w.B, p...)
	return len(p), nil
}

func Resize(b []byte, n int) []byte {
	if n <= cap(b) {
		return b[:n]
	}
	return append(b[:cap(b)], make([]byte, n-cap(b))...)
}

type Rows struct {
	List []int
	own  Writer
}

func Parse(rows Rows, n int) Rows {
	list := rows.List[:0]
	for i := range n {
		list = append(list, i)
	}
	return Rows{List: list}
}

func (r *Rows) Fill(n int) {
	for range n {
		r.own.Add()
	}
}

func (w *Writer) Add() { w.B = append(w.B, make([]byte, 64)...) }

func Twice(b []byte, n int) []byte { return append(b, make([]byte, n)...) }
`
	const program = `package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"

	"a.example/grow"
)

type work struct {
	rows   grow.Rows
	buf    []byte
	writer *grow.Writer
}

var works = sync.Pool{New: func() any { return new(work) }}

func getWork() *work { return works.Get().(*work) }

var kept []*grow.Writer

//go:noinline
func pooledWriter() {
	w := getWork()
	defer works.Put(w)
	w.buf = grow.Resize(w.buf[:0], 4096)
	w.rows = grow.Parse(w.rows, 512)
	w.rows.Fill(64)
}

//go:noinline
func given(w io.Writer) {
	w = wrap(w)
	fmt.Fprintf(w, "%4096d", 1)
}

func wrap(w io.Writer) io.Writer { return w }

//go:noinline
func keep(shared *work) {
	w := &grow.Writer{}
	given(w)
	kept = append(kept[:0], w)
	shared.buf = grow.Twice(nil, 4096)
	b := grow.Twice(nil, 4096)
	os.Stderr.Write(b[:0])
}

func main() {
	runtime.MemProfileRate = 1
	for _, name := range os.Args[1:] {
		for range 300 {
			runtime.GC()
			runtime.GC() // which empties the pool
			pooledWriter()
			w := getWork()
			keep(w)
			works.Put(w)
		}
		runtime.GC()
		f, _ := os.Create(name)
		pprof.Lookup("allocs").WriteTo(f, 0)
		f.Close()
		time.Sleep(time.Second)
	}
}
`
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "grow/grow.go": grow, "main.go": program})
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	build := exec.Command("go", "build", "-gcflags=-l", "-o", filepath.Join(dir, "program"), ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(filepath.Join(dir, "program"), first, second).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	os.Remove(filepath.Join(dir, "program"))
	stdout, stderr, status := advise(t, dir, []string{first, second}, "-json", "-top", "0")
	var r Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
		t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
	}
	const pooled = "do not pool; It belongs to a value from a pool, works (main.go:21): it is made or grows here if the pool has no value, or none so large."
	for place, want := range map[string]string{
		"(*Writer).Write": "needs an owner; ",
		"Resize":          pooled,
		"Parse":           pooled,
		"(*Writer).Add":   pooled,
		"Twice":           "50 % of it belongs to values from a pool, works (main.go:21).",
	} {
		found := ""
		for _, s := range r.Sites {
			if s.short() == place {
				found += fmt.Sprintf("%s; %s\n", s.Verdict, s.Reason)
			}
		}
		if !strings.Contains(found, want) {
			t.Errorf("%s: %s, want %s", place, found, want)
		}
	}
}
