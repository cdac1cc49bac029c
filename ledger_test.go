//go:build go1.25

package basin_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// withChecks sets checks while the test runs. Reports do not fail the test.
func withChecks(t *testing.T, s basincheck.Settings) {
	before := basincheck.Now()
	s.Handler = func(*basincheck.Report) {}
	basincheck.Set(s)
	t.Cleanup(func() { basincheck.Set(before) })
}

var checkSettings = map[string]basincheck.Settings{
	"off":     {},
	"sampled": {Level: basincheck.Sampled, Every: 2},
	"full":    {Level: basincheck.Full},
}

const intoAnother = "put into another pool"

// losses are ways to lose memory of p, the default pool. Each loses at most 4 KiB at a time.
var losses = []struct {
	name string
	lose func(p *basin.BytePool)
}{
	{"Get", func(p *basin.BytePool) { p.Get(3 << 10) }},
	{"of many sizes", func(p *basin.BytePool) {
		for n := 1; n < 1000; n *= 2 {
			p.Get(n)
		}
	}},
	{"a part is put", func(p *basin.BytePool) { p.Put(p.Get(1000)[:500:500]) }},
	{"another part is put", func(p *basin.BytePool) { p.Put(p.Get(1000)[64:]) }},
	{intoAnother, func(p *basin.BytePool) { new(basin.BytePool).Put(p.Get(1000)) }},
	{"Clone", func(p *basin.BytePool) { p.Append(nil, pattern(1000)...) }},
	{"Append", func(p *basin.BytePool) { p.Append(p.Append(nil, pattern(100)...), pattern(1000)...) }},
	{"ReadAll", func(p *basin.BytePool) { p.ReadAll(struct{ io.Reader }{bytes.NewReader(pattern(3000))}) }},
	{"larger than MaxSize", func(p *basin.BytePool) { p.Get(4097) }},
	{"a Buffer", func(p *basin.BytePool) { new(basin.Buffer).Write(pattern(2000)) }},
	{"a small Buffer", func(p *basin.BytePool) {
		lastWriter = basin.NewSmallBuffer()
		lastWriter.Write(pattern(300))
		lastWriter = nil
	}},
	{"a handle", func(p *basin.BytePool) { (&basin.BufferPool{InitialSize: 64}).Get().Write(pattern(3000)) }},
	{"a handle whose Bytes is p", func(p *basin.BytePool) {
		(&basin.BufferPool{InitialSize: 64, Bytes: p}).Get().Write(pattern(3000))
	}},
	{"Detach", func(p *basin.BytePool) { basin.NewBuffer(pattern(2000)).Detach() }},
	{"a Shared", func(p *basin.BytePool) { basin.Default().NewShared(p.Get(1000)).Retain().Release() }},
	{"part of a Shared", func(p *basin.BytePool) { basin.Default().NewShared(p.Get(1000)[:500:500]).Release() }},
	{"a slice put and got again", func(p *basin.BytePool) {
		for range 3 {
			p.Put(p.Get(2000))
		}
		p.Get(2000)
	}},
	{"an adopted piece", func(p *basin.BytePool) {
		p.Adopt(make([]byte, 1000))
		p.Get(800)
	}},
}

