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

//go:noinline
func Read(n int) []byte { return make([]byte, n) }

//go:noinline
func ReadOnce(n int) []byte { return make([]byte, n) }
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
	once   []byte
	writer *grow.Writer
}

var works = sync.Pool{New: func() any { return new(work) }}

func (w *work) read(n int) { w.buf = grow.Read(n) }

func (w *work) readOnce(n int) {
	if len(w.once) < n {
		w.once = grow.ReadOnce(n)
	}
}

func getWork() *work { return works.Get().(*work) }

var kept []*grow.Writer

//go:noinline
func pooledWriter() {
	w := getWork()
	defer works.Put(w)
	w.buf = grow.Resize(w.buf[:0], 16384)
	w.rows = grow.Parse(w.rows, 2048)
	w.rows.Fill(256)
	w.read(16384)
	w.readOnce(16384)
}

//go:noinline
func given(w io.Writer) {
	w = wrap(w)
	fmt.Fprintf(w, "%16384d", 1)
}

func wrap(w io.Writer) io.Writer { return w }

//go:noinline
func keep(shared *work) {
	w := &grow.Writer{}
	given(w)
	kept = append(kept[:0], w)
	shared.buf = grow.Twice(nil, 16384)
	b := grow.Twice(nil, 16384)
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
	r := profiled(t, map[string]string{"grow/grow.go": grow, "main.go": program})
	const pooled = "do not pool; It belongs to a value from a pool, works (main.go:22): it is made or grows here if the pool has no value, or none so large."
	for place, want := range map[string]string{
		"(*Writer).Write": "needs an owner; ",
		"Resize":          pooled,
		"Parse":           pooled,
		"(*Writer).Add":   pooled,
		"Read":            "do not pool; Field work.buf of a value from a pool, works (main.go:22) gets it anew each time, in (*main.work).read, whatever memory it had: read or append to that.",
		"ReadOnce":        pooled,
		"Twice":           "50 % of it belongs to values from a pool, works (main.go:22).",
	} {
		checkSites(t, r, place, want)
	}
}

// TestLineageOfRecursion has a function on a stack many times, and each time has three values that may hold the memory. Followed one by one, they
// would never end.
func TestLineageOfRecursion(t *testing.T) {
	needGo(t)
	r := profiled(t, map[string]string{"main.go": `package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

type holder struct{ b []byte }

func down(n int, p, q, r *holder) {
	if n == 0 {
		p.b = make([]byte, 4096)
		return
	}
	x, y, z := p, q, r
	switch n % 3 {
	case 1:
		x, y, z = z, x, y
	case 2:
		x, y, z = y, z, x
	}
	down(n-1, x, y, z)
}

func main() {
	runtime.MemProfileRate = 1
	for _, name := range os.Args[1:] {
		for range 300 {
			down(100, new(holder), new(holder), new(holder))
		}
		runtime.GC()
		f, _ := os.Create(name)
		pprof.Lookup("allocs").WriteTo(f, 0)
		f.Close()
		time.Sleep(time.Second)
	}
}
`})
	checkSites(t, r, "down", "needs an owner; The memory leaves down: it is stored in field holder.b.")
}

