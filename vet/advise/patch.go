package advise

import (
	"errors"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// mend makes the edits of an allocation.
func (s *source) mend(a *allocation) (m *mend, err error) {
	m = s.newMend(a)
	if m.file == nil {
		return nil, errUnreadable
	}
	if from := s.fset.PositionFor(a.instr.Pos(), true).Filename; from != m.name {
		return nil, refusal(fmt.Sprintf("its file is made from %s: change that one", base(from)))
	}
	if a.filledMap != nil {
		return m, m.presized()
	}
	if a.fills() {
		return m, m.preallocated()
	}
	if a.matrix != nil {
		return m, m.row()
	}
	if a.cutOnly {
		return m, m.recut()
	}
	if err := m.refused(); err != nil {
		return nil, err
	}
	edit, err := m.editor()
	if err != nil {
		return nil, err
	}
	if m.call == nil && m.lit == nil && !slices.Contains([]kind{kindAppend, kindBuffer, kindBuilder, kindPointer, kindNumber, kindProxy}, a.kind) {
		if a.text() == "array" {
			return nil, refusal("it is an array: make a slice of its size instead")
		}
		return nil, errUnreadable
	}
	if err := edit(); err != nil {
		return nil, err
	}
	if len(a.fate.late) > 0 && len(a.owners) == 0 {
		if err := m.putLate(); err != nil {
			return nil, err
		}
	}
	if len(a.emptied) > 0 {
		if err := m.recut(); err != nil {
			return nil, err
		}
	}
	return m, m.copyResults()
}

// refused returns the reason why the memory must not come from a pool, or nil.
func (m *mend) refused() error {
	a := m.a
	switch f := a.fate; {
	case f.way != stays && len(a.copies)+len(a.owners) == 0:
		return refusal("the memory leaves the function")
	case f.outside:
		return refusal("it grows in a loop over a function, whose body is a function of its own")
	case a.loop && a.isDeclaredInRounds():
		return refusal("this tool moves no declarations")
	case a.loop && !a.reusable() && a.kind != kindCopy && a.kind != kindProxy && a.kind != kindPNG: // which put it back themselves
		return refusal("it runs in a loop, and a deferred Put comes only when the function returns: make the body a function")
	case f.sized && !m.isExact():
		return refusal("cap is called on it, and slices of a pool have a larger capacity")
	case f.forked && !m.isExact():
		return refusal("two slices may be made of it by append, which would share a pool's larger array")
	case f.asserted && a.kind == kindBuilder:
		return refusal("code may ask an interface for its type, which the patch changes")
	}
	return nil
}

// editor returns the function that makes the edits for memory of this kind.
func (m *mend) editor() (edit func() error, err error) {
	a := m.a
	switch a.kind {
	case kindMake:
		if edit = m.make; a.growing() {
			edit = m.appended
		} else if a.loop {
			edit = m.reused
		}
	case kindReadAll:
		edit = m.readAll
	case kindBuffer, kindBuilder:
		edit = m.buffer
	case kindSlice:
		edit = m.listEditor()
	case "bufio":
		edit = m.bufioEditor()
	case kindAppend:
		edit = m.appendEditor()
	case kindClone:
		edit = m.cloneEditor(m.cloned)
	case kindCipher:
		edit = m.sealed
	case kindResult:
		edit = m.resulted
	case kindImage:
		edit = m.imaged
	case kindCopy:
		edit = m.copied
	case kindProxy:
		edit = m.proxied
	case "json":
		edit = m.marshaled
	case kindPNG:
		edit = m.pictured
	default:
		edit, err = m.valueEditor()
	}
	return edit, err
}

// valueEditor does the same for values of which each has a pool of its own.
func (m *mend) valueEditor() (edit func() error, err error) {
	switch k := m.a.kind; {
	case k == kindMap:
		return m.tabled, nil
	case k == kindPointer:
		return m.pointed, nil
	case k == kindNumber:
		return m.numbered, nil
	case k == kindHash, isPackaged(k):
		return m.resettable, nil
	}
	return nil, refusal("this tool writes none for memory of this kind")
}

// appendEditor does the same for slices that grow by append.
func (m *mend) appendEditor() func() error {
	edit := m.appended
	if m.a.visit != nil {
		return m.visited
	}
	if m.a.loop {
		edit = m.emptied
	}
	switch {
	case m.isClone():
		return m.cloneEditor(edit)
	case m.isPrefixed():
		return m.prefixed
	}
	return edit
}

// listEditor does the same for slices of other types, and for strings that become slices.
func (m *mend) listEditor() func() error {
	converts, ok := m.a.instr.(*ssa.Convert)
	switch {
	case m.a.loop:
		return m.reused
	case m.a.growing():
		return m.appended
	case !ok:
		return m.listed
	case isBytes(converts.Type()):
		return m.converted
	}
	return m.runes
}

// bufioEditor does the same for Readers, Writers and Scanners.
func (m *mend) bufioEditor() func() error {
	p, ok := m.a.instr.(ssa.Value)
	switch {
	case m.a.borrows:
		return m.borrowed
	case ok && strings.HasSuffix(p.Type().String(), "bufio.Scanner"):
		return m.scanned
	}
	return m.buffered
}

// A patch is the change of all sites that have one.
type patch struct {
	*source
	repairs  []*repair
	packages []*rewrite.Package
	sites    map[*rewrite.Package][]*Site
}

// A repair is the part of a patch that is for one site, and for others of the same memory.
type repair struct {
	sites []*Site
	mends []*mend
}

// refuse takes a repair back.
func (c *repair) refuse(err error) {
	for _, s := range c.sites {
		s.Patch, s.Diff = false, ""
		s.Reason += " There is no patch: " + reasonOf(err) + "."
	}
}

// patch makes the edits of all sites that should be pooled. Where there is no edit, the reason of the site says why.
func (s *source) patch(r *Report) *patch {
	p := &patch{source: s}
	done := map[ssa.Instruction]*repair{}
	sites := patchable(r.Sites)
	matrices := map[ssa.Instruction]bool{} // whose rows a deferred function puts, which must not come after their own Put
	for _, site := range sites {
		a := site.found
		if matrices[a.instr] {
			site.Reason += " There is no patch: its rows come from a pool already."
			continue
		}
		if p.begins(a.instr) {
			site.Reason += " There is no patch: its field comes from a pool already."
			continue
		}
		c := done[a.made()]
		if c == nil {
			m, owners, err := s.mendWithOwners(a)
			if err != nil && s.copyInstead(r, site) {
				m, owners, err = s.mendWithOwners(a)
			}
			if err == nil && m.variable != nil {
				if c, err = p.ofVariable(m); c != nil {
					c.sites, site.Patch, done[a.made()] = append(c.sites, site), true, c
					continue
				}
			}
			if err != nil {
				site.Reason += " There is no patch: " + err.Error() + "."
				continue
			}
			switch site.Verdict {
			case Reuse:
				site.Call = "one array for all rounds of the loop"
			case Preallocate:
				site.Call = "slices.Grow before the loop"
			}
			if a.matrix != nil {
				matrices[a.matrix] = true
			}
			c = &repair{nil, append([]*mend{m}, owners...)}
			done[a.made()], site.Diff = c, m.diffOf()
			if site.Verdict == Preallocate && !strings.Contains(site.Diff, "slices.Grow(") {
				site.Call = "make with that size"
			}
			if a.kind == kindMake && !strings.Contains(site.Diff, ".GetZeroed(") {
				site.Call = strings.Replace(site.Call, "GetZeroed", "Get", 1)
			}
			p.repairs = append(p.repairs, c)
		}
		c.sites, site.Patch = append(c.sites, site), true
		p.addMore(c, a, done)
	}
	p.build()
	return p
}

// begins reports whether a repair has the slice in a field of a struct begin with one of a pool. A deferred function puts the slice,
// and must not find the struct of another user.
func (p *patch) begins(made ssa.Instruction) bool {
	local, ok := made.(*ssa.Alloc)
	return ok && slices.ContainsFunc(p.repairs, func(c *repair) bool {
		return slices.ContainsFunc(c.sites, func(s *Site) bool {
			return slices.ContainsFunc(s.found.beginnings, func(b *beginning) bool { return b.local == local })
		})
	})
}

// addMore adds the edits of further allocations of a site, which have the same kind.
func (p *patch) addMore(c *repair, a *allocation, done map[ssa.Instruction]*repair) {
	for _, a := range a.more {
		if done[a.instr] != nil || a.pooled || a.got {
			continue
		}
		if m, err := p.mend(a); err == nil && p.inProgram([]*mend{m}) == nil {
			c.mends = append(c.mends, m)
			done[a.instr] = c
		}
	}
}

// mendWithOwners makes the edits of an allocation, and those of the callers that put its memory.
func (s *source) mendWithOwners(a *allocation) (m *mend, owners []*mend, err error) {
	if len(a.beginnings) > 0 {
		m, owners, err = s.scratched(a)
	} else if m, err = s.mend(a); err == nil {
		owners, err = s.owned(a, m)
	}
	if err == nil {
		err = s.inProgram(append(owners, m))
	}
	return m, owners, err
}

// inProgram returns nil if the edits of a patch are all in the program's module.
func (s *source) inProgram(mends []*mend) error {
	for _, m := range mends {
		if mod := m.file.pkg.Module; mod == nil || !isMain(mod, s.module) {
			return refusal("a part of it is in package " + m.file.pkg.PkgPath + " of another module")
		}
	}
	return nil
}

// copyInstead judges a site again whose callers could not be changed to put the memory, if a copy can take its place.
func (s *source) copyInstead(r *Report, site *Site) bool {
	a := site.found
	owners, keeping := a.owners, a.keeping
	if a.owners, a.keeping = nil, nil; len(owners) > 0 {
		s.findCopies(site)
	}
	if len(a.copies) == 0 {
		a.owners, a.keeping = owners, keeping
		return false
	}
	site.judge(r)
	return true
}

// ofVariable returns the repair that has the variable of a mend already, whose slice grows at several lines, or nil.
func (p *patch) ofVariable(m *mend) (*repair, error) {
	for _, c := range p.repairs {
		first := c.mends[0]
		if first.variable != m.variable {
			continue
		}
		if slices.ContainsFunc(m.appends, func(call *ast.CallExpr) bool { return !slices.Contains(first.appends, call) }) {
			return nil, refusal("its variable has another slice before, which has a patch")
		}
		return c, nil
	}
	return nil, nil
}

// patchable returns the sites that may have a patch: first those that grow, because their patch serves their first array,
// too, and rows. Sites of other modules have none.
func patchable(all []*Site) (sites []*Site) {
	for _, first := range []bool{true, false} {
		for _, site := range all {
			switch a := site.found; {
			case !site.mayHavePatch() || first != (a.kind == kindAppend || a.matrix != nil || len(a.beginnings) > 0):
			case site.Module != "":
				site.Reason += " There is no patch: this is in module " + site.Module + "."
			case site.generated: // the reason says so
			default:
				sites = append(sites, site)
			}
		}
	}
	return sites
}

// mayHavePatch reports whether there are edits for verdicts like that of the site.
func (s *Site) mayHavePatch() bool {
	switch s.Verdict {
	case PoolIt, Reuse:
		return s.found != nil && s.found.other == "" && !isConstantText(s.found.instr)
	case Preallocate:
		return s.found != nil && (s.found.fills() || s.found.filledMap != nil)
	}
	return false
}

// build makes the packages of the changes.
func (p *patch) build() {
	p.packages, p.sites = nil, map[*rewrite.Package][]*Site{}
	var names []string
	mends := map[string][]*mend{}
	repairs := map[string][]*repair{}
	for _, c := range p.repairs {
		for _, m := range c.mends {
			if mends[m.name] == nil {
				names = append(names, m.name)
			}
			mends[m.name], repairs[m.name] = append(mends[m.name], m), append(repairs[m.name], c)
		}
	}
	for _, name := range names {
		f := &rewrite.File{Name: name, Old: p.contents[name]}
		for _, m := range mends[name] {
			f.Edits = append(f.Edits, m.edits...)
			for _, e := range m.moves {
				if !slices.Contains(f.Edits, e) {
					f.Edits = append(f.Edits, e)
				}
			}
		}
		err := p.imports(f, mends[name])
		if err == nil {
			err = p.raise(f, mends[name])
		}
		if err != nil {
			for _, c := range repairs[name] {
				c.refuse(err)
			}
			p.repairs = slices.DeleteFunc(p.repairs, func(c *repair) bool { return slices.Contains(repairs[name], c) })
			p.build()
			return
		}
		pkg := p.pkg(mends[name][0])
		pkg.Files = append(pkg.Files, f)
		for _, c := range repairs[name] {
			for _, s := range c.sites {
				if !slices.Contains(p.sites[pkg], s) {
					p.sites[pkg] = append(p.sites[pkg], s)
				}
			}
		}
	}
}

// pkg returns the package of a mend.
func (p *patch) pkg(m *mend) *rewrite.Package {
	dir := filepath.Dir(m.name)
	for _, pkg := range p.packages {
		if pkg.Dir == dir {
			return pkg
		}
	}
	pkg := &rewrite.Package{Dir: dir}
	if mod := m.file.pkg.Module; mod != nil && mod.Main {
		pkg.Module = mod.Dir
	}
	p.packages = append(p.packages, pkg)
	return pkg
}

// diffOf is the change that a site alone makes in its file.
func (m *mend) diffOf() string {
	f := rewrite.File{Name: m.name, Old: m.contents[m.name], Edits: slices.Concat(m.edits, m.moves)}
	if err := f.Apply(); err != nil {
		return ""
	}
	return f.Diff(base(m.name))
}

// lacksBasin is why a module has no patch that the go command cannot add basin to. The report says once how to do that.
const lacksBasin = "the module does not require basin"

func reasonOf(err error) string {
	var r *rewrite.Refusal
	var o *rewrite.Reordered
	var own refusal
	switch {
	case errors.As(err, &own):
		return own.Error()
	case errors.As(err, &r):
		return base(r.File) + " " + r.Reason
	case errors.As(err, &o):
		return "with the import of basin, Go would initialize package " + o.Path + " after others that it now precedes, which its variables and init functions may notice; if they do not, change this line by hand"
	case errors.Is(err, rewrite.ErrLibrary):
		return lacksBasin
	}
	text := err.Error()
	for strings.HasPrefix(text, "# ") { // the package
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _, _ = strings.Cut(text, "\n")
	return "it would not compile: " + text
}
