// Package corpus has 33 lines that must not be pooled. They were written before the tool was run over them, in a program
// with several packages.
package corpus

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

type entry struct {
	key  string
	data []byte
}

type LRU struct {
	mu    sync.Mutex
	max   int
	order *list.List
	items map[string]*list.Element
}

func NewLRU(max int) *LRU {
	return &LRU{max: max, order: list.New(), items: map[string]*list.Element{}}
}

func (c *LRU) Fill(key string, n int) {
	data := make([]byte, n) // want needs an owner; no patch; 4096
	for i := range data {
		data[i] = key[i%len(key)]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[key] = c.order.PushFront(&entry{key, data})
	if c.order.Len() > c.max {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.items, last.Value.(*entry).key)
	}
}

type Snapshot struct {
	cur atomic.Pointer[[]uint64]
	all sync.Map
}

func (s *Snapshot) Rebuild(n int) {
	counts := make([]uint64, n) // want needs an owner; no patch; 4096
	for i := range counts {
		counts[i] = uint64(i)
	}
	s.cur.Store(&counts)
}

func (s *Snapshot) Remember(key int, n int) {
	page := make([]byte, n) // want needs an owner; no patch; 4096
	page[0] = byte(key)
	s.all.Store(key, page)
}

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(v T) {
	if len(s.items) >= 64 {
		s.items = s.items[:0]
	}
	s.items = append(s.items, v)
}

type Ring struct {
	slots [16][]byte
	next  int
}

func (r *Ring) Put(p []byte) {
	r.slots[r.next%len(r.slots)] = p
	r.next++
}

type Index struct{ rows map[string][][]byte }

func (ix *Index) Add(key string, n int) {
	if ix.rows == nil || len(ix.rows[key]) > 20 {
		ix.rows = map[string][][]byte{}
	}
	row := make([]byte, n) // want needs an owner; no patch; 4096
	row[n-1] = 1
	ix.rows[key] = append(ix.rows[key], row)
}

type Message struct {
	Kind byte
	Body []byte
}

func ReadMessage(r io.Reader, n int) (*Message, error) {
	body := make([]byte, n) // want needs an owner; no patch; 4096
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	return &Message{Kind: body[0], Body: body[1:]}, nil
}

func Frame(payload []byte) (frame []byte, err error) {
	buf := make([]byte, 4+len(payload)) // want needs an owner; no patch; 4096
	binary.BigEndian.PutUint32(buf, uint32(len(payload)))
	copy(buf[4:], payload)
	defer func() {
		if err == nil {
			frame = buf
		}
	}()
	if len(payload) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return nil, nil
}

type job struct {
	id   int
	data []byte
}

type Pool struct{ jobs chan job }

func NewPool(work func(int, []byte)) *Pool {
	p := &Pool{make(chan job, 4)}
	for range 2 {
		go func() {
			for j := range p.jobs {
				work(j.id, j.data)
			}
		}()
	}
	return p
}

func (p *Pool) Submit(id, n int) {
	data := make([]byte, n) // want needs an owner; no patch; 4096
	data[0] = byte(id)
	p.jobs <- job{id, data}
}

func send[T any](c chan<- T, v T) { c <- v }

func Publish(c chan<- []byte, n int) {
	event := make([]byte, n) // want needs an owner; no patch; 4096
	event[0] = '!'
	send(c, event)
}

type Group struct{ done chan error }

func (g *Group) Go(f func() error) { go func() { g.done <- f() }() }

func Parallel(n int) error {
	g := &Group{make(chan error, 2)}
	shared := make([]byte, n) // want needs an owner; no patch; 4096
	for i := range 2 {
		g.Go(func() error {
			shared[i] = 1
			return nil
		})
	}
	if err := <-g.done; err != nil {
		return err
	}
	return <-g.done
}

type Worker struct{ total int }

func (w *Worker) handle(p []byte, done chan<- int) { done <- len(p) }

func (w *Worker) Start(n int, done chan<- int) {
	scratch := make([]byte, n) // want needs an owner; no patch; 4096
	go w.handle(scratch, done)
}

func Later(n int, done chan<- int) {
	blob := make([]byte, n) // want needs an owner; no patch; 4096
	time.AfterFunc(time.Millisecond, func() { done <- len(blob) })
}

func Lines(text string) [][]byte {
	var out [][]byte
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, []byte(line)) // want needs an owner; no patch; 4096
	}
	return out
}

