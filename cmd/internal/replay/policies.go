package replay

import (
	"slices"

	"github.com/basin-go/basin/internal/sizeclass"
)

// Policies are those to compare.
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

// alwaysFits is a capacity that any smaller request may get, as it is so little.
const alwaysFits = 1024

// slots is how many items a magazine has at most, and earns the size of them for each item that the depot
// hands out between two collections.
const (
	slots = 27
	earns = 4 << 10
)

// classes recycles slices class by class, and what a class has not from larger ones up to a factor.
type classes struct {
	Settings
	sizes  []int64
	factor int64
	depots []int
	ps     [][]magazine // by P and class
	kept   int64
	lent   []int64 // of each class, how often another served it
	slots  int64   // bytes that the magazines have room for
	hits   []int64 // of each class, what its depot has handed out: earns slots

	// Of each class, the fewest idle items since the window began, and how many are to go.
	low, due []int
	window   int64 // its begin
}

type magazine struct{ items, limit int }

func newClasses(s Settings, sizes []int64, factor int64) *classes {
	n := len(sizes)
	return &classes{Settings: s, sizes: sizes, factor: factor, depots: make([]int, n), lent: make([]int64, n), hits: make([]int64, n), low: make([]int, n), due: make([]int, n)}
}

// local returns how many items of a size a magazine may have.
func local(size int64) int {
	return int(min(max(256<<10/size, 1), slots))
}

func (c *classes) magazine(p int32, class int) *magazine {
	for int(p) >= len(c.ps) {
		c.ps = append(c.ps, make([]magazine, len(c.sizes)))
	}
	return &c.ps[p][class]
}

func (c *classes) get(n int64, p int32) (capacity int64, fresh bool) {
	own, _ := slices.BinarySearch(c.sizes, n)
	if own == len(c.sizes) {
		return n, true
	}
	last := own
	for c.factor > 1 && last+1 < len(c.sizes) && c.sizes[last+1] <= max(c.factor*c.sizes[own], alwaysFits) {
		last++
	}
	if c.take(own, p) {
		return c.sizes[own], false
	}
	if own < last { // what is asked for often gets a slice of its own
		if c.lent[own]++; c.lent[own] > max(c.sizes[own]/64, 16) {
			c.lent[own] = 0
			return c.sizes[own], true
		}
	}
	for class := own + 1; class <= last; class++ {
		if m := c.magazine(p, class); m.items > 0 {
			m.items--
			return c.taken(class), false
		}
	}
	for class := own + 1; class <= last; class++ {
		if c.depots[class] > 0 {
			c.depots[class]--
			c.hits[class]++
			return c.taken(class), false
		}
	}
	return c.sizes[own], true
}

// take takes an item of the class from the magazine, or from the depot with a batch
// for those after it.
func (c *classes) take(class int, p int32) bool {
	m := c.magazine(p, class)
	if m.items > 0 {
		m.items--
	} else if c.depots[class] > 0 {
		c.depots[class]--
		c.hits[class]++
		if c.depots[class] > m.limit {
			c.widen(m, class)
		}
		batch := min((m.limit+1)/2, c.depots[class])
		m.items += batch
		c.depots[class] -= batch
	} else {
		return false
	}
	c.taken(class)
	return true
}

func (c *classes) taken(class int) int64 {
	c.kept -= c.sizes[class]
	c.low[class] = min(c.low[class], c.items(class))
	return c.sizes[class]
}

// items returns how many of a class are idle.
func (c *classes) items(class int) int {
	n := c.depots[class]
	for _, p := range c.ps {
		n += p[class].items
	}
	return n
}

func (c *classes) widen(m *magazine, class int) {
	if c.hits[class] < c.sizes[class]/earns {
		return
	}
	by := min(max(m.limit, 1), local(c.sizes[class])-m.limit)
	room := c.MaxIdle / 2
	if c.sizes[class] > 1<<20 { // or a few slots would take all of it
		room = room / 4 * 3
	}
	if cost := int64(by) * c.sizes[class]; c.slots+cost <= room {
		c.slots += cost
		m.limit += by
	}
}

func (c *classes) put(capacity int64, p int32) {
	class, ok := slices.BinarySearch(c.sizes, capacity)
	if !ok || c.kept+capacity > c.MaxIdle {
		return
	}
	c.kept += capacity
	m := c.magazine(p, class)
	if m.items == m.limit {
		c.widen(m, class)
	}
	if m.items == m.limit { // the older half makes room for the newer
		half := (m.items + 1) / 2
		c.depots[class] += half
		m.items -= half
	}
	if m.limit == 0 {
		c.depots[class]++
	} else {
		m.items++
	}
}

func (c *classes) idle() int64 { return c.kept }

// collected lets go of what was not needed in one window of half an IdleTime, in the
// course of the next.
func (c *classes) collected(now int64) {
	clear(c.hits)
	window := max(1, int64(c.IdleTime)/2)
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
		c.drop(class, drop)
		c.due[class] = low - drop
		c.low[class] = c.items(class)
	}
	c.window = now
}

// drop lets go of n items.
func (c *classes) drop(class, n int) {
	c.kept -= int64(n) * c.sizes[class]
	k := min(n, c.depots[class])
	c.depots[class] -= k
	n -= k
	for _, p := range c.ps {
		k := min(n, p[class].items)
		p[class].items -= k
		n -= k
	}
}

// emptied is a sync.Pool for each power of two. What one P has others may take, and what was
// not used since the collection before goes with a collection.
type emptied struct {
	primary, victim [64]int
	kept            int64
}

func (e *emptied) get(n int64, _ int32) (capacity int64, fresh bool) {
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
	e.kept -= capacity
	return capacity, false
}

func (e *emptied) put(capacity int64, _ int32) {
	if class, ok := slices.BinarySearch(powersOfTwo, capacity); ok {
		e.primary[class]++
		e.kept += capacity
	}
}

func (e *emptied) collected(int64) {
	for class, n := range e.victim {
		if n > 0 {
			e.kept -= int64(n) * powersOfTwo[class]
		}
	}
	e.victim, e.primary = e.primary, [64]int{}
}

func (e *emptied) idle() int64 { return e.kept }

// grown is one sync.Pool of buffers that keep the size they have grown to. If the
// one from the pool is too small, a larger one is allocated, and put back.
type grown struct {
	primary, victim []int64 // capacities
	kept            int64
}

func (g *grown) get(n int64, _ int32) (capacity int64, fresh bool) {
	from := &g.primary
	if len(*from) == 0 {
		from = &g.victim
	}
	if k := len(*from); k > 0 {
		capacity = (*from)[k-1]
		*from = (*from)[:k-1]
		g.kept -= capacity
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

func (g *grown) put(capacity int64, _ int32) {
	g.primary = append(g.primary, capacity)
	g.kept += capacity
}

func (g *grown) collected(int64) {
	for _, capacity := range g.victim {
		g.kept -= capacity
	}
	g.victim, g.primary = g.primary, nil
}

func (g *grown) idle() int64 { return g.kept }

// unpooled allocates for every request and keeps nothing.
type unpooled struct{}

func (unpooled) get(n int64, _ int32) (capacity int64, fresh bool) { return n, true }
func (unpooled) put(int64, int32)                                  {}
func (unpooled) collected(int64)                                   {}
func (unpooled) idle() int64                                       { return 0 }
