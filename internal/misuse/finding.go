//go:build go1.25

// Package misuse counts findings of misuse, groups them by acquisition site, and tells the program's
// handler. It knows neither pools nor how internal/check finds misuse.
//
// Touch it for a new kind of misuse, or to change when handlers are called. The handler that logs is
// in basincheck.
package misuse

import "sync/atomic"

// A Kind is a kind of misuse. Zero is none.
type Kind uint8

const (
	DoublePut Kind = 1 + iota
	WriteAfterPut
	ForeignPut
	InteriorPut
	ReslicedPut
	WrongPool
	UseAfterRelease
	UseAfterPut
	OutOfBounds
	Leak

	afterKinds
)

// kinds has two names of each Kind: words for sentences, and one word in snake case for labels
// of metrics, keys of JSON and attributes of logs. Every list of kinds derives from it.
var kinds = [afterKinds]struct{ words, name string }{
	DoublePut:       {"double Put", "double_put"},
	WriteAfterPut:   {"write after Put", "write_after_put"},
	ForeignPut:      {"foreign Put", "foreign_put"},
	InteriorPut:     {"interior Put", "interior_put"},
	ReslicedPut:     {"re-sliced Put", "resliced_put"},
	WrongPool:       {"Put into another pool", "wrong_pool"},
	UseAfterRelease: {"use after release", "use_after_release"},
	UseAfterPut:     {"use after Put", "use_after_put"},
	OutOfBounds:     {"use beyond the capacity", "out_of_bounds"},
	Leak:            {"leak", "leak"},
}

// Kinds is the number of kinds, including zero.
const Kinds = len(kinds)

// MaxKinds is the length of an array that a Kind indexes. It is more than Kinds, so that a new kind does not change the
// type of the arrays that programs have.
const MaxKinds = 16

// Words returns the name of k for a sentence, or "" if there is no such kind.
func (k Kind) Words() string {
	if int(k) >= Kinds {
		return ""
	}
	return kinds[k].words
}

// Name returns the name of k in snake case, or "" if there is no such kind.
func (k Kind) Name() string {
	if int(k) >= Kinds {
		return ""
	}
	return kinds[k].name
}

// A Pool is the name of a pool and the counts of its findings. Findings refer to it, so they do not
// keep the pool itself alive.
type Pool struct {
	Name   string
	counts [Kinds]atomic.Uint64
}

// Counts returns the number of findings of each kind.
func (p *Pool) Counts() (n [MaxKinds]uint64) {
	for k := range p.counts {
		n[k] = p.counts[k].Load()
	}
	return n
}

// FindingOf returns the Finding behind a *basincheck.Report. Package basintest uses it for
// fields that a Report does not show.
var FindingOf func(report any) *Finding

// A Finding is one misuse.
type Finding struct {
	Kind                     Kind
	Pool                     *Pool
	Into                     string // for WrongPool: the name of the pool that the item was put into
	Size, Offset             int
	Acquired, FirstPut, Here []uintptr // stacks, nil where they do not apply
	Weight                   uint64    // number of cases that it stands for: more than 1 for a leak that sampling found; 0 means 1
	Count                    uint64    // weight of its group, this Finding included; set by Report
	Goroutine                uint64    // goroutine that acquired, or 0 if unknown

	Trail *Trail // of a Shared; nil for everything else
	Call  Call   // with a Trail: the misusing call
}

// Site returns the stack that findings are grouped by: the acquisition, or else the misuse.
func (f *Finding) Site() []uintptr {
	if f.Acquired == nil {
		return f.Here
	}
	return f.Acquired
}

// A Call is a call that takes, gives up or needs a reference to a Shared.
type Call uint8

const (
	Use Call = iota // Bytes
	New
	Retain
	Release
)

// String returns the name of c in reports.
func (c Call) String() string {
	return [...]string{"Bytes", "NewShared", "Retain", "Release"}[c]
}

// A Trail has the calls that took and gave up references to a Shared. Calls that are equal, stack
// included, are one step.
type Trail struct {
	Steps   []Step  // in the order of their first calls
	Last    []uint8 // the latest calls in order, by index in Steps
	Omitted uint64  // number of calls that are in no step
}

// A Step stands for all equal calls in a Trail.
type Step struct {
	Call  Call
	Count uint64
	Stack []uintptr
}
