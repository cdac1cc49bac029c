// Package replay says what byte pools with other settings would hold and allocate
// for what a trace has of a program.
//
// It is a simulation with one thread. A pool's P has a magazine for each size class
// and beyond it there is a depot, as in the engine; what is idle for IdleTime
// goes with the next garbage collection. The traffic is the trace's, whatever a
// policy would have made of its timing.
package replay

import (
	"cmp"
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/basin-go/basin/internal/trace"
)

// A Policy is a way to recycle slices.
type Policy struct {
	Name string
	new  func(Settings) allocator
}

// Settings are those of a pool.
type Settings struct {
	MaxIdle  int64         // bytes
	IdleTime time.Duration // see basin.BytePool
}

// An allocator is a policy at work.
type allocator interface {
	// get returns the capacity for n bytes on P p, and whether it is new.
	get(n int64, p int32) (capacity int64, fresh bool)
	// put takes one back.
	put(capacity int64, p int32)
	// collected says that a garbage collection has ended.
	collected(now int64)
	// idle returns the bytes that are kept.
	idle() int64
}

// A Result is what a policy made of a trace.
type Result struct {
	Policy   string  `json:"policy"`
	MaxHeld  int64   `json:"max_held_bytes"` // handed out and idle, at most at one time
	MaxIdle  int64   `json:"max_idle_bytes"`
	New      int64   `json:"new_bytes"` // newly allocated
	Misses   uint64  `json:"misses"`    // requests that took new memory
	Overhead float64 `json:"overhead"`  // capacity handed out, over what was asked for
}

// Traffic is what a pool was asked for.
type Traffic struct {
	Pool     string        `json:"pool"`
	Duration time.Duration `json:"duration"`
	Every    int           `json:"every"` // how many acquisitions each in the trace stands for
	Gets     uint64        `json:"gets"`
	Outside  uint64        `json:"outside"`         // of those, larger than the pool keeps; they are left out of all that follows
	Asked    int64         `json:"asked_bytes"`     // in all
	InUse    int64         `json:"max_asked_bytes"` // at most at one time: no pool can hold less
	Results  []Result      `json:"results"`
}

// Run replays the traffic of each pool of t, those with most requests first.
// Settings that are zero are those of the pool, or basin's defaults. It returns an
// error if there is too much to replay.
func Run(t *trace.Trace, policies []Policy, s Settings) ([]Traffic, error) {
	if n := int64(len(t.Acquisitions)) * int64(t.Every); n > maxReplayed {
		return nil, fmt.Errorf("the trace stands for %d requests, more than the %d that can be replayed: record a shorter time", n, maxReplayed)
	}
	byPool := map[uint64][]trace.Acquisition{}
	outside := map[uint64]uint64{}
	for _, a := range t.Acquisitions {
		if a.Outside {
			outside[a.Pool]++
			continue
		}
		byPool[a.Pool] = append(byPool[a.Pool], a)
	}
	var all []Traffic
	for _, p := range t.Pools {
		list, of := byPool[p.ID], s
		delete(byPool, p.ID) // a pool may be there twice
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b trace.Acquisition) int { return cmp.Compare(a.Start, b.Start) })
		of.MaxIdle = cmp.Or(of.MaxIdle, p.MaxIdle, 64<<20)
		of.IdleTime = cmp.Or(of.IdleTime, 10*time.Second)
		traffic := Traffic{Pool: p.Name, Duration: t.Duration, Every: t.Every, Outside: outside[p.ID] * uint64(t.Every)}
		for _, policy := range policies {
			traffic.Results = append(traffic.Results, traffic.run(t, list, policy, of))
		}
		traffic.Gets += traffic.Outside
		all = append(all, traffic)
	}
	slices.SortStableFunc(all, func(a, b Traffic) int { return cmp.Compare(b.Gets, a.Gets) })
	return all, nil
}

// Where one acquisition in several was recorded, those replayed in its stead must not come
// in a row, at the times that chance has picked: peaks would be those of chance. They are drawn from
// so many around it for each, and spread evenly over the time of so many.
const spread = 64

// startOf returns when the k-th of the replayed acquisitions for the i-th recorded begins.
func startOf(list []trace.Acquisition, i, k, every int) int64 {
	from := i - i%spread
	to := min(from+spread, len(list)-1)
	first, last := list[from].Start, list[to].Start
	share := float64((i-from)*every+k) / float64(max(1, to-from)*every)
	return first + int64(min(share, 1)*float64(last-first))
}

// maxReplayed bounds the time and the memory of a replay, whatever the trace says.
const maxReplayed = 1 << 26

// run replays the acquisitions, which are in order of their beginning, and fills in what
// is true of all policies. If one in several was recorded, as many are replayed for
// each, drawn from those before and after it.
func (f *Traffic) run(t *trace.Trace, list []trace.Acquisition, policy Policy, s Settings) Result {
	r := Result{Policy: policy.Name}
	a := policy.new(s)
	var held ends
	var inUse, asked, handedOut int64
	cycles := t.Cycles
	random := rand.New(rand.NewPCG(1, 1)) // the same for all policies
	f.Gets, f.Asked, f.InUse = 0, 0, 0
	until := func(now int64) {
		for len(held) > 0 && held[0].at <= now || len(cycles) > 0 && cycles[0] <= now {
			if len(cycles) > 0 && (len(held) == 0 || cycles[0] < held[0].at) {
				a.collected(cycles[0])
				cycles = cycles[1:]
				continue
			}
			e := heap.Pop(&held).(end)
			a.put(e.capacity, e.p)
			inUse -= e.capacity
			asked -= e.asked
			r.MaxIdle = max(r.MaxIdle, a.idle())
		}
	}
	for i, get := range list {
		for k := range t.Every {
			start := get.Start
			if t.Every > 1 {
				start = startOf(list, i, k, t.Every)
			}
			until(start)
			get := get
			if t.Every > 1 {
				from, to := max(0, i-spread*t.Every), min(len(list), i+spread*t.Every)
				get = list[from+random.IntN(to-from)]
			}
			capacity, fresh := a.get(get.Size, get.GetP)
			if fresh {
				r.Misses++
				r.New += capacity
			}
			f.Gets++
			f.Asked += get.Size
			handedOut += capacity
			inUse += capacity
			asked += get.Size
			f.InUse = max(f.InUse, asked)
			r.MaxHeld = max(r.MaxHeld, inUse+a.idle())
			if get.Lifetime >= 0 {
				heap.Push(&held, end{start + get.Lifetime, get.Size, capacity, get.PutP})
			}
		}
	}
	until(int64(t.Duration))
	r.Overhead = float64(handedOut) / float64(f.Asked)
	return r
}

// An end is that of an acquisition.
type end struct {
	at, asked, capacity int64
	p                   int32
}

// ends are those to come, the next first.
type ends []end

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i].at < e[j].at }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(x any)        { *e = append(*e, x.(end)) }
func (e *ends) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
