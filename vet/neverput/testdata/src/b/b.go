package b

import (
	"io"
	"sync"
)

var pool = sync.Pool{New: func() any { return new([]byte) }}

func get() *[]byte { return pool.Get().(*[]byte) }

type lost struct{ in chan *[]byte }

func newLost() *lost { return &lost{in: make(chan *[]byte, 4)} }

func (q *lost) send(p []byte) {
	b := get()
	*b = append((*b)[:0], p...)
	q.in <- b // want `never put: no receiver of this channel puts the memory that is sent here`
}

func (q *lost) run(w io.Writer) {
	for b := range q.in {
		w.Write(*b)
	}
}

type legal struct{ in chan *[]byte }

func newLegal() *legal { return &legal{in: make(chan *[]byte, 4)} }

func (q *legal) send() { q.in <- get() }

func (q *legal) run(w io.Writer) {
	for b := range q.in {
		w.Write(*b)
		done(b)
	}
}

func done(b *[]byte) { pool.Put(b) }

type legalKept struct {
	in   chan *[]byte
	last *[]byte
}

func newLegalKept() *legalKept { return &legalKept{in: make(chan *[]byte, 4)} }

func (q *legalKept) send() { q.in <- get() }

func (q *legalKept) run() { q.last = <-q.in }

type legalShown struct{ in chan *[]byte }

func newLegalShown() *legalShown { return &legalShown{in: make(chan *[]byte, 4)} }

func (q *legalShown) C() <-chan *[]byte { return q.in }

func (q *legalShown) send() { q.in <- get() }

func (q *legalShown) drop() { <-q.in; n := <-q.in; println(len(*n)) }

func legalGiven(in chan *[]byte) *legalOfCaller { return &legalOfCaller{in: in} }

type legalOfCaller struct{ in chan *[]byte }

func (q *legalOfCaller) send() { q.in <- get() }

func (q *legalOfCaller) drop() { b := <-q.in; println(len(*b)) }

// Local channels, a select and a function that gets the channel.
func local(w io.Writer) {
	in := make(chan *[]byte)
	go print(in, w)
	select {
	case in <- get(): // want `never put: no receiver`
	default:
	}
}

func print(in <-chan *[]byte, w io.Writer) {
	for {
		select {
		case b, ok := <-in:
			if !ok {
				return
			}
			w.Write((*b)[:1])
		}
	}
}

func legalLocal(w io.Writer) {
	in := make(chan *[]byte)
	go func() {
		for b := range in {
			w.Write(*b)
			pool.Put(b)
		}
	}()
	in <- get()
}

var replaced = sync.Pool{New: func() any { return new([]byte) }}

func use() { b := replaced.Get(); replaced.Put(b) }

func reset() {
	replaced = sync.Pool{New: func() any { return new([]byte) }} // want `pool replaced: memory that is in use now goes to the new replaced`
}

var onDemand *sync.Pool

func legalOnDemand() *sync.Pool {
	if onDemand == nil {
		onDemand = new(sync.Pool)
	}
	b := onDemand.Get()
	onDemand.Put(b)
	return nil
}

var early = sync.Pool{}

func init() { early = sync.Pool{New: func() any { return new([]byte) }} }

func useEarly() { b := early.Get(); early.Put(b) }

type parts struct{ pool *sync.Pool }

func newParts() *parts { return &parts{pool: new(sync.Pool)} }

func (p *parts) setSize(n int) {
	p.pool = &sync.Pool{New: func() any { return make([]byte, n) }} // want `pool replaced: .* the new pool`
}

func (p *parts) use() { b := p.pool.Get(); p.pool.Put(b) }

type legalParts struct{ pool sync.Pool }

func (p *legalParts) open(n int) { p.pool = sync.Pool{New: func() any { return make([]byte, n) }} }

func (p *legalParts) use() { b := p.pool.Get(); p.pool.Put(b) }

type texts struct {
	in  chan []byte
	out chan string
}

func newTexts() *texts { return &texts{in: make(chan []byte, 4), out: make(chan string, 4)} }

var frames = sync.Pool{New: func() any { return make([]byte, 64) }}

func putFrame(b []byte) { frames.Put(b) }

func (t *texts) send(r io.Reader) {
	b := frames.Get().([]byte)
	n, _ := r.Read(b)
	t.in <- b[:n] // want `never put: no receiver of this channel puts the memory that is sent here`
}

// run sends copies.
func (t *texts) run() {
	for b := range t.in {
		t.out <- string(b)
	}
}

type reader struct {
	src io.Reader
	buf *[]byte
}

func newReader(r io.Reader) *reader { return &reader{r, get()} }

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.src.Read(*r.buf)
	return copy(p, (*r.buf)[:n]), err
}

func (r *reader) Close() error {
	pool.Put(r.buf) // want `closed twice: a second call of Close puts r.buf once more`
	return nil
}

type legalReader struct{ reader }

func newLegalReader(r io.Reader) *legalReader { return &legalReader{reader{r, get()}} }

func (r *legalReader) Close() error {
	if b := r.buf; b != nil {
		r.buf = nil
		pool.Put(b)
	}
	return nil
}
