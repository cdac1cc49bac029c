package facts

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// A Fact describes a function's use of its arguments. It is exported for the packages
// that call the function.
type Fact struct {
	Puts    []Put
	Gets    []int // results that come from a pool or are new
	Aliases []Alias
	Fields  []Field
	Shares  []Share
	Reads   []Read // uses on every path
	Calm    bool   // it changes nothing else
	Looks   bool   // it only compares where its arguments are
	Sized   bool   // it looks at its last argument, a size, and does not only make memory of it
}

// A Share is an argument that a goroutine or a receiver has when the function returns.
type Share struct {
	Arg  int
	When When
}

// A Read is a use of an argument's memory at Path.
type Read struct {
	Arg  int
	Path string
}

// A path leads from an argument to other memory. It joins fields and elements by > where a pointer is followed. The empty path
// is the argument itself.
const (
	Pointee  = "*"  // the value that a pointer points at
	Elements = "[]" // all elements of a list
)

// A Put is an argument that a function puts, or the argument's memory at Path.
type Put struct {
	Arg   int
	Path  string
	When  When
	Keeps bool      // the memory that the fields point at is put with it,
	Loses []string  // except for the memory of these fields
	Clear bool      // the field at Path is nil afterwards
	Once  bool      // a second call puts nothing
	at    token.Pos // of the Put itself, in the same package
}

// OfElements reports whether all elements of a list in a field are put.
func (p *Put) OfElements() bool { return strings.HasSuffix(p.Path, ">"+Elements) }

// At returns the position of the Put itself, if it is in the same package.
func (p *Put) At() token.Pos { return p.at }

// SetAt sets the position of the Put itself. Other packages do not learn it.
func (p *Put) SetAt(pos token.Pos) { p.at = pos }

// An Alias is a result that is an argument or points into the argument's memory at
// Path.
type Alias struct {
	Result, Arg int
	Path        string
	Held        bool // the result has a pointer to that memory
	Owned       bool // the memory there is reused with the argument
	Grown       bool // append may have moved it
}

// A Field is memory in a field of a result that points at a new struct: memory of a pool, or of the argument Arg at ArgPath.
// The struct is new for the caller, too.
type Field struct {
	Result       int
	Path         string // in the struct
	Get, Partial bool
	Arg          int
	ArgPath      string
	typ          types.Type // of the pointer to the struct, in the same package
}

// Type returns the type of the result, even if the function returns an interface. Other packages do not learn it.
func (f *Field) Type() types.Type { return f.typ }

// SetType sets the type of the result.
func (f *Field) SetType(t types.Type) { f.typ = t }

// When says on which returns a function has put its argument.
type When uint8

const (
	Always When = iota
	IfError
	IfNoError
	IfTrue
	IfFalse
)

var whens = []string{"", "if error", "if no error", "if true", "if false"}

// AFact marks a Fact as one.
func (*Fact) AFact() {}

func (f *Fact) String() string {
	var s []string
	for _, p := range f.Puts {
		s = append(s, strings.TrimSpace(fmt.Sprintf("puts %d%s %s", p.Arg, p.Path, whens[p.When])))
	}
	for _, g := range f.Gets {
		s = append(s, fmt.Sprintf("gets %d", g))
	}
	for _, a := range f.Aliases {
		s = append(s, fmt.Sprintf("result %d aliases %d%s", a.Result, a.Arg, a.Path))
	}
	for _, m := range f.Fields {
		if m.Get {
			s = append(s, fmt.Sprintf("result %d has memory at %s", m.Result, m.Path))
		} else {
			s = append(s, fmt.Sprintf("result %d has %d%s at %s", m.Result, m.Arg, m.ArgPath, m.Path))
		}
	}
	for _, a := range f.Shares {
		s = append(s, strings.TrimSpace(fmt.Sprintf("shares %d %s", a.Arg, whens[a.When])))
	}
	for _, r := range f.Reads {
		s = append(s, fmt.Sprintf("reads %d%s", r.Arg, r.Path))
	}
	if f.Looks {
		s = append(s, "compares addresses")
	}
	return strings.Join(s, ", ")
}

// GetsFirst reports whether the first result is from a pool.
func (f *Fact) GetsFirst() bool { return f != nil && len(f.Gets) > 0 && f.Gets[0] == 0 }

// Reused is the fact of a field whose memory is kept when its struct is reused.
type Reused struct{}

// AFact marks Reused as a fact.
func (*Reused) AFact()         {}
func (*Reused) String() string { return "is reused" }
