package bench

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/basin-go/basin/lab/internal/child"
	"github.com/basin-go/basin/lab/internal/report"
	"github.com/basin-go/basin/lab/internal/subjects"
	"github.com/basin-go/basin/lab/internal/work"
)

// PartCommand is the command for which a program that calls [Run] must call [RunPart].
const PartCommand = "bench-part"

// RunPart is the main function of a child process, which measures one subject.
func RunPart() error { return child.Serve(new(Part)) }

// A Part runs one workload of one subject, in its own process.
type Part struct {
	work    *work.Workload
	unit    *work.Unit
	watched *work.Watched
	workers int
	objects int64 // bytes of objects on the heap before the subject was made
	spans   int64 // bytes of spans in use at that time
}

// PartArgs has the arguments of Part.Start.
type PartArgs struct {
	Workload, Subject string
	Env               work.Env
}

// Start makes the subject and the workload.
func (p *Part) Start(a PartArgs, _ *struct{}) error {
	s, err := subjects.Named(a.Subject)
	if err != nil {
		return err
	}
	if p.work, err = work.Named(a.Workload); err != nil {
		return err
	}
	if p.work.Procs > 0 {
		runtime.GOMAXPROCS(p.work.Procs)
	}
	p.workers = p.work.Workers()
	for range 3 {
		runtime.GC()
	}
	p.objects = heapObjects()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p.spans = int64(m.HeapInuse)
	if p.work.Curve != nil {
		p.watched = p.work.Curve.New(s, a.Env)
	} else {
		p.unit = p.work.New(s, a.Env)
	}
	return nil
}

// Round runs n operations on each worker.
func (p *Part) Round(n int, u *report.Usage) error {
	if p.unit.Between != nil {
		p.unit.Between()
	}
	var before, after runtime.MemStats
	missed := p.misses()
	runtime.ReadMemStats(&before)
	u.Elapsed = p.run(n)
	runtime.ReadMemStats(&after)
	u.Allocs = after.Mallocs - before.Mallocs
	u.Bytes = after.TotalAlloc - before.TotalAlloc
	u.GCs = uint64(after.NumGC - before.NumGC)
	u.HeapInUse = int64(after.HeapInuse) - p.spans
	u.Misses = -1
	if missed >= 0 {
		u.Misses = p.misses() - missed
	}
	return nil
}

func (p *Part) misses() int64 {
	if p.unit.Misses == nil {
		return -1
	}
	return int64(p.unit.Misses())
}

func (p *Part) run(n int) time.Duration {
	if p.workers == 1 {
		start := time.Now()
		p.unit.Run(0, n)
		return time.Since(start)
	}
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	for w := range p.workers {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			p.unit.Run(w, n)
		})
	}
	ready.Wait()
	start := time.Now()
	close(begin)
	done.Wait()
	return time.Since(start)
}

// Warm runs rounds until one takes the time of a round, and returns its number of operations.
// So subjects differ in the number of operations of a round, but not in its time.
func (p *Part) Warm(round time.Duration, n *int) error {
	if *n = p.work.PerRound; *n > 0 {
		for range 5 {
			p.Round(*n, new(report.Usage))
		}
		return nil
	}
	for *n = 1; ; {
		// The fastest of three, because the first operations are slower, and because one may
		// have been interrupted.
		took := min(p.run(*n), p.run(*n), p.run(*n))
		if took >= round*3/4 {
			return nil
		}
		grow := min(10, float64(round)/float64(max(took, 1)))
		*n = max(*n+1, int(float64(*n)*grow))
	}
}

// Idle returns the size of the heap after a garbage collection, while nothing runs.
func (p *Part) Idle(_ struct{}, bytes *int64) error {
	runtime.GC()
	*bytes = heapObjects() - p.objects
	return nil
}

// Watch returns the curve.
func (p *Part) Watch(_ struct{}, curve *[]report.Point) error {
	c := p.work.Curve
	point := func(at time.Duration) {
		runtime.GC()
		*curve = append(*curve, report.Point{Seconds: at.Seconds(), Bytes: heapObjects() - p.objects})
	}
	p.watched.Hold()
	point(0)
	p.watched.Release()
	start := time.Now()
	next := c.Every
	tick := time.NewTicker(work.CurveStep)
	defer tick.Stop()
	for next <= c.Duration {
		<-tick.C
		if p.watched.Step != nil {
			p.watched.Step()
		}
		if now := time.Since(start); now >= next {
			point(now)
			next += c.Every
		}
	}
	return nil
}

// heapObjects returns the bytes of all objects on the heap.
func heapObjects() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
