package advise

import "fmt"

// Some functions say of all memory that is made below them whose it is: the profiler's, or that of the program's start.

// A mark says what a function makes, as bits.
type mark int

const (
	ofProfiler mark = 1 << iota // memory that is made only because somebody looks
	ofStart                     // memory that is made before main begins
	ofOnce                      // memory of a sync.Once, of which there may be many
)

// marksOf has the marks of functions, by the names of profiles.
var marksOf = map[string]mark{
	"runtime.doInit":                   ofStart,
	"runtime.doInit1":                  ofStart,
	"sync.(*Once).doSlow":              ofOnce,
	"runtime/pprof.(*Profile).WriteTo": ofProfiler,
	"runtime/pprof.WriteHeapProfile":   ofProfiler,
	"runtime/pprof.StartCPUProfile":    ofProfiler,
	"runtime/pprof.StopCPUProfile":     ofProfiler,
	"runtime/pprof.profileWriter":      ofProfiler,
	"net/http/pprof.handler.ServeHTTP": ofProfiler,
	"net/http/pprof.Index":             ofProfiler,
	"net/http/pprof.Profile":           ofProfiler,
	"net/http/pprof.Symbol":            ofProfiler,
	"net/http/pprof.Trace":             ofProfiler,
}

// marks returns the marks of all functions of a stack.
func (p *profile) marks(locations []uint64) (m mark) {
	if p.marked == nil {
		p.marked = map[uint64]mark{}
		for id, f := range p.functions {
			if own := marksOf[p.string(f.name)]; own != 0 {
				p.marked[id] = own
			}
		}
	}
	for _, id := range locations {
		for _, l := range p.locations[id] {
			m |= p.marked[l.function]
		}
	}
	return m
}

// noteMarks counts memory by its marks.
func (t *tally) noteMarks(m mark, objects, liveObjects, liveBytes, rate int64) {
	if m&ofStart != 0 {
		t.started += objects
	}
	if m&(ofStart|ofOnce) != 0 {
		t.once = t.once.plus(lasting{objects, liveObjects, liveBytes, recorded(liveObjects, liveBytes, rate)})
	}
}

// A lasting counts memory of a line that code makes which may run once, such as a table that is filled at its first use.
type lasting struct {
	objects, liveObjects, liveBytes int64
	liveSamples                     float64
}

func (l lasting) plus(o lasting) lasting {
	return lasting{l.objects + o.objects, l.liveObjects + o.liveObjects, l.liveBytes + o.liveBytes, l.liveSamples + o.liveSamples}
}

// withoutOnce takes out of the live memory of two profiles all that was made once before them: it says nothing of the age of
// the memory that was made between them.
func (d *tally) withoutOnce(t, o *tally) {
	if d.once.objects = t.once.objects - o.once.objects; d.once.objects != 0 {
		return
	}
	both := t.once.plus(o.once)
	d.liveBytes -= both.liveBytes / 2
	d.liveObjects -= both.liveObjects / 2
	d.liveSamples -= both.liveSamples / 2
}

// isStarted reports whether all memory of a site was made before main began.
func (s *Site) isStarted() bool {
	return s.tally != nil && s.tally.started > 0 && s.tally.started == s.tally.objects
}

// noteProfiler says how much memory the profiler has made, which the report leaves out, if that is much.
func (r *Report) noteProfiler() {
	made := float64(r.heap.profiler) * r.heap.per()
	if made < rareShare*r.Bytes {
		return
	}
	r.Notes = append(r.Notes, fmt.Sprintf("The figures are without the memory that taking profiles allocates: %s%s.", bytesText(made), r.perSecond()))
}