// TestCeilingHeals loses all memory under a ceiling, again and again.
func TestCeilingHeals(t *testing.T) {
	pooltest.Misuses(t)
	for level, settings := range checkSettings {
		for _, tt := range losses {
			t.Run(level+": "+tt.name, func(t *testing.T) {
				if level != "off" && tt.name == intoAnother {
					t.Skip("checks keep slices put into the wrong pool, in quarantine")
				}
				withChecks(t, settings)
				const limit = 64 << 10
				p := withPool(t, pooltest.Config{MaxSize: 4096, MaxInUse: limit})
				times := 3
				if testing.Short() {
					times = 1
				}
				for range times {
					before := p.Stats()
					for range 2000 {
						tt.lose(p)
						if s := p.Stats(); s.Bytes.MaxInUse-s.Bytes.InUse < 8<<10 {
							break
						}
					}
					testenv.CollectUntil(func() bool { return p.Stats().Bytes.InUse == 0 })
					s := p.Stats()
					if lost := s.Lost.Bytes - before.Lost.Bytes; lost < 48<<10 || s.Lost.Items <= before.Lost.Items || s.Items.InUse != 0 {
						t.Errorf("%d bytes were lost; %+v", lost, s)
					}
					all, ok := p.TryGet(limit)
					if !ok {
						t.Fatalf("all room is free, but TryGet of all fails: %v", p.Stats())
					}
					p.Put(all)
				}
			})
		}
	}
}

// TestLostIsNeverHeld gets, puts and loses slices at random, and makes the pool release idle ones
// in each way. Held slices are always in use, and in the end nothing else is.
func TestLostIsNeverHeld(t *testing.T) {
	pooltest.Misuses(t)
	for level, settings := range checkSettings {
		for _, config := range []pooltest.Config{
			{Name: "plain"},
			{Name: "little room", MaxIdle: 16 << 10},
			{Name: "no room", MaxIdle: basin.KeepNone},
			{Name: "short", IdleTime: 1},
			{Name: "zero", Zero: true, MaxSize: 8 << 10},
		} {
			t.Run(level+", "+config.Name, func(t *testing.T) {
				withChecks(t, settings)
				config.MaxInUse = 1 << 20
				p := config.Pool()
				r := rand.New(rand.NewPCG(1, 2))
				var held [][]byte
				bytes := int64(0)
				look := func() {
					if s := p.Stats(); s.Bytes.InUse < bytes || s.Items.InUse < int64(len(held)) {
						t.Fatalf("%d slices of %d bytes are held; %+v", len(held), bytes, s)
					}
				}
				steps := 4000
				if testing.Short() {
					steps = 1000
				}
				for i := range steps {
					switch k := r.IntN(100); {
					case k < 45:
						if b, ok := p.TryGet(1 << r.IntN(14)); ok {
							held = append(held, b)
							bytes += int64(cap(b))
						}
					case k < 80 && len(held) > 0:
						j := r.IntN(len(held))
						b := held[j]
						held = slices.Delete(held, j, j+1)
						bytes -= int64(cap(b))
						if k < 70 {
							p.Put(b)
						}
					case k < 85:
						p.Adopt(make([]byte, 1+2*r.IntN(5000))) // never of the shape of a class
					case k < 87:
						p.Trim()
					case k < 88:
						runtime.GC()
					}
					if i%20 == 0 {
						look()
					}
				}
				testenv.CollectUntil(func() bool {
					look()
					return p.Stats().Bytes.InUse == bytes
				})
				if s := p.Stats(); s.Items.InUse != int64(len(held)) || s.Lost.Items == 0 {
					t.Errorf("%d slices are held; %+v", len(held), s)
				}
				runtime.KeepAlive(held)
			})
		}
	}
}

// TestLostWhileOthersUse: goroutines get, put and lose slices concurrently.
func TestLostWhileOthersUse(t *testing.T) {
	p := &basin.BytePool{MaxInUse: 256 << 10, MaxIdle: 64 << 10}
	var wg sync.WaitGroup
	done := make(chan struct{})
	for i := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 0))
			for range 1000 {
				b, err := p.GetContext(t.Context(), 1+r.IntN(16<<10))
				if err != nil {
					t.Error(err)
					return
				}
				if r.IntN(8) > 0 {
					p.Put(b)
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(done)
	}()
	testenv.CollectUntil(func() bool {
		select {
		case <-done:
			return p.Stats().Bytes.InUse == 0
		default:
			return false
		}
	})
	if s := p.Stats(); s.Gets != 4000 || s.Gets-s.Puts != uint64(s.Lost.Items) || s.Items.InUse != 0 || s.Refused != 0 {
		t.Errorf("%+v", s)
	}
}

