//go:build go1.25

package basin_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// isUse reports whether a call of the method is a use of a pool.
func isUse(method string) bool {
	switch method {
	case "Stats", "Trim", "Sized":
		return false
	}
	return true
}

// beyondInt32 is above MaxInt32, or negative if int has 32 bits.
var beyondInt32 = func() int { n := math.MaxInt32; return n + 1 }()

// badSettings are invalid pools, and the messages about them.
var badSettings = []struct {
	name string
	pool func() any
	want string
}{
	{"MinSize negative", func() any { return &basin.BytePool{MinSize: -1} }, "BytePool.MinSize is -1,"},
	{"MinSize smallest int", func() any { return &basin.BytePool{MinSize: math.MinInt} }, "BytePool.MinSize is -"},
	{"MinSize beyond an int32", func() any { return &basin.BytePool{MinSize: beyondInt32} }, "BytePool.MinSize is "},
	{"MinSize far beyond an int32", func() any { return &basin.BytePool{MinSize: beyondInt32 | (math.MaxInt - math.MaxInt32)} }, "BytePool.MinSize is "},
	{"MaxFit negative", func() any { return &basin.BytePool{MaxFit: -1} }, "BytePool.MaxFit is -1,"},
	{"MaxSize negative", func() any { return &basin.BytePool{MaxSize: -1} }, "BytePool.MaxSize is -1,"},
	{"MaxSize smallest int", func() any { return &basin.BytePool{MaxSize: math.MinInt} }, "BytePool.MaxSize is -"},
	{"MaxSize beyond an int32", func() any { return &basin.BytePool{MaxSize: beyondInt32} }, "BytePool.MaxSize is "},
	{"MaxSize far beyond an int32", func() any { return &basin.BytePool{MaxSize: beyondInt32 | (math.MaxInt - math.MaxInt32)} }, "BytePool.MaxSize is "},
	{"MaxSize below MinSize", func() any { return &basin.BytePool{MinSize: 4096, MaxSize: 4095} }, "BytePool.MaxSize is 4095, want at least BytePool.MinSize, which is 4096"},
	{"MaxSize far below MinSize", func() any { return &basin.BytePool{MinSize: 1 << 30, MaxSize: 1} }, "BytePool.MaxSize is 1, want at least BytePool.MinSize"},
	{"MaxSize below MinSize, in one class", func() any { return &basin.BytePool{MinSize: 60, MaxSize: 50} }, "BytePool.MaxSize is 50, want at least BytePool.MinSize"},
	{"MaxIdle negative", func() any { return &basin.BytePool{MaxIdle: -2} }, "BytePool.MaxIdle is -2,"},
	{"MaxIdle smallest int64", func() any { return &basin.BytePool{MaxIdle: math.MinInt64} }, "BytePool.MaxIdle is -"},
	{"MaxInUse negative", func() any { return &basin.BytePool{MaxInUse: -1} }, "BytePool.MaxInUse is -1,"},
	{"MaxInUse smallest int64", func() any { return &basin.BytePool{MaxInUse: math.MinInt64} }, "BytePool.MaxInUse is -"},
	{"MaxInUse largest int64", func() any { return &basin.BytePool{MaxInUse: math.MaxInt64} }, "BytePool.MaxInUse is "},
	{"IdleTime negative", func() any { return &basin.BytePool{IdleTime: -1} }, "BytePool.IdleTime is -1ns,"},
	{"IdleTime smallest Duration", func() any { return &basin.BytePool{IdleTime: math.MinInt64} }, "BytePool.IdleTime is -"},
	{"one of many", func() any {
		return &basin.BytePool{Name: "x", MinSize: 64, MaxSize: 4096, MaxIdle: -7, IdleTime: time.Second, Zero: true}
	}, "BytePool.MaxIdle is -7,"},
	{"the first of many", func() any { return &basin.BytePool{MaxSize: -2, MaxIdle: -7} }, "BytePool.MaxSize is -2,"},

	{"InitialSize negative", func() any { return &basin.BufferPool{InitialSize: -1} }, "BufferPool.InitialSize is -1,"},
	{"InitialSize beyond an int32", func() any { return &basin.BufferPool{InitialSize: beyondInt32} }, "BufferPool.InitialSize is "},
	{"MaxSize negative", func() any { return &basin.BufferPool{MaxSize: -1} }, "BufferPool.MaxSize is -1,"},
	{"MaxSize beyond an int32", func() any { return &basin.BufferPool{MaxSize: beyondInt32} }, "BufferPool.MaxSize is "},
	{"MaxSize below InitialSize", func() any { return &basin.BufferPool{InitialSize: 4096, MaxSize: 1024} }, "BufferPool.MaxSize is 1024, want at least BufferPool.InitialSize, which is 4096"},
	{"MaxIdle negative", func() any { return &basin.BufferPool{MaxIdle: -2} }, "BufferPool.MaxIdle is -2,"},

	{"InitialSize negative", func() any { return &basin.StdBufferPool{InitialSize: -1} }, "StdBufferPool.InitialSize is -1,"},
	{"InitialSize beyond an int32", func() any { return &basin.StdBufferPool{InitialSize: beyondInt32} }, "StdBufferPool.InitialSize is "},
	{"MaxSize negative", func() any { return &basin.StdBufferPool{MaxSize: -1} }, "StdBufferPool.MaxSize is -1,"},
	{"MaxSize beyond an int32", func() any { return &basin.StdBufferPool{MaxSize: beyondInt32} }, "StdBufferPool.MaxSize is "},
	{"MaxSize below InitialSize", func() any { return &basin.StdBufferPool{InitialSize: 4096, MaxSize: 1024} }, "StdBufferPool.MaxSize is 1024, want at least StdBufferPool.InitialSize, which is 4096"},
	{"MaxIdle negative", func() any { return &basin.StdBufferPool{MaxIdle: -2} }, "StdBufferPool.MaxIdle is -2,"},

	{"MaxItems negative", func() any { return &basin.Pool[entry]{MaxItems: -2} }, "Pool.MaxItems is -2,"},
	{"MaxIdle without Size", func() any { return &basin.Pool[entry]{MaxIdle: 1 << 20} }, "Pool.MaxIdle is 1048576, want 0 where Size is nil; MaxItems"},
	{"KeepNone in bytes without Size", func() any { return &basin.Pool[entry]{MaxIdle: basin.KeepNone} }, "Pool.MaxIdle is -1, want 0 where Size is nil; MaxItems"},
	{"MaxItems with Size", func() any { return &basin.Pool[entry]{Size: noBytes, MaxItems: 5} }, "Pool.MaxItems is 5, want 0 where Size is set; MaxIdle"},
	{"IdleTime negative", func() any { return &basin.Pool[entry]{IdleTime: -time.Second} }, "Pool.IdleTime is -1s,"},
	{"MaxSize without Size", func() any { return &basin.Pool[entry]{MaxSize: 1} }, "Pool.MaxSize is 1, want 0 where Size is nil"},
	{"Used without Size", func() any { return &basin.Pool[entry]{Used: noBytes, Make: makeEntry} }, "Pool.Used is set, want nil where Size is nil"},
	{"Make without Size", func() any { return &basin.Pool[entry]{Make: makeEntry} }, "Pool.Make is set, want nil where Size is nil"},
	{"Used without Make", func() any { return &basin.Pool[entry]{Size: noBytes, Used: noBytes} }, "Pool.Make is nil, want a function where Used is set"},
	{"Make without Used", func() any { return &basin.Pool[entry]{Size: noBytes, Make: makeEntry} }, "Pool.Used is nil, want a function where Make is set"},
	{"New and Make", func() any {
		return &basin.Pool[entry]{Size: noBytes, Used: noBytes, Make: makeEntry, New: func() entry { return 0 }}
	}, "Pool.New is set, want nil where Make is set"},
	{"MaxSize negative", func() any { return &basin.Pool[entry]{Size: noBytes, MaxSize: -1} }, "Pool.MaxSize is -1,"},
	{"MaxSize beyond an int32", func() any { return &basin.Pool[entry]{Size: noBytes, MaxSize: beyondInt32} }, "Pool.MaxSize is "},
	{"MaxIdle negative", func() any { return &basin.Pool[entry]{Size: noBytes, MaxIdle: -2} }, "Pool.MaxIdle is -2,"},

	{"the zero value", func() any { return &basin.FixedPool{} }, "FixedPool.Count is 0,"},
	{"Count negative", func() any { return &basin.FixedPool{Count: -1, Size: 1} }, "FixedPool.Count is -1,"},
	{"Size zero", func() any { return &basin.FixedPool{Count: 1} }, "FixedPool.Size is 0,"},
	{"Size negative", func() any { return &basin.FixedPool{Count: 1, Size: -2} }, "FixedPool.Size is -2,"},
	{"Count largest int", func() any { return &basin.FixedPool{Count: math.MaxInt, Size: 2} }, "FixedPool.Count is " + strconv.Itoa(math.MaxInt) + ", want at most " + strconv.Itoa(math.MaxInt/2)},
	{"Count times Size beyond an int", func() any {
		return &basin.FixedPool{Count: 1 << (strconv.IntSize / 2), Size: 1 << (strconv.IntSize / 2)}
	}, "FixedPool.Count is "},
}

