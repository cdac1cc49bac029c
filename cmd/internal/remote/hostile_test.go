package remote_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/basin-go/basin/cmd/internal/remote"
	"github.com/basin-go/basin/internal/pooltest"
)

const head = `{"time":"2026-01-01T00:00:00Z","started":"2025-01-01T00:00:00Z","program":"x",`

// much is the approximate length of large answers.
const much = 60 << 20

// says answers with begin, with repetitions of more up to much bytes, and with end.
func says(begin, more, end string) http.HandlerFunc {
	chunk := strings.Repeat(more, max(1, 64<<10/max(1, len(more))))
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, begin)
		for n := 0; more != "" && n < much; n += len(chunk) {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
		io.WriteString(w, end)
	}
}

// on answers with the given JSON and then repeats more forever.
func on(begin, more string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, begin)
		for {
			if _, err := io.WriteString(w, more); err != nil {
				return
			}
		}
	}
}

// raw answers directly on the connection.
func raw(t *testing.T, answer func(net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		answer(conn)
	}
}

func zipped(h http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		h.ServeHTTP(zipWriter{w, z}, r)
	}
}

type zipWriter struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (w zipWriter) Write(b []byte) (int, error) { return w.z.Write(b) }

// peak returns the most bytes by which the heap grew while f ran.
func peak(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // keeps the share of garbage small
	runtime.GC()
	heap := func() int64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	before, most := heap(), int64(0)
	ctx, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		for ctx.Err() == nil {
			most = max(most, heap()-before)
			time.Sleep(time.Millisecond)
		}
	})
	f()
	stop()
	watching.Wait()
	return most
}

// patient returns a source without a time limit: only the end of the answer or of the context
// ends a reading.
func patient(t *testing.T, address string) *remote.Source {
	t.Helper()
	s, err := remote.NewSource(address)
	if err != nil {
		t.Fatal(err)
	}
	s.SetTimeout(time.Hour)
	return s
}

// TestTimeout has servers that never answer, or never finish.
func TestTimeout(t *testing.T) {
	for name, begin := range map[string]string{"no answer": "", "half of one": head} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if begin != "" {
					w.Header().Set("Content-Type", "application/json")
					io.WriteString(w, begin)
					w.(http.Flusher).Flush()
				}
				<-r.Context().Done()
			}))
			defer s.Close()
			source := patient(t, s.URL)
			source.SetTimeout(50 * time.Millisecond)
			if _, failed := source.Read(t.Context()); failed == nil || failed.Reason != "no answer within 50ms" {
				t.Errorf("error %v", failed)
			}
		})
	}
}