// TestWaitingCollects: a request that waits for lost memory does not depend on collections that the
// program would not run.
func TestWaitingCollects(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, tt := range []struct {
		name string
		get  func(*basin.BytePool) bool
	}{
		{"Get", func(p *basin.BytePool) bool { return len(p.Get(1000)) == 1000 }},
		{"GetContext", func(p *basin.BytePool) bool {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond) // and gives up soon each time
			defer cancel()
			_, err := p.GetContext(ctx, 1000)
			return err == nil
		}},
		{"TryGet", func(p *basin.BytePool) bool {
			_, ok := p.TryGet(1000)
			runtime.Gosched()
			return ok
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &basin.BytePool{MaxInUse: 64 << 10}
			for range 3 {
				for {
					if _, ok := p.TryGet(1000); !ok {
						break
					}
				}
				for !tt.get(p) {
				}
			}
		})
	}
}

// TestLostInBubble loses memory that a goroutine in a bubble waits for. The collector is outside
// the bubble.
func TestLostInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &basin.BytePool{MaxInUse: 4096}
		p.Get(4096)
		served := make(chan []byte)
		go func() { served <- waitFor(t, p, 4096) }()
		synctest.Wait() // or the memory may be back before anybody waits
		var b []byte
		for b == nil {
			runtime.GC()
			time.Sleep(time.Second)
			select {
			case b = <-served:
			default:
			}
		}
		p.Put(b)
		if s := p.Stats(); s.Lost.Items != 1 || s.Bytes.InUse != 0 || s.Waited != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// TestLedgerDoesNotKeepPool drops a pool that has idle slices and an outstanding one.
func TestLedgerDoesNotKeepPool(t *testing.T) {
	held, pool := func() ([]byte, weak.Pointer[basin.BytePool]) {
		p := &basin.BytePool{MaxInUse: 1 << 20}
		a, b := p.Get(1000), p.Get(1000)
		p.Put(a)
		return b, weak.Make(p)
	}()
	testenv.CollectUntil(func() bool { return pool.Value() == nil })
	runtime.KeepAlive(held)
}

// A logged is a log handler that records its messages.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(line))
	return len(line), nil
}

func (l *logged) with(part string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}