func noBytes(entry) int   { return 0 }
func makeEntry(int) entry { return 0 }

// validate is basin.Validate for a pool of a kind that is known only when the test runs.
func validate(pool any) error {
	err := reflect.ValueOf(basin.Validate).Call([]reflect.Value{reflect.ValueOf(pool)})[0]
	got, _ := err.Interface().(error)
	return got
}

// TestSettingsRefused calls each method first on an invalid pool, and again.
func TestSettingsRefused(t *testing.T) {
	for _, tt := range badSettings {
		kind := reflect.TypeOf(tt.pool())
		t.Run(kind.Elem().Name()+" "+tt.name, func(t *testing.T) {
			err := validate(tt.pool())
			if err == nil || !strings.HasPrefix(err.Error(), "basin: "+tt.want) {
				t.Errorf("Validate returns %v, want an error that begins with %q", err, tt.want)
			}
			before := len(basinexport.Append(nil))
			for i := range kind.NumMethod() {
				method := kind.Method(i).Name
				if !isUse(method) {
					continue
				}
				pool := tt.pool()
				for _, use := range []string{"first", "second"} {
					if got := recovered(func() { callMethodOf(t, reflect.ValueOf(pool), method) }); got != fmt.Sprint(err) {
						t.Errorf("the %s use, %s, panics with %v, want %v", use, method, got, err)
					}
				}
			}
			if now := len(basinexport.Append(nil)); now > before {
				t.Errorf("there are %d pools, before there were %d", now, before)
			}
		})
	}
}

