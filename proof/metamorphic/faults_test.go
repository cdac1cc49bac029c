//go:build go1.25

package metamorphic

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// A fault makes pools wrong in one way.
type fault struct {
	name   string
	change func(*world)
	config string // configuration that shows it; plain by default
	hangs  bool
}

// each applies replace to every pool but the default one.
func each(replace func(bytePool) bytePool) func(*world) {
	return func(w *world) {
		for i := range w.bytes[1:] {
			w.bytes[1+i] = replace(w.bytes[1+i])
		}
	}
}

// A counter picks every n-th call.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) nth(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n%n == 0
}

type (
	handsOutTwice struct {
		bytePool
		mu   sync.Mutex
		last []byte
	}
	dirty     struct{ bytePool }
	losesPuts struct {
		bytePool
		counter
	}
	putsTwice struct {
		bytePool
		counter
	}
	losesByte  struct{ bytePool }
	losesGrown struct{ bytePool }
	refuses    struct {
		bytePool
		counter
	}
	deafToCancel struct{ bytePool }
	otherError   struct{ bytePool }
	writesLater  struct {
		bytePool
		mu   sync.Mutex
		last []byte
	}
	countsTwice struct{ bytePool }
	noPanic     struct{ bytePool }
	otherPanic  struct{ bytePool }
	largerClass struct{ bytePool }
	readsError  struct{ bytePool }
	waits       struct {
		bytePool
		counter
	}
	adoptsNone  struct{ bytePool }
	usesAdopted struct {
		bytePool
		mu   sync.Mutex
		last []byte
	}
)

func (p *handsOutTwice) Get(n int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := p.last; n > 0 && n <= cap(last) && cap(last) < 2*n {
		p.last = nil
		p.bytePool.Put(p.bytePool.Get(n)) // keeps the figures right
		return last[:n]
	}
	p.last = p.bytePool.Get(n)
	return p.last
}
func (p dirty) GetZeroed(n int) []byte { return p.Get(n) }
func (p *losesPuts) Put(b []byte) {
	if !p.nth(5) {
		p.bytePool.Put(b)
	}
}
func (p *putsTwice) Put(b []byte) {
	p.bytePool.Put(b)
	if p.nth(3) {
		p.bytePool.Put(p.bytePool.Get(64))
		p.bytePool.Put(b)
	}
}
func (p losesByte) Append(dst []byte, src ...byte) []byte {
	b := p.bytePool.Append(dst, src...)
	if len(dst) > 0 && len(dst)+len(src) > cap(dst) {
		b[len(dst)-1]++
	}
	return b
}
func (p losesGrown) Grow(b []byte, n int) []byte { // does not put the slice that it replaces
	if n > cap(b)-len(b) {
		return append(p.Get(max(len(b)+n, 2*cap(b)))[:0], b...)
	}
	return p.bytePool.Grow(b, n)
}
func (p *refuses) TryGet(n int) ([]byte, bool) {
	if p.nth(4) {
		return nil, false
	}
	return p.bytePool.TryGet(n)
}
func (p deafToCancel) GetContext(_ context.Context, n int) ([]byte, error) {
	return p.bytePool.GetContext(context.Background(), n)
}
func (p otherError) ReadAll(r io.Reader) ([]byte, error) {
	b, err := p.bytePool.ReadAll(r)
	if errors.Is(err, io.ErrNoProgress) {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}
func (p *writesLater) Put(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.last
	p.last = b[:cap(b)]
	p.bytePool.Put(b)
	if len(last) > 0 {
		last[len(last)/2]++
	}
}
func (p countsTwice) Stats() basin.Stats {
	s := p.bytePool.Stats()
	s.Gets += s.Misses
	s.Misses += s.Misses
	return s
}
func (p noPanic) Grow(b []byte, n int) []byte {
	return p.bytePool.Grow(b, max(n, 0))
}
func (p otherPanic) Grow(b []byte, n int) []byte {
	if n < 0 {
		panic("negative")
	}
	return p.bytePool.Grow(b, n)
}
func (p largerClass) GetZeroed(n int) []byte {
	return p.bytePool.GetZeroed(n + n/8)[:max(n, 0)]
}
func (p readsError) ReadAll(r io.Reader) ([]byte, error) {
	b, err := p.bytePool.ReadAll(r)
	if errors.Is(err, errRead) {
		err = nil
	}
	return b, err
}
func (p *waits) Get(n int) []byte {
	if p.nth(10) {
		select {} // a goroutine that went on would disturb later tests
	}
	return p.bytePool.Get(n)
}
func (p adoptsNone) Adopt(b []byte) bool { return false }
func (p *usesAdopted) Adopt(b []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.bytePool.Adopt(b)
	if b = b[:cap(b)]; len(b) > 0 {
		p.last = b
	}
	return kept
}
func (p *usesAdopted) Get(n int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := p.last; len(last) > 0 { // writes to the last adopted slice, which may have another owner
		clear(last)
	}
	return p.bytePool.Get(n)
}

type (
	sameHandle struct {
		bufferPool
		mu   sync.Mutex
		last *basin.Buffer
	}
	fullHandle  struct{ bufferPool }
	losesHandle struct {
		bufferPool
		counter
	}
	stdNotReset struct{ stdPool }
	sameFixed   struct {
		fixedPool
		mu   sync.Mutex
		last []byte
	}
	losesFixed struct {
		fixedPool
		counter
	}
	sameValue struct {
		valuePool
		mu   sync.Mutex
		last value
	}
	noReset    struct{ valuePool }
	giant      struct{ valuePool }
	losesValue struct{ valuePool }
)

func (p *sameHandle) Get() *basin.Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.last; b != nil {
		p.last = nil
		b.Reset() // Get returns empty handles
		p.bufferPool.Put(p.bufferPool.Get())
		return b
	}
	p.last = p.bufferPool.Get()
	return p.last
}
func (p fullHandle) Get() *basin.Buffer {
	b := p.bufferPool.Get()
	b.WriteByte(1)
	return b
}
func (p *losesHandle) Put(b *basin.Buffer) {
	if !p.nth(4) {
		p.bufferPool.Put(b)
	}
}
func (p stdNotReset) Get() *bytes.Buffer {
	b := p.stdPool.Get()
	b.WriteByte(1)
	return b
}
func (p *sameFixed) Get() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.last; b != nil {
		p.last = nil
		p.fixedPool.Put(p.fixedPool.Get())
		return b
	}
	p.last = p.fixedPool.Get()
	return p.last
}
func (p *losesFixed) Put(b []byte) {
	if !p.nth(4) {
		p.fixedPool.Put(b)
	}
}
func (p *sameValue) get() value {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v := p.last; v != nil {
		p.last = nil
		p.valuePool.put(p.valuePool.get())
		return v
	}
	p.last = p.valuePool.get()
	return p.last
}
func (p noReset) get() value {
	v := p.valuePool.get()
	v.mark(7)
	return v
}