// logTo records log messages while the test runs.
func logTo(t *testing.T) *logged {
	l := new(logged)
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(l, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return l
}

// TestLostIsLogged: the log reports lost memory once for each pool.
func TestLostIsLogged(t *testing.T) {
	l := logTo(t)
	for i := range 2 {
		p := &basin.BytePool{Name: fmt.Sprint(t.Name(), i), MaxSize: 4096, MaxInUse: 64 << 10}
		for round := range int64(3) {
			p.Get(4000)
			p.Get(10_000) // above MaxSize
			testenv.CollectUntil(func() bool { return p.Stats().Lost.Items == 2*round+2 })
		}
		testenv.CollectUntil(func() bool { return len(l.with(fmt.Sprint("pool=", t.Name(), i, " bytes="))) > 0 })
		lines := slices.DeleteFunc(l.with(fmt.Sprint(t.Name(), i)), func(line string) bool { return !strings.Contains(line, "Stats.Lost") })
		if len(lines) != 1 {
			t.Errorf("%d lines: %q", len(lines), lines)
		}
	}
}

// TestWaitingInVainIsLogged: the log reports, once for each pool, that requests wait and nothing is
// put for some seconds.
func TestWaitingInVainIsLogged(t *testing.T) {
	l := logTo(t)
	wait := func(t *testing.T, name string, get func(context.Context) ([]byte, error), put func([]byte)) (lines []string) {
		held, err := get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []time.Duration{time.Second, time.Minute, time.Hour} {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			if b, err := get(ctx); err == nil {
				t.Errorf("%d bytes", len(b))
			}
			cancel()
			if n := len(l.with(name)); (n > 0) != (d > time.Second) {
				t.Errorf("after %v, %d lines", d, n)
			}
		}
		put(held)
		return l.with(name)
	}
	for level, settings := range checkSettings {
		t.Run(level, func(t *testing.T) {
			if level == "sampled" {
				settings.Every = 1
			}
			withChecks(t, settings)
			synctest.Test(t, func(t *testing.T) {
				name := "bytes " + level
				p := &basin.BytePool{Name: name, MaxInUse: 4096}
				lines := wait(t, name, func(ctx context.Context) ([]byte, error) { return p.GetContext(ctx, 4096) }, p.Put)
				name = "fixed " + level
				q := &basin.FixedPool{Name: name, Count: 1, Size: 100}
				lines = append(lines, wait(t, name, q.GetContext, q.Put)...)
				if len(lines) != 2 {
					t.Fatalf("%d lines: %q", len(lines), lines)
				}
				for _, line := range lines {
					for _, part := range []string{"waiting=1", "waited=", "max_in_use", "GetContext"} {
						if !strings.Contains(line, part) {
							t.Errorf("%q does not say %s", line, part)
						}
					}
					blind := level == "off" && strings.Contains(line, "FixedPool") // a BytePool knows without checks
					if strings.Contains(line, "ledger_test.go") != !blind || strings.Contains(line, "BASIN_CHECK") != blind {
						t.Errorf("with checks %s: %q", level, line)
					}
				}
			})
		})
	}
}

// TestWaitingIsNotInVain: the log reports nothing if requests wait for long, but a slice is put
// every second.
func TestWaitingIsNotInVain(t *testing.T) {
	l := logTo(t)
	synctest.Test(t, func(t *testing.T) {
		p := &basin.BytePool{Name: t.Name(), MaxInUse: 4096}
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				b := waitFor(t, p, 4096)
				time.Sleep(time.Second)
				p.Put(b)
			})
		}
		wg.Wait()
		if s := p.Stats(); s.LongestWait < time.Minute {
			t.Errorf("the longest wait took %v", s.LongestWait)
		}
	})
	if lines := l.with(t.Name()); len(lines) != 0 {
		t.Errorf("%q", lines)
	}
}

// TestAdoptTwiceIsNotLost adopts an array that is already idle; it dies once.
func TestAdoptTwiceIsNotLost(t *testing.T) {
	oneP(t)
	p := &basin.BytePool{MaxInUse: 64 << 10}
	for range 5 {
		b := make([]byte, 5000)
		p.Adopt(b)
		p.Adopt(b)
	}
	p.Trim()
	for range 5 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond) // for the cleanups
	}
	if s := p.Stats(); s.Lost != (basin.Amount{}) {
		t.Errorf("Lost: %+v, but all that was adopted was idle when it died", s.Lost)
	}
}

// TestForeignMakesNoRoom puts and adopts foreign memory with exactly the shape of the pool's own.
func TestForeignMakesNoRoom(t *testing.T) {
	pooltest.Misuses(t)
	for level, settings := range checkSettings {
		for _, adopts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, Adopts: %t", level, adopts), func(t *testing.T) {
				withChecks(t, settings)
				const limit = 64 << 10
				p := &basin.BytePool{MaxInUse: limit, Adopts: adopts}
				var held [][]byte
				fill := func() {
					for {
						p.Put(make([]byte, 4096))
						p.Adopt(make([]byte, 4096))
						b, ok := p.TryGet(4096)
						if !ok {
							return
						}
						held = append(held, b)
					}
				}
				for range 3 {
					if fill(); len(held) != limit/4096 {
						t.Fatalf("%d bytes under a ceiling of %d", 4096*len(held), limit)
					}
					clear(held)
					held = held[:0]
					p.Trim()
					testenv.CollectUntil(func() bool { return p.Stats().Bytes.InUse == 0 })
				}
				if s := p.Stats(); adopts != (s.Drops.Foreign == 0) || s.Adopted == 0 || s.Lost.Bytes != 3*limit {
					t.Errorf("%+v", s)
				}
			})
		}
	}
}

