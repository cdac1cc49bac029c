package work

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/lab/internal/subjects"
	"golang.org/x/sync/semaphore"
)

// loopOf returns a Loop in which all workers run f.
func loopOf(f func(n int)) Loop { return func(_, n int) { f(n) } }

const sizesLen = 4096

// uniform and logUniform return lengths from 1 to 1 MiB, always the same.
func uniform() []int {
	return drawSizes(func(r *rand.Rand) int { return 1 + r.IntN(1<<20) })
}

func logUniform() []int {
	return drawSizes(func(r *rand.Rand) int { return 1 + r.IntN(1<<r.IntN(21)) })
}

func drawSizes(draw func(r *rand.Rand) int) []int {
	sizes := make([]int, sizesLen)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range sizes {
		sizes[i] = draw(r)
	}
	return sizes
}

// A block128 has 128 bytes on 64-bit systems.
type block128 struct {
	body [11]int64
	name string
	data []byte
}

func newBlock128() block128 {
	return block128{body: [11]int64{1}, name: "r", data: make([]byte, 1)}
}

// cancellable returns a context that can be cancelled, like that of a request.
func cancellable() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(24*time.Hour, cancel)
	return ctx
}

var basinLoops = map[string]func() Loop{
	"getput": func() Loop {
		p := &basin.BytePool{}
		return loopOf(func(n int) {
			for range n {
				p.Put(p.Get(pairSize))
			}
		})
	},
	"getput-default": func() Loop {
		return loopOf(func(n int) {
			for range n {
				basin.Put(basin.Get(pairSize))
			}
		})
	},
	"sizes-uniform": func() Loop { return basinSizes(uniform()) },
	"sizes-log":     func() Loop { return basinSizes(logUniform()) },
	"pool-slices": func() Loop {
		p := &basin.Pool[[]byte]{New: func() []byte { return make([]byte, pairSize) }}
		return loopOf(func(n int) {
			for range n {
				p.Put(p.Get())
			}
		})
	},
	"pool-pointers": func() Loop {
		p := &basin.Pool[*[pairSize]byte]{New: func() *[pairSize]byte { return new([pairSize]byte) }}
		return loopOf(func(n int) {
			for range n {
				p.Put(p.Get())
			}
		})
	},
	"pool-structs": func() Loop {
		p := &basin.Pool[block128]{New: newBlock128}
		return loopOf(func(n int) {
			for range n {
				p.Put(p.Get())
			}
		})
	},
	"fixed": func() Loop {
		p := &basin.FixedPool{Count: 64, Size: pairSize}
		return loopOf(func(n int) {
			for range n {
				p.Put(p.Get())
			}
		})
	},
	"writebyte":         basinWriteByte,
	"write8":            basinWrite8,
	"writestring8":      basinWriteString8,
	"smallbuffer":       basinSmallBuffer,
	"smallbuffer-empty": basinSmallBufferEmpty,
	"build-1MiB":        basinBuild,
	"readall-1MiB":      basinReadAll,
	"handle":            basinHandle,
	"handle-writer":     basinHandleWriter,
	"shared": func() Loop {
		s := basin.Default().NewShared(nil)
		return loopOf(func(n int) {
			for range n {
				s.Retain()
				s.Release()
			}
		})
	},
	"ceiling": func() Loop {
		ctx := cancellable()
		p := &basin.BytePool{MaxInUse: 1 << 30}
		return loopOf(func(n int) {
			for range n {
				b, err := p.GetContext(ctx, pairSize)
				if err != nil {
					panic(err)
				}
				p.Put(b)
			}
		})
	},
}

func basinSizes(sizes []int) Loop {
	p := &basin.BytePool{}
	return settled(func(n int) {
		for i := range n {
			p.Put(p.Get(sizes[i%sizesLen]))
		}
	})
}

// settled returns f as a Loop, after running it for a while on all Ps. At first a size class of
// basin borrows from larger ones; it makes its own slice of 1 MiB after 16,384 requests.
func settled(f func(n int)) Loop {
	l := loopOf(f)
	var all sync.WaitGroup
	for w := range runtime.GOMAXPROCS(0) {
		all.Go(func() { l(w, 1<<20) })
	}
	all.Wait()
	return l
}

// rawPool uses a sync.Pool of pointers to arrays of one size.
func rawPool(size int) *sync.Pool {
	return &sync.Pool{New: func() any { return unsafe.SliceData(make([]byte, size)) }}
}

func rawLoop() Loop {
	p := rawPool(pairSize)
	return loopOf(func(n int) {
		for range n {
			p.Put(p.Get().(*byte))
		}
	})
}

var syncRawLoops = map[string]func() Loop{
	"getput":         rawLoop,
	"getput-default": rawLoop,
	"pool-slices":    rawLoop,
	"pool-pointers":  rawLoop,
	"pool-structs":   rawLoop,
	"sizes-uniform":  func() Loop { return rawSizes(uniform()) },
	"sizes-log":      func() Loop { return rawSizes(logUniform()) },
}

var lastSize atomic.Int64

// rawSizes reads the lengths as well, but does not use them.
func rawSizes(sizes []int) Loop {
	p := rawPool(1 << 20)
	return settled(func(n int) {
		last := 0
		for i := range n {
			last = sizes[i%sizesLen]
			p.Put(p.Get().(*byte))
		}
		lastSize.Store(int64(last))
	})
}

var syncFreshLoops = map[string]func() Loop{
	"pool-slices": func() Loop {
		p := sync.Pool{New: func() any { b := make([]byte, pairSize); return &b }}
		return loopOf(func(n int) {
			for range n {
				b := *p.Get().(*[]byte)
				p.Put(&b)
			}
		})
	},
}

var twoPoolsLoops = map[string]func() Loop{
	"pool-slices": func() Loop {
		p := subjects.NewTwoPools(pairSize)
		return loopOf(func(n int) {
			for range n {
				p.Put(p.Get(pairSize))
			}
		})
	},
}

var channelLoops = map[string]func() Loop{
	"fixed": func() Loop {
		p := subjects.NewChannel(64, pairSize, false)
		return loopOf(func(n int) {
			for range n {
				p.Put(p.Get(pairSize))
			}
		})
	},
}

func atomicAdds() Loop {
	var count atomic.Int64
	return loopOf(func(n int) {
		for range n {
			count.Add(1)
			count.Add(-1)
		}
	})
}

func semaphoreAround() Loop {
	ctx := cancellable()
	p := &basin.BytePool{}
	sem := semaphore.NewWeighted(1 << 30)
	return loopOf(func(n int) {
		for range n {
			if err := sem.Acquire(ctx, pairSize); err != nil {
				panic(err)
			}
			p.Put(p.Get(pairSize))
			sem.Release(pairSize)
		}
	})
}