// TestSettingsLargest uses pools with the largest valid sizes. On 32-bit systems no class is as
// large, and the largest class takes their place.
func TestSettingsLargest(t *testing.T) {
	for _, tt := range []struct {
		name string
		pool any
		use  func(pool any)
	}{
		{"BytePool MinSize", &basin.BytePool{MinSize: math.MaxInt32}, func(p any) { p.(*basin.BytePool).Put(nil) }},
		{"BytePool MaxSize", &basin.BytePool{MaxSize: math.MaxInt32}, func(p any) { p.(*basin.BytePool).Put(nil) }},
		{"BufferPool InitialSize", &basin.BufferPool{InitialSize: math.MaxInt32}, func(p any) { p.(*basin.BufferPool).Put(new(basin.Buffer)) }},
		{"BufferPool MaxSize", &basin.BufferPool{MaxSize: math.MaxInt32}, func(p any) { p.(*basin.BufferPool).Put(new(basin.Buffer)) }},
		{"StdBufferPool InitialSize", &basin.StdBufferPool{InitialSize: math.MaxInt32}, func(p any) { p.(*basin.StdBufferPool).Put(new(bytes.Buffer)) }},
		{"StdBufferPool MaxSize", &basin.StdBufferPool{MaxSize: math.MaxInt32}, func(p any) { p.(*basin.StdBufferPool).Put(new(bytes.Buffer)) }},
		{"Pool MaxSize", &basin.Pool[entry]{Size: noBytes, MaxSize: math.MaxInt32}, func(p any) { p.(*basin.Pool[entry]).Put(0) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := validate(tt.pool); err != nil {
				t.Error(err)
			}
			for _, use := range []string{"first", "second"} {
				if got := recovered(func() { tt.use(tt.pool) }); got != nil {
					t.Errorf("the %s use panics with %v", use, got)
				}
			}
		})
	}
}

