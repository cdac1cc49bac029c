// Package replay simulates byte pools with other settings for the traffic in a trace: the
// memory that they would hold and allocate.
//
// The simulation has one thread. A depot for each size class stands for the engine's depot and
// magazines. As in the engine, items that nobody used during a quarter of IdleTime become due, and
// later garbage collections release them. The timing is that of the trace, although a policy might
// have changed it.
package replay

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/basin-go/basin/internal/trace"
)

// A Policy is a way to reuse slices.
type Policy struct {
	Name string
	new  func(Settings) allocator
}

// Settings are the settings of a pool.
type Settings struct {
	MaxIdle  int64         // bytes
	IdleTime time.Duration // see basin.BytePool
}

// An allocator applies a policy.
type allocator interface {
	// get returns the capacity of a slice for n bytes, and whether the slice is new.
	get(n int64) (capacity int64, fresh bool)
	// put takes back a slice of the given capacity.
	put(capacity int64)
	// collected handles the end of a garbage collection.
	collected(now int64)
	// idle returns the number of idle bytes.
	idle() int64
}

// A Result has the figures of a policy for a trace.
type Result struct {
	Policy   string  `json:"policy"`
	MaxHeld  int64   `json:"max_held_bytes"` // peak of outstanding and idle bytes
	MaxIdle  int64   `json:"max_idle_bytes"`
	New      int64   `json:"new_bytes"` // newly allocated
	Misses   uint64  `json:"misses"`    // requests that allocated
	Overhead float64 `json:"overhead"`  // capacity handed out, divided by the bytes asked for
}

// Traffic is the traffic of a pool, with the results of policies.
type Traffic struct {
	Pool     string        `json:"pool"`
	Duration time.Duration `json:"duration"`
	Every    int           `json:"every"` // each acquisition in the trace stands for so many
	Gets     uint64        `json:"gets"`
	Outside  uint64        `json:"outside"`         // those of Gets that are larger than MaxSize; not included in the following figures
	Asked    int64         `json:"asked_bytes"`     // total
	InUse    int64         `json:"max_asked_bytes"` // peak: no pool can hold less
	Results  []Result      `json:"results"`
}

// Run replays the traffic of each pool of t, pools with most requests first. Zero settings mean
// those of the pool, or basin's defaults. size is the size of the trace's file. Run returns an
// error if the trace stands for more events than Limit allows for that size, or if ctx ends.
func Run(ctx context.Context, t *trace.Trace, size int64, policies []Policy, s Settings) ([]Traffic, error) {
	if n, most := events(t), Limit(size); n > most {
		return nil, fmt.Errorf("the trace stands for %d requests and garbage collections, more than the %d that a file of %d bytes may have; record it with a smaller -every", n, most, size)
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
		list, settings := byPool[p.ID], s
		delete(byPool, p.ID) // a pool may be listed twice
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b trace.Acquisition) int { return cmp.Compare(a.Start, b.Start) })
		settings.MaxIdle = cmp.Or(settings.MaxIdle, p.MaxIdle, 64<<20)
		settings.IdleTime = cmp.Or(settings.IdleTime, 10*time.Second)
		traffic := Traffic{Pool: p.Name, Duration: t.Duration, Every: t.Every, Outside: outside[p.ID] * uint64(t.Every)}
		for _, policy := range policies {
			traffic.Results = append(traffic.Results, traffic.run(ctx, t, list, policy, settings))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		traffic.Gets += traffic.Outside
		all = append(all, traffic)
	}
	slices.SortStableFunc(all, func(a, b Traffic) int { return cmp.Compare(b.Gets, a.Gets) })
	return all, nil
}

// spread is a number of recorded acquisitions. If one in Every was recorded, each is replayed Every
// times. At one time, they would make peaks that the program did not have. So the start times of a group
// of spread acquisitions are distributed evenly over the time of the group.
const spread = 64

// startOf returns the start of the k-th replayed acquisition for the i-th recorded one.
func startOf(list []trace.Acquisition, i, k, every int) int64 {
	from := i - i%spread
	to := min(from+spread, len(list)-1)
	first, last := list[from].Start, list[to].Start
	share := float64((i-from)*every+k) / float64(max(1, to-from)*every)
	return first + int64(min(share, 1)*float64(last-first))
}

// Limit returns the most events that a trace in a file of the given size may stand for. It
// bounds time and memory for any trace. A recorded slice takes a few bytes in the file, and
// stands for about a thousand at most.
func Limit(size int64) int64 {
	const least, perByte, most = 1 << 19, 1 << 9, 1 << 26
	return min(least+perByte*min(size, most), most)
}

// events returns the number of events to replay: the acquisitions of all pools, and all garbage
// collections, once for each pool.
func events(t *trace.Trace) int64 {
	pools := map[uint64]bool{}
	n := int64(0)
	for _, a := range t.Acquisitions {
		if !a.Outside {
			pools[a.Pool] = true
			n += int64(t.Every)
		}
	}
	return n + int64(len(pools))*int64(len(t.Cycles))
}

// run replays the acquisitions, which are ordered by start, with a policy, and sets the figures of f
// that do not depend on the policy. If one in Every was recorded, it replays Every for each, with sizes
// and lifetimes drawn at random from those recorded at about the same time.
func (f *Traffic) run(ctx context.Context, t *trace.Trace, list []trace.Acquisition, policy Policy, s Settings) Result {
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
			a.put(e.capacity)
			inUse -= e.capacity
			asked -= e.asked
			r.MaxIdle = max(r.MaxIdle, a.idle())
		}
	}
	for i, get := range list {
		for k := range t.Every {
			if f.Gets%4096 == 0 && ctx.Err() != nil {
				return r
			}
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
			capacity, fresh := a.get(get.Size)
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
				heap.Push(&held, end{start + get.Lifetime, get.Size, capacity})
			}
		}
	}
	until(int64(t.Duration))
	r.Overhead = float64(handedOut) / float64(f.Asked)
	return r
}

// An end is the end of an acquisition.
type end struct {
	at, asked, capacity int64
}

// ends is a heap of future ends, the next first.
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