func Render(name string, n int) []byte {
	var buf bytes.Buffer
	for range n {
		fmt.Fprintf(&buf, "hello %s, ", name) // want needs an owner by fmt.Fprintf, bytes.(*Buffer).Write; no patch; 4096
	}
	return buf.Bytes()
}

func Repeat(s string, n int) string {
	out := ""
	for range n {
		out += s // want not judged; no patch; 4096
	}
	return out
}

func Query(keys []string) string {
	var sb strings.Builder
	for _, k := range keys {
		sb.WriteString(k) // want preallocate by strings.(*Builder).WriteString; no patch; 4096
		sb.WriteByte('&')
	}
	return sb.String()
}

func Key(prefix string, id int) string {
	return fmt.Sprintf("%s-%0900d", prefix, id) // want not judged by fmt.Sprintf; no patch; 4096
}

func Clean(s string) string { return strings.ReplaceAll(s, "a", "bb") } // want not judged by strings.ReplaceAll; no patch; 4096

type Keeper interface{ Put(p []byte) }

func Feed(k Keeper, n int) {
	chunk := make([]byte, n) // want needs an owner; no patch; 4096
	chunk[1] = 9
	k.Put(chunk)
}

func NewPost(url string, n int) (*http.Request, error) {
	body := make([]byte, n) // want needs an owner; no patch; 4096
	return http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
}

type ctxKey struct{}

func WithScratch(ctx context.Context, n int) context.Context {
	scratch := make([]byte, n) // want needs an owner; no patch; 4096
	return context.WithValue(ctx, ctxKey{}, scratch)
}

type Envelope struct {
	ID  int             `json:"id"`
	Raw json.RawMessage `json:"raw"`
}

func Wrap(id int, v any) (Envelope, error) {
	raw, err := json.Marshal(v) // want needs an owner by encoding/json.Marshal; no patch; 4096
	if err != nil {
		return Envelope{}, err
	}
	return Envelope{ID: id, Raw: raw}, nil
}

type Session struct {
	out  bytes.Buffer
	Tags [][]byte
}

func (s *Session) Log(line string) {
	s.out.WriteString(line) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
	if s.out.Len() > 1<<20 {
		s.out = bytes.Buffer{}
	}
}

func Compressed(w io.Writer) io.WriteCloser {
	return gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 4096
}

func Fetch(r io.Reader) ([]byte, error) {
	return io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
}

type SyntaxError struct {
	Line []byte
	Pos  int
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%q at %d", e.Line, e.Pos) }

func Check(r io.Reader, n int) error {
	line := make([]byte, n) // want needs an owner; no patch; 4096
	if _, err := io.ReadFull(r, line); err != nil {
		return err
	}
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return fmt.Errorf("check: %w", &SyntaxError{line, i})
	}
	return nil
}

func Text(n int) string {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	for i := range b {
		b[i] = 'x'
	}
	return unsafe.String(&b[0], len(b))
}

func Chunks(r io.Reader, n int) iter.Seq[[]byte] {
	buf := make([]byte, n) // want needs an owner; no patch; 4096
	return func(yield func([]byte) bool) {
		for {
			k, err := r.Read(buf)
			if k > 0 && !yield(buf[:k]) || err != nil {
				return
			}
		}
	}
}

func Into(dst *[]byte, n int) {
	fresh := make([]byte, n) // want needs an owner; no patch; 4096
	fresh[2] = 3
	*dst = fresh
}

func (s *Session) Split(n int) {
	line := make([]byte, n) // want needs an owner; no patch; 4096
	for i := 9; i < n; i += 10 {
		line[i] = ','
	}
	s.Tags = bytes.Split(line, []byte(","))[:1]
}

type header struct{ raw [2048]byte }

type Packet struct {
	*header
	n int
}

func NewPacket(n int) Packet {
	h := &header{} // want needs an owner; no patch; 4096
	h.raw[0] = byte(n)
	return Packet{h, n}
}

type Hooks struct{ onClose []func() int }

type tracker struct{ seen [1024]byte }

func (t *tracker) count() int { return len(t.seen) }

func (h *Hooks) Track(id int) {
	t := new(tracker) // want needs an owner; no patch; 1024
	t.seen[0] = byte(id)
	if len(h.onClose) > 32 {
		h.onClose = nil
	}
	h.onClose = append(h.onClose, t.count)
}

func Pushed(s *Stack[[]byte], n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	b[0] = 2
	s.Push(b)
}

func Ringed(r *Ring, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	b[0] = 2
	r.Put(b)
}