// TestInitialSizeLargest gets a Buffer with the largest valid InitialSize. Nothing touches its
// memory. It runs in a process of its own, because a 32-bit system may have no room for it.
func TestInitialSizeLargest(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector touches its memory")
	}
	const variable = "BASIN_TEST_LARGEST"
	if os.Getenv(variable) != "" {
		p := &basin.BufferPool{InitialSize: math.MaxInt32, MaxIdle: basin.KeepNone}
		b := p.Get()
		if b.Len() != 0 || b.Cap() < 7<<28 {
			t.Errorf("length %d, capacity %d", b.Len(), b.Cap())
		}
		p.Put(b)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), variable+"=1")
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
	case runtime.GOOS == "js" || runtime.GOOS == "wasip1":
		t.Skip("there are no processes here")
	case bits.UintSize == 32 && bytes.Contains(out, []byte("out of memory")):
		t.Skip("there is no room for it")
	default:
		t.Errorf("%v\n%s", err, out)
	}
}

// TestSettingsMended corrects a pool after its first use has panicked.
func TestSettingsMended(t *testing.T) {
	bytes := &basin.BytePool{MaxIdle: -2}
	fixed := &basin.FixedPool{Count: 1}
	values := &basin.Pool[entry]{MaxItems: -2}
	buffers := &basin.BufferPool{MaxIdle: -2}
	std := &basin.StdBufferPool{MaxIdle: -2}
	for _, use := range []func(){
		func() { bytes.Put(bytes.Get(100)) },
		func() { fixed.Put(fixed.Get()) },
		func() { values.Put(values.Get()) },
		func() { buffers.Put(buffers.Get()) },
		func() { std.Put(std.Get()) },
	} {
		if recovered(use) == nil {
			t.Error("the first use does not panic")
		}
		bytes.MaxIdle, fixed.Size, values.MaxItems, buffers.MaxIdle, std.MaxIdle = 0, 100, 0, 0, 0
		if r := recovered(use); r != nil {
			t.Errorf("it panics still, with %v", r)
		}
		bytes.MaxIdle, fixed.Size, values.MaxItems, buffers.MaxIdle, std.MaxIdle = -2, 0, -2, -2, -2
	}
}

