package pooled

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// liveness has, for each block of a function, the values that are defined before
// and used from there on.
type liveness struct {
	index map[ssa.Value]int
	in    []bitset // by block
}

type bitset []uint64

func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) clear(i int)    { b[i/64] &^= 1 << (i % 64) }

func (p *packageInfo) livenessOf(fn *ssa.Function) *liveness {
	if l := p.lives[fn]; l != nil {
		return l
	}
	l := &liveness{index: map[ssa.Value]int{}}
	for _, v := range fn.Params {
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
	p.lives[fn] = l
	return l
}

// before sets live to the values that are used in a block or after it, and defined before it.
func (l *liveness) before(b *ssa.BasicBlock, live bitset) {
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

// prune drops the values that nobody uses from the beginning of a block on.
func (p *packageInfo) prune(f *frame, to *ssa.BasicBlock) {
	l := p.livenessOf(f.fn)
	f.live = l
	in := l.in[to.Index]
	for v := range f.env {
		if at, ok := l.index[v]; ok && !in.has(at) {
			delete(f.env, v)
		}
	}
}
