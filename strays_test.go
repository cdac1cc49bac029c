//go:build go1.25

package basin_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
)

// blockCleanups keeps cleanups from running until the returned function is called.
func blockCleanups() (unblock func()) {
	blocked, done := make(chan struct{}), make(chan struct{})
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Add(1)
		func() {
			x := new([64]byte)
			runtime.AddCleanup(x, func(struct{}) { running.Done(); <-blocked }, struct{}{})
		}()
	}
	go func() { running.Wait(); close(done) }()
	runtime.GC()
	select { // there may be fewer goroutines for cleanups
	case <-done:
	case <-time.After(5 * time.Millisecond):
	}
	return func() { close(blocked) }
}

// A rightful user follows the rules of several pools: each slice has one owner, which is a user or a pool.
type rightful struct {
	t     *testing.T
	r     *rand.Rand
	pools []*basin.BytePool
	held  []holding
}

// A holding is a slice in the hands of a user.
type holding struct {
	pool *basin.BytePool // that has handed it out, or nil if that has forgotten it
	b    []byte
	mark byte
	rest bool // a part has been adopted; b is the whole slice
}

func (u *rightful) pool() *basin.BytePool { return u.pools[u.r.IntN(len(u.pools))] }

// take takes a random slice out of held.
func (u *rightful) take() (h holding, ok bool) {
	if len(u.held) == 0 {
		return h, false
	}
	i, last := u.r.IntN(len(u.held)), len(u.held)-1
	h = u.held[i]
	u.held[i] = u.held[last]
	u.held[last] = holding{}
	u.held = u.held[:last]
	b := h.b
	if h.rest {
		b = b[len(b)/2:]
	}
	if n := bytes.Count(b, []byte{h.mark}); n != len(b) {
		u.t.Errorf("another user has the slice, too: %d of %d bytes are mine", n, len(b))
	}
	return h, true
}

// step does one thing that is allowed.
func (u *rightful) step() {
	switch kind := u.r.IntN(100); {
	case kind < 40:
		p := u.pool()
		b, ok := p.TryGet([]int{64, 1000, 1024, 4096, 9000}[u.r.IntN(5)])
		if !ok {
			break
		}
		h := holding{pool: p, b: b[:cap(b)], mark: byte(u.r.Uint32())}
		for i := range h.b {
			h.b[i] = h.mark
		}
		u.held = append(u.held, h)
	case kind < 55:
		if h, ok := u.take(); ok && h.pool != nil && !h.rest {
			h.pool.Put(h.b)
		}
	case kind < 70: // from any pool, or forgotten by one
		if h, ok := u.take(); ok && !h.rest {
			if p := u.pool(); p.Adopts {
				p.Put(h.b)
			} else {
				p.Adopt(h.b)
			}
		}
	case kind < 75:
		if h, ok := u.take(); ok && !h.rest && len(h.b) >= 512 {
			p := u.pool()
			h.rest = true
			u.held = append(u.held, h)
			p.Adopt(h.b[: len(h.b)/4 : len(h.b)/4])
		}
	case kind < 90:
		if h, ok := u.take(); ok {
			if h.pool != nil {
				h.pool.Forget(h.b)
				h.pool = nil
			}
			u.held = append(u.held, h)
		}
	case kind < 98:
		u.take() // and lose it
	default:
		runtime.GC()
	}
}