func (p giant) get() value {
	v := p.valuePool.get()
	if b := v.(*sizedValue).b; cap(*b) > 0 {
		*b = make([]byte, 0, sizedMax+1)
	}
	return v
}
func (p losesValue) put(v value) {
	if cap(*v.(*sizedValue).b) <= sizedMax {
		p.valuePool.put(v)
	}
}

var faults = []fault{
	{name: "hands out a slice twice", change: each(func(p bytePool) bytePool { return &handsOutTwice{bytePool: p} })},
	{name: "GetZeroed does not clear", change: each(func(p bytePool) bytePool { return dirty{p} })},
	{name: "loses items that are put", change: each(func(p bytePool) bytePool { return &losesPuts{bytePool: p} })},
	{name: "puts twice", change: each(func(p bytePool) bytePool { return &putsTwice{bytePool: p} })},
	{name: "puts twice, checked", config: "full", change: each(func(p bytePool) bytePool { return &putsTwice{bytePool: p} })},
	{name: "Append loses a byte when it grows", change: each(func(p bytePool) bytePool { return losesByte{p} })},
	{name: "Grow forgets the array it outgrows", change: each(func(p bytePool) bytePool { return losesGrown{p} })},
	{name: "TryGet refuses", change: each(func(p bytePool) bytePool { return &refuses{bytePool: p} })},
	{name: "GetContext is deaf to its context", change: each(func(p bytePool) bytePool { return deafToCancel{p} })},
	{name: "ReadAll fails with another error", change: each(func(p bytePool) bytePool { return otherError{p} })},
	{name: "writes after Put", change: each(func(p bytePool) bytePool { return &writesLater{bytePool: p} })},
	{name: "writes after Put, checked", config: "full", change: each(func(p bytePool) bytePool { return &writesLater{bytePool: p} })},
	{name: "misses are counted twice", change: each(func(p bytePool) bytePool { return countsTwice{p} })},
	{name: "Grow by a negative number does not panic", change: each(func(p bytePool) bytePool { return noPanic{p} })},
	{name: "Grow panics with something else", change: each(func(p bytePool) bytePool { return otherPanic{p} })},
	{name: "GetZeroed is larger", change: each(func(p bytePool) bytePool { return largerClass{p} })},
	{name: "ReadAll ignores an error", change: each(func(p bytePool) bytePool { return readsError{p} })},
	{name: "Get waits for ever", hangs: true, change: each(func(p bytePool) bytePool { return &waits{bytePool: p} })},
	{name: "hands out a handle twice", change: func(w *world) { w.buffers[1] = &sameHandle{bufferPool: w.buffers[1]} }},
	{name: "a handle is not empty", change: func(w *world) { w.buffers[1] = fullHandle{w.buffers[1]} }},
	{name: "loses handles", change: func(w *world) { w.buffers[2] = &losesHandle{bufferPool: w.buffers[2]} }},
	{name: "a bytes.Buffer is not empty", change: func(w *world) { w.std[1] = stdNotReset{w.std[1]} }},
	{name: "hands out a fixed buffer twice", change: func(w *world) { w.fixed[0] = &sameFixed{fixedPool: w.fixed[0]} }},
	{name: "loses fixed buffers", change: func(w *world) { w.fixed[1] = &losesFixed{fixedPool: w.fixed[1]} }},
	{name: "hands out a value twice", change: func(w *world) { w.values[0] = &sameValue{valuePool: w.values[0]} }},
	{name: "a value is not reset", change: func(w *world) { w.values[5] = noReset{w.values[5]} }},
	{name: "Adopt does nothing", change: each(func(p bytePool) bytePool { return adoptsNone{p} })},
	{name: "writes to adopted memory", change: each(func(p bytePool) bytePool { return &usesAdopted{bytePool: p} })},
	{name: "hands out a sized value twice", change: func(w *world) { w.values[6] = &sameValue{valuePool: w.values[6]} }},
	{name: "keeps slices larger than MaxSize", change: func(w *world) { w.values[6] = giant{w.values[6]} }},
	{name: "does not count slices larger than MaxSize", change: func(w *world) { w.values[6] = losesValue{w.values[6]} }},
	{name: "a scope hands out bytes twice", change: scoped(func(s scope) scope { return &twiceScope{scope: s} })},
	{name: "a value of a scope is not zero", change: scoped(func(s scope) scope { return dirtyScope{s} })},
	{name: "a scope calls no functions", change: scoped(func(s scope) scope { return deafScope{s} })},
	{name: "a string shares the bytes that it was made of", change: scoped(func(s scope) scope { return sharedText{s} })},
	{name: "Append changes a byte in place", change: scoped(func(s scope) scope { return shortAppend{s} })},
	{name: "Room never refuses", change: scoped(func(s scope) scope { return roomyScope{s} })},
	{name: "an End takes memory from the family", change: scoped(func(s scope) scope { return &brieflyKept{scope: s} })},
	{name: "a fresh scope never ends", change: scoped(func(s scope) scope { return endlessScope{s} })},
}

