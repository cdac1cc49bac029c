package demo

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/basin-go/basin/lab/internal/terminal"
	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/klauspost/cpuid/v2"
)

// Report has the results of a run.
type Report struct {
	GoVersion   string `json:"go_version"`
	Platform    string `json:"platform"`
	CPU         string `json:"cpu"`
	GOMAXPROCS  int    `json:"gomaxprocs"`
	Concurrency int    `json:"concurrency"`

	CorpusFiles int `json:"corpus_files"`
	CorpusBytes int `json:"corpus_bytes"`

	Interrupted bool          `json:"interrupted"` // the run was not completed
	Settle      time.Duration `json:"settle_ns"`   // time from the load to the measurement of SettledHeap

	Rounds           int `json:"rounds"`             // measured, of each way
	RequestsPerRound int `json:"requests_per_round"` // the same ones for each way
	Verified         int `json:"verified"`           // rewritten bodies that were compared with their file

	Ways []WayReport `json:"ways"`

	// BytesAboveFloor is basin's bytes per request over plain's, both less discard's.
	BytesAboveFloor float64 `json:"bytes_above_floor_basin_over_plain"`
	// RateOverBestOther is basin's requests per second over the better of plain and sync.Pool.
	RateOverBestOther float64 `json:"requests_per_second_basin_over_best_other"`
	BestOther         string  `json:"best_other"`
	// RateSpread has the quartiles of that ratio over the rounds. Each round is compared with
	// the other way's round at about the same time.
	RateSpread [2]float64 `json:"requests_per_second_basin_over_best_other_quartiles"`
}

// WayReport has the results of one way.
type WayReport struct {
	Name              string        `json:"name"`
	RequestsPerSecond float64       `json:"requests_per_second"` // median of the rounds
	P50               time.Duration `json:"p50_ns"`
	P99               time.Duration `json:"p99_ns"`
	BytesPerRequest   float64       `json:"bytes_per_request"`
	AllocsPerRequest  float64       `json:"allocs_per_request"`
	GCCycles          uint64        `json:"gc_cycles"`
	GCCPUShare        float64       `json:"gc_cpu_share"`
	PeakHeap          uint64        `json:"peak_heap_bytes"`    // most of any round
	IdleHeap          uint64        `json:"idle_heap_bytes"`    // median of the rounds
	SettledHeap       uint64        `json:"settled_heap_bytes"` // after Settle without requests; zero if not measured

	rates []float64 // requests per second, round by round
}

func newReport(c Config, corpus UpstreamReply, size int, lanes []*lane) (*Report, error) {
	r := &Report{
		Settle:           c.Settle,
		GoVersion:        runtime.Version(),
		Platform:         runtime.GOOS + "/" + runtime.GOARCH,
		CPU:              cmp.Or(strings.TrimSpace(cpuid.CPU.BrandName), "unknown CPU"),
		GOMAXPROCS:       runtime.GOMAXPROCS(0),
		Concurrency:      c.Concurrency,
		CorpusFiles:      corpus.Files,
		CorpusBytes:      corpus.Bytes,
		RequestsPerRound: size,
	}
	byName := map[string]WayReport{}
	for _, l := range lanes {
		w, err := l.report()
		if err != nil {
			return nil, err
		}
		byName[w.Name] = w
		r.Ways = append(r.Ways, w)
		r.Rounds = len(w.rates)
		r.Verified += l.verified
	}
	basin, plain, floor := byName[pooled.name], byName[plain.name], byName[discard.name]
	r.BytesAboveFloor = thousandths((basin.BytesPerRequest - floor.BytesPerRequest) / (plain.BytesPerRequest - floor.BytesPerRequest))

	best := plain
	if other := byName[syncPool.name]; other.RequestsPerSecond > best.RequestsPerSecond {
		best = other
	}
	ratios := make([]float64, r.Rounds)
	for i := range ratios {
		ratios[i] = basin.rates[i] / best.rates[i]
	}
	slices.Sort(ratios)
	r.BestOther = best.Name
	r.RateOverBestOther = thousandths(basin.RequestsPerSecond / best.RequestsPerSecond)
	r.RateSpread = [2]float64{thousandths(ratios[r.Rounds/4]), thousandths(ratios[(3*r.Rounds-1)/4])}
	return r, nil
}