// TestRightfulUse: users who get, put, adopt, forget and lose slices of several pools, in any way that is
// allowed, never share memory, and no pool counts a wrong Put. In the end all figures are exact, although
// some cleanups ran long after the addresses of their arrays had new owners.
func TestRightfulUse(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	logTo(t)
	seeds := uint64(20)
	if testing.Short() {
		seeds = 4 // each way once
	}
	for seed := range seeds {
		pools := []*basin.BytePool{
			{Name: "a", MaxInUse: 32 << 10, MaxSize: 4096},
			{Name: "b", MaxInUse: 64 << 10},
			{Name: "c", MaxInUse: 32 << 10, MaxIdle: basin.KeepNone},
			{Name: "d", MaxInUse: 32 << 10, Adopts: true, MaxIdle: 16 << 10},
			{Name: "e"},
			{Name: "f", Adopts: true, MaxSize: 1024},
		}
		var users sync.WaitGroup
		all := make([]*rightful, 1+seed%2)
		unblock := func() {}
		if seed%4 < 2 {
			unblock = blockCleanups()
		}
		for i := range all {
			all[i] = &rightful{t: t, r: rand.New(rand.NewPCG(seed, uint64(i))), pools: pools}
			users.Go(func() {
				for range 2000 {
					all[i].step()
				}
			})
		}
		users.Wait()
		for _, u := range all {
			for len(u.held) > 0 {
				if h, _ := u.take(); h.pool != nil {
					h.pool.Forget(h.b)
				}
			}
		}
		unblock()
		for _, p := range pools {
			p.Trim()
		}
		for _, p := range pools {
			s := p.Stats()
			for range 100 {
				if s = p.Stats(); p.MaxInUse == 0 || s.Items.InUse == 0 && s.Bytes.InUse == 0 {
					break
				}
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
			if n := s.Misuse.Total(); n != 0 || p.MaxInUse > 0 && (s.Items.InUse != 0 || s.Bytes.InUse != 0) {
				t.Errorf("seed %d: nobody has slices, but %v", seed, s)
			}
		}
	}
}

// TestAdoptHandsOver: a pool that adopts a slice of a pool with MaxInUse gives its room back there, at
// each level of checks. That is no misuse, however the slices are used from then on.
func TestAdoptHandsOver(t *testing.T) {
	const size = 4096
	for _, s := range []basincheck.Settings{
		{}, {Level: basincheck.Sampled, Every: 2}, {Level: basincheck.Sampled, Every: 2, Guard: true},
		{Level: basincheck.Full}, {Level: basincheck.Full, Guard: true},
	} {
		for name, into := range map[string]*basin.BytePool{
			"Adopt":               {Name: "other"},
			"under a ceiling":     {Name: "other", MaxInUse: 1 << 20},
			"a smaller piece":     {Name: "other", MaxSize: 1024},
			"nothing is kept":     {Name: "other", MaxIdle: basin.KeepNone},
			"Put of one that may": {Name: "other", Adopts: true},
		} {
			t.Run(fmt.Sprint(s.Level, " ", s.Guard, "/", name), func(t *testing.T) {
				s.Handler = func(r *basincheck.Report) { t.Errorf("%v", r) }
				withChecks(t, s)
				p := &basin.BytePool{Name: t.Name(), MaxInUse: 4 * size}
				for i := range 100 {
					var all [][]byte
					for range 4 {
						b, ok := p.TryGet(size)
						if !ok {
							t.Fatalf("round %d: no room: %v", i, p.Stats())
						}
						all = append(all, b)
					}
					if into.Adopts {
						into.Put(all[0])
					} else {
						into.Adopt(all[0])
					}
					if in := p.Stats().Items.InUse; in != 3 && !into.Adopts {
						t.Fatalf("round %d: %d in use, want 3", i, in)
					}
					b, ok := p.TryGet(size)
					if !ok && into.Adopts { // if there was a search just now
						ctx, cancel := context.WithTimeout(t.Context(), time.Second)
						b, _ = p.GetContext(ctx, size)
						cancel()
					}
					if b == nil {
						t.Fatalf("round %d: no room: %v", i, p.Stats())
					}
					if !into.Adopts { // or the next search would come too soon
						p.TryGet(size) // it has no room, and searches
					}
					for _, b := range append(all[1:], b) {
						p.Put(b)
					}
				}
				st := p.Stats()
				if st.Misuse.Total() != 0 || st.Items.InUse != 0 || st.Bytes.InUse != 0 || st.Lost != (basin.Amount{}) || st.Gets != st.Puts {
					t.Errorf("in the end: %v", st)
				}
			})
		}
	}
}

// TestAdoptOfAPart: while another pool has a part of a slice, its user may hold the rest.
func TestAdoptOfAPart(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 4096}
	q := &basin.BytePool{Name: "other"}
	b := p.Get(4096)
	if !q.Adopt(b[:1024:1024]) {
		t.Fatal("not adopted")
	}
	if _, ok := p.TryGet(64); ok || p.Stats().Items.InUse != 1 {
		t.Errorf("there is room: %v", p.Stats())
	}
	if n := q.Stats().Items.Idle; n != 1 {
		t.Errorf("%d idle", n)
	}
	p.Forget(b)
	if _, ok := p.TryGet(4096); !ok || p.Stats().Misuse.Total() != 0 {
		t.Errorf("no room after Forget: %v", p.Stats())
	}
	runtime.KeepAlive(b)
}