// TestLeakHandlerMayWait: the handler of leak reports waits for the room that the leaks have taken.
func TestLeakHandlerMayWait(t *testing.T) {
	pooltest.Misuses(t)
	p := &basin.BytePool{MaxInUse: 64 << 10}
	before := basincheck.Now()
	defer basincheck.Set(before)
	told := make(chan error, 100)
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 1, Handler: func(r *basincheck.Report) {
		if r.Kind != basincheck.Leak {
			return
		}
		b, err := p.GetContext(t.Context(), 64<<10)
		p.Put(b)
		told <- err
	}})
	for range 16 {
		p.Get(4096)
	}
	for range 16 {
		testenv.CollectUntil(func() bool { return len(told) > 0 })
		if err := <-told; err != nil {
			t.Error(err)
		}
	}
	if s := p.Stats(); s.Lost.Items != 16 {
		t.Errorf("%+v", s)
	}
}

// TestLostToTheNextDefault replaces a default pool with a ceiling while its slices are out. Put
// gives them to the new default pool.
func TestLostToTheNextDefault(t *testing.T) {
	pooltest.Misuses(t)
	for level, settings := range checkSettings {
		t.Run(level, func(t *testing.T) {
			withChecks(t, settings)
			first := withPool(t, pooltest.Config{MaxInUse: 64 << 10})
			second := &basin.BytePool{MaxInUse: 64 << 10}
			var held [][]byte
			for range 16 {
				held = append(held, basin.Get(4096))
			}
			basin.SetDefault(second)
			full := second.Get(64 << 10)
			for _, b := range held {
				basin.Put(b)
			}
			if b, ok := second.TryGet(4096); ok {
				t.Errorf("%d bytes beyond the ceiling", cap(b))
			}
			clear(held)
			for i := 0; first.Stats().Bytes.InUse > 0; i++ {
				if other := new(basin.BytePool); level != "off" && i < 5000 { // the quarantine fills up in time
					other.Put(other.Get(1 << 20))
				}
				if i%100 == 0 {
					runtime.GC()
				}
				runtime.Gosched()
			}
			second.Put(full)
		})
	}
}

