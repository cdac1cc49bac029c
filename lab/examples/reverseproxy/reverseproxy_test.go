package reverseproxy_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"testing"

	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/lab/examples/reverseproxy"
)

func TestProxy(t *testing.T) {
	basintest.Check(t)
	body := bytes.Repeat([]byte("body "), 50_000)
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Forwarded-Host") == "" {
			t.Error("the backend does not know who was asked")
		}
		w.Write(body)
	}))
	defer backend.Close()
	target, err := url.Parse(backend.URL)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(reverseproxy.New(target))
	defer front.Close()
	for range 3 {
		response, err := http.Get(front.URL)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !bytes.Equal(got, body) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	front.Close() // waits for the handlers, which put
	var gets uint64
	for _, s := range basinexport.Append(nil) {
		if s.Name == "proxied bodies" {
			gets = s.Gets
		}
	}
	if gets != 3 {
		t.Errorf("%d buffers taken, want one for each of 3 requests", gets)
	}
}

func BenchmarkProxy(b *testing.B) {
	for _, size := range []int{1_000, 1_000_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			body := make([]byte, size)
			backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(body) }))
			b.Cleanup(backend.Close)
			target, err := url.Parse(backend.URL)
			if err != nil {
				b.Fatal(err)
			}
			run := func(proxy *httputil.ReverseProxy) func(int) {
				return func(n int) {
					for range n {
						proxy.ServeHTTP(discard{}, httptest.NewRequest("GET", "/", nil))
					}
				}
			}
			without := reverseproxy.New(target)
			without.BufferPool = nil
			pooltest.Compare(b, 20_000_000/(size+100_000), run(without), run(reverseproxy.New(target)))
		})
	}
}

// discard is a client that does not listen.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
