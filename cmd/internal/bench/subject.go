package bench

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

	// Loops are workloads that the subject writes out itself, without an
	// interface in between: see [loops].
	Loops map[string]func() Loop
}

// A Loop runs n operations on the given worker. Workers run at the same time.
type Loop func(worker, n int)

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
	Get() List // of length 0 and, unless the subject fails, capacity listCap
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

const listCap = 128

func newList() []Item { return make([]Item, 0, listCap) }

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

// A misser knows how many Gets found nothing to reuse.
type misser interface{ Misses() uint64 }

var subjects []*Subject

// register adds subjects. Each is registered in the file that has it.
func register(s ...*Subject) { subjects = append(subjects, s...) }

// order is that of the reports: basin first, then by how close to the language.
var order = []Kind{Basin, Standard, Module, Technique}

// Subjects returns all subjects, basin first.
func Subjects() []*Subject {
	return slices.SortedStableFunc(slices.Values(subjects), func(a, b *Subject) int {
		if c := slices.Index(order, a.Kind) - slices.Index(order, b.Kind); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
}

func subjectNamed(name string) (*Subject, error) {
	for _, s := range subjects {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no subject %q", name)
}

// What workloads ask of subjects.

func canSlices(s *Subject) bool  { return s.Slices != nil }
func canOneSize(s *Subject) bool { return s.OneSize != nil || s.Slices != nil }
func canFixed(s *Subject) bool   { return s.Fixed != nil }
func canBuffers(s *Subject) bool { return s.Buffers != nil }
func canLists(s *Subject) bool   { return s.Lists != nil }
func canRecords(s *Subject) bool { return s.Records != nil }

func (s *Subject) oneSize(size int) Slices {
	if s.OneSize != nil {
		return s.OneSize(size)
	}
	return s.Slices()
}