// TestHostileServers has servers whose answers would take unlimited memory or time.
func TestHostileServers(t *testing.T) {
	const most = 128 << 20 // bytes that a reading may use at any moment, garbage included
	for i, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string // in the error
	}{
		{"empty pools", says(head+`"pools":[`, `{},`, `{}]}`), "more than 16384 pools"},
		{"empty pools, again and again", says(head, `"pools":[{},{},{},{},{},{},{},{},{},{}],`, `"pools":[]}`), "more than 16384 pools"},
		{"pools of nothing", says(head+`"pools":[`, `null,`, `{}]}`), "more than 16384 pools"},
		{"empty size classes of one pool", says(head+`"pools":[{"Classes":[`, `{},`, `{}]}]}`), "too much"},
		{"empty size classes of one pool, again and again", says(head+`"pools":[{`, `"Classes":[{},{}],`, `"ID":1}]}`), "too much"},
		{"size classes of all pools", says(head+`"pools":[`, `{"Classes":[`+strings.Repeat(`{},`, 120)+`{}]},`, `{}]}`), "size classes"},
		{"more size classes than there are", says(head+`"pools":[{"Classes":[`+strings.Repeat(`{},`, 1000)+`{}]}]}`, ``, ``), "size classes"},
		{"long names", says(head+`"pools":[`+strings.Repeat(`{"Name":"`+strings.Repeat("x", 60000)+`","Kind":"`+strings.Repeat("y", 60000)+`"},`, 100)+`{}]}`, ``, ``), ""},
		{"a name without end", says(head+`"pools":[{"Name":"`, `xxxxxxxx`, `"}]}`), "too long"},
		{"a key without end", says(`{"`, `xxxxxxxx`, `":1}`), "too long"},
		{"a name of escapes without end", says(head+`"pools":[{"Name":"`, `\u0000`, `"}]}`), "too long"},
		{"a number without end", says(head+`"pools":[{"ID":`, `11111111`, `}]}`), "too long"},
		{"a fraction without end", says(head+`"pools":[{"ID":0.`, `00000000`, `1}]}`), "too long"},
		{"a huge number", says(head+`"pools":[{"ID":1e999999999}]}`, ``, ``), "not basin's page"},
		{"a number beyond its type", says(head+`"pools":[{"bytes":{"in_use":9223372036854775808}}]}`, ``, ``), "not basin's page"},
		{"nested arrays", says(`{"a":`, `[`, `]}`), "nested"},
		{"nested arrays in a pool", says(head+`"pools":[{"a":`, `[`, `]}]}`), "nested"},
		{"nested objects", says(`{"a":`, `{"a":`, `}`), "nested"},
		{"brackets in a name", says(head+`"pools":[{"ID":7,"Name":"\"[[[[[[[[[[[[[[[[[[[[{{{{{{{{{{{{{{{{{{{{,,,,,,,,,,,,\\"}]}`, ``, ``), ""},
		{"unknown keys", says(`{`+strings.Repeat(`"a":"xxxxxxxx",`, 1e5)+`"b":1}`, ``, ``), "says nothing about pools"},
		{"unknown arrays", says(`{"unknown":[`+strings.Repeat(`{"a":[1,2,3]},`, 1e5)+`1]}`, ``, ``), "says nothing about pools"},
		{"checks are an array", says(head+`"checking":[1,2]}`, ``, ``), "not basin's page"},
		{"sites without end", says(head+`"checking":{"sites":[`, `{"pool":"`+strings.Repeat("x", 16000)+`","stack":["`+strings.Repeat("y", 16000)+`"]},`, `{}]}}`), ""},
		{"calls without end", says(head+`"checking":{"found":[{"here":[`, `"x",`, `"x"]}]}}`), "too much"},
		{"unknown keys of checks", says(head+`"checking":{`, `"a":[[1]],`, `"b":1}}`), ""},
		{"unknown keys of a pool", says(head+`"pools":[{`, `"a":1,`, `"ID":1}]}`), "too much"},
		{"blanks before", on("", strings.Repeat(" ", 1<<16)), "too much"},
		{"blanks within", on(head, strings.Repeat("\n", 1<<16)), "too much"},
		{"long keys without end", says(`{`, `"a":"`+strings.Repeat("x", 16000)+`",`, `"b":1`+strings.Repeat(` ,"c":"`+strings.Repeat("x", 16000)+`"`, 300)+`}`), "more than 64 MiB"},
		{"more after the report", on(head+`"pools":[]}`, strings.Repeat(" ", 1<<16)), ""},
		{"a gzip bomb that nobody asked for", zipped(on("", strings.Repeat(" ", 1<<16))), "compresses"},
		{"empty pools, zipped", zipped(says(head+`"pools":[`, `{},`, `{}]}`)), "compresses"},
		{"pools are a text", says(head+`"pools":"\u001b[31m"}`, ``, ``), "not basin's page"},
		{"pools are an object", says(head+`"pools":{}}`, ``, ``), "not basin's page"},
		{"keys that are no strings", says(head+`1:2}`, ``, ``), "not basin's page"},
		{"no pools", says(head+`"pools":null}`, ``, ``), ""},
		{"a pool is a text", says(head+`"pools":["\u001b[31m"]}`, ``, ``), "not basin's page"},
		{"a year beyond all", says(`{"time":"99999-01-01T00:00:00Z"}`, ``, ``), "not basin's page"},
		{"a text", says(`"\u001b[31m"`, ``, ``), "not basin's page"},
		{"nothing", says(``, ``, ``), "not basin's page"},
		{"control characters", says("{\x1b[31m", ``, ``), "not basin's page"},
		{"the end is missing", says(head+`"pools":[{"ID":1}`, ``, ``), "not basin's page"},
		{"a header without end", raw(t, func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
			for {
				if _, err := io.WriteString(c, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		}), "header"},
		{"headers without end", raw(t, func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(c, "X-%d: x\r\n", i); err != nil {
					return
				}
			}
		}), "header"},
		{"promises without end", raw(t, func(c net.Conn) {
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n\r\n"); err != nil {
					return
				}
			}
		}), "header"},
		{"not HTTP", raw(t, func(c net.Conn) { io.WriteString(c, "\x1b[31mSSH-2.0\r\n") }), "malformed"},
		{"a length that is a lie", raw(t, func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9223372036854775807\r\n\r\n"+head)
		}), "not basin's page"},
		{"to elsewhere on another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		}, "another host"},
		{"to a file", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, "another host"},
		{"to itself for ever", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/?x=y", http.StatusFound)
		}, "10 redirects"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if i%4 != 1 && !pooltest.Long() {
				t.Skip("parses megabytes")
			}
			s := httptest.NewServer(tt.handler)
			defer s.Close()
			source := patient(t, s.URL)
			var failed *remote.Error
			if grown := peak(func() { _, failed = source.Read(t.Context()) }); grown > most {
				t.Errorf("it takes %d MiB, want at most %d", grown>>20, most>>20)
			}
			switch {
			case tt.want == "" && failed != nil:
				t.Errorf("error %v", failed)
			case tt.want != "" && failed == nil:
				t.Errorf("there is no error, want %s", tt.want)
			case tt.want != "":
				if !strings.Contains(failed.Reason, tt.want) || len(failed.Reason) > 1000 || strings.ContainsFunc(failed.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("error %q, want %s", failed, tt.want)
				}
			}
		})
	}
}