// TestKeepNone uses pools of every kind with KeepNone.
func TestKeepNone(t *testing.T) {
	bytes := &basin.BytePool{MaxIdle: basin.KeepNone}
	adopting := &basin.BytePool{MaxIdle: basin.KeepNone, Adopts: true, MaxInUse: 1 << 20}
	values := &basin.Pool[entry]{MaxItems: basin.KeepNone}
	large := &basin.Pool[block4K]{MaxItems: basin.KeepNone}
	buffers := &basin.BufferPool{MaxIdle: basin.KeepNone}
	std := &basin.StdBufferPool{MaxIdle: basin.KeepNone}
	for _, tt := range []struct {
		name  string
		use   func()
		stats func() basin.Stats
	}{
		{"BytePool", func() { bytes.Put(bytes.Get(100)) }, bytes.Stats},
		{"BytePool that adopts", func() { adopting.Get(100); adopting.Put(make([]byte, 1000)) }, adopting.Stats},
		{"Pool", func() { values.Put(values.Get()) }, values.Stats},
		{"Pool of large values", func() { large.Put(large.Get()) }, large.Stats},
		{"BufferPool", func() { buffers.Put(buffers.Get()) }, buffers.Stats},
		{"StdBufferPool", func() { b := std.Get(); b.WriteByte('x'); std.Put(b) }, std.Stats},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 100 {
				tt.use()
			}
			s := tt.stats()
			if s.Gets != 100 || s.Hits != 0 || s.Items.Idle != 0 || s.Bytes.Idle > 0 || s.Bytes.MaxIdle != 0 || s.Items.MaxIdle != 0 {
				t.Errorf("%+v", s)
			}
			if !pooltest.FullChecks && s.Drops != (basin.Drops{Full: 100}) {
				t.Errorf("dropped: %+v", s.Drops)
			}
		})
	}
}

// settledPools are pools of all kinds with incomplete settings.
var settledPools = []struct {
	name        string
	zero        func(name string) any
	wantMaxIdle int64
}{
	{"BytePool", func(name string) any { return &basin.BytePool{Name: name} }, basin.DefaultMaxIdle},
	{"BytePool with MaxInUse", func(name string) any { return &basin.BytePool{Name: name, MaxInUse: 1 << 20} }, basin.DefaultMaxIdle},
	{"BytePool with Zero", func(name string) any { return &basin.BytePool{Name: name, Zero: true} }, basin.DefaultMaxIdle},
	{"BufferPool", func(name string) any { return &basin.BufferPool{Name: name} }, basin.DefaultMaxIdle},
	{"StdBufferPool", func(name string) any { return &basin.StdBufferPool{Name: name} }, basin.DefaultMaxIdle},
	{"Pool", func(name string) any { return &basin.Pool[entry]{Name: name} }, basin.DefaultMaxItems},
	{"Pool with a Size", func(name string) any { return &basin.Pool[entry]{Name: name, Size: noBytes} }, basin.DefaultMaxIdle},
	{"FixedPool", func(name string) any { return &basin.FixedPool{Name: name, Count: 3, Size: 100} }, -1},
}

// exported returns the exported fields of the struct that pool points to, as text.
func exported(pool any) string {
	var s strings.Builder
	v := reflect.ValueOf(pool).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Type.Kind() != reflect.Func {
			fmt.Fprintf(&s, "%s: %v, ", f.Name, v.Field(i))
		}
	}
	return s.String()
}

// readStats returns the name and MaxIdle of a pool's statistics, and whether any other figure but
// idle ones is not zero. The MaxIdle of a FixedPool is -1.
func readStats(pool any) (name string, maxIdle int64, used bool) {
	s := pool.(interface{ Stats() basin.Stats }).Stats()
	used = s.Gets+s.Puts+s.Drops.Total() > 0 || s.ID != 0
	switch {
	case s.Kind == "FixedPool":
		return s.Name, -1, used || s.Items.InUse != 0 || s.Items.Idle != 3
	case s.Bytes.Idle == basin.Unknown:
		return s.Name, s.Items.MaxIdle, used
	}
	return s.Name, s.Bytes.MaxIdle, used || len(s.Classes) > 0
}

// TestUnusedPools reads unused pools: their settings are complete, they cost no more than before,
// and they are in no snapshot.
func TestUnusedPools(t *testing.T) {
	for _, kind := range settledPools {
		t.Run(kind.name, func(t *testing.T) {
			pool := kind.zero(t.Name())
			before := exported(pool)
			v := reflect.ValueOf(pool)
			for i := range v.NumMethod() {
				if method := v.Type().Method(i).Name; !isUse(method) {
					callMethodOf(t, v, method)
				}
			}
			if name, maxIdle, used := readStats(pool); name != t.Name() || maxIdle != kind.wantMaxIdle || used {
				t.Errorf("the statistics are of %q with a MaxIdle of %d, and of a pool that was used: %t", name, maxIdle, used)
			}
			if after := exported(pool); after != before {
				t.Errorf("the fields are %s, they were %s", after, before)
			}
			if found := statsOf(t, t.Name()); len(found) > 0 {
				t.Errorf("there are %v", found)
			}
			runtime.KeepAlive(pool)
		})
	}
}

