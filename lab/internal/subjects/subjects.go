// Package subjects has what is measured: each [Subject] is one way of getting memory: basin,
// the allocator, somebody's module, or a technique that is written fresh here. All
// are called through the same interfaces, so that the cost around them is equal.
package subjects

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Kind says where a subject comes from.
type Kind string

const (
	Basin     Kind = "basin"
	Standard  Kind = "standard library"
	Module    Kind = "module"
	Technique Kind = "technique" // written here, because it cannot be had as a module
)

// A Subject is a way of getting memory. Each function makes a new pool of one
// shape, or hands out the one pool of the process that a module has; those that
// are nil are shapes that the subject does not have.
type Subject struct {
	Name   string
	Kind   Kind
	Source string // package, or where the technique is found
	About  string // what is special about it

	Slices  func() Slices                // of any length
	OneSize func(size int) Slices        // of one length; if nil, those of any length serve
	Fixed   func(count, size int) Slices // of one length, at most so many kept
	Buffers func() Buffers
	Lists   func() Lists
	Records func() Records
}

// Slices is a pool of byte slices.
type Slices interface {
	// Get returns a slice of length n, of arbitrary content.
	Get(n int) Slice
	// Put takes what Get returned, and nothing else.
	Put(Slice)
}

// A Slice is a byte slice from a pool. Some pools hand out pointers to slices
// and need them back; for those, by is it.
type Slice struct {
	B  []byte
	by *[]byte
}

// Buffers is a pool of buffers.
type Buffers interface {
	Get() Buffer // empty
	Put(Buffer)
}

// A Buffer is what all buffers can do.
type Buffer interface {
	io.Writer
	io.ByteWriter
	io.StringWriter
	Bytes() []byte
}

// Lists is a pool of slices of items, as an example of typed values.
type Lists interface {
	Get() List // of length 0 and, unless the subject fails, capacity ListCap
	Put(List)
}

// A List is a slice from a pool; by is as in [Slice].
type List struct {
	Items []Item
	by    *[]Item
}

// An Item is 32 bytes with a pointer.
type Item struct {
	Key   string
	Value int64
	Count int64
}

const ListCap = 128

func newList() []Item { return make([]Item, 0, ListCap) }

// Records is a pool of pointers to structs.
type Records interface {
	Get() *Record
	Put(*Record)
}

// A Record is 256 bytes.
type Record struct {
	Name string
	Body [30]int64
}

func newRecord() *Record { return new(Record) }

var all []*Subject

// Register adds subjects. Each is registered in the file that has it.
func Register(s ...*Subject) { all = append(all, s...) }

// order is that of the reports: basin first, then by how close to the language.
var order = []Kind{Basin, Standard, Module, Technique}

// All returns all subjects, basin first.
func All() []*Subject {
	return slices.SortedStableFunc(slices.Values(all), func(a, b *Subject) int {
		if c := slices.Index(order, a.Kind) - slices.Index(order, b.Kind); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// Named returns the subject of that name.
func Named(name string) (*Subject, error) {
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no subject %q", name)
}