// TestStays: the memory kept of the largest accepted report is bounded.
func TestStays(t *testing.T) {
	text := `"` + strings.Repeat("語", 5000) + `"`
	var b strings.Builder
	b.WriteString(strings.Replace(head, `"x"`, text, 1) + `"go":{"version":` + text + `},"pools":[`)
	for i := range 16384 {
		if i > 0 {
			b.WriteString(",")
		}
		name := `"x"`
		if i < 100 {
			name = text
		}
		fmt.Fprintf(&b, `{"ID":%d,"Name":%s,"Kind":%s,"Classes":[{},{},{},{},{},{},{},{}]}`, i+1, name, name)
	}
	b.WriteString(`]}`)
	s := httptest.NewServer(says(b.String(), ``, ``))
	defer s.Close()
	source := patient(t, s.URL)
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	r, failed := source.Read(t.Context())
	if failed != nil {
		t.Fatal(failed)
	}
	if kept := heap() - before; kept > 64<<20 {
		t.Errorf("%d MiB are kept", kept>>20)
	}
	for _, s := range []string{r.Program, r.Go.Version, r.Pools[0].Name, r.Pools[0].Kind} {
		if len(s) > 600 || !strings.HasPrefix(s, "語") || strings.Contains(s, "\ufffd") {
			t.Errorf("a text is %d bytes: %q", len(s), s)
		}
	}
	if len(r.Pools) != 16384 || r.Pools[16383].ID != 16384 || len(r.Pools[5].Classes) != 8 {
		t.Errorf("%d pools", len(r.Pools))
	}
	runtime.KeepAlive(s)
}

// TestCancel cancels readings of servers that never finish.
func TestCancel(t *testing.T) {
	drip := func(begin string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, begin)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"no answer", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"nothing after the header", drip("")},
		{"nothing after a blank", drip(" ")},
		{"nothing after a part", drip(head + `"pools":[{"ID":1}`)},
		{"nothing within a name", drip(head + `"pools":[{"Name":"x`)},
		{"nothing within skipped fields", drip(`{"unknown":[1`)},
		{"blanks for ever", on("", " ")},
		{"redirects for ever", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		}},
		{"half a header", raw(t, func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
			io.Copy(io.Discard, c)
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := make(chan struct{})
			var once sync.Once
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				once.Do(func() { close(asked) })
				tt.handler(w, r)
			}))
			defer s.Close()
			defer s.CloseClientConnections()
			source := patient(t, s.URL)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-asked
				cancel(errors.New("the user is gone"))
			}()
			if _, failed := source.Read(ctx); failed == nil || strings.Contains(failed.Reason, "within") {
				t.Errorf("error %v", failed)
			}
		})
	}
	t.Run("connecting", func(t *testing.T) {
		// A listener that never accepts is silent until its queue is full. Later connections
		// get no answer at all.
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		source := patient(t, "http://"+l.Addr().String())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, failed := source.Read(ctx); failed == nil || !strings.Contains(failed.Reason, "canceled") {
			t.Errorf("error %v", failed)
		}
	})
}

// TestUnsolicited has a server send more than one answer. The rest must not be printed.
func TestUnsolicited(t *testing.T) {
	var logged strings.Builder
	defer log.SetOutput(log.Writer())
	log.SetOutput(&logged)
	answered, left := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(raw(t, func(c net.Conn) {
		body := head + `"pools":[]}`
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		<-answered // otherwise it would be part of the answer
		io.WriteString(c, "HTTP/1.1 200 \x1b[31mOK\r\n\r\n")
		bufio.NewReader(c).ReadByte() // until the client closes
		close(left)
	}))
	defer s.Close()
	source := patient(t, s.URL)
	if _, failed := source.Read(t.Context()); failed != nil {
		t.Error(failed)
	}
	close(answered)
	<-left
	if logged.Len() > 0 {
		t.Errorf("it prints %q", &logged)
	}
}
