//go:build go1.25

package basin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/lockfree"
	"github.com/basin-go/basin/internal/mem"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/sizeclass"
)

// This file knows the line that holds each outstanding slice of a pool with MaxInUse, while checks
// are off, too. The ledger has a set of the addresses of all arrays. Beside each address is a word:
// whether the array is outstanding, and the [caller.Site] of its Get. Get stores it, and Put clears it
// beside the address that it looks up anyway. Slices larger than MaxSize have their Site in outsideSet.
//
// getHeld and putHeld are the usual Get and Put under a ceiling. As the fast paths of BytePool.Get and
// Put, they are written with few calls.

// The word of an array.
const (
	unheld   = 0
	held     = 1 // outstanding
	siteBits = 1 // bits below the Site
)

// placeOf returns the Site in a word.
func placeOf(word uint32) caller.Site { return caller.Site(word >> siteBits) }

// hold notes that the array at x, of class c, is handed out at a place.
func (l *ledger) hold(x *byte, c uint, at caller.Site) {
	a := uintptr(unsafe.Pointer(x))
	n := l.arrays.Find(a, c)
	if n == nil {
		n = l.arrays.Find(a, guardedTag)
	}
	if n == nil {
		l.mend(x, c)
		n = l.arrays.Find(a, c)
	}
	if n != nil {
		n.Word.Set(uint32(at)<<siteBits | held)
	}
}

// deadAt notes that the array of the given Note has died. If it was outstanding, its place has lost it.
func (l *ledger) deadAt(n *lockfree.Note) {
	if n != nil {
		if word := n.Word.Get(); word&held != 0 {
			l.outside.loseAt(placeOf(word))
		}
	}
}

// release notes that the array at x, of class c, is idle. l may be nil.
func (l *ledger) release(x *byte, c uint) {
	if l == nil {
		return
	}
	if n := l.arrays.Find(uintptr(unsafe.Pointer(x)), c); n != nil {
		n.Word.Set(unheld)
	}
}

// getHeld is GetContext for the usual case: nothing is checked or recorded, and there is room for n
// bytes, which have a class. Otherwise it returns nil, and has done nothing.
func (p *BytePool) getHeld(n int) []byte {
	c := p.sizes.Class(n)
	if c.None() || check.Current.Load() != nil || recorder.Current.Load() != nil || !p.quota.TryTake(int64(c.Size())) {
		return nil
	}
	var x *byte
	i := uint(pin.Pin())<<sizeclass.Bits + c.Index()
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			x = m.Pop(top, n)
		}
	}
	pin.Unpin()
	if x == nil {
		x = unsafe.SliceData(p.pooled(n, c, engine.BestFit)) // own class only, because MaxFit is 1
	}
	at := caller.Here()
	if note := p.ledger.arrays.Find(uintptr(unsafe.Pointer(x)), c.Index()); note != nil {
		note.Word.Set(uint32(at)<<siteBits | held)
	} else {
		p.ledger.hold(x, c.Index(), at)
	}
	return buffer(x, n, c)
}

// putHeld is put for the usual case under a ceiling: nothing is cleared, checked or recorded, and
// the array is one of the pool's. If done is false, putHeld has done nothing.
func (s *stock) putHeld(x *byte, capacity int) (kept, done bool) {
	if s.zero || check.Current.Load() != nil || recorder.Current.Load() != nil {
		return false, false
	}
	c := s.sizes.Class(capacity)
	if c.None() || capacity != c.Size() {
		return false, false
	}
	note := s.ledger.arrays.Find(uintptr(unsafe.Pointer(x)), c.Index())
	if note == nil {
		return false, false
	}
	mem.RaceWrite(x, capacity)
	note.Word.Set(unheld)
	verdict := engine.Kept
	if !s.push(x, c.Index()) {
		verdict = s.engine.Put(c.Index(), x)
	}
	if verdict != engine.Double {
		s.quota.Give(int64(capacity))
	}
	return verdict == engine.Kept, true
}

// push puts the array at x into the magazine of class c, if there is room and it is not on top there.
func (s *stock) push(x *byte, class uint) (ok bool) {
	i := uint(pin.Pin())<<sizeclass.Bits + class
	if s.table.Has(i) {
		m := s.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) && m.Top(n) != x {
			m.Push(n, x)
			ok = true
		}
	}
	pin.Unpin()
	return ok
}

