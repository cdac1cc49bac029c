//go:build go1.25

package basin

import (
	"runtime"
	"unsafe"
)

// Forget tells the pool that b is not coming back. The whole array stays with those who refer to it,
// unchanged, and goes to the garbage collector once nobody does. Use it for slices whose users the
// program cannot count, such as strings that point into a page. The pool must have handed out b. As
// for Put, the length of b does not matter, but b must begin at its array and have its capacity. For
// a slice of capacity zero, Forget does nothing.
//
// Forget counts as a Put of a slice that the pool releases at once. So b is not in use any more: it
// leaves room under [BytePool.MaxInUse], is never [Stats].Lost, and is no leak for checks. Drops has
// the slices that the pool would not take back: those larger than MaxSize, those that MaxInUse did
// not count, and foreign ones. A pool with [BytePool.Zero] does not clear b.
//
// After Forget, nobody may put b: its other users would share it with the next user of the pool. Checks
// report that, and a second Forget, as a double Put. They report a slice that no pool has handed out,
// or a part of one, as they do for Put. While checks are off, no argument makes Forget panic.
func (p *BytePool) Forget(b []byte) {
	p, _ = p.lender()
	if o := p.owner(p.Name); !o.Forgets.Load() {
		o.Forgets.Store(true)
	}
	p.put(unsafe.SliceData(b), cap(b), forgetting)
	runtime.KeepAlive(b) // its death must not be counted before the call is
}
