package pooled

import (
	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// A Remainder is a list from an element on that was put before, as in
//
//	for i, b := range queue {
//		_, err := w.Write(b)
//		pool.Put(b)
//		if err != nil {
//			pending = append(queue[i:], pending...) // with b
//		}
//	}
type Remainder struct {
	Put  *ssa.Call
	List *ssa.Slice
}

// Remainders returns the remainders that a package keeps or passes on.
func (r *Result) Remainders() (found []Remainder) {
	for _, fn := range r.Funcs {
		for i := range shape.Instructions(fn) {
			if s, ok := i.(*ssa.Slice); ok && s.Low != nil && len(*s.Referrers()) > 0 && shape.HoldsPointers(s.Type()) {
				if put := r.putFirst(fn, s); put != nil {
					found = append(found, Remainder{put, s})
				}
			}
		}
	}
	return found
}

// putFirst returns the call that has put the first element of a part of a list whenever the part is taken, or nil.
func (r *Result) putFirst(fn *ssa.Function, part *ssa.Slice) (put *ssa.Call) {
	for i := range shape.Instructions(fn) {
		switch i := i.(type) {
		case *ssa.Store:
			if e, ok := i.Addr.(*ssa.IndexAddr); ok && e.X == part.X {
				return nil // others may have taken its place
			}
		case *ssa.Call:
			v := r.info.PutBy(i)
			if m, ok := v.(*ssa.MakeInterface); ok {
				v = m.X
			}
			l, ok := v.(*ssa.UnOp)
			if !ok {
				continue
			}
			if e, ok := l.X.(*ssa.IndexAddr); ok && e.X == part.X && e.Index == part.Low && precedes(i, part) {
				put = i
			}
		}
	}
	return put
}

// precedes reports whether an instruction has been carried out whenever another one is reached.
func precedes(i, other ssa.Instruction) bool {
	if i.Block() != other.Block() {
		return i.Block().Dominates(other.Block())
	}
	for _, k := range i.Block().Instrs {
		if k == i || k == other {
			return k == i
		}
	}
	return false
}