// TestOftenRefusedIsLogged: no request waits for long, but nothing is put for long.
func TestOftenRefusedIsLogged(t *testing.T) {
	l := logTo(t)
	synctest.Test(t, func(t *testing.T) {
		p := &basin.BytePool{Name: t.Name() + " bytes", MaxInUse: 4096}
		q := &basin.FixedPool{Name: t.Name() + " fixed", Count: 1, Size: 100}
		b, c := p.Get(4096), q.Get()
		for _, get := range []func(context.Context) ([]byte, error){
			func(ctx context.Context) ([]byte, error) { return p.GetContext(ctx, 4096) },
			q.GetContext,
		} {
			for range 20 {
				ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
				if b, err := get(ctx); err == nil {
					t.Errorf("%d bytes", len(b))
				}
				cancel()
			}
		}
		p.Put(b)
		q.Put(c)
	})
	if lines := l.with(t.Name()); len(lines) != 2 {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}

// TestPartsMakeNoRoom puts parts of slices that have the capacity of another size class. Their array
// is lost, once.
func TestPartsMakeNoRoom(t *testing.T) {
	pooltest.Misuses(t)
	const limit = 64 << 10
	for level, settings := range checkSettings {
		for name, put := range map[string]func(p *basin.BytePool, b []byte){
			"Put":    func(p *basin.BytePool, b []byte) { p.Put(b[:1024:1024]) },
			"Append": func(p *basin.BytePool, b []byte) { p.Put(p.Append(b[:1024:1024], 1)) },
			"Grow":   func(p *basin.BytePool, b []byte) { p.Put(p.Grow(b[:1024:1024], 1)) },
			"Shared": func(p *basin.BytePool, b []byte) { basin.Default().NewShared(b[:1024:1024]).Release() },
		} {
			t.Run(level+", "+name, func(t *testing.T) {
				withChecks(t, settings)
				p := withPool(t, pooltest.Config{MaxInUse: limit, IdleTime: 1})
				var held [][]byte
				for range 8 {
					held = append(held, p.Get(4096))
				}
				rounds := 200
				if testing.Short() {
					rounds = 20
				}
				for range rounds {
					b, ok := p.TryGet(3000)
					if !ok {
						testenv.RunCleanups()
						continue
					}
					put(p, b)
					p.Trim()
				}
				testenv.CollectUntil(func() bool { return p.Stats().Bytes.InUse == 8*4096 })
				for {
					b, ok := p.TryGet(4096)
					if !ok {
						break
					}
					held = append(held, b)
				}
				if len(held) != limit/4096 {
					t.Errorf("%d bytes are held under a ceiling of %d", 4096*len(held), limit)
				}
				clear(held)
				testenv.CollectUntil(func() bool { return p.Stats().Bytes.InUse == 0 })
			})
		}
	}
}

var global [64 << 10]byte

// TestAdoptImmortal adopts a global variable under a ceiling. Its death could never be counted.
func TestAdoptImmortal(t *testing.T) {
	p := &basin.BytePool{MaxInUse: 64 << 10, Adopts: true}
	p.Put(global[:])
	if p.Adopt(global[:]) {
		t.Error("adopted")
	}
	if s := p.Stats(); s.Drops.Foreign != 2 || s.Adopted != 0 || s.Bytes.Idle != 0 {
		t.Errorf("%+v", s)
	}
	for range 10 {
		p.Get(4096)
	}
	testenv.CollectUntil(func() bool { return p.Stats().Lost.Items == 10 })
}

// TestGuardedAfterChecks puts guarded memory back when checks are off: it makes room, and is not kept.
func TestGuardedAfterChecks(t *testing.T) {
	pooltest.Misuses(t)
	withChecks(t, basincheck.Settings{Level: basincheck.Full, Guard: true})
	p := &basin.BytePool{MaxInUse: 64 << 10}
	var held [][]byte
	for range 16 {
		held = append(held, p.Get(4096))
	}
	basincheck.Set(basincheck.Settings{})
	for _, b := range held {
		p.Put(b)
	}
	if s := p.Stats(); s.Bytes.InUse != 0 {
		t.Errorf("%+v", s)
	}
	for range 16 {
		p.Get(4096)
	}
	clear(held)
	p.Trim()
	testenv.CollectUntil(func() bool { return p.Stats().Bytes.InUse == 0 })
}

// TestBubbleAfterBubble waits in two bubbles for memory of one pool, which is lost.
func TestBubbleAfterBubble(t *testing.T) {
	p := &basin.BytePool{MaxInUse: 4096}
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			b := p.Get(4096)
			go func() {
				time.Sleep(10 * time.Millisecond)
				p.Put(b)
			}()
			p.Put(waitFor(t, p, 4096))
			waitFor(t, p, 4096)
			p.Put(waitFor(t, p, 4096))
		})
	}
}

