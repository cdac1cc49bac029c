// Package whole stores items of pools, whole and not parts of them.
package whole

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"sync"

	"github.com/basin-go/basin"
)

type client struct {
	mu    sync.Mutex
	last  []byte
	all   [][]byte
	byKey map[string][]byte
	slots [4][]byte
	page  *page
	any   any
	r     io.Reader
	n     int
}

type page struct {
	name string
	body []byte
}

func (c *client) Last() []byte { return c.last }

var global []byte
var globals = map[string][]byte{}

func (c *client) deferred(n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	c.last = body // want `kept after Put: the stored value points into body, which the deferred basin.Put\(body\) puts; store a copy`
}

func (c *client) readFirst(r io.Reader, n int) error {
	body := basin.Get(n)
	defer basin.Put(body)
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	c.mu.Lock()
	c.last = body // want `kept after Put`
	c.mu.Unlock()
	return nil
}

func (c *client) readAfterwards(r io.Reader, n int) error {
	body := basin.Get(n)
	defer basin.Put(body)
	c.last = body // want `kept after Put`
	_, err := io.ReadFull(r, body)
	return err
}

func (c *client) locked(r io.Reader) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := basin.ReadAll(r)
	if err != nil {
		return err
	}
	defer basin.Put(body)
	c.last = body // want `kept after Put`
	log.Printf("%d bytes", len(body))
	return nil
}

func (c *client) plain(n int) {
	body := basin.Get(n)
	c.last = body // want `kept after Put`
	basin.Put(body)
}

func (c *client) underIf(n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	if n > 3 {
		c.last = body // want `kept after Put`
	}
}

func (c *client) deferredLiteral(n int) {
	body := basin.Get(n)
	defer func() { basin.Put(body) }()
	c.last = body // want `kept after Put`
}

func inGlobal(n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	global = body // want `kept after Put`
}

func inGlobalMap(key string, n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	globals[key] = body // want `kept after Put`
}

func (c *client) inMap(key string, n int) {
	body := basin.Get(n)
	c.byKey[key] = body // want `kept after Put`
	basin.Put(body)
}

func (c *client) inMaps(keys []string, n int) {
	for _, key := range keys {
		body := basin.Get(n)
		c.byKey[key] = body // want `kept after Put`
		basin.Put(body)
	}
}

func (c *client) appended(n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	c.all = append(c.all, body) // want `kept after Put`
}

func (c *client) inSlot(i, n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	c.slots[i&3] = body // want `kept after Put`
}

func (c *client) inStruct(n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	c.page = &page{name: "x", body: body} // want `kept after Put`
}

func (c *client) inAny(n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	c.any = body // want `kept after Put`
}

func (c *client) sliced(n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	c.last = body[:n/2] // want `kept after Put`
}

func result(dst *[]byte, n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	*dst = body // want `kept after Put`
}

func (c *client) log(msg string) { log.Print(msg, c.n) }

func (c *client) calls(n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	c.last = body // want `kept after Put`
	c.log("stored")
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type holder struct{ buf *bytes.Buffer }

func (h *holder) Text() string { return h.buf.String() }

func (h *holder) buffer(v any) error {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return err
	}
	h.buf = b // want `kept after Put`
	return nil
}

var pages = basin.Pool[*page]{New: func() *page { return new(page) }}

func (c *client) value(name string) {
	p := pages.Get()
	defer pages.Put(p)
	p.name = name
	c.page = p // want `kept after Put`
}

// The correct twins.

func (c *client) legalCopy(n int) {
	body := basin.Get(n)
	defer basin.Put(body)
	c.last = bytes.Clone(body)
	global = append(global[:0], body...)
	globals["x"] = append([]byte(nil), body...)
}

func (c *client) legalOwned(n int) {
	body := basin.Get(n)
	c.last = body
}

func (c *client) legalOld(n int) {
	old := c.last
	c.last = basin.Get(n)
	basin.Put(old)
}

func (c *client) Close() {
	basin.Put(c.last)
	c.last = nil
}

func (c *client) legalFieldItself(n int, r io.Reader) {
	c.last = basin.Get(n)
	defer basin.Put(c.last)
	r.Read(c.last)
}

// The field lends the buffer to a method.
type encoder struct {
	scratch []byte
	out     *bytes.Buffer
	w       io.Writer
}

func (e *encoder) number(n int) { e.scratch[0] = byte(n) }
func (e *encoder) Write(p []byte) (int, error) {
	return copy(e.scratch, p), nil
}

func (e *encoder) legalLent(ns []int) {
	b := basin.Get(64)
	defer basin.Put(b)
	e.scratch = b
	for _, n := range ns {
		e.number(n)
	}
}

func (e *encoder) indirect(n int) { e.number(n) }

