package replay

import (
	"slices"

	"github.com/basin-go/basin/internal/sizeclass"
)

// Policies lists the policies to compare.
var Policies = []Policy{
	{"basin, own class only", func(s Settings) allocator { return newClasses(s, basinSizes, 1) }},
	{"basin, best fit up to 2x", func(s Settings) allocator { return newClasses(s, basinSizes, 2) }},
	{"basin, best fit up to 4x", func(s Settings) allocator { return newClasses(s, basinSizes, 4) }},
	{"powers of two", func(s Settings) allocator { return newClasses(s, powersOfTwo, 1) }},
	{"sync.Pool per power of two", func(Settings) allocator { return &emptied{} }},
	{"one sync.Pool, grown", func(Settings) allocator { return &grown{} }},
	{"no pool", func(Settings) allocator { return unpooled{} }},
}

var basinSizes = func() (sizes []int64) {
	t := sizeclass.For(sizeclass.Min, sizeclass.Max)
	for i := range t.Len() {
		sizes = append(sizes, int64(t.Size(i)))
	}
	return sizes
}()

var powersOfTwo = func() (sizes []int64) {
	for size := int64(sizeclass.Min); size <= sizeclass.Max; size *= 2 {
		sizes = append(sizes, size)
	}
	return sizes
}()

// alwaysFits is a capacity that any smaller request may get, whatever the factor.
const alwaysFits = 1024

// classes reuses slices by size class. If a class is empty, larger classes serve it, up to a
// factor.
type classes struct {
	Settings
	sizes     []int64
	factor    int64
	depots    []int
	idleBytes int64
	lent      []int64 // for each class, the number of requests that another class served

	// For each class, the low-water mark of its idle items in the window, and the number of
	// items due.
	low, due []int
	window   int64 // start of the window
}

func newClasses(s Settings, sizes []int64, factor int64) *classes {
	n := len(sizes)
	return &classes{Settings: s, sizes: sizes, factor: factor, depots: make([]int, n), lent: make([]int64, n), low: make([]int, n), due: make([]int, n)}
}

func (c *classes) get(n int64) (capacity int64, fresh bool) {
	own, _ := slices.BinarySearch(c.sizes, n)
	if own == len(c.sizes) {
		return n, true
	}
	last := own
	for c.factor > 1 && last+1 < len(c.sizes) && c.sizes[last+1] <= max(c.factor*c.sizes[own], alwaysFits) {
		last++
	}
	if c.depots[own] > 0 {
		return c.take(own), false
	}
	if own < last { // frequent requests get a slice of their own class
		if c.lent[own]++; c.lent[own] > max(c.sizes[own]/64, 16) {
			c.lent[own] = 0
			return c.sizes[own], true
		}
	}
	for class := own + 1; class <= last; class++ {
		if c.depots[class] > 0 {
			return c.take(class), false
		}
	}
	if c.factor > 1 {
		c.replace(own)
	}
	return c.sizes[own], true
}

// large is the size above which a new slice replaces a smaller one.
const large = 1 << 20

// replace releases one smaller idle slice, at least half as large as those of class own, if class own
// is large: the new slice can serve in its place.
func (c *classes) replace(own int) {
	for class := own - 1; c.sizes[own] > large && class >= 0 && c.sizes[class] >= c.sizes[own]/2; class-- {
		if c.depots[class] > 0 {
			c.take(class)
			return
		}
	}
}

// take removes an item of the class, and returns its size.
func (c *classes) take(class int) int64 {
	c.depots[class]--
	c.low[class] = min(c.low[class], c.depots[class])
	c.idleBytes -= c.sizes[class]
	return c.sizes[class]
}

func (c *classes) put(capacity int64) {
	class, ok := slices.BinarySearch(c.sizes, capacity)
	if !ok || c.idleBytes+capacity > c.MaxIdle {
		return
	}
	c.idleBytes += capacity
	c.depots[class]++
}

func (c *classes) idle() int64 { return c.idleBytes }

// collected ends the window if it has lasted a quarter of IdleTime. Items that were idle for the whole
// window become due. Those that were due before and stayed idle are released.
func (c *classes) collected(now int64) {
	window := max(1, int64(c.IdleTime)/4)
	if now-c.window < window {
		return
	}
	twice := now-c.window >= 2*window
	for class := range c.sizes {
		low := c.low[class]
		drop := min(low, c.due[class])
		if twice {
			drop = low
		}
		c.depots[class] -= drop
		c.idleBytes -= int64(drop) * c.sizes[class]
		c.due[class] = low - drop
		c.low[class] = c.depots[class]
	}
	c.window = now
}

// emptied is a sync.Pool for each power of two, without a division by Ps. A collection drops items that
// nobody used since the collection before.
type emptied struct {
	primary, victim [64]int
	idleBytes       int64
}

func (e *emptied) get(n int64) (capacity int64, fresh bool) {
	class, _ := slices.BinarySearch(powersOfTwo, n)
	if class == len(powersOfTwo) {
		return n, true
	}
	capacity = powersOfTwo[class]
	switch {
	case e.primary[class] > 0:
		e.primary[class]--
	case e.victim[class] > 0:
		e.victim[class]--
	default:
		return capacity, true
	}
	e.idleBytes -= capacity
	return capacity, false
}

func (e *emptied) put(capacity int64) {
	if class, ok := slices.BinarySearch(powersOfTwo, capacity); ok {
		e.primary[class]++
		e.idleBytes += capacity
	}
}

func (e *emptied) collected(int64) {
	for class, n := range e.victim {
		if n > 0 {
			e.idleBytes -= int64(n) * powersOfTwo[class]
		}
	}
	e.victim, e.primary = e.primary, [64]int{}
}

func (e *emptied) idle() int64 { return e.idleBytes }

// grown is one sync.Pool of buffers that keep their size. If the buffer from the pool is too
// small, a larger one is allocated and put back.
type grown struct {
	primary, victim []int64 // capacities
	idleBytes       int64
}

func (g *grown) get(n int64) (capacity int64, fresh bool) {
	from := &g.primary
	if len(*from) == 0 {
		from = &g.victim
	}
	if k := len(*from); k > 0 {
		capacity = (*from)[k-1]
		*from = (*from)[:k-1]
		g.idleBytes -= capacity
	}
	if capacity >= n {
		return capacity, false
	}
	class, _ := slices.BinarySearch(powersOfTwo, n)
	if class == len(powersOfTwo) {
		return n, true
	}
	return powersOfTwo[class], true
}

func (g *grown) put(capacity int64) {
	g.primary = append(g.primary, capacity)
	g.idleBytes += capacity
}

func (g *grown) collected(int64) {
	for _, capacity := range g.victim {
		g.idleBytes -= capacity
	}
	g.victim, g.primary = g.primary, nil
}

func (g *grown) idle() int64 { return g.idleBytes }

// unpooled allocates for every request and keeps nothing.
type unpooled struct{}

func (unpooled) get(n int64) (capacity int64, fresh bool) { return n, true }
func (unpooled) put(int64)                                {}
func (unpooled) collected(int64)                          {}
func (unpooled) idle() int64                              { return 0 }