// TestFaults checks that programs notice faulty pools, and that shrinking leaves at most 10
// operations. By default it shrinks only for the first three faults.
func TestFaults(t *testing.T) {
	if testenv.Race {
		t.Skip("an item handed out twice is a data race, which the race detector reports first")
	}
	defer func(d time.Duration) { patience = d }(patience)
	serial := configOf("serial")
	for i, f := range faults {
		shrink := pooltest.Long() || i < 3
		t.Run(f.name, func(t *testing.T) {
			patience = time.Minute
			if f.hangs {
				patience = time.Second
			}
			noticed, long := 0, 0
			for seed := range uint64(100) {
				p, c := generate(seed), configOf(cmp.Or(f.config, "plain"))
				base := p.runWith(configs[0], nil)
				why := p.failsOnce(c, base, f.change)
				if why == "" {
					continue
				}
				if f.hangs || !shrink {
					t.Logf("seed %d: %.150s", seed, why)
					return
				}
				noticed++
				if p.goroutines > 1 && !c.serial { // whether a part of it fails depends on the schedule
					if f.config != "" || p.fails(serial, f.change) == "" {
						continue
					}
					c = serial
				}
				short := p.shrink(func(q *program) bool { return q.fails(c, f.change) != "" })
				t.Logf("seed %d, %d of %d operations: %.150s", seed, len(short.ops), len(p.ops), short.fails(c, f.change))
				if len(short.ops) <= 10 {
					return
				}
				long++
			}
			t.Errorf("%d of 100 programs notice; none of the %d that were shortened has at most 10 operations", noticed, long)
		})
	}
}
