//go:build go1.25

package basincheck

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/basin-go/basin/internal/misuse"
)

// A Kind is a kind of misuse. The zero Kind is none.
type Kind uint8

const (
	// DoublePut: the memory had been put back, or forgotten, before.
	DoublePut Kind = 1 + iota

	// WriteAfterPut: memory was written to after its Put. The Report has the Put and the offset
	// of the first changed byte, but not the writer.
	WriteAfterPut

	// ForeignPut: no pool has handed out the slice.
	ForeignPut

	// InteriorPut: the slice begins inside memory that a pool has handed out, such as b[4:]. It
	// cannot be reused.
	InteriorPut

	// ReslicedPut: the slice has another capacity than at Get, such as b[:n:n]. It cannot be
	// reused.
	ReslicedPut

	// WrongPool: the slice is from another pool than the one it is put into. A BytePool with a MaxInUse
	// finds that at each level, when it has no room or the other pool drops the slice. At Off, a
	// Handler is then called on another goroutine, and Here is nil if the Put is over.
	WrongPool

	// UseAfterRelease: a Buffer, a Shared or the like was used after its Put or Release.
	UseAfterRelease

	// UseAfterPut: guarded memory was read or written after its Put. The Report has the access,
	// and the offset of its first byte. Only a function under [Catch] is reported; otherwise the
	// process ends.
	UseAfterPut

	// OutOfBounds: guarded memory was read or written beyond its capacity, by unsafe code or by
	// assembly. It is found and reported as UseAfterPut is.
	OutOfBounds

	// Leak: the collector found an object that was never put back. That is allowed and costs
	// only its reuse, so it is no misuse. At [Sampled], each leak that is found counts as N, so
	// counts of leaks are estimates.
	Leak
)

// Kinds returns all kinds, in the order of their values.
func Kinds() []Kind {
	all := make([]Kind, 0, misuse.Kinds-1)
	for k := Kind(1); int(k) < misuse.Kinds; k++ {
		all = append(all, k)
	}
	return all
}

// String returns the kind in words, such as "double Put".
func (k Kind) String() string {
	return cmp.Or(misuse.Kind(k).Words(), fmt.Sprintf("Kind(%d)", uint8(k)))
}

// Name returns the kind as one word in snake case, such as "double_put". Names do not change,
// because metrics, JSON and logs use them.
func (k Kind) Name() string {
	return cmp.Or(misuse.Kind(k).Name(), fmt.Sprintf("kind_%d", uint8(k)))
}

// Counts is the number of findings of each kind, indexed by [Kind]. Each level of checks counts
// only the kinds that it finds; Off counts [WrongPool] alone. Leaks found at [Sampled] are estimates: see [Leak].
// Elements that no kind has are zero, and may get one.
type Counts [misuse.MaxKinds]uint64

// Of returns the number of findings of kind k, or zero if there is no such kind.
func (c Counts) Of(k Kind) uint64 {
	if int(k) >= len(c) {
		return 0
	}
	return c[k]
}

// Add adds the counts of d to c.
func (c *Counts) Add(d Counts) {
	for k, n := range d {
		c[k] += n
	}
}

// Total returns the number of misuses: the sum over all kinds but Leak.
func (c Counts) Total() (n uint64) {
	for _, k := range Kinds() {
		if k != Leak {
			n += c[k]
		}
	}
	return n
}

// LogValue returns a group with an attribute for each kind that is not zero, by its name. Log
// handlers omit an empty group.
func (c Counts) LogValue() slog.Value {
	var attrs []slog.Attr
	for _, k := range Kinds() {
		if c[k] > 0 {
			attrs = append(attrs, slog.Uint64(k.Name(), c[k]))
		}
	}
	return slog.GroupValue(attrs...)
}

// MarshalJSON writes an object with a number for each kind that is not zero, by its name.
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

// UnmarshalJSON reads the form that MarshalJSON writes. A missing kind becomes zero. Names of
// unknown kinds are ignored, because another version of basin may have more.
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
