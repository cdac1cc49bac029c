package legal

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/mem"

	"github.com/basin-go/basin"
	"github.com/gin-gonic/gin"
)

// The receiver puts.
func OwnChannel(in io.Reader, out chan<- []byte) error {
	for {
		b := basin.Get(1024)
		n, err := in.Read(b)
		if err != nil {
			basin.Put(b)
			return err
		}
		out <- b[:n]
	}
}

func OwnReceiver(in <-chan []byte, w io.Writer) {
	for b := range in {
		w.Write(b)
		basin.Put(b)
	}
}

type job struct {
	b    *bytes.Buffer
	refs atomic.Int32
}

func (j *job) release() {
	if j.refs.Add(-1) == 0 {
		putBuf(j.b)
		j.b = nil
	}
}

func OwnCounted(s string, workers []chan *job) {
	j := &job{b: getBuf()}
	j.b.WriteString(s)
	j.refs.Store(int32(len(workers)) + 1)
	for _, w := range workers {
		w <- j
	}
	j.release()
}

func OwnCountedTwice(s string) int {
	j := &job{b: getBuf()}
	j.refs.Store(2)
	j.release()
	n := j.b.Len()
	j.release()
	return n
}

func OwnGRPC(b mem.Buffer, out chan<- mem.Buffer) {
	b.Ref()
	out <- b
	b.Free()
}

func OwnGRPCSlice(s mem.BufferSlice, use func([]byte)) {
	defer s.Free()
	for _, b := range s {
		use(b.ReadOnlyData())
	}
}

type node struct {
	data []byte
	next *node
}

var nodes = sync.Pool{New: func() any { return new(node) }}

// What the struct held is taken off it before the struct is put.
func OwnDetach(n *node) []byte {
	data := n.data
	n.data = nil
	nodes.Put(n)
	return data
}

func OwnNext(n *node) *node {
	next := n.next
	n.next = nil
	nodes.Put(n)
	return next
}

func OwnList(n *node) {
	for n != nil {
		next := n.next
		n.next, n.data = nil, nil
		nodes.Put(n)
		n = next
	}
}

func OwnCleared(n *node) []byte {
	data := n.data
	*n = node{}
	nodes.Put(n)
	return data
}

type reader struct {
	*bytes.Reader
	buf []byte
}

func (r *reader) Close() error {
	if r.buf != nil {
		basin.Put(r.buf)
		r.buf = nil
	}
	return nil
}

func OwnReader(s string) io.ReadCloser {
	b := basin.Get(len(s))
	copy(b, s)
	return &reader{bytes.NewReader(b), b}
}

func OwnFuncs(s string) (data []byte, free func()) {
	b := basin.Get(len(s))
	copy(b, s)
	return b, func() { basin.Put(b) }
}

func OwnCleanup(t testing.TB) []byte {
	b := basin.Get(512)
	t.Cleanup(func() { basin.Put(b) })
	return b
}

func OwnGin(c *gin.Context) {
	d := c.Copy()
	go func() { _ = d.Param("id") }()
	name := c.Param("name")
	go func() { _ = name }()
}

func OwnHandler(w http.ResponseWriter, r *http.Request) {
	b := getBuf()
	defer putBuf(b)
	b.ReadFrom(r.Body)
	w.Write(b.Bytes())
}

func OwnWaits(parts []string) int {
	b := basin.Get(1024)
	defer basin.Put(b)
	var wg sync.WaitGroup
	for i, p := range parts {
		wg.Go(func() { copy(b[i*8:], p) })
	}
	wg.Wait()
	return len(parts)
}

func OwnCallback(s string, use func([]byte)) {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	use(b)
}

func OwnWith[T any](f func(*bytes.Buffer) T) T {
	b := getBuf()
	defer putBuf(b)
	return f(b)
}

func OwnWithUser(s string) string {
	return OwnWith(func(b *bytes.Buffer) string {
		b.WriteString(s)
		return b.String()
	})
}

func OwnRecorder(s string) int {
	b := getBuf()
	defer putBuf(b)
	b.WriteString(s)
	req := httptest.NewRequest("POST", "/", b)
	rec := httptest.NewRecorder()
	OwnHandler(rec, req)
	return rec.Code
}

type cache struct {
	mu  sync.Mutex
	cur []byte
}

// The field has the new slice before the old one is put.
func (c *cache) OwnReplace(s string) {
	b := basin.Get(len(s))
	copy(b, s)
	c.mu.Lock()
	old := c.cur
	c.cur = b
	c.mu.Unlock()
	basin.Put(old)
}
