//go:build go1.25

package basinscope_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinscope"
	"github.com/basin-go/basin/basintest"
)

func Example() {
	var s basinscope.Scope
	defer s.End()
	line := s.Append(nil, []byte("GET /index.html")...)
	line = s.Append(line, []byte(" HTTP/1.1")...) // grows in place
	method := s.String(line[:3])
	words := basinscope.Slice[[]byte](&s, 3)
	for i, w := range bytes.Fields(line) {
		words[i] = w
	}
	fmt.Printf("%s %q\n", method, words)
	// Output: GET ["GET" "/index.html" "HTTP/1.1"]
}

// scopeKey is the key of the scope in the context of a request.
type scopeKey struct{}

// scoped gives each request a scope, which ends with the handler, also if that panics.
func scoped(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s := basinscope.Scope{Max: 16 << 20}
		defer s.End()
		next(w, r.WithContext(context.WithValue(r.Context(), scopeKey{}, &s)))
	}
}

// scopeOf returns the scope of a request.
func scopeOf(ctx context.Context) *basinscope.Scope { return ctx.Value(scopeKey{}).(*basinscope.Scope) }

// Handlers of net/http, whose scope ends after a return, after a panic, and when the connection has been
// taken over.
func Example_http() {
	mux := http.NewServeMux()
	mux.Handle("/echo", scoped(func(w http.ResponseWriter, r *http.Request) {
		s := scopeOf(r.Context())
		if err := s.Room(int(max(r.ContentLength, 0))); err != nil { // the length is the client's
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		body := s.Get(int(max(r.ContentLength, 0)))
		if _, err := io.ReadFull(r.Body, body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Write(bytes.ToUpper(body))
	}))
	mux.Handle("/panic", scoped(func(w http.ResponseWriter, r *http.Request) {
		s := scopeOf(r.Context())
		s.Defer(func() { fmt.Println("the scope of the panic has ended") })
		panic(http.ErrAbortHandler)
	}))
	// A stream lives long, so each of its lines has a scope of its own.
	mux.Handle("/stream", scoped(func(w http.ResponseWriter, r *http.Request) {
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() {
			if !writeReversed(w, lines.Bytes()) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			panic(http.ErrAbortHandler) // the answer is not complete
		}
	}))
	// The connection outlives the handler: its goroutine gets a child, which keeps the memory of the
	// request until the connection is closed.
	var connections sync.WaitGroup
	mux.Handle("/hijack", scoped(func(w http.ResponseWriter, r *http.Request) {
		s := scopeOf(r.Context())
		name := s.String([]byte(r.URL.RawQuery))
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		c := s.Child()
		connections.Go(func() {
			defer c.End()
			c.Defer(func() { conn.Close() })
			fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: greeting\r\n\r\nhello %s", name)
		})
	}))

	server := httptest.NewUnstartedServer(mux)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	defer server.Close()
	post := func(path, body string) {
		resp, err := http.Post(server.URL+path, "text/plain", strings.NewReader(body))
		if err != nil {
			fmt.Println(path, "failed:", errors.Is(err, io.EOF))
			return
		}
		defer resp.Body.Close()
		answer, _ := io.ReadAll(resp.Body)
		fmt.Printf("%s %d %q\n", path, resp.StatusCode, answer)
	}
	post("/echo", "some bytes")
	post("/panic", "")
	post("/stream", "abc\ndef\n")
	post("/hijack?basin", "")
	connections.Wait()
	// Output:
	// /echo 200 "SOME BYTES"
	// the scope of the panic has ended
	// /panic failed: true
	// /stream 200 "cba\nfed\n"
	// /hijack?basin 101 "hello basin"
}

func writeReversed(w io.Writer, line []byte) bool {
	var s basinscope.Scope
	defer s.End()
	b := s.Get(len(line) + 1)
	for i, c := range line {
		b[len(line)-1-i] = c
	}
	b[len(line)] = '\n'
	_, err := w.Write(b)
	return err == nil
}

// A unary is a grpc.UnaryHandler: it is given the decoded request and returns the answer.
type unary func(ctx context.Context, request any) (answer any, err error)

// intercepted is a grpc.UnaryServerInterceptor with a scope for each call. gRPC marshals the answer
// after the interceptor, so the answer must not have memory of the scope.
func intercepted(h unary) unary {
	return func(ctx context.Context, request any) (any, error) {
		var s basinscope.Scope
		defer s.End()
		return h(context.WithValue(ctx, scopeKey{}, &s), request)
	}
}

// A gRPC handler that works with the memory of a scope, and answers with a copy.
func Example_grpc() {
	call := intercepted(func(ctx context.Context, request any) (any, error) {
		s := scopeOf(ctx)
		var b []byte
		for _, name := range request.([]string) {
			b = s.Append(b, []byte(name)...)
			b = s.Append(b, ';')
		}
		return string(b), nil // a copy
	})
	fmt.Println(call(context.Background(), []string{"a", "b"}))
	// Output: a;b; <nil>
}

// An expr is a number or a sum or product of others.
type expr struct {
	op          byte
	value       int
	left, right *expr
}

// A parser builds a tree in a scope.
type parser struct {
	s    *basinscope.Scope
	text string
}

func (p *parser) sum() *expr {
	x := p.product()
	for strings.HasPrefix(p.text, "+") {
		p.text = p.text[1:]
		y := basinscope.New[expr](p.s)
		y.op, y.left, y.right = '+', x, p.product()
		x = y
	}
	return x
}

func (p *parser) product() *expr {
	x := p.number()
	for strings.HasPrefix(p.text, "*") {
		p.text = p.text[1:]
		y := basinscope.New[expr](p.s)
		y.op, y.left, y.right = '*', x, p.number()
		x = y
	}
	return x
}

func (p *parser) number() *expr {
	digits := len(p.text) - len(strings.TrimLeft(p.text, "0123456789"))
	x := basinscope.New[expr](p.s)
	x.value, _ = strconv.Atoi(p.text[:digits])
	p.text = p.text[digits:]
	return x
}

func (x *expr) eval() int {
	switch x.op {
	case '+':
		return x.left.eval() + x.right.eval()
	case '*':
		return x.left.eval() * x.right.eval()
	}
	return x.value
}

// eval parses and evaluates text. Its result is no pointer into the tree, which is gone at the end.
func eval(text string) int {
	var s basinscope.Scope
	defer s.End()
	p := parser{&s, text}
	return p.sum().eval()
}

// A parser whose nodes are values of a scope.
func Example_parser() {
	fmt.Println(eval("1+2*3+4*5"))
	// Output: 27
}

// A batch job with a scope for each record. Four workers share the memory that their scopes give back.
func Example_batch() {
	type record struct {
		name   string
		fields [][]byte
	}
	parse := func(s *basinscope.Scope, line []byte) *record {
		r := basinscope.New[record](s)
		r.fields = basinscope.Slice[[]byte](s, bytes.Count(line, []byte(","))+1)
		for i := range r.fields {
			field, rest, _ := bytes.Cut(line, []byte(","))
			r.fields[i], line = s.Append(nil, field...), rest
		}
		r.name = s.String(r.fields[0])
		return r
	}
	lines := make(chan []byte)
	var mu sync.Mutex
	count := map[string]int{}
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for line := range lines {
				func() {
					var s basinscope.Scope
					defer s.End()
					r := parse(&s, line)
					mu.Lock()
					defer mu.Unlock()
					count[strings.Clone(r.name)] += len(r.fields) // the map outlives the scope
				}()
			}
		})
	}
	for _, line := range strings.Split("a,1,2 b,3 a,4 c", " ") {
		lines <- []byte(line)
	}
	close(lines)
	workers.Wait()
	fmt.Println(count)
	// Output: map[a:5 b:2 c:1]
}

// TestEval is the test of a program with scopes: basintest fails it if memory is used after its End,
// or not given back.
func TestEval(t *testing.T) {
	p := &basin.BytePool{Name: t.Name()}
	basintest.Check(t)
	if got := eval("2*3+1"); got != 7 {
		t.Errorf("got %d", got)
	}
	s := basinscope.Scope{Pool: p, Max: 1 << 20}
	defer s.End()
	if got := s.String([]byte("checked")); got != "checked" {
		t.Error(got)
	}
}
