// Package subjects has the measured ways of getting memory. A [Subject] is basin, the
// allocator, a third-party module, or a technique implemented here. All are called through the
// same interfaces, so that the cost of the calls is equal.
package subjects

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// A Kind is the origin of a subject.
type Kind string

const (
	Basin     Kind = "basin"
	Standard  Kind = "standard library"
	Module    Kind = "module"
	Technique Kind = "technique" // written here, because no module has it
)

// A Subject is a way of getting memory. Each function makes a new pool of one shape, or returns
// a module's only pool of the process. A nil function means that the subject lacks the shape.
type Subject struct {
	Name   string
	Kind   Kind
	Source string // package, or a place where the technique is used
	About  string // its special property

	Slices  func() Slices                // of any length
	OneSize func(size int) Slices        // of one length; if nil, Slices is used
	Fixed   func(count, size int) Slices // of one length, with at most count of them kept
	Buffers func() Buffers
	Lists   func() Lists
	Records func() Records
}

// Slices is a pool of byte slices.
type Slices interface {
	// Get returns a slice of length n with arbitrary content.
	Get(n int) Slice
	// Put accepts only slices that Get has returned.
	Put(Slice)
}

// A Slice is a byte slice from a pool. Some pools hand out pointers to slices, and Put needs
// the pointer again; by is that pointer.
type Slice struct {
	B  []byte
	by *[]byte
}

// Buffers is a pool of buffers.
type Buffers interface {
	Get() Buffer // empty
	Put(Buffer)
}

// A Buffer has the methods that all buffers have.
type Buffer interface {
	io.Writer
	io.ByteWriter
	io.StringWriter
	Bytes() []byte
}

// Lists is a pool of slices of items, which stand for typed values.
type Lists interface {
	Get() List // of length 0 and capacity ListCap
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

// Register adds subjects. Each file registers its own.
func Register(s ...*Subject) { all = append(all, s...) }

// order is the order in reports: basin first, then by distance from the language.
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

// Match is [path.Match], but * also matches a slash.
func Match(pattern, name string) (bool, error) {
	return path.Match(strings.ReplaceAll(pattern, "/", "|"), strings.ReplaceAll(name, "/", "|"))
}
