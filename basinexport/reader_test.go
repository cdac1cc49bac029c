//go:build go1.25

package basinexport_test

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
)

// read returns r's statistics of the pools whose names begin with that of the test.
func read(t *testing.T, r *basinexport.Reader) []basin.Stats {
	t.Helper()
	var all []basin.Stats
	for s := range r.All() {
		if strings.HasPrefix(s.Name, t.Name()) {
			c := *s
			c.Classes = append([]basin.ClassStats(nil), s.Classes...)
			all = append(all, c)
		}
	}
	return all
}

func TestPoolsOfOneName(t *testing.T) {
	a := &basin.BytePool{Name: t.Name(), MaxIdle: 1 << 20, MaxInUse: 1 << 20}
	b := &basin.BytePool{Name: t.Name(), MaxIdle: 2 << 20, MaxInUse: 2 << 20}
	other := &basin.Pool[int]{Name: t.Name()}
	a.Put(a.Get(100))
	a.Put(make([]byte, 100)) //basin:ok a foreign slice, to be counted
	a.Get(5000)
	b.Get(5000)
	b.Put(b.Get(70_000))
	other.Put(1)

	var want basin.Stats
	for _, s := range []basin.Stats{a.Stats(), b.Stats()} {
		basinexport.Count(&want, &s)
	}
	got := read(t, new(basinexport.Reader))
	if len(got) != 2 || got[0].Kind != "BytePool" || got[1].Kind != "Pool[int]" {
		t.Fatalf("there are %v", got)
	}
	s := got[0]
	if s.ID != 0 || s.Items.InUse != 2 || s.Items.Idle != 2 || s.Bytes.MaxIdle != 3<<20 || s.Bytes.MaxInUse != 3<<20 {
		t.Errorf("the sum is %#v", s)
	}
	if want := a.Stats().Bytes.InUse + b.Stats().Bytes.InUse; s.Bytes.InUse != want || want == 0 {
		t.Errorf("%d bytes are in use, want %d", s.Bytes.InUse, want)
	}
	if want := a.Stats().Bytes.Idle + b.Stats().Bytes.Idle; s.Bytes.Idle != want || want == 0 {
		t.Errorf("%d bytes are idle, want %d", s.Bytes.Idle, want)
	}
	if s.Gets != 4 || s.Puts != 2 || s.Drops.Foreign != 1 || s.Drops.Total() != 1 {
		t.Errorf("the sum is %#v", s)
	}
	sizes := 0
	for _, c := range s.Classes {
		if c.Size <= sizes {
			t.Errorf("class %d comes after class %d", c.Size, sizes)
		}
		sizes = c.Size
	}
	if len(s.Classes) != 3 {
		t.Errorf("classes are %v, want 3 of 4 that were used", s.Classes)
	}

	got = read(t, &basinexport.Reader{PerPool: true})
	if len(got) != 3 || got[0].ID >= got[1].ID || got[1].ID >= got[2].ID {
		t.Fatalf("pool by pool there are %v", got)
	}
	for i, p := range []*basin.BytePool{a, b} {
		if !reflect.DeepEqual(got[i], p.Stats()) {
			t.Errorf("pool %d is %v, want %v", i, got[i], p.Stats())
		}
	}
	runtime.KeepAlive(other)
}

// TestCountEverything: every field that is a number is added up.
func TestCountEverything(t *testing.T) {
	var sum basin.Stats
	once := filled(t)
	basinexport.Count(&sum, &once)
	basinexport.Count(&sum, &once)
	held := map[string]bool{"ID": true, "MemoryLimit": true, "InUse": true, "Idle": true, "Reserved": true, "MaxIdle": true, "MaxInUse": true, "Waiting": true, "Size": true, "LongestWait": true, "RecentLongestWait": true, "TotalWait": true, "Items": true, "Bytes": true}
	var compare func(path string, sum, once reflect.Value)
	compare = func(path string, sum, once reflect.Value) {
		for i := range sum.NumField() {
			name := sum.Type().Field(i).Name
			s, o := sum.Field(i), once.Field(i)
			switch {
			case s.Kind() == reflect.Struct:
				compare(path+name+".", s, o)
			case s.Kind() == reflect.Slice:
				compare(path+name+".", s.Index(0), o.Index(0))
			case s.Kind() == reflect.Array:
				for i := range s.Len() {
					if s.Index(i).Uint() != 2*o.Index(i).Uint() {
						t.Errorf("%s%s[%d] is %d after %d twice", path, name, i, s.Index(i).Uint(), o.Index(i).Uint())
					}
				}
			case s.CanUint() && !held[name]:
				if s.Uint() != 2*o.Uint() {
					t.Errorf("%s%s is %d after %d twice", path, name, s.Uint(), o.Uint())
				}
			case s.CanInt() && !held[name]:
				t.Errorf("%s%s is neither counted nor held", path, name)
			}
		}
	}
	compare("", reflect.ValueOf(sum), reflect.ValueOf(once))
	if sum.TotalWait != 2*once.TotalWait {
		t.Errorf("TotalWait is %v after %v twice", sum.TotalWait, once.TotalWait)
	}
	if sum.LongestWait != once.LongestWait {
		t.Errorf("LongestWait is %v, want %v", sum.LongestWait, once.LongestWait)
	}
}

