package promql

import (
	"context"
	"math"
	"runtime"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/testenv"
)

// A program uses pools. Time is virtual: each call of its function is a minute.
type program struct {
	name    string
	fires   string // the alerts, or "" if the program is right
	minutes int
	lives   int // minutes until it is started anew; zero if it never is
	gap     int // one scrape in so many fails, or zero if none does; the alert must not pause
	start   func() (minute func(n int))
}

const size = 64 << 10 // of most requests, and a size class

// programs are right ones, and a wrong one for each alert.
var programs = []program{
	{name: "four workers use all of a FixedPool", minutes: 60, start: func() func(int) {
		p := &basin.FixedPool{Name: "p", Count: 4, Size: size}
		held := [4][]byte{p.Get(), p.Get(), p.Get(), p.Get()}
		return func(int) {
			for i := range 1000 {
				p.Put(held[i%4])
				held[i%4] = p.Get()
			}
		}
	}},
	{name: "four workers use all of MaxInUse", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxInUse: 4 * size}
		held := [4][]byte{p.Get(size), p.Get(size), p.Get(size), p.Get(size)}
		return func(int) {
			for i := range 1000 {
				p.Put(held[i%4])
				held[i%4] = p.Get(size)
			}
		}
	}},
	{name: "requests wait for a moment", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxInUse: size}
		return queue(p, p.Stats)
	}},
	{name: "requests wait for a moment, under a Limit", minutes: 60, start: func() func(int) {
		l := &basin.Limit{Name: "l", Max: size}
		return queue(&basin.BytePool{Name: "p", Limit: l}, l.Stats)
	}},
	{name: "a cache is full after five hours", minutes: 16 * 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p"}
		var cache [900][]byte
		return func(n int) {
			for i := range 3 {
				b := &cache[(3*n+i)%len(cache)]
				p.Put(*b)
				*b = p.Get(size)
			}
		}
	}},
	{name: "requests become more for eight hours, and memory with them", minutes: 16 * 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p"}
		var held [][]byte
		return func(n int) {
			all := 100 + int(200*(1-math.Cos(2*math.Pi*float64(n)/(16*60))))
			for _, b := range held {
				p.Put(b)
			}
			held = held[:0]
			for range all {
				held = append(held, p.Get(size))
			}
		}
	}},
	{name: "connections open for half an hour, and stay", minutes: 3 * 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p"}
		var held [][]byte
		return func(n int) {
			if n < 90 || n >= 120 {
				work(p, 1000)
				return
			}
			for range 1000 {
				held = append(held, p.Get(1000))
			}
		}
	}},
	{name: "leaves slices to the collector, and calls Forget", minutes: 60, start: func() func(int) {
		p, bounded := &basin.BytePool{Name: "p"}, &basin.BytePool{Name: "bounded", MaxInUse: 100 * size}
		return func(int) {
			for range 1000 {
				p.Forget(p.Get(size))
				bounded.Forget(bounded.Get(size))
			}
			runtime.GC()
		}
	}},
	{name: "nobody works at night", minutes: 16 * 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p"}
		return func(n int) {
			if n/60%12 < 8 {
				work(p, 1000)
			}
		}
	}},
	{name: "a burst each hour is more than MaxInUse", minutes: 4 * 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxInUse: 100 * size}
		return func(n int) {
			all := 20
			if n%60 == 30 || n%60 == 31 {
				all = 150
			}
			var held [][]byte
			for range all {
				if b, ok := p.TryGet(size); ok {
					held = append(held, b)
				}
			}
			for _, b := range held {
				p.Put(b)
			}
		}
	}},
	{name: "one request in 500 is refused", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxInUse: 4 * size}
		return func(int) {
			work(p, 499)
			p.TryGet(5 * size)
		}
	}},
	{name: "starts each minute", minutes: 60, lives: 1, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxInUse: 4 * size}
		return func(int) { work(p, 1000) }
	}},
	{name: "checks are sampled", minutes: 2 * 60, start: func() func(int) {
		basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 4})
		p := &basin.BytePool{Name: "p"}
		var held [100][]byte
		return func(n int) {
			work(p, 1000)
			p.Put(held[n%100])
			held[n%100] = p.Get(size)
			runtime.GC()
		}
	}},
	{name: "full checks after an hour", minutes: 2 * 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p"}
		return func(n int) {
			if n == 60 {
				basincheck.Set(basincheck.Settings{Level: basincheck.Full})
			}
			work(p, 1000)
		}
	}},
	{name: "guarded memory is not on the heap", minutes: 60, start: func() func(int) {
		basincheck.Set(basincheck.Settings{Level: basincheck.Full, Guard: true})
		p := &basin.BytePool{Name: "p"}
		var held [][]byte
		for range 500 {
			held = append(held, p.Get(size))
		}
		return func(int) {
			work(p, 100)
			runtime.KeepAlive(held)
		}
	}},

	{name: "recycles no more", fires: "BasinHitRateCollapsed", minutes: 2 * 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxIdle: 4 * 1024}
		return func(n int) {
			if n < 60 {
				for range 1000 {
					p.Put(p.Get(1024))
				}
				return
			}
			var held [1000][]byte
			for i := range held {
				held[i] = p.Get(1024)
			}
			for _, b := range held {
				p.Put(b)
			}
		}
	}},
	{name: "keeps almost all of MaxInUse", fires: "BasinInUseAtCeiling", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxInUse: 100 * size}
		var held [][]byte
		for range 99 {
			held = append(held, p.Get(size))
		}
		return func(int) {
			work(p, 1000)
			p.TryGet(2 * size)
			runtime.KeepAlive(held)
		}
	}},
	{name: "a request waits in vain", fires: "BasinRequestsWaiting", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxInUse: size}
		held := p.Get(size)
		go p.GetContext(context.Background(), size)
		return func(int) { runtime.KeepAlive(held) }
	}},
	{name: "the pool is too small", fires: "BasinRequestsRefused", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxInUse: 4 * size}
		return func(int) {
			work(p, 9)
			p.TryGet(5 * size)
		}
	}},
	{name: "the limit is too small", fires: "BasinLimitReached", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", Limit: &basin.Limit{Name: "l", Max: 4 * size}}
		return func(int) {
			work(p, 499)
			p.TryGet(5 * size)
		}
	}},
	{name: "waits long under a limit", fires: "BasinLimitReached", minutes: 15, start: func() func(int) {
		l := &basin.Limit{Name: "l", Max: size}
		p := &basin.BytePool{Name: "p", Limit: l}
		return func(n int) {
			held := p.Get(size)
			served := make(chan []byte)
			go func() {
				b, _ := p.GetContext(context.Background(), size)
				served <- b
			}()
			for l.Stats().Waiting == 0 {
				runtime.Gosched()
			}
			time.Sleep(time.Second + time.Millisecond)
			p.Put(held)
			p.Put(<-served)
		}
	}},
	{name: "takes what is not there", fires: "BasinBeyondLimit", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxInUse: size}
		return func(n int) {
			work(p, 1000)
			if n == 30 {
				p.Put(p.Get(2 * size))
			}
		}
	}},
	{name: "forgets Put now and then", fires: "BasinMemoryLost", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p", MaxInUse: 100 * size}
		return func(int) {
			work(p, 1000)
			p.Get(size)
			runtime.GC()
		}
	}},
	{name: "has leaked 88,546 items, without checks", fires: "BasinInUseIsGarbage", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p"}
		return func(n int) {
			work(p, 1000)
			if n == 0 {
				for range 88_546 {
					p.Get(4096)
				}
			}
			runtime.GC()
		}
	}},
	{name: "a cache only grows", fires: "BasinInUseGrows", minutes: 10 * 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p"}
		var cache, now [][]byte
		return func(n int) {
			for _, b := range now {
				p.Put(b)
			}
			now = now[:0]
			for range n * 7919 % 20 { // requests that come and go
				now = append(now, p.Get(size))
			}
			work(p, 1000)
			cache = append(cache, p.Get(size))
		}
	}},
	{name: "puts a slice of another origin", fires: "BasinForeignSlices", minutes: 60, start: func() func(int) {
		p := &basin.BytePool{Name: "p"}
		return func(n int) {
			work(p, 1000)
			if n == 30 {
				p.Put(make([]byte, 1000)) //basin:ok on purpose
			}
		}
	}},
	{name: "puts twice", fires: "BasinDoublePut", minutes: 60, start: func() func(int) { return putTwice(30) }},
	{name: "puts twice at its start", fires: "BasinDoublePut", minutes: 60, start: func() func(int) { return putTwice(0) }},
	{name: "puts twice, and starts again each minute", fires: "BasinDoublePut", minutes: 60, lives: 1, start: func() func(int) { return putTwice(0) }},
	{name: "puts twice, starts again each minute, and is not always there", fires: "BasinDoublePut", minutes: 60, lives: 1, gap: 4, start: func() func(int) { return putTwice(0) }},
	{name: "checks see that it puts twice, and starts again each minute", fires: "BasinDoublePut BasinMisuse", minutes: 60, lives: 1, start: func() func(int) {
		basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: func(*basincheck.Report) {}})
		return putTwice(0)
	}},
	{name: "a line forgets Put", fires: "BasinLineLeaks", minutes: 60, start: func() func(int) { return leak() }},
	{name: "a line forgets Put, and the program starts again each minute", fires: "BasinLineLeaks", minutes: 60, lives: 1, start: func() func(int) { return leak() }},
}

