package advise

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Some callers of a function may keep the memory that most are done with. They can have copies, if that does not cost much.

// mostCopied is the share of a site's bytes that may go to such callers.
const mostCopied = 0.25

// mayCopy reports whether the caller that gets memory as the result of a call would not notice that it is a copy, but for its address.
func (s *source) mayCopy(call *ssa.Call, a *allocation, result int) bool {
	v := resultOf(call, result)
	if v == nil || a.apart || a.kind == kindImage || inLoop(call) {
		return false
	}
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return false
	}
	f := s.trailOfResult(v, a).fate
	return !f.sized && !f.forked && !f.several && !f.resliced
}

// shareAlong returns the share of a site's bytes that was allocated for the functions of some calls.
func (s *source) shareAlong(site *Site, calls []*ssa.Call) float64 {
	if site.tally == nil {
		return 0
	}
	by := map[string]bool{}
	for _, call := range calls {
		by[plain(s.literalName(call.Parent()))] = true
	}
	var all, kept int64
	for stack, bytes := range site.tally.stacks {
		all += bytes
		for _, f := range framesOf(stack) {
			if by[f.function] {
				kept += bytes
				break
			}
		}
	}
	return float64(kept) / float64(max(all, 1))
}

// keeps has the caller put the memory that it gets from a call, and keep a copy.
func (m *mend) keeps(a *allocation, by *mend) error {
	stmt, v, err := m.resultVariable(a.result, "buf")
	part := isPart(err)
	if part {
		stmt, v, err = m.partVariable("buf")
	} else if err == nil && !types.Identical(m.file.pkg.TypesInfo.ObjectOf(v).Type(), a.instr.Parent().Signature.Results().At(a.result).Type()) {
		err = refusal("its variable is of another type")
	}
	if err != nil {
		return err
	}
	put, err := m.putOf(a, by, stmt, v)
	if err != nil {
		return err
	}
	if err := m.needs("slices"); err != nil {
		return err
	}
	if !part {
		return m.after(stmt, "defer "+put, v.Name+" = slices.Clone("+v.Name+")")
	}
	if err := m.ownPart(a, stmt, v, put); err != nil {
		return err
	}
	m.edits[len(m.edits)-1].New = "slices.Clone(" + v.Name + ")"
	return nil
}
