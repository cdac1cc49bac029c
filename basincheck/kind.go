package basincheck

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/basin-go/basin/internal/check"
)

// A Kind is a kind of misuse. The zero Kind is none.
type Kind uint8

const (
	// DoublePut: memory was put back that had been put back already.
	DoublePut Kind = 1 + iota

	// WriteAfterPut: memory was written to after it had been put back. It is known
	// who put it and which byte changed first, but not who wrote.
	WriteAfterPut

	// ForeignPut: a slice was put back that no pool has handed out.
	ForeignPut

	// InteriorPut: a slice was put back that begins inside of what a pool has handed
	// out, such as b[4:]. It cannot be recycled.
	InteriorPut

	// ReslicedPut: a slice was put back with another capacity than it was handed out
	// with, such as b[:n:n]. It cannot be recycled.
	ReslicedPut

	// WrongPool: a slice was put into another pool than it is from.
	WrongPool

	// UseAfterRelease: a Buffer, a Shared or the like was used after it had been put
	// or released.
	UseAfterRelease

	// Leak: the collector found something that was never put back. That is allowed,
	// and costs only its reuse.
	Leak
)

// Kinds returns all kinds, in the order of their values.
func Kinds() []Kind {
	all := make([]Kind, 0, check.Kinds-1)
	for k := Kind(1); int(k) < check.Kinds; k++ {
		all = append(all, k)
	}
	return all
}

// String returns the kind in words, such as "double Put".
func (k Kind) String() string {
	return cmp.Or(check.Kind(k).Words(), fmt.Sprintf("Kind(%d)", uint8(k)))
}

// Name returns the kind as one word in snake case, such as "double_put". Names do not
// change, because metrics, JSON and logs have them.
func (k Kind) Name() string {
	return cmp.Or(check.Kind(k).Name(), fmt.Sprintf("kind_%d", uint8(k)))
}

// Counts is how much misuse of each kind was found, with the [Kind] as its index.
// Each level of checks counts only what it finds.
type Counts [Leak + 1]uint64

// Of returns how much of the given kind was found: zero if there is no such kind.
func (c Counts) Of(k Kind) uint64 {
	if int(k) >= len(c) {
		return 0
	}
	return c[k]
}

// Add adds the figures of d to c.
func (c *Counts) Add(d Counts) {
	for k, n := range d {
		c[k] += n
	}
}

// Total returns the sum over all kinds but Leak.
func (c Counts) Total() (n uint64) {
	for _, k := range Kinds() {
		if k != Leak {
			n += c[k]
		}
	}
	return n
}

// LogValue returns a group with an attribute for each kind that was found, by its name.
// Handlers leave out a group that is empty.
func (c Counts) LogValue() slog.Value {
	var attrs []slog.Attr
	for _, k := range Kinds() {
		if c[k] > 0 {
			attrs = append(attrs, slog.Uint64(k.Name(), c[k]))
		}
	}
	return slog.GroupValue(attrs...)
}

// MarshalJSON writes an object with a number for each kind that was found, by its name.
func (c Counts) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for _, k := range Kinds() {
		if c[k] == 0 {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, k.Name())
		b = append(b, ':')
		b = strconv.AppendUint(b, c[k], 10)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes. A kind that is not there is zero. It
// ignores names that are no kind's, because another version of basin may have more.
func (c *Counts) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	var named map[string]uint64
	if err := json.Unmarshal(b, &named); err != nil {
		return err
	}
	for _, k := range Kinds() {
		c[k] = named[k.Name()]
	}
	return nil
}
