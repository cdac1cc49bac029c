package basin_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/basin-go/basin"
)

// poison is what is in memory that was put.
const poison = 0xDB

func TestCheckFixedPool(t *testing.T) {
	type kind = basin.MisuseKind
	for _, tt := range []struct {
		name   string
		zero   bool
		do     func(p *basin.FixedPool)
		want   []kind
		offset int
	}{
		{"get and put", false, func(p *basin.FixedPool) { p.Put(p.Get()); p.Put(p.Get()) }, nil, 0},
		{"put of nil", false, func(p *basin.FixedPool) { p.Put(nil) }, nil, 0},
		{"put of one too many", false, func(p *basin.FixedPool) {
			var all [][]byte
			for range p.Len() + 1 {
				all = append(all, p.Get())
			}
			for _, b := range all {
				p.Put(b)
			}
		}, nil, 0},
		{"put twice", false, func(p *basin.FixedPool) { b := p.Get(); p.Put(b); p.Put(b) }, []kind{basin.DoublePut}, 0},
		{"interior", false, func(p *basin.FixedPool) { b := p.Get(); p.Put(b[3:]); p.Put(b) }, []kind{basin.InteriorPut}, 3},
		{"foreign", false, func(p *basin.FixedPool) { p.Put(make([]byte, 100)) }, []kind{basin.ForeignPut}, 0},
		{"of another pool", false, func(p *basin.FixedPool) { p.Put(basin.Get(100)) }, []kind{basin.WrongPool}, 0},
		{"into another pool", false, func(p *basin.FixedPool) { b := p.Get(); basin.NewBytePool(basin.Config{}).Put(b); p.Put(b) }, []kind{basin.WrongPool}, 0},
		{"written after put, then verified", false, func(p *basin.FixedPool) { b := p.Get(); p.Put(b); b[9] = 1; basin.Verify(); basin.Verify() }, []kind{basin.WriteAfterPut}, 9},
		{"written after put, then handed out", false, func(p *basin.FixedPool) {
			b := p.Get()
			p.Put(b)
			b[9] = 1
			for range p.Len() {
				p.Get()
			}
		}, []kind{basin.WriteAfterPut}, 9},
		{"written after put, of a pool that zeroes", true, func(p *basin.FixedPool) {
			b := p.Get()
			b[0] = 7
			p.Put(b)
			b[9] = 1
			basin.Verify()
		}, []kind{basin.WriteAfterPut}, 9},
		{"zeroed", true, func(p *basin.FixedPool) {
			for range 2 * p.Len() {
				b := p.Get()
				if !bytes.Equal(b, make([]byte, len(b))) {
					t.Errorf("not zero: %v", b[:8])
				}
				b[0] = 1
				p.Put(b)
			}
		}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			told := checked(t, full)
			p := basin.NewFixedPool(4, 100)
			p.Name, p.Zero = "fixed", tt.zero
			tt.do(p)
			basin.Verify()
			got := told.take()
			if !slices.Equal(kinds(got), tt.want) {
				t.Fatalf("reported %v, want %v\n%v", kinds(got), tt.want, got)
			}
			if len(got) > 0 && got[0].Offset != tt.offset {
				t.Errorf("offset %d, want %d", got[0].Offset, tt.offset)
			}
		})
	}
}

func TestCheckFixedPoolCounts(t *testing.T) {
	checked(t, full)
	p := basin.NewFixedPool(2, 100)
	b := p.Get()
	if s := basin.InUse(); len(s) != 1 || s[0].Bytes != 100 {
		t.Errorf("in use: %+v", s)
	}
	p.Put(b)
	p.Put(b)
	if s := p.Stats(); s.Misuse.DoublePut != 1 || s.DropsBy.Double != 1 || s.Idle != 2 {
		t.Errorf("stats: %+v", s)
	}
}

func TestCheckPool(t *testing.T) {
	type item [4]int
	told := checked(t, full)
	p := basin.NewPool(func() *item { return new(item) })
	p.Name = "items"
	elsewhere := new(item)
	p.Put(elsewhere) // is allowed
	x, y := p.Get(), p.Get()
	p.Put(x)
	p.Put(y)
	if got := told.take(); got != nil {
		t.Fatalf("reported: %v", got)
	}
	p.Put(elsewhere)
	p.Put(x)
	if got := kinds(told.take()); !slices.Equal(got, []basin.MisuseKind{basin.DoublePut, basin.DoublePut}) {
		t.Errorf("reported %v, want two double Puts", got)
	}
	if s := p.Stats(); s.Gets != 2 || s.Puts != 5 || s.Misuse.DoublePut != 2 || s.Idle != 0 {
		t.Errorf("stats: %+v", s)
	}
	// Values that are no pointers, or point to nothing, are not told apart.
	ints := basin.Pool[int]{Name: "ints"}
	ints.Put(1)
	ints.Put(1)
	nils := basin.NewPool[*item](nil)
	nils.Put(nils.Get())
	nils.Put(nil)
	empty := basin.NewPool(func() *struct{} { return new(struct{}) })
	empty.Put(empty.Get())
	empty.Put(empty.Get())
	any := basin.NewPool(func() fmt.Stringer { return nil })
	any.Put(any.Get())
	if got := told.take(); got != nil {
		t.Errorf("reported: %v", got)
	}
}

