package advise

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A pool whose users put back only memory below a limit has nothing for those that need more. If most of the bytes of a site are in
// larger pieces, that is why the pool does not help there.

// findLimit says of memory that a pool has whether its users drop most of it for its size.
func (s *source) findLimit(site *Site) {
	a := site.found
	if a == nil || len(a.pools) != 1 || !(a.pooled || a.got) || !site.isLarge() {
		return
	}
	most, by := s.limitOf(a.pools[0])
	if by == nil {
		return
	}
	var larger, all float64
	for _, size := range site.Sizes {
		if all += size.Bytes; size.Size > most {
			larger += size.Bytes
		}
	}
	if 2*larger > all {
		a.limited = fmt.Sprintf(" But %s of it is in pieces of more than %s, which %s does not put back: raise that limit if such sizes are usual.",
			percent(larger/all), bytesText(float64(most)), name(by))
	}
}

// limitOf returns the capacity in bytes up to which buffers are put into a sync.Pool, and a function that puts some, if there is a
// limit at each Put.
func (s *source) limitOf(pool *types.Var) (most int64, by *ssa.Function) {
	if !isSyncPool(pool.Type()) && !isPoolList(pool.Type()) {
		return 0, nil
	}
	for _, fn := range s.functions {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok || !isPoolPut(call) || poolAt(call.Common().Args[0]) != pool {
					continue
				}
				limit := limitAt(b)
				if limit < 0 {
					return 0, nil
				}
				if limit >= most {
					most, by = limit, fn
				}
			}
		}
	}
	return most, by
}

// limitAt returns the largest capacity of a buffer with which a block is reached, or -1.
func limitAt(b *ssa.BasicBlock) int64 {
	for ; b != nil && b.Idom() != nil; b = b.Idom() {
		branch, ok := lastOf(b.Idom()).(*ssa.If)
		if !ok || len(b.Preds) != 1 || branch.Block().Succs[0] == branch.Block().Succs[1] {
			continue
		}
		if c, ok := branch.Cond.(*ssa.BinOp); ok {
			if most := mostIf(c, branch.Block().Succs[0] == b); most >= 0 {
				return most
			}
		}
	}
	return -1
}

// mostIf returns the largest capacity of a buffer for which a comparison has this truth, or -1.
func mostIf(c *ssa.BinOp, truth bool) int64 {
	op, n := c.Op, c.Y
	if !isCapacity(c.X) {
		if op, n = mirrored[op], c.X; !isCapacity(c.Y) {
			return -1
		}
	}
	limit, ok := n.(*ssa.Const)
	if !ok || limit.Value == nil || limit.Value.Kind() != constant.Int {
		return -1
	}
	switch {
	case op == token.LEQ && truth, op == token.GTR && !truth:
		return limit.Int64()
	case op == token.LSS && truth, op == token.GEQ && !truth:
		return limit.Int64() - 1
	}
	return -1
}

// mirrored are the comparisons with their operands exchanged.
var mirrored = map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS, token.GEQ: token.LEQ}

// isCapacity reports whether a number is the capacity of a slice of bytes, or of a Buffer.
func isCapacity(n ssa.Value) bool {
	call, ok := n.(*ssa.Call)
	if !ok {
		return false
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		return b.Name() == "cap" && isBytes(call.Call.Args[0].Type())
	}
	fn := call.Call.StaticCallee()
	return fn != nil && fn.Name() == "Cap" && strings.HasPrefix(runtimeName(fn), "bytes.(*Buffer).")
}