// TestSettingsStay uses pools, which does not change their fields, and then changes the fields,
// which has no effect.
func TestSettingsStay(t *testing.T) {
	pooltest.Misuses(t)
	for _, kind := range settledPools {
		t.Run(kind.name, func(t *testing.T) {
			pool := kind.zero(t.Name())
			before := exported(pool)
			v := reflect.ValueOf(pool)
			use := func() { v.MethodByName("Put").Call(callMethodOf(t, v, "Get")) }
			use()
			if after := exported(pool); after != before {
				t.Errorf("the fields are %s, they were %s", after, before)
			}
			for i := range v.Elem().NumField() {
				f := v.Elem().Field(i)
				switch {
				case !v.Elem().Type().Field(i).IsExported() || v.Elem().Type().Field(i).Name == "MaxInUse": // see TestLimitChanged
				case f.CanInt():
					f.SetInt(-1)
				case f.Kind() == reflect.String:
					f.SetString("another")
				}
			}
			use()
			if name, maxIdle, used := readStats(pool); name != t.Name() || maxIdle != kind.wantMaxIdle || !used {
				t.Errorf("the statistics are of %q with a MaxIdle of %d, and of a pool that was used: %t", name, maxIdle, used)
			}
		})
	}
}

// TestFirstUseAtOnce: many goroutines use a new pool at once, with each of its methods, while
// others read it. It is also for the race detector.
func TestFirstUseAtOnce(t *testing.T) {
	pooltest.Misuses(t)
	for _, kind := range settledPools {
		t.Run(kind.name, func(t *testing.T) {
			for round := range 10 {
				name := fmt.Sprintf("%s %p %d", t.Name(), t, round)
				pool := kind.zero(name)
				v := reflect.ValueOf(pool)
				start := make(chan struct{})
				var wg sync.WaitGroup
				for i := range v.NumMethod() {
					method := v.Type().Method(i).Name
					if method == "GetContext" || method == "Get" { // these may wait for slices that others have dropped
						method = "Put"
					}
					for range 2 {
						wg.Go(func() {
							<-start
							callMethodOf(t, v, method)
							basinexport.Append(nil)
						})
					}
				}
				wg.Go(func() {
					<-start
					v.MethodByName("Put").Call(callMethodOf(t, v, "Get"))
				})
				close(start)
				wg.Wait()
				if found := statsOf(t, name); len(found) != 1 {
					t.Errorf("there are %d snapshots", len(found))
				}
				runtime.KeepAlive(pool)
			}
		})
	}
}

// TestFixedPoolTooLarge makes a block that no machine has memory for. The settings do not
// contradict each other; the first use panics, and so does the next one.
func TestFixedPoolTooLarge(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("2 GiB is something that a machine may have, and that the runtime ends the program for")
	}
	p := &basin.FixedPool{Count: math.MaxInt, Size: 1}
	if err := basin.Validate(p); err != nil {
		t.Error(err)
	}
	for range 2 {
		var err runtime.Error
		if r, ok := recovered(func() { p.Get() }).(error); !ok || !errors.As(r, &err) || !strings.Contains(err.Error(), "makeslice") {
			t.Errorf("it panics with %v", r)
		}
	}
}

// packagePools are not on the heap, but weak pointers must point there.
var (
	packageBytes = basin.BytePool{Name: "packageBytes"}
	packageFixed = basin.FixedPool{Name: "packageFixed", Count: 2, Size: 100}
	packageStd   basin.StdBufferPool
)

