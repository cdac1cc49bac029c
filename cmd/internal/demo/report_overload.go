package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
)

// OverloadReport is what an overload came to.
type OverloadReport struct {
	Clients     int           `json:"slow_clients"`
	Duration    time.Duration `json:"duration_ns"` // of the overload, for each gateway
	Ceiling     int64         `json:"ceiling_bytes"`
	MaxIdle     int64         `json:"max_idle_bytes"`
	Connections int64         `json:"connection_overhead_bytes"` // of all clients
	Fixed       int64         `json:"fixed_overhead_bytes"`
	Overhead    int64         `json:"overhead_bytes"` // sum of the three

	Gateways []GatewayReport `json:"gateways"`
}

// GatewayReport is what an overload came to for one gateway.
type GatewayReport struct {
	Name         string        `json:"name"`
	Served       int           `json:"served"`
	Refused      int           `json:"refused"` // 503 with Retry-After
	Wrong        int           `json:"wrong"`   // always 0: the first wrong response fails the run
	P50          time.Duration `json:"p50_ns"`  // of the served, to the first byte
	P99          time.Duration `json:"p99_ns"`
	PeakInUse    int64         `json:"peak_in_use_bytes"`
	PeakHeap     uint64        `json:"peak_heap_bytes"`
	IdleHeap     uint64        `json:"recovered_heap_bytes"` // after the usual load and one GC
	Waited       uint64        `json:"waited"`
	LongestWait  time.Duration `json:"longest_wait_ns"`
	Recovered    int           `json:"recovered"`     // requests after the overload, all of them served
	WithinLimits bool          `json:"within_limits"` // PeakInUse below the ceiling, PeakHeap below that and the overhead
}

func newOverloadReport(c OverloadConfig) *OverloadReport {
	return &OverloadReport{
		Clients:     c.Concurrency,
		Duration:    c.Duration / 2,
		Ceiling:     c.MaxInUse,
		MaxIdle:     c.maxIdle(),
		Connections: int64(c.Concurrency) * connectionOverhead,
		Fixed:       fixedOverhead,
		Overhead:    c.overhead(),
	}
}

func (r *OverloadReport) add(name string, result overloadResult) error {
	latency, err := hdrhistogram.Decode(result.Latency)
	if err != nil {
		return err
	}
	r.Gateways = append(r.Gateways, GatewayReport{
		Name:         name,
		Served:       result.Served,
		Refused:      result.Refused,
		P50:          time.Duration(latency.ValueAtQuantile(50)) * time.Microsecond,
		P99:          time.Duration(latency.ValueAtQuantile(99)) * time.Microsecond,
		PeakInUse:    result.PeakInUse,
		PeakHeap:     result.PeakHeap,
		IdleHeap:     result.IdleHeap,
		Waited:       result.Waited,
		LongestWait:  result.LongestWait,
		Recovered:    result.recovery.Requests,
		WithinLimits: result.PeakInUse <= r.Ceiling && result.PeakHeap <= uint64(r.Ceiling+r.Overhead),
	})
	return nil
}

// Err says whether the ceiling held.
func (r *OverloadReport) Err() error {
	if !r.Gateways[0].WithinLimits {
		return errors.New("the gateway with a ceiling took more memory than that and the overhead")
	}
	return nil
}

// WriteJSON writes the report as one JSON object.
func (r *OverloadReport) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteTable writes the report for people.
func (r *OverloadReport) WriteTable(w io.Writer) error {
	t := newTable(table.Row{"", "served", "refused\n503", "wrong", "p50\nms", "p99\nms", "peak in\nuse MiB", "peak\nheap MiB", "recovered\nheap MiB", "waited", "longest\nwait ms"})
	for _, g := range r.Gateways {
		t.AppendRow(table.Row{
			g.Name,
			count(g.Served),
			count(g.Refused),
			count(g.Wrong),
			millis(g.P50),
			millis(g.P99),
			mib(g.PeakInUse),
			mib(g.PeakHeap),
			mib(g.IdleHeap),
			count(g.Waited),
			millis(g.LongestWait),
		})
	}
	_, err := fmt.Fprintf(w, `%s

%d slow clients for %v each; every body served was verified; p50 and p99 are of those, to the first byte
in use: handed out by the pool; heap: spans in use, at most and when idle after one GC

ceiling:  %s
overhead: %s = %s that the pool may keep idle + %s for connections, %s for each
          client + %s for the Go runtime; garbage has to fit in as well, by the memory
          limit of ceiling + overhead that both gateways run under; no plain slices, since
          the gateway never grows one
`,
		t.Render(),
		r.Clients, r.Duration,
		ibytes(r.Ceiling),
		ibytes(r.Overhead), ibytes(r.MaxIdle), ibytes(r.Connections), ibytes(connectionOverhead), ibytes(r.Fixed))
	if err != nil {
		return err
	}
	for _, g := range r.Gateways {
		within := "yes"
		if !g.WithinLimits {
			within = "NO"
		}
		if _, err := fmt.Fprintf(w, "%-9s in use below the ceiling and heap below ceiling + overhead (%s): %s; recovered: all %s of the usual requests served, no 503\n",
			g.Name+":", ibytes(r.Ceiling+r.Overhead), within, count(g.Recovered)); err != nil {
			return err
		}
	}
	return nil
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1e3) }

func mib[N int64 | uint64](n N) string { return fmt.Sprintf("%.1f", float64(n)/(1<<20)) }

func ibytes(n int64) string { return humanize.IBytes(uint64(n)) }
