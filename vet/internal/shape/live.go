package shape

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Liveness has, for each block of a function, the values that are defined before
// and used from there on.
type Liveness struct {
	index map[ssa.Value]int
	in    []bitset // by block
}

type bitset []uint64

func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) clear(i int)    { b[i/64] &^= 1 << (i % 64) }

// LivenessOf finds out which values of a function are used where.
func LivenessOf(fn *ssa.Function) *Liveness {
	l := &Liveness{index: map[ssa.Value]int{}}
	for _, v := range fn.Params {
		l.index[v] = len(l.index)
	}
	for _, v := range fn.FreeVars {
		l.index[v] = len(l.index)
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if v, ok := i.(ssa.Value); ok {
				l.index[v] = len(l.index)
			}
		}
	}
	words := len(l.index)/64 + 1
	l.in = make([]bitset, len(fn.Blocks))
	for i := range l.in {
		l.in[i] = make(bitset, words)
	}
	live := make(bitset, words)
	for changed := true; changed; {
		changed = false
		for n := len(fn.Blocks) - 1; n >= 0; n-- {
			l.before(fn.Blocks[n], live)
			for w := range live {
				if l.in[n][w] != live[w] {
					l.in[n][w] = live[w]
					changed = true
				}
			}
		}
	}
	return l
}

// before sets live to the values that are used in a block or after it, and defined before it.
func (l *Liveness) before(b *ssa.BasicBlock, live bitset) {
	clear(live)
	for _, s := range b.Succs {
		for w, bits := range l.in[s.Index] {
			live[w] |= bits
		}
		for _, i := range s.Instrs {
			phi, ok := i.(*ssa.Phi)
			if !ok {
				break
			}
			for e, pred := range s.Preds {
				if at, ok := l.index[phi.Edges[e]]; ok && pred == b {
					live.set(at)
				}
			}
		}
	}
	for _, instr := range slices.Backward(b.Instrs) {
		if v, ok := instr.(ssa.Value); ok {
			live.clear(l.index[v])
		}
		if _, ok := instr.(*ssa.Phi); ok {
			continue
		}
		for _, op := range instr.Operands(nil) {
			if at, ok := l.index[*op]; ok && *op != nil {
				live.set(at)
			}
		}
	}
}

// Index returns the number of a value in its function.
func (l *Liveness) Index(v ssa.Value) int { return l.index[v] }

// IsUsed reports whether a value that is defined before a block is used from there on.
func (l *Liveness) IsUsed(v ssa.Value, from *ssa.BasicBlock) bool {
	at, ok := l.index[v]
	return !ok || l.in[from.Index].has(at)
}
