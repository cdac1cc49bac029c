//go:build go1.25

package basinhttp

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/memlimit"
)

// A Report is all that the page shows: the answer to ?format=json. The keys of the
// JSON are the names of the fields in snake case; durations are in nanoseconds.
//
// Counters begin at zero when the program does. So two reports may be compared if
// they have the same Started, and two of their pools if they have the same ID.
type Report struct {
	Time       time.Time     `json:"time"`
	Started    time.Time     `json:"started"`     // about when the program started; differs from run to run
	Program    string        `json:"program"`     // the name of its file
	CanTrim    bool          `json:"can_trim"`    // whether AllowTrim was given
	HasHistory bool          `json:"has_history"` // whether KeepHistory was given
	Go         Go            `json:"go"`
	Pools      []basin.Stats `json:"pools"` // as basinexport.Append returns them

	// Garbage says that memory in use is garbage, or may be, and how that comes; or it is empty. A pool
	// without a limit does not notice, and counts such memory as in use for ever.
	Garbage      string `json:"garbage"`
	GarbageID    uint64 `json:"garbage_id"`    // of the pool that has most of it
	GarbageBytes int64  `json:"garbage_bytes"` // at least so much of the memory in use of all pools is garbage

	// Checking has the findings of checked mode. If it is off, Checking has the lines that hold memory of
	// pools with a MaxInUse, or is nil.
	Checking *Checking `json:"checking"`
}

// Go has the figures of the Go runtime.
type Go struct {
	Version     string `json:"version"`
	Procs       int    `json:"procs"` // GOMAXPROCS
	Goroutines  int    `json:"goroutines"`
	HeapBytes   uint64 `json:"heap_bytes"`   // objects, including dead ones that have not been swept
	MemoryBytes uint64 `json:"memory_bytes"` // all memory that MemoryLimit limits
	MemoryLimit uint64 `json:"memory_limit"` // in bytes; zero if none is known

	// MemoryLimitSource is the origin of the limit: "GOMEMLIMIT", the path of a control group's file, or
	// empty.
	MemoryLimitSource string `json:"memory_limit_source"`
	GCCycles          uint64 `json:"gc_cycles"`
}

// started is the time at which this package was initialised.
var started = time.Now()

// program is the file name of the executable, or empty if unknown.
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
		Pools:    basinexport.Append(r.Pools[:0]),
		Checking: readChecking(),
		Time:     time.Now(),
	}
	r.garbage()
}

func readGo() Go {
	s := []metrics.Sample{
		{Name: "/sched/gomaxprocs:threads"},
		{Name: "/sched/goroutines:goroutines"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(s)
	g := Go{
		Version:     runtime.Version(),
		Procs:       int(s[0].Value.Uint64()),
		Goroutines:  int(s[1].Value.Uint64()),
		HeapBytes:   s[2].Value.Uint64(),
		MemoryBytes: s[3].Value.Uint64() - s[4].Value.Uint64(),
		GCCycles:    s[5].Value.Uint64(),
	}
	if limit := memlimit.Now(); limit != memlimit.None {
		g.MemoryLimit, g.MemoryLimitSource = uint64(limit.Bytes), limit.Source
	}
	return g
}