func TestPackagePools(t *testing.T) {
	packageBytes.Put(packageBytes.Get(100))
	packageFixed.Put(packageFixed.Get())
	packageStd.Put(packageStd.Get())
	collectAll()
	if len(statsOf(t, "packageBytes")) != 1 || len(statsOf(t, "packageFixed")) != 1 {
		t.Error("a pool that is a variable of a package has no snapshot, or more than one")
	}
	packageBytes.Trim()
	if s := packageBytes.Stats(); s.Bytes.Idle != 0 {
		t.Errorf("after Trim there are %d bytes idle", s.Bytes.Idle)
	}
}

// TestSetDefaultLimits: SetDefault lowers and raises the MaxIdle of pools without their own.
func TestSetDefaultLimits(t *testing.T) {
	defer basin.SetDefault(nil)
	first := basin.Default()
	var early basin.BytePool
	early.Put(early.Get(100))
	before := early.Stats().Bytes.MaxIdle
	basin.SetDefault(&basin.BytePool{MaxIdle: 12345})
	for _, c := range []struct {
		name string
		got  int64
		want int64
	}{
		{"used before", early.Stats().Bytes.MaxIdle, before},
		{"BytePool", new(basin.BytePool).Stats().Bytes.MaxIdle, 12345},
		{"BufferPool", new(basin.BufferPool).Stats().Bytes.MaxIdle, 12345},
		{"StdBufferPool", new(basin.StdBufferPool).Stats().Bytes.MaxIdle, 12345},
		{"its own", (&basin.BytePool{MaxIdle: 777}).Stats().Bytes.MaxIdle, 777},
	} {
		if c.got != c.want {
			t.Errorf("%s: MaxIdle is %d, want %d", c.name, c.got, c.want)
		}
	}
	for _, c := range []struct {
		name string
		set  *basin.BytePool
		want int64
	}{
		{"the first default pool", nil, before},
		{"a default that has more", &basin.BytePool{MaxIdle: 1 << 40}, 1 << 40},
		{"a default that has none", &basin.BytePool{}, 1 << 40},
		{"a default that keeps none", &basin.BytePool{MaxIdle: basin.KeepNone}, 1 << 40},
		{"a default that has less", &basin.BytePool{MaxIdle: 54321}, 54321},
		{"the first default pool, set as any other", first, 54321},
		{"the first default pool again", nil, before},
	} {
		basin.SetDefault(c.set)
		if got := new(basin.BytePool).Stats().Bytes.MaxIdle; got != c.want {
			t.Errorf("with %s: MaxIdle is %d, want %d", c.name, got, c.want)
		}
	}
}