func (e *encoder) legalLentFurther(n int) {
	b := basin.Get(64)
	e.scratch = b
	e.indirect(n)
	basin.Put(b)
}

func (e *encoder) legalLentInterface(v any) error {
	b := basin.Get(64)
	defer basin.Put(b)
	e.scratch = b
	return json.NewEncoder(e).Encode(v)
}

func (e *encoder) legalLentFunc(visit func(*encoder)) {
	b := basin.Get(64)
	defer basin.Put(b)
	e.scratch = b
	visit(e)
}

func (e *encoder) legalLentMethodValue(each func(func(int))) {
	b := basin.Get(64)
	defer basin.Put(b)
	e.scratch = b
	each(e.number)
}

func (e *encoder) legalUsed(n int) {
	b := basin.Get(64)
	defer basin.Put(b)
	e.scratch = b
	for i := range n {
		e.scratch[i%64] = 1
	}
	e.w.Write(e.scratch[:n])
}

func (e *encoder) legalDeferredUse(n int) {
	b := basin.Get(64)
	defer basin.Put(b)
	defer e.number(n)
	e.scratch = b
}

func (e *encoder) legalCleared(n int) {
	b := basin.Get(64)
	e.scratch = b
	defer func() {
		e.scratch = nil
		basin.Put(b)
	}()
}

func (e *encoder) clear() { e.scratch, e.out = nil, nil }

func (e *encoder) legalClearedElsewhere() {
	b := basin.Get(64)
	e.scratch = b
	e.clear()
	basin.Put(b)
}

func (c *client) legalDeleted(key string, use func()) {
	b := basin.Get(64)
	c.byKey[key] = b
	use()
	delete(c.byKey, key)
	basin.Put(b)
}

func (c *client) legalNilSlot(i int) {
	b := basin.Get(64)
	c.slots[i&3] = b
	c.slots[i&3] = nil
	basin.Put(b)
}

// Another goroutine reads the field, and says when it is done.
type worker struct {
	job  []byte
	todo chan struct{}
	done chan struct{}
}

func (w *worker) run() {
	for range w.todo {
		w.job[0] = 1
		w.done <- struct{}{}
	}
}

func (w *worker) legalHandshake() {
	b := basin.Get(64)
	defer basin.Put(b)
	w.job = b
	w.todo <- struct{}{}
	<-w.done
}

// The caller throws the object away after an error.
func (c *client) legalError(r io.Reader) error {
	b := basin.Get(64)
	c.last = b
	if _, err := io.ReadFull(r, b); err != nil {
		basin.Put(b)
		return err
	}
	return nil
}

func (c *client) legalMaybeKept(r io.Reader, keep bool) {
	b := basin.Get(64)
	if keep {
		c.last = b
		return
	}
	basin.Put(b)
}

type stage interface{ step() }

func (e *encoder) step() { e.number(1) }

func (e *encoder) legalStages(all []stage) {
	b := basin.Get(64)
	defer basin.Put(b)
	e.scratch = b
	for _, s := range all {
		s.step()
	}
}

// sums keeps the slice after a loop that adds up a result. Each round of it has another sum.
func (c *client) sums(r io.Reader) (sum int) {
	body := basin.Get(64)
	defer basin.Put(body)
	n, _ := r.Read(body)
	for _, b := range body[:n] {
		sum += int(b)
	}
	if sum > 1000 {
		global = body[:n] // want `kept after Put: the stored value points into body, which the deferred basin.Put\(body\) puts; store a copy`
	}
	return sum
}

func (c *client) sumsLegal(r io.Reader) (sum int) {
	body := basin.Get(64)
	defer basin.Put(body)
	n, _ := r.Read(body)
	for _, b := range body[:n] {
		sum += int(b)
	}
	if sum > 1000 {
		global = append(global[:0], body[:n]...)
	}
	return sum
}

type job struct {
	text *bytes.Buffer
	done chan struct{}
}

var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func post(jobs chan<- job, b *bytes.Buffer) { jobs <- job{text: b} }

// posted puts what another function has sent in a struct.
func posted(jobs chan<- job, text string) {
	b := texts.Get().(*bytes.Buffer)
	defer texts.Put(b)
	b.WriteString(text)
	post(jobs, b) // want `shared at Put: another goroutine may still use b, which the deferred texts.Put\(b\) puts; leave the Put to that goroutine`
}

func wait(jobs chan<- job, b *bytes.Buffer) {
	j := job{text: b, done: make(chan struct{})}
	jobs <- j
	<-j.done
}

func postedLegal(jobs chan<- job, text string) {
	b := texts.Get().(*bytes.Buffer)
	defer texts.Put(b)
	b.WriteString(text)
	wait(jobs, b)
}
