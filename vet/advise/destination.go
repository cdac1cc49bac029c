package advise

import (
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// Functions that append their result to an argument make memory for it if that is nil. A caller may give them memory of a
// pool instead. For ciphers, which are interfaces, seals says so.

// nilDestination returns the name of the argument to which a call appends its result, if that is nil, or nothing.
func nilDestination(instr ssa.Instruction) string {
	call, ok := instr.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return ""
	}
	to, fn := extended(call), call.Call.StaticCallee()
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return ""
	}
	if e := effects.Of(obj); to == nil && len(fn.Blocks) == 0 && e != nil && e.Part != effects.None && isBytes(first(call.Type())) {
		to = call.Call.Args[e.Part]
	}
	if to == nil || !isNil(to) {
		return ""
	}
	at := 0
	for call.Call.Args[at] != to {
		at++
	}
	if fn.Signature.Recv() != nil {
		at--
	}
	return fn.Signature.Params().At(at).Name()
}

// isResult reports whether the memory is the result of a call that would take other memory for that, and notes the kind.
func (a *allocation) isResult(site *Site) bool {
	if seals(a.instr.(ssa.CallInstruction).Common()) {
		a.kind = kindCipher
		return true
	}
	to := nilDestination(a.instr)
	if to == "" || !site.isOfResult() {
		return false
	}
	a.kind, a.to = kindResult, to
	return true
}

// seals reports whether a cipher makes memory for its result, because its first argument is nil.
func seals(c *ssa.CallCommon) bool {
	return c.IsInvoke() && extendsFirst[c.Method.Name()] && keepsNothing(c.Method) && c.Method.Pkg().Path() == "crypto/cipher" && isNil(c.Args[0])
}

// ofItself matches functions by which an encoder makes memory that it keeps.
var ofItself = regexp.MustCompile(`(?i)\.(new|init|reset|ensure|alloc)[a-z]*$|/(huff0|fse)\.|\.func\d+$`)

// isOfResult reports whether half or more of the bytes of a call are those of its result.
func (s *Site) isOfResult() bool {
	kept := int64(0)
	for name, bytes := range s.tally.makers {
		if ofItself.MatchString(name) {
			kept += bytes
		}
	}
	return 2*kept <= s.tally.bytes
}
