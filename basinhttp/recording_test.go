//go:build go1.25

package basinhttp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/trace"
)

// TestRecordRequests is about requests to record that are refused, or end at once.
func TestRecordRequests(t *testing.T) {
	for _, tt := range []struct {
		name, method, target string
		header               string
		plain, recording     int // status
	}{
		{"by GET", "GET", "/?record=1s", "", 200, 200}, // the page, and nothing else
		{"a moment", "POST", "/?record=1ns", "", 403, 200},
		{"one in many", "POST", "/?record=1ns&every=1000", "", 403, 200},
		{"from a foreign page", "POST", "/?record=1ns", "Sec-Fetch-Site: cross-site", 403, 403},
		{"from a foreign page, old browser", "POST", "/?record=1ns", "Origin: http://evil.example", 403, 403},
		{"no duration", "POST", "/?record=", "", 403, 400},
		{"a number", "POST", "/?record=10", "", 403, 400},
		{"nothing", "POST", "/?record=0s", "", 403, 400},
		{"less than nothing", "POST", "/?record=-1s", "", 403, 400},
		{"too long", "POST", "/?record=61s", "", 403, 400},
		{"one in none", "POST", "/?record=1ns&every=0", "", 403, 400},
		{"one in less than none", "POST", "/?record=1ns&every=-1", "", 403, 400},
		{"one in too many", "POST", "/?record=1ns&every=1048577", "", 403, 400},
		{"one in some", "POST", "/?record=1ns&every=some", "", 403, 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range []struct {
				h    http.Handler
				want int
			}{{basinhttp.Handler(basinhttp.AllowTrim()), tt.plain}, {basinhttp.Handler(basinhttp.AllowRecord()), tt.recording}} {
				r := httptest.NewRequest(tt.method, tt.target, nil)
				if name, value, ok := strings.Cut(tt.header, ": "); ok {
					r.Header.Set(name, value)
				}
				w := httptest.NewRecorder()
				c.h.ServeHTTP(w, r)
				if w.Code != c.want {
					t.Errorf("status %d, want %d: %s", w.Code, c.want, w.Body)
				}
				if recorder.Current.Load() != nil {
					t.Fatal("it goes on recording")
				}
			}
		})
	}
}

// TestRecord has a pool used while it is recorded, and a second recording meanwhile. The time that
// passes is a bubble's: it goes on when all has been done.
func TestRecord(t *testing.T) { synctest.Test(t, testRecord) }

func testRecord(t *testing.T) {
	h := basinhttp.Handler(basinhttp.AllowRecord())
	p := &basin.BytePool{Name: t.Name(), MaxIdle: 1 << 20}
	w := httptest.NewRecorder()
	go h.ServeHTTP(w, httptest.NewRequest("POST", "/?record=500ms", nil))
	synctest.Wait() // it records
	second := httptest.NewRecorder()
	if h.ServeHTTP(second, httptest.NewRequest("POST", "/?record=1s", nil)); second.Code != http.StatusConflict {
		t.Errorf("a second recording: status %d", second.Code)
	}
	for range 1000 {
		p.Put(p.Get(1000))
	}
	runtime.GC()
	time.Sleep(time.Second)
	synctest.Wait() // it has ended
	runtime.KeepAlive(p)
	got, err := trace.Read(w.Body)
	if err != nil || !got.Complete || got.Every != 1 || got.Procs != runtime.GOMAXPROCS(0) || got.Lost != 0 || len(got.Cycles) == 0 {
		t.Fatalf("%+v, error %v", got, err)
	}
	gets := map[uint64]int{}
	for _, a := range got.Acquisitions {
		gets[a.Pool]++
	}
	for _, pool := range got.Pools {
		if pool.Name == t.Name() && pool.MaxIdle == 1<<20 && gets[pool.ID] == 1000 {
			return
		}
	}
	t.Errorf("the pool is not among %+v, or not used as often: %v", got.Pools, gets)
}

// TestRecordGone has the client go away while it records.
func TestRecordGone(t *testing.T) {
	s := httptest.NewServer(basinhttp.Handler(basinhttp.AllowRecord()))
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for recorder.Current.Load() == nil {
			runtime.Gosched()
		}
		cancel()
	}()
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"?record=1m", nil)
	if response, err := http.DefaultClient.Do(r); err == nil {
		io.Copy(io.Discard, response.Body)
	}
	for recorder.Current.Load() != nil {
		runtime.Gosched() // or the test never ends
	}
}