// report summarizes a lane's rounds. Times are medians, because the machine also does other
// work. Counts are totals, because every way had the same requests.
func (l *lane) report() (WayReport, error) {
	var rates, idle []float64
	var total Usage
	requests := 0
	latencies := newLatencies()
	for _, r := range l.results {
		h, err := hdrhistogram.Decode(r.Latencies)
		if err != nil {
			return WayReport{}, err
		}
		latencies.Merge(h)
		rates = append(rates, r.rate())
		idle = append(idle, float64(r.IdleHeap))
		requests += r.Requests
		total.AllocBytes += r.AllocBytes
		total.Allocs += r.Allocs
		total.GCCycles += r.GCCycles
		total.GCCPU += r.GCCPU
		total.CPU += r.CPU
		total.PeakHeap = max(total.PeakHeap, r.PeakHeap)
	}
	return WayReport{
		Name:              l.way.name,
		RequestsPerSecond: median(rates),
		P50:               time.Duration(latencies.ValueAtQuantile(50)) * time.Microsecond,
		P99:               time.Duration(latencies.ValueAtQuantile(99)) * time.Microsecond,
		BytesPerRequest:   float64(total.AllocBytes) / float64(requests),
		AllocsPerRequest:  float64(total.Allocs) / float64(requests),
		GCCycles:          total.GCCycles,
		GCCPUShare:        total.GCCPU / total.CPU,
		PeakHeap:          total.PeakHeap,
		IdleHeap:          uint64(median(idle)),
		SettledHeap:       l.settled,
		rates:             rates,
	}, nil
}

// thousandths rounds to the table's precision, and never to -0.
func thousandths(x float64) float64 { return math.Round(x*1000)/1000 + 0 }

func median(s []float64) float64 {
	s = slices.Sorted(slices.Values(s))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	settled := r.Settle > 0 && !r.Interrupted
	header := table.Row{"", "requests\n/s", "p50\nms", "p99\nms", "bytes\n/request", "allocs\n/request", "GCs", "GC\nCPU", "peak\nMiB", "idle\nMiB"}
	about := "MiB of heap spans in use: at most, and when idle after one GC; discard keeps no body: the floor"
	if settled {
		header = append(header, fmt.Sprintf("%v\nlater", r.Settle))
		about = fmt.Sprintf("MiB of heap spans in use: at most, when idle after one GC, and after two more when there\nwere no requests for %v; discard keeps no body: the floor", r.Settle)
	}
	t := terminal.NewTable(header)
	for _, way := range r.Ways {
		row := table.Row{
			way.Name,
			count(way.RequestsPerSecond),
			fmt.Sprintf("%.2f", way.P50.Seconds()*1e3),
			fmt.Sprintf("%.2f", way.P99.Seconds()*1e3),
			count(way.BytesPerRequest),
			fmt.Sprintf("%.1f", way.AllocsPerRequest),
			count(way.GCCycles),
			fmt.Sprintf("%.1f%%", 100*way.GCCPUShare),
			mib(way.PeakHeap),
			mib(way.IdleHeap),
		}
		if settled {
			row = append(row, mib(way.SettledHeap))
		}
		t.AppendRow(row)
	}
	interrupted := ""
	if r.Interrupted {
		interrupted = "Interrupted: these are the results so far.\n"
	}
	_, err := fmt.Fprintf(w, `%s%s

%s, %s, %s, GOMAXPROCS %d; %d connections
%d rounds of %s requests for each; %s files, %s; %s responses verified
%s

bytes/request above the floor: basin / plain = %.3f
requests/s: basin / best other (%s) = %.3f; in half of the rounds, %.2f to %.2f
`,
		interrupted, t.Render(),
		r.Platform, r.CPU, r.GoVersion, r.GOMAXPROCS, r.Concurrency,
		r.Rounds, count(r.RequestsPerRound), count(r.CorpusFiles), humanize.IBytes(uint64(r.CorpusBytes)), count(r.Verified),
		about,
		r.BytesAboveFloor,
		r.BestOther, r.RateOverBestOther, r.RateSpread[0], r.RateSpread[1])
	return err
}

// count formats n to the nearest integer, with thousands separated.
func count[N int | uint64 | float64](n N) string {
	return humanize.Comma(int64(math.Round(float64(n))))
}