// TestSetDefaultLimitsAll: pools of all kinds put more than the MaxIdle of the default pool.
func TestSetDefaultLimitsAll(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	defer basin.SetDefault(nil)
	const most = 1 << 20
	p := &basin.BytePool{MaxIdle: most}
	basin.SetDefault(p)
	var (
		other = new(basin.BytePool)
		std   = new(basin.StdBufferPool)
		sized = &basin.Pool[*[]byte]{Size: func(b *[]byte) int { return cap(*b) }, New: func() *[]byte { return new([]byte) }}
	)
	grown := func(n int) *bytes.Buffer { b := std.Get(); b.Grow(n); return b }
	filled := func(n int) *[]byte { b := sized.Get(); *b = make([]byte, n); return b }
	kinds := []struct {
		name string
		put  func(n int) // puts n items of 1 KiB
		pool interface{ Stats() basin.Stats }
	}{
		{"default", func(n int) { putAtOnce(n, p.Get, p.Put) }, p},
		{"BytePool", func(n int) { putAtOnce(n, other.Get, other.Put) }, other},
		{"StdBufferPool", func(n int) { putAtOnce(n, grown, std.Put) }, std},
		{"Pool with Size", func(n int) { putAtOnce(n, filled, sized.Put) }, sized},
	}
	idle := func() (sum int64) {
		for _, k := range kinds {
			sum += k.pool.Stats().Bytes.Idle
		}
		return sum
	}
	empty := func() {
		for _, k := range kinds {
			if p, ok := k.pool.(interface{ Trim() }); ok {
				p.Trim()
			}
		}
		for std.Stats().Bytes.Idle > 0 {
			std.Get()
		}
	}
	for range 3 {
		for _, k := range kinds {
			t.Run(k.name, func(t *testing.T) {
				k.put(2000)
				if n := idle(); n > most {
					t.Errorf("%d bytes are idle, want at most %d", n, most)
				}
			})
		}
	}
	for _, k := range kinds {
		t.Run(k.name+" alone", func(t *testing.T) {
			empty()
			k.put(2000)
			if n := k.pool.Stats().Bytes.Idle; n < most/2 || n > most {
				t.Errorf("%d bytes are idle, want nearly %d", n, most)
			}
		})
	}
	t.Run("its own", func(t *testing.T) {
		own := &basin.BytePool{MaxIdle: 2 * most}
		putAtOnce(2000, own.Get, own.Put)
		if n := own.Stats().Bytes.Idle; n < most {
			t.Errorf("%d bytes are idle of a pool with a MaxIdle of %d", n, 2*most)
		}
	})
	t.Run("garbage", func(t *testing.T) {
		func() {
			empty()
			gone := new(basin.BytePool)
			putAtOnce(2000, gone.Get, gone.Put)
			if gone.Stats().Bytes.Idle < most/2 {
				t.Error("it keeps little")
			}
		}()
		for range 5 {
			pooltest.Collect()
		}
		putAtOnce(2000, p.Get, p.Put)
		if n := p.Stats().Bytes.Idle; n < most/2 {
			t.Errorf("%d bytes are idle after another pool has gone, want nearly %d", n, most)
		}
	})
}

// TestSetDefaultReplaced uses a pool for the first time when another one is already the default
// pool. Its idle memory counts towards the limit that it has set, as SetDefault documents.
func TestSetDefaultReplaced(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	defer basin.SetDefault(nil)
	for name, next := range map[string]*basin.BytePool{
		"by the first":           nil,
		"by one without a limit": {},
		"by one with another":    {MaxIdle: 1 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			const most = 1 << 20
			p, other := &basin.BytePool{MaxIdle: most}, new(basin.BytePool)
			basin.SetDefault(p)
			other.Put(other.Get(1024))
			basin.SetDefault(next)
			putAtOnce(2000, other.Get, other.Put)
			putAtOnce(2000, p.Get, p.Put)
			if n := p.Stats().Bytes.Idle + other.Stats().Bytes.Idle; n > most {
				t.Errorf("%d bytes are idle, want at most %d", n, most)
			}
		})
	}
}

// TestSetDefaultOrder sets a limit, then a default pool without one, and then uses pools for the
// first time, in each order. All of them share the limit.
func TestSetDefaultOrder(t *testing.T) {
	pooltest.Reuses(t)
	pooltest.Alone(t)
	defer basin.SetDefault(nil)
	const most = 2 << 20
	for _, usedBetween := range []bool{false, true} {
		basin.SetDefault(nil)
		limited, next, other := &basin.BytePool{MaxIdle: most}, new(basin.BytePool), new(basin.BytePool)
		basin.SetDefault(limited)
		if usedBetween {
			other.Put(other.Get(1024))
		}
		basin.SetDefault(next)
		sum := int64(0)
		for _, p := range []*basin.BytePool{next, other, limited} {
			putAtOnce(20_000, p.Get, p.Put)
			sum += p.Stats().Bytes.Idle
		}
		if sum > most {
			t.Errorf("with a pool that was used between: %t: %d bytes are idle, want at most %d", usedBetween, sum, most)
		}
	}
}

// putAtOnce gets n items of 1 KiB and puts them all.
func putAtOnce[T any](n int, get func(n int) T, put func(T)) {
	var items []T
	for range n {
		items = append(items, get(1024))
	}
	for _, x := range items {
		put(x)
	}
}
