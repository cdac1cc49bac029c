//go:build go1.25

package correct

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/testenv"
)

type item struct {
	n    int
	next *item
	name [40]byte
}

func newItem() *item { return new(item) }

var (
	items     = &basin.Pool[*item]{New: newItem}
	otherItem = &basin.Pool[*item]{New: newItem}
	onHeap    = newItem()
	global    item
	array     = make([]item, 64)
	at        atomic.Uint32
)

// outer begins with another struct, so both have the same address.
type outer struct {
	item item
	more int
}

// genericPool is a Pool that generic functions use.
type genericPool[T any] struct{ pool basin.Pool[*T] }

func (p *genericPool[T]) with(do func(*T)) {
	x := p.pool.Get()
	if x == nil {
		x = new(T)
	}
	defer p.pool.Put(x)
	do(x)
}

func init() {
	add("value", func() { x := items.Get(); x.n++; items.Put(x) })
	var generic genericPool[item]
	add("value of a generic type without New", func() { generic.with(func(x *item) { x.n++ }) })
	add("value from elsewhere", func() { items.Put(newItem()) })
	add("value put again after it was got again", func() {
		x := items.Get()
		items.Put(x)
		y := items.Get()
		items.Put(y)
	})
	add("value moved into another pool", func() {
		if len(keep) < 50 {
			x := items.Get()
			otherItem.Put(x)
			keep = append(keep, x)
		}
	})
	add("value kept", func() {
		if len(keep) < 50 {
			keep = append(keep, items.Get())
		}
	})
	var owned basin.Pool[*item]
	add("shared pointer put by two owners", func() {
		// A value that is put twice is handed out twice.
		x := newItem()
		owned.Put(x)
		owned.Put(x)
		owned.Get()
		owned.Get()
	})
	shared := &basin.Pool[*item]{New: func() *item { return onHeap }}
	add("New that returns the same pointer", func() {
		a, b := shared.Get(), shared.Get()
		must(a == b)
		shared.Put(a)
		shared.Put(b)
		c := shared.Get()
		shared.Put(c)
	})
	globals := &basin.Pool[*item]{New: func() *item { return &global }}
	add("New that returns a global variable", func() {
		a, b := globals.Get(), globals.Get()
		globals.Put(a)
		globals.Put(b)
	})
	elements := &basin.Pool[*item]{New: func() *item { return &array[at.Add(1)%8] }}
	add("New that returns elements of one array", func() {
		var all []*item
		for range 12 {
			all = append(all, elements.Get())
		}
		for _, x := range all {
			elements.Put(x)
		}
	})
	add("pointers into one array, put first", func() {
		var p basin.Pool[*item]
		for i := range array {
			p.Put(&array[i])
		}
		for range array {
			if x := p.Get(); x != nil {
				x.n++
				p.Put(x)
			}
		}
	})
	interiors := &basin.Pool[*[40]byte]{New: func() *[40]byte { return &new(item).name }}
	add("interior pointers", func() { x := interiors.Get(); x[0]++; interiors.Put(x) })
	outers := &basin.Pool[*outer]{New: func() *outer { return new(outer) }}
	add("a struct and its first field", func() {
		x := outers.Get()
		items.Put(&x.item)
		outers.Put(x)
	})
	add("a struct that holds another pool's value", func() {
		x, y := items.Get(), otherItem.Get()
		x.next = y
		x.next = nil
		otherItem.Put(y)
		items.Put(x)
	})
	zero := &basin.Pool[*struct{}]{New: func() *struct{} { return new(struct{}) }}
	add("values of size zero", func() { a, b := zero.Get(), zero.Get(); zero.Put(a); zero.Put(b); zero.Put(a) })
	tiny := &basin.Pool[*int8]{New: func() *int8 { return new(int8) }}
	add("values of a byte", func() { a, b := tiny.Get(), tiny.Get(); *a, *b = 1, 2; must(*a == 1); tiny.Put(a); tiny.Put(b) })
	nils := &basin.Pool[*item]{New: func() *item { return nil }}
	add("New that returns nil", func() { nils.Put(nils.Get()); nils.Put(nil) })
	interfaces := &basin.Pool[fmt.Stringer]{New: func() fmt.Stringer { return new(bytes.Buffer) }}
	add("interfaces", func() {
		interfaces.Put(interfaces.Get())
		interfaces.Put(nil)
		interfaces.Put((*bytes.Buffer)(nil))
		interfaces.Put(stringer(3))
		interfaces.Put(stringer(3))
	})
	funcs := &basin.Pool[func()]{New: func() func() { return func() {} }}
	add("functions", func() { f := funcs.Get(); f(); funcs.Put(f) })
	var lists basin.Pool[[]int]
	add("slices of ints", func() { x := append(lists.Get()[:0], 1, 2); lists.Put(x); lists.Put(lists.Get()) })
	var ints basin.Pool[int]
	add("ints", func() { ints.Put(1); ints.Put(1); ints.Get() })
	pointers := &basin.Pool[**item]{New: func() **item { x := newItem(); return &x }}
	add("pointers to pointers", func() { x := pointers.Get(); *x = newItem(); pointers.Put(x) })
	structs := &basin.Pool[item]{New: func() item { return item{} }}
	add("structs", func() { x := structs.Get(); x.n++; structs.Put(x) })
	rings := &basin.Pool[*item]{New: func() *item { x := newItem(); x.next = x; return x }}
	add("values that point to themselves", func() { x := rings.Get(); must(x.next == x); rings.Put(x) })
	replacing := &basin.Pool[*bytes.Buffer]{
		New: func() *bytes.Buffer { return new(bytes.Buffer) },
		Reset: func(b *bytes.Buffer) *bytes.Buffer {
			if b.Cap() > 64<<10 {
				return new(bytes.Buffer)
			}
			b.Reset()
			return b
		},
	}
	add("Reset that replaces", func() {
		b, c := replacing.Get(), replacing.Get()
		b.Grow(1 << 20)
		replacing.Put(b)
		replacing.Put(c)
	})
	dropping := &basin.Pool[*item]{New: newItem, Reset: func(*item) *item { return nil }}
	add("Reset that returns nil", func() { dropping.Put(dropping.Get()) })
	exchanging := &basin.Pool[*item]{New: newItem, Reset: func(x *item) *item { return &item{next: nil, n: x.n} }}
	add("Reset that always replaces", func() { exchanging.Put(exchanging.Get()) })
	mixed := &basin.Pool[fmt.Stringer]{
		New:   func() fmt.Stringer { return new(bytes.Buffer) },
		Reset: func(fmt.Stringer) fmt.Stringer { return stringer(1) },
	}
	add("Reset that changes the type", func() { mixed.Put(mixed.Get()) })
	fussy := &basin.Pool[*item]{New: newItem, Reset: func(x *item) *item {
		if x.n < 0 {
			panic("Reset")
		}
		return x
	}}
	add("Reset that panics, and the value put again", func() {
		x := fussy.Get()
		x.n = -1
		func() {
			defer func() { must(recover() == "Reset") }()
			fussy.Put(x)
		}()
		x.n = 1
		fussy.Put(x)
	})
	failing := &basin.Pool[*item]{New: func() *item { panic("New") }}
	add("New that panics", func() {
		defer func() { must(recover() == "New") }()
		failing.Get()
	})
	add("a Pool of Pools", func() {
		p := pools.Get()
		p.Put(p.Get())
		pools.Put(p)
	})
	add("a Pool of BytePools", func() {
		p := bytePools.Get()
		b := p.Get(100)
		p.Put(b)
		bytePools.Put(p)
	})
	var nested basin.Pool[*item]
	nested.New = func() *item { x := items.Get(); y := &item{n: x.n}; items.Put(x); return y }
	add("New that uses another pool", func() { nested.Put(nested.Get()) })
	add("values by many goroutines", func() {
		var wg sync.WaitGroup
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for range 20 {
					x := items.Get()
					x.n = 1
					runtime.Gosched()
					must(x.n == 1)
					items.Put(x)
				}
			}()
		}
		wg.Wait()
	})
	add("the user's own finalizer on a value", func() {
		x := newItem()
		runtime.SetFinalizer(x, func(*item) {})
		items.Put(x)
		y := otherItem.Get()
		c := runtime.AddCleanup(y, func(int) {}, 1)
		otherItem.Put(y)
		c.Stop()
	})
	finalized := &basin.Pool[*item]{New: newItem}
	add("a value whose finalizer puts it", func() {
		func() {
			x := finalized.Get()
			runtime.SetFinalizer(x, nil)
			runtime.SetFinalizer(x, func(x *item) { finalized.Put(x) })
		}()
		testenv.RunCleanups()
	})
	add("a weak pointer to a value", func() {
		x := items.Get()
		w := weak.Make(x)
		runtime.GC()
		must(w.Value() == x)
		items.Put(x)
	})
	add("a value used by reflection and printed", func() { x := items.Get(); _ = fmt.Sprintf("%+v", x); items.Put(x) })
}

type stringer int

func (stringer) String() string { return "" }

var (
	pools     = &basin.Pool[*basin.Pool[*item]]{New: func() *basin.Pool[*item] { return &basin.Pool[*item]{New: newItem} }}
	bytePools = &basin.Pool[*basin.BytePool]{New: func() *basin.BytePool { return new(basin.BytePool) }}
)
