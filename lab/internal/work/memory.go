package work

import (
	"time"

	"github.com/basin-go/basin/lab/internal/subjects"
)

// A Curve is a workload that measures the size of the heap over time.
type Curve struct {
	Duration time.Duration
	Every    time.Duration // between two points, each after a garbage collection
	New      func(*subjects.Subject, Env) *Watched
}

// A Watched is a Curve for one subject, ready to run.
type Watched struct {
	Hold    func() // before time zero, followed by the first point
	Release func() // at time zero
	Step    func() // every 10 ms from then on; may be nil
}

const (
	curveDuration = 20 * time.Second // longer than basin keeps unused memory by default
	// CurveEvery is the interval between two points.
	CurveEvery = 500 * time.Millisecond
	// CurveStep is the interval between two calls of Step.
	CurveStep = 10 * time.Millisecond

	spikeSlices = 4000
	giant       = 16 << 20
)

func init() {
	add(&Workload{
		Name: "spike", Group: GroupMemory,
		What:  "4000 slices of file sizes are held, put back, and then nothing happens but a garbage collection every half second. The curve is the memory that the heap still holds.",
		Can:   canSlices,
		Curve: &Curve{Duration: curveDuration, Every: CurveEvery, New: newSpike},
	}, &Workload{
		Name: "giant", Group: GroupMemory,
		What:  "One slice of 16 MiB is used once. From then on small ones come and go, 32 held at a time, with a garbage collection every half second.",
		Can:   canSlices,
		Curve: &Curve{Duration: curveDuration, Every: CurveEvery, New: newGiant},
	}, &Workload{
		Name: "giant-buffers", Group: GroupMemory,
		What:  "The same with buffers: 16 MiB are written to one, then each gets a few hundred bytes.",
		Can:   canBuffers,
		Curve: &Curve{Duration: curveDuration, Every: CurveEvery, New: newGiantBuffer},
	})
}

func newSpike(s *subjects.Subject, env Env) *Watched {
	p := s.Slices()
	var held []subjects.Slice
	return &Watched{
		Hold: func() {
			for i := range spikeSlices {
				b := p.Get(env.Sizes[i%len(env.Sizes)])
				b.B[0] = 1
				held = append(held, b)
			}
		},
		Release: func() {
			for _, b := range held {
				p.Put(b)
			}
			held = nil
		},
	}
}

func newGiant(s *subjects.Subject, env Env) *Watched {
	p := s.Slices()
	var small Loop
	var large subjects.Slice
	return &Watched{
		Hold: func() {
			small = rotate(p, env.Sizes)
			small(0, 1000)
			large = p.Get(giant)
			large.B[0] = 1
		},
		Release: func() {
			p.Put(large)
			large = subjects.Slice{}
		},
		Step: func() { small(0, 100) },
	}
}

func newGiantBuffer(s *subjects.Subject, env Env) *Watched {
	p := s.Buffers()
	var held [inFlight]subjects.Buffer
	next := 0
	chunk := make([]byte, 64<<10)
	small := func(n int) {
		for range n {
			slot := &held[next%inFlight]
			if *slot != nil {
				p.Put(*slot)
			}
			*slot = p.Get()
			(*slot).Write(chunk[:200+next%300])
			next++
		}
	}
	var large subjects.Buffer
	return &Watched{
		Hold: func() {
			small(1000)
			large = p.Get()
			for range giant / len(chunk) {
				large.Write(chunk)
			}
		},
		Release: func() {
			p.Put(large)
			large = nil
		},
		Step: func() { small(100) },
	}
}
