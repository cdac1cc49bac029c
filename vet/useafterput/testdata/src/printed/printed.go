// Package printed prints values of pools after their Put, and before.
package printed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"sync"

	"github.com/basin-go/basin"
)

type request struct{ n int }

func (r *request) String() string { return fmt.Sprint(r.n) }

type plain struct{ a, b int }

var (
	requests = sync.Pool{New: func() any { return new(request) }}
	plains   = sync.Pool{New: func() any { return new(plain) }}
	buffers  = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	numbers  = sync.Pool{New: func() any { return new(int) }}
	maps     = sync.Pool{New: func() any { return map[string]int{} }}
	logger   = log.New(os.Stderr, "", 0)
)

func logged() {
	p := plains.Get().(*plain)
	plains.Put(p)
	log.Println("done", p) // want `use after Put: plains.Put\(p\) already put p`
}

func formatted() error {
	p := plains.Get().(*plain)
	plains.Put(p)
	return fmt.Errorf("bad %d: %+v", 1, p) // want `use after Put`
}

func stringer(w io.Writer) {
	r := requests.Get().(*request)
	requests.Put(r)
	fmt.Fprintf(w, "%s\n", r) // want `use after Put`
}

func withLogger() {
	r := requests.Get().(*request)
	requests.Put(r)
	logger.Printf("%v", r) // want `use after Put`
}

func buffer() string {
	b := buffers.Get().(*bytes.Buffer)
	buffers.Put(b)
	return fmt.Sprint(b) // want `use after Put`
}

func structured(ctx context.Context) {
	p := plains.Get().(*plain)
	plains.Put(p)
	slog.InfoContext(ctx, "done", "p", p) // want `use after Put`
}

func structuredLogger(l *slog.Logger) {
	p := plains.Get().(*plain)
	plains.Put(p)
	l.Warn("done", slog.Any("p", p)) // want `use after Put`
}

func aMap() {
	m := maps.Get().(map[string]int)
	maps.Put(m)
	fmt.Println(len(m), m) // want `use after Put`
}

func bytesOfBasin() {
	b := basin.Get(10)
	basin.Put(b)
	log.Printf("%q", b) // want `use after Put`
}

func onError() {
	p := plains.Get().(*plain)
	if p.a > 3 {
		plains.Put(p)
		log.Printf("dropped %v", p) // want `use after Put`
		return
	}
	plains.Put(p)
}

func legalBefore() {
	p := plains.Get().(*plain)
	defer plains.Put(p)
	log.Print(p)
	slog.Info("done", "p", p)
}

func legalAddress() {
	p := plains.Get().(*plain)
	plains.Put(p)
	log.Printf("%p %T", p, p)
	b := basin.Get(10)
	basin.Put(b)
	log.Printf("put %p of %s", b, "bytes")
}

func legalNumber() {
	n := numbers.Get().(*int)
	numbers.Put(n)
	log.Print(n) // an address
}

func legalField() {
	p := plains.Get().(*plain)
	a, text := p.a, fmt.Sprint(p)
	plains.Put(p)
	log.Print(a, text, len(text))
}

func legalNew() error {
	p := plains.Get().(*plain)
	plains.Put(p)
	p = new(plain)
	log.Print(p)
	return errors.New("x")
}

func legalOther(q *plain) {
	p := plains.Get().(*plain)
	plains.Put(p)
	log.Print(q)
	fmt.Printf("%*d %v\n", 3, 4, q)
}

func with(l *slog.Logger) {
	p := plains.Get().(*plain)
	plains.Put(p)
	l.With("p", p).Info("x") // want `use after Put`
}

func legalWith(l *slog.Logger) {
	p := plains.Get().(*plain)
	l.With("p", *p).Info("x")
	plains.Put(p)
}
