package demo

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/basin-go/basin/lab/internal/terminal"
	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
)

// OverloadReport has the results of an overload.
type OverloadReport struct {
	Clients     int           `json:"slow_clients"`
	Duration    time.Duration `json:"duration_ns"` // of the overload, for each gateway
	Ceiling     int64         `json:"ceiling_bytes"`
	MaxIdle     int64         `json:"max_idle_bytes"`
	Connections int64         `json:"connection_overhead_bytes"` // of all clients
	Fixed       int64         `json:"fixed_overhead_bytes"`
	Overhead    int64         `json:"overhead_bytes"`     // sum of the three
	MemoryLimit int64         `json:"memory_limit_bytes"` // gateways that exceeded it were killed; zero means no limit
	Interrupted bool          `json:"interrupted"`        // the run was not completed

	Gateways []GatewayReport `json:"gateways"`
}

// GatewayReport has the results of one gateway.
type GatewayReport struct {
	Name         string        `json:"name"`
	Served       int           `json:"served"`
	Refused      int           `json:"refused"` // 503 with Retry-After
	Wrong        int           `json:"wrong"`   // always 0: the first wrong response fails the run
	P50          time.Duration `json:"p50_ns"`  // of served requests, to the first byte
	P99          time.Duration `json:"p99_ns"`
	PeakInUse    int64         `json:"peak_in_use_bytes"`
	PeakHeap     uint64        `json:"peak_heap_bytes"`
	IdleHeap     uint64        `json:"recovered_heap_bytes"` // after the usual load and one GC
	Waited       uint64        `json:"waited"`
	LongestWait  time.Duration `json:"longest_wait_ns"`
	Recovered    int           `json:"recovered"`     // requests after the overload, all of which were served
	WithinLimits bool          `json:"within_limits"` // PeakInUse is within the ceiling, and PeakHeap within that plus the overhead; false if killed

	PeakMemory  int64         `json:"peak_memory_bytes"` // of the process; zero without MemoryLimit
	KilledAfter time.Duration `json:"killed_after_ns"`   // zero if not killed; otherwise figures of heap and pool are unknown
}

func (g *GatewayReport) killed() bool { return g.KilledAfter > 0 }

func newOverloadReport(c OverloadConfig) *OverloadReport {
	return &OverloadReport{
		Clients:     c.Concurrency,
		Duration:    c.Duration / 2,
		Ceiling:     c.MaxInUse,
		MaxIdle:     c.maxIdle(),
		Connections: int64(c.Concurrency) * connectionOverhead,
		Fixed:       fixedOverhead,
		Overhead:    c.overhead(),
		MemoryLimit: c.MemoryLimit,
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
		PeakMemory:   result.peakMemory,
		KilledAfter:  result.killedAfter,
		WithinLimits: result.killedAfter == 0 && result.PeakInUse <= r.Ceiling && result.PeakHeap <= uint64(r.Ceiling+r.Overhead),
	})
	return nil
}

// Err returns an error if the ceiling was exceeded.
func (r *OverloadReport) Err() error {
	if g := r.Gateways[0]; g.killed() {
		return fmt.Errorf("the gateway with a ceiling took %s, more than -memory-limit, and was killed", ibytes(g.PeakMemory))
	} else if !g.WithinLimits {
		return errors.New("the gateway with a ceiling took more memory than the ceiling and the overhead")
	}
	return nil
}

// WriteTable writes the report for people.
func (r *OverloadReport) WriteTable(w io.Writer) error {
	header := table.Row{"", "served", "refused\n503", "wrong", "p50\nms", "p99\nms", "peak in\nuse MiB", "peak\nheap MiB", "recovered\nheap MiB", "waited", "longest\nwait ms"}
	if r.MemoryLimit > 0 {
		header = append(header, "peak\nRSS MiB")
	}
	t := terminal.NewTable(header)
	for _, g := range r.Gateways {
		row := table.Row{
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
		}
		if g.killed() {
			for i := 6; i < len(row); i++ {
				row[i] = "–"
			}
		}
		if r.MemoryLimit > 0 {
			row = append(row, mib(g.PeakMemory))
		}
		t.AppendRow(row)
	}
	interrupted := ""
	if r.Interrupted {
		interrupted = "Interrupted: these are the results so far.\n"
	}
	_, err := fmt.Fprintf(w, `%s%s

%s
%d slow clients for %v for each gateway; every body served was verified; p50 and p99: time to its first byte
in use: handed out by the pool; heap: spans in use, at most and when idle after one GC

ceiling:  %s
overhead: %s = %s that the pool may keep idle + %s for connections, %s for each
          client + %s for the Go runtime. Garbage must fit in as well: GOMEMLIMIT of both
          gateways is ceiling + overhead. The gateway never grows a slice, so the pool
          allocates nothing beyond the ceiling.
`,
		interrupted, t.Render(),
		r.why(),
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
		line := fmt.Sprintf("in use below the ceiling and heap below ceiling + overhead (%s): %s; recovered: all %s of the usual requests served, no 503",
			ibytes(r.Ceiling+r.Overhead), within, count(g.Recovered))
		if g.killed() {
			line = fmt.Sprintf("killed after %.1f s, when it took %s of at most %s; every client was cut off", g.KilledAfter.Seconds(), ibytes(g.PeakMemory), ibytes(r.MemoryLimit))
		}
		if _, err := fmt.Fprintf(w, "%-9s%s\n", g.Name+":", line); err != nil {
			return err
		}
	}
	return nil
}

// why explains the cost and the benefit of the ceiling.
func (r *OverloadReport) why() string {
	text := fmt.Sprintf("A body takes memory while its slow client reads it. Under the ceiling, at most %s of bodies are read at\n"+
		"a time, and a request that finds no room within %v is refused with a time to retry: fewer are served.", ibytes(r.Ceiling), maxQueued)
	if len(r.Gateways) < 2 {
		return text + "\n"
	}
	switch none := r.Gateways[1]; {
	case none.killed():
		text += "\nWithout a ceiling all are served at once, until the gateway exceeds the memory limit and is killed."
	case r.MemoryLimit > 0:
		text += fmt.Sprintf("\nWithout a ceiling all are served at once. That took %s of memory.", ibytes(none.PeakMemory))
	default:
		text += fmt.Sprintf("\nWithout a ceiling all are served at once. That took %s of heap: with a lower -memory-limit,\n"+
			"the gateway would be killed.", humanize.IBytes(none.PeakHeap))
	}
	return text + "\n"
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1e3) }

func mib[N int64 | uint64](n N) string { return fmt.Sprintf("%.1f", float64(n)/(1<<20)) }

func ibytes(n int64) string { return humanize.IBytes(uint64(n)) }
