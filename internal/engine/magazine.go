//go:build go1.25

package engine

// Slots is the most items that a magazine can hold. A magazine of pointers, with its counters,
// takes 256 bytes: whole cache lines that no other P writes to.
const Slots = 27

// A Magazine is a stack of idle items that belongs to one P, with the P's counters. Callers of its
// exported methods must be pinned to that P.
type Magazine[T any] struct {
	// state holds the number of items in its low byte and the number of pops so far above that.
	// They share a word so that a reader sees both at one moment.
	state counter
	asked counter // bytes asked for by the pops

	limit uint   // slots paid for from the budgets; changes under the depot's lock
	seen  uint64 // state at the latest round of reclaim; guarded by the depot's lock

	slots [1 + Slots]T // the first, and those above the items, are always zero
}

const (
	lenBits = 8
	push    = 1
	pop     = 1<<lenBits - 1 // one item less, one pop more
)

func lenOf(state uint64) uint    { return uint(uint8(state)) }
func popsOf(state uint64) uint64 { return state >> lenBits }

// Len returns the number of items.
func (m *Magazine[T]) Len() uint { return uint(uint8(m.state.get())) }

// Room reports whether a magazine of n items has room for another one.
func (m *Magazine[T]) Room(n uint) bool { return n < m.limit && n < Slots }

// SampleEach is the number of pops from one sample to the next.
const SampleEach = 64

// Due reports whether the next item put should be sampled.
func (m *Magazine[T]) Due() bool { return m.state.get()&((SampleEach-1)<<lenBits) == 0 }

// Top returns the newest of n items, or the zero T if n is zero.
func (m *Magazine[T]) Top(n uint) T { return m.slots[n] }

// Pop takes the newest of i+1 items, for a request of asked bytes.
func (m *Magazine[T]) Pop(i uint, asked int) T {
	var zero T
	slot := &(*[Slots]T)(m.slots[1:])[i]
	x := *slot
	*slot = zero // or the magazine would keep the item alive
	m.state.add(pop)
	m.asked.add(uint64(asked))
	return x
}

// Slot, Popped and Pushed split Pop and Push in two steps, for items of unknown size. They copy an
// item once; arguments and results of Push and Pop would cost one more copy.

// Slot returns the slot of the i-th item. A caller that takes the item must leave the zero T there.
func (m *Magazine[T]) Slot(i uint) *T { return &(*[Slots]T)(m.slots[1:])[i] }

// Popped counts an item that the caller took from the last slot.
func (m *Magazine[T]) Popped() { m.state.add(pop) }

// Pushed counts an item that the caller stored after the last one.
func (m *Magazine[T]) Pushed() { m.state.add(push) }

// Push puts x on top of n items. The magazine must have room.
func (m *Magazine[T]) Push(n uint, x T) {
	(*[Slots]T)(m.slots[1:])[n] = x
	m.state.add(push)
}

// items returns the items, oldest first.
func (m *Magazine[T]) items() []T { return m.slots[1:][:m.Len()] }

// fill puts items into an empty magazine.
func (m *Magazine[T]) fill(items []T) {
	copy(m.slots[1:], items)
	m.state.add(uint64(len(items)) * push)
}

// shift removes the k oldest items.
func (m *Magazine[T]) shift(k uint) {
	items := m.items()
	clear(items[copy(items, items[k:]):])
	m.state.add(-uint64(k) * push)
}
