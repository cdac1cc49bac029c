package advise

import (
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A big.Int that only its function uses can come from a pool, with the words that it has grown to. Its methods copy the words of
// their arguments, but for Bits and SetBits. The pool clears the words, which may be those of a secret.

var (
	// fillsNumber matches methods that write their result to the words of their receiver, and make few others.
	fillsNumber = regexp.MustCompile(`^math/big\.\(\*Int\)\.(Abs|Add|And|AndNot|Div|DivMod|Lsh|Mod|Mul|Neg|Not|Or|Quo|QuoRem|Rem|Rsh|Set(Bit|Bytes|Int64|String|Uint64)?|Sub|Xor)$`)

	// readsNumber matches methods whose results have no words of an argument.
	readsNumber = regexp.MustCompile(`^math/big\.\(\*Int\)\.(Append|Bit|BitLen|Bytes|Cmp|CmpAbs|FillBytes|Int64|IsInt64|IsUint64|Sign|String|Text|TrailingZeroBits|Uint64)$`)

	// replacesNumber matches methods that make other words if the receiver is an argument, too.
	replacesNumber = regexp.MustCompile(`\.(Div|DivMod|Mod|Mul|Quo|QuoRem|Rem)$`)
)

// numberOf returns the instruction that makes the number which a value is, or nil.
func numberOf(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.Alloc:
		return v
	case *ssa.Call:
		switch {
		case isCalled(v, "math/big.NewInt"):
			return v
		case v.Call.StaticCallee() != nil && fillsNumber.MatchString(runtimeName(v.Call.StaticCallee())): // which returns it
			return numberOf(v.Call.Args[0])
		}
	}
	return nil
}

// isOwnNumber reports whether a number is used only by methods that leave its words to it.
func isOwnNumber(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
			return false
		case *ssa.Phi:
			return !isOwnNumber(use, seen)
		case *ssa.Call:
			return !isOwnUseOfNumber(v, use, seen)
		}
		return true
	})
}

// isOwnUseOfNumber does so for one use, whose result may be the number again.
func isOwnUseOfNumber(v ssa.Value, call *ssa.Call, seen map[ssa.Value]bool) bool {
	fn := call.Call.StaticCallee()
	if fn == nil || readsNumber.MatchString(runtimeName(fn)) {
		return fn != nil
	}
	if !fillsNumber.MatchString(runtimeName(fn)) {
		return false
	}
	if _, tuple := call.Type().(*types.Tuple); !tuple {
		return call.Call.Args[0] != v || isOwnNumber(call, seen)
	}
	return !slices.ContainsFunc(*call.Referrers(), func(r ssa.Instruction) bool { // the receiver, and perhaps the last argument
		x, ok := r.(*ssa.Extract)
		return ok && !isNumber(x.Type()) && !types.Identical(x.Type(), types.Typ[types.Bool]) && !isOwnNumber(x, seen)
	})
}
