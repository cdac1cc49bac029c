// Package library leaves memory of pools to keepers of the standard library.
package library

import (
	"archive/tar"
	"bufio"
	"bytes"
	"container/list"
	"context"
	"flag"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"

	"github.com/basin-go/basin"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func get() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }

func setOutput() {
	b := get()
	log.SetOutput(b) // want `kept after Put`
	log.Print("x")
	buffers.Put(b)
}

func setDefault() {
	b := get()
	defer buffers.Put(b)
	slog.SetDefault(slog.New(slog.NewTextHandler(b, nil))) // want `kept after Put`
}

func logger() *log.Logger {
	b := get()
	defer buffers.Put(b)
	return log.New(b, "", 0) // want `returned after Put`
}

func handler() slog.Handler {
	b := get()
	defer buffers.Put(b)
	return slog.NewJSONHandler(b, nil) // want `returned after Put`
}

func table() *tabwriter.Writer {
	b := get()
	defer buffers.Put(b)
	return new(tabwriter.Writer).Init(b, 0, 8, 1, ' ', 0) // want `returned after Put`
}

func archive() *tar.Writer {
	b := get()
	defer buffers.Put(b)
	return tar.NewWriter(b) // want `returned after Put`
}

func scanner(text string) *bufio.Scanner {
	b := basin.Get(64)
	defer basin.Put(b)
	s := bufio.NewScanner(strings.NewReader(text))
	s.Buffer(b, 1<<20)
	return s // want `returned after Put`
}

type app struct {
	l     *log.Logger
	all   sync.Map
	last  atomic.Value
	list  list.List
	flags *flag.FlagSet
}

func (a *app) output() {
	b := get()
	a.l.SetOutput(b) // want `kept after Put`
	buffers.Put(b)
}

func (a *app) flagOutput() {
	b := get()
	defer buffers.Put(b)
	a.flags.SetOutput(b) // want `kept after Put`
}

func (a *app) inMap(key string) {
	b := basin.Get(64)
	defer basin.Put(b)
	a.all.Store(key, b) // want `kept after Put`
}

func (a *app) inValue() {
	b := get()
	defer buffers.Put(b)
	a.last.Store(b) // want `kept after Put`
}

func (a *app) inList() {
	b := get()
	defer buffers.Put(b)
	a.list.PushBack(b) // want `kept after Put`
}

func legalRestored() string {
	b := get()
	defer buffers.Put(b)
	log.SetOutput(b)
	log.Print("x")
	log.SetOutput(os.Stderr)
	return b.String()
}

func legalDeferred() {
	b := get()
	defer buffers.Put(b)
	log.SetOutput(b)
	defer log.SetOutput(os.Stderr)
}

func legalLogger() string {
	b := get()
	defer buffers.Put(b)
	l := log.New(b, "", 0)
	l.Print("x")
	return b.String()
}

func (a *app) legalOutput(run func()) {
	b := get()
	old := a.l.Writer()
	a.l.SetOutput(b)
	run()
	a.l.SetOutput(old)
	buffers.Put(b)
}

func (a *app) legalMap(key string, run func()) {
	b := get()
	a.all.Store(key, b)
	defer func() {
		a.all.Delete(key)
		buffers.Put(b)
	}()
	run()
}

func (a *app) remove(key string) { a.all.Delete(key) }

func (a *app) legalMapElsewhere(key string) {
	b := get()
	a.all.Store(key, b)
	a.remove(key)
	buffers.Put(b)
}

func legalTable() string {
	b := get()
	defer buffers.Put(b)
	w := tabwriter.NewWriter(b, 0, 8, 1, ' ', 0)
	w.Write([]byte("a\tb"))
	w.Flush()
	return b.String()
}

func legalScanner(text string) (n int) {
	b := basin.Get(64)
	defer basin.Put(b)
	s := bufio.NewScanner(strings.NewReader(text))
	s.Buffer(b, 1<<20)
	for s.Scan() {
		n += len(s.Bytes())
	}
	return n
}

// A writer in a field is reset before its next use.
type encoder struct{ w *bufio.Writer }

func (e *encoder) legalReset(text string) string {
	b := get()
	defer buffers.Put(b)
	e.w.Reset(b)
	e.w.WriteString(text)
	e.w.Flush()
	return b.String()
}

type lines struct {
	s   *bufio.Scanner
	l   *log.Logger
	cmd *exec.Cmd
}

func (l *lines) open(r io.Reader) {
	b := basin.Get(64)
	defer basin.Put(b)
	l.s = bufio.NewScanner(r)
	l.s.Buffer(b, 1<<20) // want `kept after Put`
}

func (l *lines) legalRead(r io.Reader) (n int) {
	b := basin.Get(64)
	defer basin.Put(b)
	l.s = bufio.NewScanner(r)
	l.s.Buffer(b, 1<<20)
	for l.s.Scan() {
		n++
	}
	return n
}

func (l *lines) logged() {
	b := get()
	defer buffers.Put(b)
	l.l.SetOutput(b) // want `kept after Put`
	l.l.Print("x")
}

func (l *lines) start() error {
	b := get()
	defer buffers.Put(b)
	l.cmd.Stdout = b // want `kept after Put`
	return l.cmd.Start()
}

func legalRun(cmd *exec.Cmd) error {
	b := get()
	defer buffers.Put(b)
	cmd.Stdout = b
	return cmd.Run()
}

type key struct{}

func withBody(r *http.Request) *http.Request {
	b := basin.Get(64)
	defer basin.Put(b)
	return r.WithContext(context.WithValue(r.Context(), key{}, b)) // want `returned after Put`
}

func legalWithBody(r *http.Request) *http.Request {
	b := basin.Get(64)
	defer basin.Put(b)
	return r.WithContext(context.WithValue(r.Context(), key{}, string(b)))
}

type hooks struct{ onClose []func() }

func (h *hooks) closure(w io.Writer) {
	b := get()
	defer buffers.Put(b)
	h.onClose = append(h.onClose, func() { w.Write(b.Bytes()) }) // want `kept after Put`
}

func (h *hooks) legalClosure(w io.Writer) {
	b := get()
	h.onClose = append(h.onClose, func() { w.Write(b.Bytes()); buffers.Put(b) })
}

func fields(text []byte) map[string][]byte {
	out := map[string][]byte{}
	b := basin.Get(64)
	defer basin.Put(b)
	copy(b, text)
	for _, f := range bytes.Fields(b) {
		out[string(f)] = f
	}
	return out // want `returned after Put`
}

func legalFields(text []byte) map[string]int {
	out := map[string]int{}
	b := basin.Get(64)
	defer basin.Put(b)
	copy(b, text)
	for i, f := range bytes.Fields(b) {
		out[string(f)] = i
	}
	return out
}
