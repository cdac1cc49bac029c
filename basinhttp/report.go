package basinhttp

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/basin-go/basin"
)

// A Report is all that the page shows, and what ?format=json answers with. The
// keys of the JSON are those of the tags below; what has no tag, as all of
// [basin.Snapshot], has the name of its field. Durations are in nanoseconds.
//
// Counters begin at zero when the program does, so two reports may be compared if
// their Started is the same, and two of their pools if their ID is.
type Report struct {
	Time    time.Time        `json:"time"`
	Started time.Time        `json:"started"` // when the program did, about: it tells one run from the next
	Program string           `json:"program"` // the name of its file
	CanTrim bool             `json:"canTrim"` // whether AllowTrim was given
	Go      Go               `json:"go"`
	Pools   []basin.Snapshot `json:"pools"` // as AppendSnapshots returns them

	// Checking is what checked mode knows, or nil if it is off.
	Checking *Checking `json:"checking"`
}

// Go is what the Go runtime says about the program.
type Go struct {
	Version     string `json:"version"`
	Procs       int    `json:"procs"` // GOMAXPROCS
	Goroutines  int    `json:"goroutines"`
	HeapBytes   uint64 `json:"heapBytes"`   // objects, dead ones that have not been swept included
	MemoryBytes uint64 `json:"memoryBytes"` // all that MemoryLimit is about
	MemoryLimit uint64 `json:"memoryLimit"` // GOMEMLIMIT in bytes; zero if there is none
	GCCycles    uint64 `json:"gcCycles"`
}

// started is when this package was initialised.
var started = time.Now()

// program is the name of the file that runs, if it is known.
var program = func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return filepath.Base(path)
}()

// read fills in r, reusing its Pools.
func (r *Report) read() {
	*r = Report{
		Started:  started,
		Program:  program,
		Go:       readGo(),
		Pools:    basin.AppendSnapshots(r.Pools[:0]),
		Checking: readChecking(),
		Time:     time.Now(),
	}
}

func readGo() Go {
	s := []metrics.Sample{
		{Name: "/sched/gomaxprocs:threads"},
		{Name: "/sched/goroutines:goroutines"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/gc/gomemlimit:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(s)
	g := Go{
		Version:     runtime.Version(),
		Procs:       int(s[0].Value.Uint64()),
		Goroutines:  int(s[1].Value.Uint64()),
		HeapBytes:   s[2].Value.Uint64(),
		MemoryBytes: s[3].Value.Uint64() - s[4].Value.Uint64(),
		MemoryLimit: s[5].Value.Uint64(),
		GCCycles:    s[6].Value.Uint64(),
	}
	if g.MemoryLimit == math.MaxInt64 {
		g.MemoryLimit = 0
	}
	return g
}