// work takes from p, and puts back, n times.
func work(p *basin.BytePool, n int) {
	for range n {
		p.Put(p.Get(size))
	}
}

// queue has a request wait each time, and be served at once.
func queue(p *basin.BytePool, stats func() basin.Stats) func(int) {
	held := p.Get(size)
	served := make(chan []byte)
	wait := func() {
		waited := stats().Waited
		go func() {
			b, _ := p.GetContext(context.Background(), size)
			served <- b
		}()
		for stats().Waited == waited {
			runtime.Gosched()
		}
	}
	wait()
	return func(int) {
		for range 100 {
			p.Put(held)
			held = <-served
			wait()
		}
	}
}

// putTwice puts a slice twice in the nth minute of its life.
func putTwice(n int) func(int) {
	p := &basin.BytePool{Name: "p"}
	minute := 0
	return func(int) {
		work(p, 1000)
		if minute == n {
			b := p.Get(size)
			p.Put(b)
			p.Put(b) //basin:ok on purpose
		}
		minute++
	}
}

// leak forgets one Put in ten, while checks look.
func leak() func(int) {
	basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: func(*basincheck.Report) {}})
	p := &basin.BytePool{Name: "p"}
	forgotten := uint64(0)
	return func(int) {
		for i := range 100 {
			b := p.Get(1000)
			if i%10 > 0 {
				p.Put(b)
			}
		}
		forgotten += 10
		testenv.CollectUntil(func() bool { // the collector may overlook one
			return p.Stats().Misuse.Of(basincheck.Leak) >= forgotten-1
		})
	}
}