func TestCheckHandles(t *testing.T) {
	told := checked(t, full)
	var p basin.BufferPool
	b := p.Get()
	b.WriteString("contents")
	p.Put(b)
	if got := b.String(); got != strings.Repeat("\xDB", 8) {
		t.Errorf("contents after Put: %q, want poison", got)
	}
	if got := told.take(); got != nil {
		t.Fatalf("reported: %v", got)
	}
	b.WriteString("more")
	if got := kinds(told.take()); !slices.Equal(got, []basin.MisuseKind{basin.UseAfterRelease}) {
		t.Errorf("a write after Put: reported %v", got)
	}
	if got := b.String(); got != "more" {
		t.Errorf("after that it holds %q, want what was written", got)
	}
	p.Put(new(basin.Buffer)) // is no handle, and allowed
	p.Put(nil)
	if got := told.take(); got != nil {
		t.Errorf("reported: %v", got)
	}
	p.Put(b)
	if s := p.Stats(); s.Gets != 1 || s.Puts != 1 || s.Misuse.UseAfterRelease != 1 || s.Misuse.DoublePut != 1 || s.InUseBytes != 0 {
		t.Errorf("stats: %+v", s)
	}
	b = p.Get()
	b.Write(make([]byte, 100_000)) // grows
	kept := b.Bytes()
	p.Put(b)
	if kept[50_000] != poison {
		t.Error("an outgrown handle's contents are no poison after Put")
	}
	told.take()
	kept[7] = 1
	basin.Verify()
	if got := told.take(); len(got) != 1 || got[0].Kind != basin.WriteAfterPut || got[0].Offset != 7 {
		t.Errorf("a write to kept contents: reported %v", got)
	}
}

// TestCheckSwitchingPools changes levels while pools of other kinds are in use, and misuses nothing.
func TestCheckSwitchingPools(t *testing.T) {
	told := checked(t, full)
	type item struct{ n int }
	var handles basin.BufferPool
	var std basin.StdBufferPool
	values := basin.NewPool(func() *item { return new(item) })
	fixed := basin.NewFixedPool(8, 256)
	stop := make(chan bool)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				b := handles.Get()
				b.WriteString("some text")
				s := std.Get()
				s.WriteString("some text")
				v := values.Get()
				v.n = 1
				f := fixed.Get()
				f[0] = 1
				shared := basin.NewShared(basin.Get(100))
				shared.Retain().Release()
				if b.String() != "some text" || s.String() != "some text" {
					t.Error("a buffer has two users")
				}
				shared.Release()
				fixed.Put(f)
				values.Put(v)
				std.Put(s)
				handles.Put(b)
			}
		}()
	}
	switchLevels(told, 30)
	close(stop)
	wg.Wait()
	runtime.GC()
	if got := told.take(); len(got) > 0 {
		t.Errorf("%d reports, first: %v", len(got), got[0])
	}
	values.Put(values.Get())
	if before := values.Stats(); before.Misses == 0 || before.Hits == 0 {
		t.Errorf("values were not reused before, or not checked: %+v", before)
	}
}

func TestCheckSnapshots(t *testing.T) {
	checked(t, full)
	p := basin.NewBytePool(basin.Config{Name: "to be found"})
	b := p.Get(100)
	p.Put(b)
	p.Put(b)
	for _, s := range basin.AppendSnapshots(nil) {
		if s.Name == "to be found" && s.Misuse.DoublePut == 1 {
			return
		}
	}
	t.Error("no snapshot has the double Put")
}

// TestCheckLog has what sampled checks find logged, once for each kind and site.
func TestCheckLog(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	checked(t, basin.Checking{Level: basin.CheckSampled, Every: 1})
	basin.SetChecking(basin.Checking{Level: basin.CheckSampled, Every: 1}) // no handler
	for range 10 {
		b := basin.Get(100)
		basin.Put(b)
		basin.Put(b)
	}
	b := basin.Get(100)
	basin.Put(b)
	basin.Put(b)
	if n := strings.Count(log.String(), "double Put"); n != 2 {
		t.Errorf("%d lines of two sites, want 2:\n%s", n, &log)
	}
	if !strings.Contains(log.String(), "check_pools_test.go") {
		t.Errorf("the log does not name the line:\n%s", &log)
	}
}