// siteOf returns the place of the Get of the slice at x.
func (s *outsideSet) siteOf(x *byte) caller.Site {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slices[uintptr(unsafe.Pointer(x))].site
}

// A place is a Site that acquires from pools of one name.
type place struct {
	pool string
	at   caller.Site
}

// A holding is the balance of a place.
type holding struct {
	now  Amount
	lost uint64

	gets, puts, leaks uint64 // gets - puts - leaks is now.Items
}

// holdings are the balances of all places so far.
var holdings struct {
	sync.Mutex
	of map[place]*holding
}

// maxHoldings is the most places without outstanding slices and lost ones that are remembered.
const maxHoldings = 4096

func init() { check.Holders = holders }

// holders returns the places that hold memory of pools with a MaxInUse, and those that did.
func holders() (list []check.Site) {
	h := &holdings
	h.Lock()
	defer h.Unlock()
	before := make(map[place]Amount)
	for k, x := range h.of {
		before[k] = x.now
		x.now, x.lost = Amount{}, 0
	}
	pools.Each(func(p any) {
		if p, ok := p.(*BytePool); ok && p.done.Load() != nil && p.ledger != nil {
			p.ledger.addTo(p.owner(p.Name).Name)
		}
	})
	for k, x := range h.of {
		// Lost slices of a pool that is garbage itself are not in lost any more.
		lost := max(x.lost, x.leaks) - x.leaks
		x.leaks += lost
		if change := x.now.Items + int64(lost) - before[k].Items; change > 0 {
			x.gets += uint64(change)
		} else {
			x.puts += uint64(-change)
		}
		if x.now.Items == 0 && x.leaks == 0 && len(h.of) > maxHoldings {
			delete(h.of, k)
			continue
		}
		list = append(list, check.Site{
			Pool: k.pool, Acquired: k.at.Stack(), Objects: x.now.Items, Bytes: x.now.Bytes,
			Gets: x.gets, Puts: x.puts, Leaks: x.leaks,
		})
	}
	check.Sort(list)
	return list
}

// addTo adds the outstanding and the lost slices of l to holdings, as those of a pool of the given name.
// The caller must hold the lock of holdings.
func (l *ledger) addTo(pool string) {
	of := func(at caller.Site) *holding {
		h := &holdings
		k := place{pool, at}
		x := h.of[k]
		if x == nil {
			if h.of == nil {
				h.of = make(map[place]*holding)
			}
			x = new(holding)
			h.of[k] = x
		}
		return x
	}
	l.arrays.All(func(_ uintptr, tag uint, word uint32) {
		if word&held != 0 && tag != guardedTag { // full checks know those
			of(placeOf(word)).now.add(l.sizes.Size(int(tag)), 1)
		}
	})
	o := &l.outside
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.slices {
		if s.counted {
			of(s.site).now.add(s.size, 1)
		}
	}
	for at, n := range o.lostAt {
		of(at).lost += n
	}
}

// maxLines is the most lines of the program in a message of the log.
const maxLines = 5

// sitesOf returns the source lines that hold the most memory of pools with the given name.
func sitesOf(name string) string {
	var lines []string
	of := make(map[string]Amount)
	for _, s := range basincheck.Outstanding() {
		if line := lineOf(s.Stack); s.Pool == name && line != "" {
			a := of[line]
			if a == (Amount{}) {
				lines = append(lines, line)
			}
			of[line] = Amount{a.Items + s.Objects, a.Bytes + s.Bytes}
		}
	}
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(of[b].Bytes, of[a].Bytes) })
	lines = lines[:min(len(lines), maxLines)]
	for i, line := range lines {
		lines[i] = fmt.Sprintf("%d of %d bytes: %s", of[line].Items, of[line].Bytes, line)
	}
	return strings.Join(lines, "; ")
}

// lostLines returns the source lines that took lost memory, those that lost the most slices first.
func (l *ledger) lostLines() string {
	of := make(map[string]uint64)
	o := &l.outside
	o.mu.Lock()
	for at, n := range o.lostAt {
		if line := lineOf(at.Stack()); line != "" {
			of[line] += n
		}
	}
	o.mu.Unlock()
	lines := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	return strings.Join(lines[:min(len(lines), maxLines)], "; ")
}

// lineOf returns the line of a stack that is shown for it: the first outside basin. It is "" for an
// unknown stack.
func lineOf(s basincheck.Stack) string {
	frames := s.Frames()
	if len(frames) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s:%d", frames[0].Function, frames[0].File, frames[0].Line)
}
