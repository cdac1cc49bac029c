package engine

// Slots is how many items a magazine holds at most. Together with the counters
// it makes a magazine of pointers 256 bytes: whole cache lines that no other
// P writes to.
const Slots = 27

// A Magazine is a stack of idle items that belongs to one P, with the P's
// counters. Its exported methods are for a goroutine that is pinned to that P.
type Magazine[T any] struct {
	// state is the number of items in its low byte and the number of items
	// ever popped above that. One word, so that anybody who reads it sees
	// both as of one moment.
	state counter
	asked counter // bytes asked for by those who popped

	limit uint   // slots that are paid for from the budgets; changes under the depot's lock
	seen  uint64 // state as reclaim saw it last; under the depot's lock

	slots [1 + Slots]T // the first is always zero, as are those above the items
}

const (
	lenBits = 8
	push    = 1
	pop     = 1<<lenBits - 1 // one item fewer, one pop more
)

func lenOf(state uint64) uint    { return uint(uint8(state)) }
func popsOf(state uint64) uint64 { return state >> lenBits }

// Len returns the number of items.
func (m *Magazine[T]) Len() uint { return uint(uint8(m.state.get())) }

// Room reports whether there is room for another item on top of n.
func (m *Magazine[T]) Room(n uint) bool { return n < m.limit && n < Slots }

// SampleEach is how many items are popped from one time that Due is true to the next.
const SampleEach = 64

// Due reports whether it is time for a sample of what is put.
func (m *Magazine[T]) Due() bool { return m.state.get()&((SampleEach-1)<<lenBits) == 0 }

// Top returns the item that was pushed last of n, or the zero T if there is none.
func (m *Magazine[T]) Top(n uint) T { return m.slots[n] }

// Pop takes the item that was pushed last of i+1, for a request of asked bytes.
func (m *Magazine[T]) Pop(i uint, asked int) T {
	var zero T
	slot := &(*[Slots]T)(m.slots[1:])[i]
	x := *slot
	*slot = zero // or the magazine would keep alive what the user drops
	m.state.add(pop)
	m.asked.add(uint64(asked))
	return x
}

// Slot, Popped and Pushed are Pop and Push in two steps, for items of unknown
// size: they are copied once this way, where an argument or a result of Push or
// Pop costs a copy more.

// Slot returns the place of the i-th item. Who takes the item from it must leave
// the zero T behind.
func (m *Magazine[T]) Slot(i uint) *T { return &(*[Slots]T)(m.slots[1:])[i] }

// Popped says that the last item has been taken from its slot.
func (m *Magazine[T]) Popped() { m.state.add(pop) }

// Pushed says that an item has been put into the slot after the last.
func (m *Magazine[T]) Pushed() { m.state.add(push) }

// Push puts x on top of n items. There must be room.
func (m *Magazine[T]) Push(n uint, x T) {
	(*[Slots]T)(m.slots[1:])[n] = x
	m.state.add(push)
}

// items returns the items.
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