// TestHidden has memory whose owner is further out on the stacks: a field has the pointer, a standard value has the writer, or a
// compressor has the Buffer. And it has a pool into which no large buffer is put.
func TestHidden(t *testing.T) {
	needGo(t)
	const sink = `package sink

import "sync"

// A Sink is a writer that a Pool lends.
type Sink struct{ B []byte }

func (s *Sink) Write(p []byte) (int, error) {
	s.B = append(s.B, p...)
	return len(p), nil
}

type Pool struct{ p sync.Pool }

func (p *Pool) Get() *Sink {
	if v := p.p.Get(); v != nil {
		return v.(*Sink)
	}
	return &Sink{B: make([]byte, 0, 64)}
}

func (p *Pool) Put(s *Sink) {
	s.B = s.B[:0]
	p.p.Put(s)
}
`
	const program = `package main

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"time"

	"a.example/sink"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func putBuffer(b *bytes.Buffer) {
	if b.Cap() > 4096 {
		return
	}
	b.Reset()
	buffers.Put(b)
}

type upload struct{ body *bytes.Buffer }

// Parse is exported, so others may call it.
func Parse(r io.Reader, b *bytes.Buffer) *upload {
	u := &upload{body: b}
	u.read(r)
	return u
}

func (u *upload) read(r io.Reader) { u.body.ReadFrom(r) }

//go:noinline
func receive(r io.Reader) int {
	b := buffers.Get().(*bytes.Buffer)
	defer putBuffer(b)
	return Parse(r, b).body.Len()
}

type mine struct{ body *bytes.Buffer }

func (m *mine) read(r io.Reader) { m.body.ReadFrom(r) }

//go:noinline
func other(r io.Reader) []byte {
	m := &mine{body: new(bytes.Buffer)}
	m.read(r)
	return m.body.Bytes()
}

var sinks sink.Pool

//go:noinline
func form(text string) int {
	s := sinks.Get()
	defer sinks.Put(s)
	w := multipart.NewWriter(s)
	w.WriteField("text", text)
	w.Close()
	return len(s.B)
}

var z = gzip.NewWriter(nil)

func zipTo(w io.Writer, r io.Reader) {
	z.Reset(w)
	io.Copy(z, r)
	z.Close()
}

//go:noinline
func zipped(text string) []byte {
	b := new(bytes.Buffer)
	zipTo(b, strings.NewReader(text))
	return b.Bytes()
}

type date struct{ text string }

func (d date) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeElement(d.text, start)
}

//go:noinline
func listed(text string) []byte {
	var b bytes.Buffer
	e := xml.NewEncoder(&b)
	e.Encode([]date{{text}, {text}})
	return b.Bytes()
}

func zipEither(w, log io.Writer, r io.Reader) {
	z.Reset(w)
	io.Copy(z, r)
	z.Close()
}

//go:noinline
func either(text string) []byte {
	var b, log bytes.Buffer
	zipEither(&b, &log, strings.NewReader(text))
	return b.Bytes()
}

func main() {
	runtime.MemProfileRate = 1
	noise := make([]byte, 20000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(random.Uint64())
	}
	text := string(noise)
	for _, name := range os.Args[1:] {
		for range 300 {
			runtime.GC()
			runtime.GC()
			receive(strings.NewReader(text))
			other(strings.NewReader(text))
			form(text)
			zipped(text)
			listed(text)
			either(text)
		}
		runtime.GC()
		f, _ := os.Create(name)
		pprof.Lookup("allocs").WriteTo(f, 0)
		f.Close()
		time.Sleep(time.Second)
	}
}
`
	r := profiled(t, map[string]string{"sink/sink.go": sink, "main.go": program})
	for place, want := range map[string]string{
		"(*upload).read": "do not pool; It belongs to a value from a pool, buffers (main.go:20): it is made or grows here if the pool has no value, or none so large. But ",
		"other":          "needs an owner; ",
		"(*Sink).Write":  "do not pool; It belongs to a value from a pool, sinks (main.go:59): ",
		"zipped":         "needs an owner; The memory leaves zipped: it is returned from main.zipped to main.main at main.go:128, its only caller. Its last user would have to put it back.\n",
		"listed":         "pool it; It grows in listed, which returns it",
		"zipEither":      "needs an owner; The memory leaves zipEither: it belongs to a Buffer that this line does not show.",
	} {
		checkSites(t, r, place, want)
	}
}

// checkSites checks the verdict and the reason of the sites in a function, of which one must have the text.
func checkSites(t *testing.T, r *Report, place, want string) {
	t.Helper()
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

// profiled runs a program of a module, which is given the names of two profiles to write, and judges these.
func profiled(t *testing.T, files map[string]string) *Report {
	t.Helper()
	files["go.mod"] = goMod(t, "a.example")
	dir := writeFiles(t, files)
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
	return &r
}