// TestPutsAreNoticed: while nobody waits for long and requests are refused, slices are put.
func TestPutsAreNoticed(t *testing.T) {
	l := logTo(t)
	synctest.Test(t, func(t *testing.T) {
		p := &basin.BytePool{Name: t.Name() + " bytes", MaxInUse: 4096}
		q := &basin.FixedPool{Name: t.Name() + " fixed", Count: 1, Size: 100}
		b, c := p.Get(4096), q.Get()
		for range 200 {
			for range 5 {
				p.TryGet(4096)
				q.TryGet()
				time.Sleep(10 * time.Millisecond)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			p.GetContext(ctx, 4096)
			q.GetContext(ctx)
			cancel()
			p.Put(b)
			q.Put(c)
			b, _ = p.TryGet(4096)
			c, _ = q.TryGet()
		}
	})
	if lines := l.with(t.Name()); len(lines) != 0 {
		t.Errorf("%q", lines)
	}
}

// TestFewCollections has a program wait at its ceiling that loses nothing. Garbage is collected less and
// less often.
func TestFewCollections(t *testing.T) {
	forced := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	pooltest.Alone(t)
	synctest.Test(t, func(t *testing.T) {
		p := &basin.BytePool{MaxInUse: 8 << 10}
		before := forced()
		var users sync.WaitGroup
		for range 3 {
			users.Go(func() {
				for range 40 {
					b := p.Get(4096)
					time.Sleep(450 * time.Millisecond)
					p.Put(b)
				}
			})
		}
		users.Wait()
		if n := forced() - before; n > 5 {
			t.Errorf("%d collections", n)
		}
		q := &basin.BytePool{MaxInUse: 9000}
		before = forced()
		for range 100 {
			q.TryGet(9001)
			q.TryGet(8500) // its size class, 10240, is larger than the ceiling
			time.Sleep(10 * time.Millisecond)
		}
		if n := forced() - before; n > 0 {
			t.Errorf("%d collections for room that can never be", n)
		}
	})
}

// TestLostWithItsPool drops a pool and all slices that it has handed out. That is no loss.
func TestLostWithItsPool(t *testing.T) {
	l := logTo(t)
	var gone [2]atomic.Bool
	func() {
		p := &basin.BytePool{Name: t.Name(), MaxInUse: 64 << 20}
		runtime.AddCleanup(p, func(b *atomic.Bool) { b.Store(true) }, &gone[0])
		a, b := p.Get(1000), p.Get(8<<20)
		runtime.AddCleanup(&b[0], func(b *atomic.Bool) { b.Store(true) }, &gone[1])
		runtime.KeepAlive(a)
		runtime.KeepAlive(b)
		runtime.KeepAlive(p)
	}()
	testenv.CollectUntil(func() bool { return gone[0].Load() && gone[1].Load() })
	testenv.RunCleanups()
	if lines := l.with(t.Name()); len(lines) != 0 {
		t.Errorf("%q", lines)
	}
}

// TestCleanupsAreLost: requests find lost memory whose cleanups do not run, because GOMAXPROCS fell while the runtime
// swept.
func TestCleanupsAreLost(t *testing.T) {
	const most = 1 << 20
	for level, settings := range checkSettings {
		t.Run(level, func(t *testing.T) {
			withChecks(t, settings)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
			l := &basin.Limit{Max: most}
			pools := []*basin.BytePool{{Limit: l, MaxSize: 4096}, {Limit: l, MaxSize: 4096}}
			for range 5 {
				runtime.GOMAXPROCS(8)
				var users sync.WaitGroup
				for i := range 8 {
					users.Go(func() {
						for n := range most / 8 / 3000 {
							pools[(i+n)%len(pools)].TryGet(1000)
							pools[(i+n)%len(pools)].TryGet(2000)
						}
						pools[i%len(pools)].TryGet(5000)
					})
				}
				users.Wait()
				go runtime.GC()
				runtime.Gosched()
				runtime.GOMAXPROCS(1)
				for _, p := range pools {
					b, err := p.GetContext(t.Context(), most)
					if err != nil {
						t.Fatal(err)
					}
					p.Put(b)
				}
			}
			var lost int64
			for _, p := range pools {
				lost += p.Stats().Lost.Items
			}
			if lost == 0 {
				t.Error("nothing was lost")
			}
			testenv.RunCleanups() // those that are late
			if s := l.Stats(); s.Bytes.InUse != 0 {
				t.Errorf("%d bytes are in use at the end", s.Bytes.InUse)
			}
		})
	}
}
