//go:build go1.25

package basin

import (
	"bytes"
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func recovered(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

// An impossible Get, recovered from, must not make the limit forget what others hold.
func TestReviewImpossibleGetForgetsAll(t *testing.T) {
	for _, n := range []int{math.MaxInt, math.MaxInt - 4096, 1 << 62, 1<<61 + 5, 1 << 60} {
		l := &Limit{Max: 8 << 20}
		p := &BytePool{Limit: l}
		held := p.Get(4 << 20)
		if recovered(func() { p.Get(n) }) == nil {
			t.Errorf("Get(%d) did not panic", n)
		}
		if got := l.Stats().Bytes.InUse; got != 4<<20 {
			t.Errorf("Get(%d): %d bytes in use, want %d", n, got, 4<<20)
		}
		if b, ok := p.TryGet(8 << 20); ok {
			t.Errorf("Get(%d): 12 MiB in use under 8 MiB", n)
			p.Put(b)
		}
		p.Put(held)
		if got := l.Stats().Bytes.InUse; got != 0 {
			t.Errorf("Get(%d): %d bytes in use at the end", n, got)
		}
		if _, ok := p.TryGet(1 << 20); !ok {
			t.Errorf("Get(%d): the limit is stuck", n)
		}
	}
}

// The same through a Buffer and a view.
func TestReviewImpossibleGrow(t *testing.T) {
	l := &Limit{Max: 8 << 20}
	p := &BytePool{Limit: l}
	held := p.Get(4 << 20)
	b := p.NewBuffer()
	recovered(func() { b.Grow(math.MaxInt - 10) })
	if got := l.Stats().Bytes.InUse; got != 4<<20 {
		t.Errorf("%d bytes in use, want %d", got, 4<<20)
	}
	p.Put(held)
}

func TestReviewViewHuge(t *testing.T) {
	l := &Limit{Max: 8 << 20}
	p := &BytePool{Limit: l}
	r, err := l.Acquire(context.Background(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	v := r.Pool(p)
	b := v.Get(100)
	if x := recovered(func() {
		if _, ok := v.TryGet(math.MaxInt); ok {
			t.Error("ok")
		}
	}); x != nil {
		t.Errorf("TryGet of a view panics: %v", x)
	}
	if x := recovered(func() {
		if _, err := v.ReadAllSize(strings.NewReader("x"), math.MaxInt64); !errors.Is(err, ErrLimit) && err != nil {
			t.Error(err)
		}
	}); x != nil {
		t.Errorf("ReadAllSize of a view panics: %v", x)
	}
	v.Put(b)
	r.Release()
	if s := l.Stats(); s.Bytes.InUse != 0 || s.Reserved != 0 {
		t.Errorf("%+v", s)
	}
}

// SetMax below what is in use: then nobody gets any until enough of it is back.
func TestReviewSetMaxWithCredits(t *testing.T) {
	l := &Limit{Max: 64 << 20}
	p := &BytePool{Limit: l}
	held := p.Get(8 << 20)
	for range 100 {
		p.Put(p.Get(4096))
	}
	if l.over.quota.Credit(0) == nil {
		t.Skip("no credits")
	}
	l.SetMax(1 << 20)
	n := 0
	for range 20 {
		if _, ok := p.TryGet(4096); ok {
			n++
		}
	}
	if n > 0 {
		t.Errorf("%d of 20 got memory with %d in use under %d", n, l.Stats().Bytes.InUse, l.Stats().Bytes.MaxInUse)
	}
	p.Put(held)
}

// Values beyond the limit: others are refused.
func TestReviewForceWithCredits(t *testing.T) {
	l := &Limit{Max: 64 << 20}
	p := &BytePool{Limit: l}
	for range 100 {
		p.Put(p.Get(4096))
	}
	std := &StdBufferPool{Limit: l, MaxSize: 256 << 20, InitialSize: 100 << 20}
	b := std.Get()
	if got := l.Stats().Bytes.InUse; got < 100<<20 {
		t.Fatal(got)
	}
	if _, ok := p.TryGet(4096); ok {
		t.Errorf("got memory with %d in use under %d", l.Stats().Bytes.InUse, l.Stats().Bytes.MaxInUse)
	}
	std.Put(b)
}

type panicky struct {
	context.Context
	errs   int
	done   int
	onErr  int
	onDone int
}

func (p *panicky) Err() error {
	p.errs++
	if p.errs == p.onErr {
		panic("Err")
	}
	return p.Context.Err()
}
func (p *panicky) Done() <-chan struct{} {
	p.done++
	if p.done == p.onDone {
		panic("Done")
	}
	return p.Context.Done()
}

func TestReviewPanickyContextPool(t *testing.T) {
	l := &Limit{Max: 1 << 20}
	p := &BytePool{Limit: l}
	held := p.Get(1 << 20)
	recovered(func() { p.GetContext(&panicky{Context: context.Background(), onDone: 1}, 4096) })
	if w := p.Stats().Waits.Waiting; w != 0 {
		t.Errorf("%d wait in the pool for ever", w)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	recovered(func() { p.GetContext(&panicky{Context: ctx, onErr: 2}, 4096) })
	if w := p.Stats().Waits.Waiting; w != 0 {
		t.Errorf("%d wait in the pool for ever", w)
	}
	p.Put(held)
}

func TestReviewPanickyContextNested(t *testing.T) {
	outer := &Limit{Max: 1 << 20}
	inner := &Limit{Max: 1 << 20, Within: outer}
	r, err := outer.Acquire(context.Background(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	recovered(func() { inner.Acquire(&panicky{Context: context.Background(), onDone: 1}, 4096) })
	if got := inner.Stats().Bytes.InUse; got != 0 {
		t.Errorf("%d bytes in use of a request that panicked", got)
	}
	r.Release()
}

// A tally gives back what it has taken.
func TestReviewTallyRace(t *testing.T) {
	l := &Limit{}
	var mu sync.Mutex
	next := 0
	p := &Pool[[]byte]{Limit: l, New: func() []byte {
		mu.Lock()
		defer mu.Unlock()
		next++
		b := make([]byte, 64+(next%7)*(next%7)*40000)
		return b
	}, Size: func(b []byte) int { return cap(b) }}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20000 {
				p.Put(p.Get())
			}
		})
	}
	wg.Wait()
	if s, in := l.Stats(), p.Stats().Bytes.InUse; s.Bytes.InUse != in || in != 0 {
		t.Errorf("limit has %d in use, pool %d, want 0", s.Bytes.InUse, in)
	}
}

func TestReviewStdChecked(t *testing.T) {
	l := &Limit{}
	p := &StdBufferPool{Limit: l, InitialSize: 4096}
	p.Put(p.Get())
	p.setChecked(false) // as when checks end
	for range 3 {
		p.Put(p.Get())
	}
	b := p.Get()
	if l.Stats().Bytes.InUse == 0 {
		t.Error("not counted")
	}
	p.Put(b)
}

func TestReviewRefusedOuter(t *testing.T) {
	outer := &Limit{Name: "outer", Max: 1 << 20}
	inner := &Limit{Name: "inner", Max: 10 << 20, Within: outer}
	p := &BytePool{Limit: outer}
	q := &BytePool{Limit: inner}
	b := p.Get(1 << 20)
	if _, ok := q.TryGet(4096); ok {
		t.Fatal("ok")
	}
	if _, err := q.Copy(&bytes.Buffer{}, onlyR{strings.NewReader("x")}); err != nil {
		t.Log(err)
	}
	_, err := q.ReadAll(onlyR{strings.NewReader("x")})
	t.Log(err)
	if outer.Stats().Waits.Refused == 0 {
		t.Error("the limit without room has refused nothing")
	}
	own := &BytePool{Limit: outer, MaxInUse: 10 << 20}
	if _, ok := own.TryGet(4096); ok {
		t.Fatal("ok")
	}
	t.Log(outer.Stats().Waits.Refused, own.Stats().Waits.Refused)
	p.Put(b)
}

type onlyR struct {
	r interface{ Read([]byte) (int, error) }
}

func (o onlyR) Read(b []byte) (int, error) { return o.r.Read(b) }

func TestReviewFreshSetDefault(t *testing.T) {
	var b Buffer
	b.WriteString("hello")
	l := &Limit{}
	p := &BytePool{Limit: l}
	SetDefault(p)
	defer SetDefault(nil)
	b.Free()
	if s := p.Stats(); s.Bytes.InUse != 0 || s.Items.InUse != 0 {
		t.Errorf("in use %+v %+v", s.Bytes, s.Items)
	}
}

func TestReviewSlide(t *testing.T) {
	l := &Limit{Max: 1024}
	p := &BytePool{Limit: l}
	b := p.NewBuffer()
	b.Grow(1024)
	b.Write(make([]byte, 1024))
	b.Next(1014)
	if _, err := b.Write(make([]byte, 600)); err != nil {
		t.Errorf("610 bytes do not fit into a Buffer of %d: %v", b.Cap(), err)
	}
	b.Free()
}

func TestReviewValidateWithin(t *testing.T) {
	if err := Validate(&Limit{Within: &Limit{Max: -1}}); err == nil {
		t.Error("Validate finds nothing, and the first use panics")
	}
	if err := Validate(&BytePool{Limit: &Limit{Within: &Limit{Max: -1}}}); err == nil {
		t.Error("Validate finds nothing, and the first use panics")
	}
}

func TestReviewBelief(t *testing.T) {
	l := &Limit{Max: 1 << 30}
	p := &BytePool{Limit: l}
	r, _ := l.Acquire(context.Background(), 4096)
	defer r.Release()
	v := r.Pool(p)
	peak := int64(0)
	data, err := v.ReadAllSize(readerFunc(func(b []byte) (int, error) {
		peak = max(peak, l.Stats().Bytes.InUse)
		return copy(b, "x"), errEOF
	}), 512<<20)
	if err != nil {
		t.Fatal(err)
	}
	v.Put(data)
	if peak > 1<<20 {
		t.Errorf("a reservation of 4 KiB: %d bytes in use for a reader that claimed 512 MiB and had one byte", peak)
	}
	none := &Limit{}
	q := &BytePool{Limit: none}
	r2, _ := none.Acquire(context.Background(), 4096)
	defer r2.Release()
	if x := recovered(func() { r2.Pool(q).ReadAllSize(strings.NewReader("x"), 1<<55) }); x != nil {
		t.Errorf("panic: %v", x)
	}
	if s := none.Stats(); s.Bytes.InUse != 0 {
		t.Errorf("%d", s.Bytes.InUse)
	}
}