// filled returns Stats whose numbers are all different and none is zero.
func filled(t *testing.T) basin.Stats {
	t.Helper()
	n := 0
	var fill func(reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch {
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case v.Kind() == reflect.Array:
			for i := range v.Len() {
				fill(v.Index(i))
			}
		case v.CanUint():
			v.SetUint(uint64(n))
		case v.CanInt():
			v.SetInt(int64(n))
		}
	}
	s := basin.Stats{Classes: make([]basin.ClassStats, 1)}
	fill(reflect.ValueOf(&s).Elem())
	fill(reflect.ValueOf(&s.Classes[0]).Elem())
	return s
}

// TestCountersStayWhenNewPanics: a scrape while New runs counts a Get that a panic takes back.
func TestCountersStayWhenNewPanics(t *testing.T) {
	running, goOn := make(chan bool), make(chan bool)
	p := &basin.Pool[*int]{Name: t.Name(), New: func() *int {
		running <- true
		if <-goOn {
			panic("no")
		}
		return new(int)
	}}
	for _, r := range []*basinexport.Reader{{}, {PerPool: true}} {
		for _, panics := range []bool{false, true, true, false} {
			done := make(chan any)
			go func() {
				defer func() { done <- recover() }()
				p.Get()
			}()
			<-running
			during := read(t, r)
			goOn <- panics
			if p := <-done; (p != nil) != panics {
				t.Fatal(p)
			}
			after := read(t, r)
			if len(after) != 1 || len(during) != 0 && (after[0].Gets < during[0].Gets || after[0].Misses < during[0].Misses) {
				t.Errorf("PerPool %v, panics %v: %v, then %v", r.PerPool, panics, during, after)
			}
		}
	}
	if s := p.Stats(); s.Gets != 4 {
		t.Errorf("in the end: %v", s)
	}
}

// TestCountersNeverGoBack drops pools between readings.
func TestCountersNeverGoBack(t *testing.T) {
	var r basinexport.Reader
	use := func(n int) *basin.BytePool {
		p := &basin.BytePool{Name: t.Name()}
		for range n {
			p.Put(p.Get(100))
		}
		p.Get(300)
		return p
	}
	stays := use(10)
	total := uint64(11)
	for range 20 {
		goes := use(5)
		total += 6
		read(t, &r)
		runtime.KeepAlive(goes)
		for range 4 {
			runtime.GC()
		}
		got := read(t, &r)
		if len(got) != 1 {
			t.Fatalf("there are %v", got)
		}
		s, left := got[0], stays.Stats()
		if s.Gets != total || s.Classes[0].Gets+s.Classes[1].Gets != total {
			t.Fatalf("counted are %d, want %d: %v", s.Gets, total, s.Classes)
		}
		if s.Bytes.InUse != left.Bytes.InUse || s.Bytes.Idle != left.Bytes.Idle || s.Bytes.MaxIdle != left.Bytes.MaxIdle || s.Items.InUse != 1 {
			t.Fatalf("it holds the memory of pools that are gone: %v, want %v", s, left)
		}
	}
	runtime.KeepAlive(stays)
}

// TestUnknown: figures that a kind cannot know stay unknown, with several pools and with none
// left.
func TestUnknown(t *testing.T) {
	var r basinexport.Reader
	unknown := basin.Holdings{InUse: basin.Unknown, Idle: basin.Unknown}
	func() {
		a, b := &basin.Pool[int]{Name: t.Name(), MaxItems: 3}, &basin.Pool[int]{Name: t.Name(), MaxItems: 4}
		std := &basin.StdBufferPool{Name: t.Name(), InitialSize: 1024}
		a.Put(1)
		b.Put(2)
		std.Put(std.Get())
		got := read(t, &r)
		if len(got) != 2 {
			t.Fatalf("there are %v", got)
		}
		if got[0].Items != (basin.Holdings{Idle: 2, MaxIdle: 7}) || got[0].Bytes != unknown {
			t.Errorf("two pools of values hold %+v and %+v", got[0].Items, got[0].Bytes)
		}
		if h := got[1].Bytes; h.InUse != basin.Unknown || h.Idle != 1024 || got[1].Classes[0].Bytes.InUse != basin.Unknown {
			t.Errorf("a pool of bytes.Buffers holds %+v", got[1])
		}
		runtime.KeepAlive([]any{a, b, std})
	}()
	for range 4 {
		runtime.GC()
	}
	for range 2 {
		got := read(t, &r)
		if len(got) != 2 || got[0].Bytes != unknown || got[0].Items != (basin.Holdings{}) || got[1].Bytes.InUse != basin.Unknown || got[1].Bytes.Idle != 0 {
			t.Errorf("the rest is %+v", got)
		}
	}
}

