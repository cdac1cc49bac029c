package demo

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin/basinhttp"
)

// BenchmarkScrape measures the cost of reading figures: the gateway's throughput in windows of
// a second with one request for figures, as the page makes, against windows without, in turn.
// The metric is the reduction in percent, as the median over pairs of neighbours. The same
// figure for neighbours of equal kind shows the noise.
//
//	go test -run '^$' -bench Scrape -benchtime 40x ./internal/demo
func BenchmarkScrape(b *testing.B) {
	c := ServeConfig{OverloadConfig: OverloadConfig{Config: Config{Duration: Forever, Concurrency: 32}}, Addr: "127.0.0.1:0"}
	if err := c.Complete(); err != nil {
		b.Fatal(err)
	}
	corpus, load, stop, err := startBackend(b.Context(), c.Corpus, c.Concurrency)
	if err != nil {
		b.Fatal(err)
	}
	defer stop()
	start := func(h http.Handler) string {
		s := &http.Server{Handler: h}
		var addr string
		if err := serve(s, &addr); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		return addr
	}
	addr := start(newHandler(GatewayArgs{Upstream: corpus.Addr, Concurrency: c.Concurrency}, func(w http.ResponseWriter, from *http.Response) error {
		return pooled.forward(w, from.Body)
	}))
	figures := "http://" + start(debugPages()) + basinhttp.Path + "?format=json"

	first, size := 0, 0
	// window returns the time to serve size requests, the same in each window. If size is zero,
	// it serves for a second.
	window := func(look bool) time.Duration {
		var looks sync.WaitGroup
		if look {
			looks.Go(func() {
				resp, err := http.Get(figures)
				if err != nil {
					b.Error(err)
					return
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			})
		}
		args := RoundArgs{Addr: addr, First: first, Count: size, Limit: stallLimit}
		if size == 0 {
			args.Count, args.Limit = 1<<30, time.Second
		}
		var r RoundReply
		if err := load.Call("Load.Round", args, &r); err != nil {
			b.Fatal(err)
		}
		looks.Wait()
		if size == 0 {
			size = r.Requests
		}
		return r.Elapsed
	}
	window(false)
	window(true)

	var slower, noise []float64
	before := window(false)
	for b.Loop() {
		with := window(true)
		after := window(false)
		slower = append(slower, 2*float64(with)/float64(before+after)-1)
		noise = append(noise, float64(after)/float64(before)-1)
		before = after
	}
	b.ReportMetric(100*median(slower), "%slower")
	b.ReportMetric(100*median(noise), "%noise")
	b.ReportMetric(0, "ns/op")
}
