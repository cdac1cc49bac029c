// Package browser tests the live page in a real browser, with pools of its own process.
package browser

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin/basinhttp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// patience is the time limit for the browser to reach an expected state. Only a test that fails
// takes that long.
const patience = 5 * time.Minute

var browser context.Context

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

// run runs the tests with a browser if BASIN_TEST_BROWSER is 1. They need chromium, and a minute.
func run(m *testing.M) int {
	if os.Getenv("BASIN_TEST_BROWSER") != "1" {
		fmt.Println("SKIPPED: scripts/prove page tests the live page, in a browser")
		return 0
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.WSURLReadTimeout(2*patience)) // to start
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // which root cannot have
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	browser, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		fmt.Println("FAIL: chromium does not start; apt-get install chromium installs it:", err)
		return 1
	}
	return m.Run()
}

// A server serves the page as a program would, and notes the requests.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string // method and URI
}

// serve serves the page until the test ends. If change is not nil, it may change each report.
func serve(t *testing.T, change func(*basinhttp.Report), options ...basinhttp.Option) *server {
	s := new(server)
	h := basinhttp.Handler(options...)
	mux := http.NewServeMux()
	mux.HandleFunc(basinhttp.Path, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
		s.mu.Unlock()
		if change == nil || r.FormValue("format") == "" {
			h.ServeHTTP(w, r)
			return
		}
		inner := httptest.NewRecorder()
		h.ServeHTTP(inner, r)
		var report basinhttp.Report
		if err := json.Unmarshal(inner.Body.Bytes(), &report); err != nil {
			t.Error(err)
		}
		change(&report)
		json.NewEncoder(w).Encode(report)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *server) page() string { return s.URL + basinhttp.Path }

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// A tab of the browser.
type tab struct {
	*testing.T
	ctx      context.Context
	problems *sync.Map // that the page wrote to its console
}

// open opens url in a tab of its own. A message on the page's console fails the test, unless it
// contains one of the expected texts.
func open(t *testing.T, url string, expected ...string) *tab {
	t.Helper()
	for range 4 { // the pools of other tests must not be seen
		runtime.GC()
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	p := &tab{t, ctx, new(sync.Map)}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil { // not by p.do: the tab must outlive that
		t.Fatal(err)
	}
	console := chromedp.Console(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for m, err := range console {
			if err != nil {
				return
			}
			p.problems.Store(fmt.Sprintf("%s: %s", m.Type, m.Text), true)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		p.problems.Range(func(m, _ any) bool {
			for _, e := range expected {
				if strings.Contains(m.(string), e) {
					return true
				}
			}
			t.Errorf("console: %s", m)
			return true
		})
	})
	p.do(chromedp.Navigate(url))
	return p
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// js returns the value of an expression, which may be a promise.
func js[T any](p *tab, expression string) T {
	p.Helper()
	v, err := evaluate[T](p, expression)
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

func evaluate[T any](p *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// until waits until the value of an expression is want.
func until[T comparable](p *tab, expression string, want T) {
	p.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got, err := evaluate[T](p, expression)
		if err == nil && got == want {
			return
		}
		if time.Now().After(end) {
			p.Fatalf("%s is %v (%v), want %v", expression, got, err, want)
		}
	}
}

// name returns the expression for the button with the name of a pool.
func name(pool string) string {
	return fmt.Sprintf("[...document.querySelectorAll('.name')].find(e => e.textContent === %s)", quote(pool))
}

// fact returns the expression for an exact figure of the open pool.
func fact(what string) string {
	return fmt.Sprintf("[...document.querySelectorAll('.detail tr')].find(e => e.cells[0].textContent.replace(/ \\(.*/, '') === %s)?.cells[1].textContent", quote(what))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// names returns the names of the pools, in the order of the table.
func (p *tab) names() []string {
	p.Helper()
	return js[[]string](p, "[...document.querySelectorAll('.name')].map(e => e.textContent)")
}

// click clicks on an element.
func (p *tab) click(selector string) {
	p.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// open shows the details below a pool.
func (p *tab) open(pool string) {
	p.Helper()
	until(p, name(pool)+" !== undefined", true)
	js[any](p, name(pool)+".click()")
	until(p, name(pool)+".getAttribute('aria-expanded')", "true")
}

// live waits for the first figures.
func (p *tab) live() {
	p.Helper()
	until(p, "document.getElementById('state').dataset.state", "live")
}

// prefer sets the system's color scheme, light or dark.
func (p *tab) prefer(scheme string) {
	p.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		p.Fatal(err)
	}
}