// TestAllGone drops the only pool of a name.
func TestAllGone(t *testing.T) {
	var r basinexport.Reader
	p := &basin.BytePool{Name: t.Name()}
	p.Get(100)
	read(t, &r)
	runtime.KeepAlive(p)
	for range 4 {
		runtime.GC()
	}
	for range 2 {
		got := read(t, &r)
		if len(got) != 1 || got[0].Gets != 1 || got[0].Classes[0].Gets != 1 || got[0].Bytes.InUse != 0 || got[0].Classes[0].Bytes.InUse != 0 || got[0].Bytes.MaxIdle != 0 {
			t.Errorf("the rest is %#v", got)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name       string
		a, b, want int64
	}{
		{"both", 1 << 20, 2 << 20, 3 << 20},
		{"the first has none", 0, 1 << 20, 0},
		{"the second has none", 1 << 20, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &basin.BytePool{Name: t.Name(), MaxInUse: tt.a}
			b := &basin.BytePool{Name: t.Name(), MaxInUse: tt.b}
			a.Get(100)
			b.Get(100)
			if got := read(t, new(basinexport.Reader)); len(got) != 1 || got[0].Bytes.MaxInUse != tt.want {
				t.Errorf("the limit is %#v, want %d", got, tt.want)
			}
			runtime.KeepAlive(a)
			runtime.KeepAlive(b)
		})
	}
}

// TestHugeLimits has limits that cannot be added up.
func TestHugeLimits(t *testing.T) {
	a := &basin.BytePool{Name: t.Name(), MaxIdle: math.MaxInt64}
	b := &basin.BytePool{Name: t.Name(), MaxIdle: 5}
	a.Get(100)
	b.Get(100)
	if got := read(t, new(basinexport.Reader)); len(got) != 1 || got[0].Bytes.MaxIdle != math.MaxInt64 {
		t.Errorf("the limit is %#v", got)
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
}

func TestNames(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	for _, tt := range []struct {
		name  string
		names []string
		want  string // after the test's name
	}{
		{"as it is", []string{`<b>"\n` + "\n"}, `<b>"\n` + "\n"},
		{"not UTF-8", []string{"\xff", "\xfe"}, "\ufffd"},
		{"10 KB", []string{long + "a", long + "b"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var keep []*basin.BytePool
			for _, name := range tt.names {
				p := &basin.BytePool{Name: t.Name() + name}
				p.Get(100)
				keep = append(keep, p)
			}
			got := read(t, new(basinexport.Reader))
			if len(got) != 1 || int(got[0].Gets) != len(tt.names) {
				t.Fatalf("there are %v, want them as one", got)
			}
			if s := got[0]; !utf8.ValidString(s.Name) || len(s.Name) > 200 || tt.want != "" && s.Name != t.Name()+tt.want {
				t.Errorf("the name is %q", s.Name)
			}
			runtime.KeepAlive(keep)
		})
	}
}

func TestManyReadAtOnce(t *testing.T) {
	var r basinexport.Reader
	p := &basin.BytePool{Name: t.Name()}
	p.Get(100)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				q := &basin.BytePool{Name: t.Name()}
				q.Get(100)
				if got := read(t, &r); len(got) != 1 {
					t.Errorf("there are %v", got)
				}
				runtime.KeepAlive(q)
			}
		})
	}
	wg.Wait()
	// Each was read while it was alive.
	if got := read(t, &r); got[0].Gets != 401 {
		t.Errorf("counted are %d, want 401", got[0].Gets)
	}
	runtime.KeepAlive(p)
}

// TestReadingAllocatesNothing reads unchanged pools again and again. Some names cannot be labels as
// they are.
func TestReadingAllocatesNothing(t *testing.T) {
	var pools []*basin.BytePool
	for i := range 100 {
		name := fmt.Sprint(t.Name(), i%10)
		switch i % 10 {
		case 0:
			name = strings.Repeat(name, 100)
		case 1:
			name += "\xff"
		}
		p := &basin.BytePool{Name: name}
		p.Put(p.Get(100 << (i % 10)))
		pools = append(pools, p)
	}
	for _, r := range []*basinexport.Reader{{}, {PerPool: true}} {
		n := 0
		read := func() {
			for range r.All() {
				n++
			}
		}
		read()
		read()
		least := math.Inf(1)
		for range 10 { // pools of other tests may go meanwhile
			least = min(least, testing.AllocsPerRun(10, read))
		}
		if least > 0 {
			t.Errorf("PerPool %v: a reading makes %v allocations", r.PerPool, least)
		}
		if n < 10 {
			t.Errorf("there are %d", n)
		}
	}
	runtime.KeepAlive(pools)
}