// TestForgottenAtAnAddressOfTheDead: the cleanup of an array that died has not run when a later array at its
// address is forgotten and adopted by another pool.
func TestForgottenAtAnAddressOfTheDead(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	logTo(t)
	const size = 4096
	again := 0
	for range 20 {
		p := &basin.BytePool{Name: t.Name(), MaxInUse: 1 << 20, MaxIdle: basin.KeepNone}
		q := &basin.BytePool{Name: "other"}
		unblock := blockCleanups()
		dead := make(map[uintptr]bool)
		func() {
			for range 64 {
				dead[addressOf(p.Get(size))] = true
			}
		}()
		runtime.GC()
		for range 128 {
			b := p.Get(size)
			if !dead[addressOf(b)] {
				p.Put(b)
				continue
			}
			again++
			p.Forget(b)
			q.Adopt(b)
		}
		for range 3 { // finds no room, and searches
			p.TryGet(1 << 20)
			time.Sleep(time.Millisecond)
		}
		if s := p.Stats(); s.Misuse.Total() != 0 {
			t.Errorf("%v", s)
		}
		unblock()
	}
	t.Logf("%d addresses were used again", again)
}

// TestFoundIsForeign: a slice that was found in another pool is nobody's. If its user also puts it home, it makes
// no more room.
func TestFoundIsForeign(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	logTo(t)
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 4096}
	q := &basin.BytePool{Name: "other", MaxIdle: basin.KeepNone}
	b := p.Get(4096)
	q.Put(b)
	if s := p.Stats(); s.Misuse.Of(basincheck.WrongPool) != 1 || s.Items.InUse != 0 || s.Puts != 1 {
		t.Fatalf("after the Put into another pool: %v", s)
	}
	p.Put(b)
	if s := p.Stats(); s.Drops.Foreign != 1 || s.Items.Idle != 0 || s.Puts != 1 {
		t.Errorf("after the second Put: %v", s)
	}
}

// TestElsewhereAtAnAddressOfTheDead: arrays at addresses of lost ones, whose cleanups have not run, are
// not taken for these. When the cleanups have run, they are still found.
func TestElsewhereAtAnAddressOfTheDead(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	logTo(t)
	const size = 4096
	others, own := 0, 0
	for range 40 {
		p := &basin.BytePool{Name: t.Name(), MaxInUse: 1 << 20, MaxIdle: basin.KeepNone}
		q := &basin.BytePool{Name: "other", MaxIdle: basin.KeepNone}
		unblock := blockCleanups()
		dead := make(map[uintptr]bool)
		func() {
			for range 64 {
				dead[addressOf(p.Get(size))] = true
			}
		}()
		runtime.GC()
		var again [][]byte
		for i := range 128 {
			if b := q.Get(size); i%2 == 0 {
				if dead[addressOf(b)] {
					others++
				}
				q.Put(b)
			}
			if b := p.Get(size); dead[addressOf(b)] {
				again = append(again, b)
			} else {
				p.Put(b)
			}
		}
		n := p.Stats().Misuse.Total()
		unblock()
		if n != 0 {
			t.Fatalf("%d false findings", n)
		}
		for range 100 {
			if p.Stats().Lost.Items == 64 {
				break
			}
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		own += len(again)
		for _, b := range again {
			q.Put(b)
		}
		if s := p.Stats(); s.Misuse.Of(basincheck.WrongPool) != uint64(len(again)) || s.Items.InUse != 0 {
			t.Errorf("%d were put into another pool: %v", len(again), s)
		}
	}
	t.Logf("%d arrays of the other pool and %d of the same one at addresses of dead ones", others, own)
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// TestStrayLinesAreFew: in a program with thousands of pools, the log has a bounded number of lines about
// slices in wrong pools. It runs in a process of its own, or the log would be silent in other tests.
func TestStrayLinesAreFew(t *testing.T) {
	const variable = "BASIN_TEST_STRAY_LINES"
	if os.Getenv(variable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestStrayLinesAreFew$")
		cmd.Env = append(os.Environ(), variable+"=1", "BASIN_CHECK=")
		if out, err := cmd.CombinedOutput(); err != nil {
			if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
				t.Skip("there are no processes here")
			}
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	l := logTo(t)
	q := &basin.BytePool{Name: "other", MaxIdle: basin.KeepNone}
	for i := range 1000 {
		p := &basin.BytePool{Name: fmt.Sprint("pool", i), MaxInUse: 4096}
		q.Put(p.Get(4096))
		if n := p.Stats().Misuse.Of(basincheck.WrongPool); n != 1 {
			t.Fatalf("%d findings", n)
		}
	}
	time.Sleep(100 * time.Millisecond) // for goroutines that write to the log
	if n := len(l.with("put into another pool")); n < 10 || n > 200 {
		t.Errorf("%d lines in the log", n)
	}
}
