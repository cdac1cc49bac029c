package advise

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/loaded"
	"github.com/basin-go/basin/vet/internal/syntax"
	"github.com/basin-go/basin/vet/missingput"
	"github.com/basin-go/basin/vet/unlimited"
)

// A syncPool is a variable or a field that is a sync.Pool, or points at one, or has several as elements.
type syncPool struct {
	v          *types.Var
	pkg        *packages.Package
	gets, puts []token.Pos
	escapes    bool // code that is not seen may use it
	made       ast.Node
}

// syncPools judges the sync.Pools of the packages that are loaded.
func (s *source) syncPools(sites []*Site) (all []*Pool) {
	var pools []*syncPool
	var pkgs []*packages.Package
	for _, f := range s.files {
		if !slices.Contains(pkgs, f.pkg) {
			pkgs = append(pkgs, f.pkg)
		}
	}
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	for _, pkg := range pkgs {
		pools = append(pools, s.poolsOf(pkg)...)
	}
	if len(pools) == 0 {
		return nil
	}
	found := s.misfits(pkgs)
	for _, p := range pools {
		judged := &Pool{Name: p.name(), Kind: "sync.Pool"}
		s.judgePool(judged, p, found)
		for _, site := range sites {
			if site.found != nil && site.Module == "" && site.Share >= rareShare {
				s.judgeMisses(judged, p, site)
			}
		}
		if judged.Verdict == "" {
			continue // nothing is known against it
		}
		all = append(all, judged)
	}
	return all
}

// judgeMisses says that a pool is often empty, if its New, or code that stands in for it, makes the memory of a site.
func (s *source) judgeMisses(judged *Pool, p *syncPool, site *Site) {
	switch a := site.found; {
	case s.isMadeFor(a.instr, p):
		judged.say(PoolMisses, "Its New has %s of the program's allocations, so it is empty that often when something is got.", percent(site.Share))
	case a.pooled && len(a.pools) == 1 && a.pools[0] == p.v:
		judged.say(PoolMisses, "%s makes %s of the program's allocations at %s:%d, because the pool has nothing, or nothing so large.",
			site.short(), percent(site.Share), base(site.File), site.Line)
	default:
		return
	}
	for _, at := range slices.Concat(s.places("Get", p.gets), s.places("Put", p.puts)) {
		if judged.Verdict == PoolMisses && !slices.Contains(judged.Places, at) {
			judged.Places = append(judged.Places, at)
		}
	}
}

// isMadeFor reports whether the New of a pool, and of no other, makes memory.
func (s *source) isMadeFor(instr ssa.Instruction, p *syncPool) bool {
	if of := s.tracer.makers[instr.Parent()]; len(of) == 1 && of[0] != nil {
		return of[0] == p.v
	}
	return p.made != nil && p.made.Pos() <= instr.Pos() && instr.Pos() < p.made.End()
}

func (p *syncPool) name() string {
	name := p.v.Name()
	if p.v.IsField() {
		name = "field " + name
	}
	if isPoolList(p.v.Type()) {
		name += ", of several pools,"
	}
	return name + " of " + p.pkg.PkgPath
}

// judgePool compares the Gets and Puts of a pool in the source.
func (s *source) judgePool(judged *Pool, p *syncPool, found []misfit) {
	switch {
	case p.escapes:
	case len(p.gets)+len(p.puts) == 0:
		judged.say(PoolUnneeded, "Nothing in the package gets from it or puts into it.")
	case len(p.puts) == 0:
		judged.say(PoolUneven, "Nothing is ever put into it, so each Get allocates.")
		judged.Places = s.places("Get", p.gets)
	case len(p.gets) == 0:
		judged.say(PoolUnneeded, "Nothing is ever got from it, so its values are garbage after two collections.")
		judged.Places = s.places("Put", p.puts)
	}
	for _, m := range found {
		at := s.fset.Position(m.pos)
		of := func(calls []token.Pos) bool {
			return slices.ContainsFunc(calls, func(pos token.Pos) bool {
				p := s.fset.Position(pos)
				return p.Filename == at.Filename && p.Line == at.Line
			})
		}
		if of(m.calls(p)) && !(m.verdict == PoolUnlimited && s.keepsSize(p)) && !(m.verdict == PoolUneven && dropsBySize(p.pkg.Syntax, m.pos, p.puts)) {
			if judged.Verdict != m.verdict {
				judged.say(m.verdict, "%s", m.reason)
			}
			for _, at := range s.places(m.text, []token.Pos{m.pos}) { // which another finding may name, too
				if !slices.Contains(judged.Places, at) {
					judged.Places = append(judged.Places, at)
				}
			}
		}
	}
}

// A misfit is a finding of basin vet at a Get or a Put.
type misfit struct {
	pos          token.Pos
	verdict      Verdict
	reason, text string
}

func (m misfit) calls(p *syncPool) []token.Pos {
	if m.verdict == PoolUneven {
		return p.gets
	}
	return p.puts
}

// misfits runs those checks of basin vet that are off unless they are asked for.
func (s *source) misfits(pkgs []*packages.Package) (found []misfit) {
	graph, err := loaded.Analyze([]*analysis.Analyzer{missingput.Analyzer, unlimited.Analyzer}, pkgs)
	if err != nil {
		return nil // these checks are an extra
	}
	for _, a := range graph.Roots {
		for _, d := range a.Diagnostics {
			switch a.Analyzer {
			case unlimited.Analyzer:
				found = append(found, misfit{d.Pos, PoolUnlimited, "Buffers are put into it however large they are. If some may grow large, drop these, or use basin, which does.", "Put"})
			default:
				found = append(found, misfit{d.Pos, PoolUneven, "Paths end without a Put, which costs nothing if they are rare.", "Get without a Put on some path"})
			}
		}
	}
	slices.SortFunc(found, func(a, b misfit) int { return s.byPlace(a.pos, b.pos) })
	return slices.Compact(found)
}

// places says where calls are.
func (s *source) places(call string, positions []token.Pos) (all []string) {
	for _, pos := range positions {
		at := s.fset.Position(pos)
		all = append(all, fmt.Sprintf("%s: %s:%d", call, relative(s.dir, at.Filename), at.Line))
	}
	return all
}

// poolsOf finds the pools that a package declares, and their uses in it.
func (s *source) poolsOf(pkg *packages.Package) (pools []*syncPool) {
	syntax := syntax.NewSyntax(pkg.Syntax, pkg.TypesInfo)
	for v, idents := range syntax.Idents {
		if v.Pkg() != pkg.Types || !isSyncPool(v.Type()) && !isPoolList(v.Type()) {
			continue
		}
		pointer := pointsAtPools(v.Type())
		p := &syncPool{v: v, pkg: pkg, escapes: len(pkg.IgnoredFiles) > 0 || v.Exported() && pkg.Name != "main" || v.Embedded() || v.IsField() && pointer}
		declared := false
		for _, id := range idents {
			declared = declared || pkg.TypesInfo.Defs[id] == v
			p.use(syntax, pkg.TypesInfo, id)
		}
		if declared && (v.IsField() || v.Parent() == pkg.Types.Scope()) {
			pools = append(pools, p)
		}
	}
	slices.SortFunc(pools, func(a, b *syncPool) int { return s.byPlace(a.v.Pos(), b.v.Pos()) })
	return pools
}

// byPlace compares positions by file and line. Those of token.Pos depend on the order in which files are parsed.
func (s *source) byPlace(a, b token.Pos) int {
	x, y := s.fset.Position(a), s.fset.Position(b)
	return cmp.Or(strings.Compare(x.Filename, y.Filename), cmp.Compare(x.Offset, y.Offset))
}

func isSyncPool(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	pkg, name := named(t)
	return pkg == "sync" && name == "Pool"
}

// isPoolList reports whether a type is a slice, an array or a map of pools.
func isPoolList(t types.Type) bool {
	elem := elementOf(t)
	return elem != nil && isSyncPool(elem)
}

// pointsAtPools reports whether a type is a pointer to a pool, or has such elements, which other variables may have too.
func pointsAtPools(t types.Type) bool {
	if elem := elementOf(t); elem != nil {
		t = elem
	}
	_, pointer := types.Unalias(t).(*types.Pointer)
	return pointer
}

// elementOf returns the type of the elements of a slice, an array or a map, or nil.
func elementOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Map:
		return u.Elem()
	}
	return nil
}

// use notes one use of a pool.
func (p *syncPool) use(syntax *syntax.Syntax, info *types.Info, id *ast.Ident) {
	var e ast.Node = id
	up := syntax.Parent[e]
	if sel, ok := up.(*ast.SelectorExpr); ok && sel.Sel == id { // x.pool
		e, up = sel, syntax.Parent[sel]
	}
	if element, ok := up.(*ast.IndexExpr); ok && element.X == e {
		e, up = element, syntax.Parent[element]
	}
	switch n := up.(type) {
	case *ast.Field:
		return
	case *ast.SelectorExpr:
		if p.selected(n, syntax.Parent[n]) {
			return
		}
	default:
		made, set := setIn(up, id, e.(ast.Expr))
		if made != nil {
			p.make(info, made)
		}
		if set || isCounted(info, up, e.(ast.Expr)) {
			return
		}
	}
	p.escapes = true
}

// setIn reports whether a node declares or sets a variable, a field or an element, and returns its value if it has one.
func setIn(by ast.Node, id *ast.Ident, e ast.Expr) (made ast.Expr, set bool) {
	switch n := by.(type) {
	case *ast.ValueSpec:
		i := slices.Index(n.Names, id)
		if i >= 0 && len(n.Values) > 0 {
			made = n.Values[min(i, len(n.Values)-1)]
		}
		return made, i >= 0
	case *ast.KeyValueExpr:
		if n.Key == e {
			return n.Value, true
		}
	case *ast.AssignStmt:
		if i := slices.Index(n.Lhs, e); i >= 0 && len(n.Lhs) == len(n.Rhs) {
			return n.Rhs[i], true
		}
	}
	return nil, false
}

// isCounted reports whether a node only counts the elements of a list.
func isCounted(info *types.Info, by ast.Node, e ast.Expr) bool {
	switch n := by.(type) {
	case *ast.RangeStmt:
		return n.X == e && n.Value == nil
	case *ast.CallExpr:
		id, ok := ast.Unparen(n.Fun).(*ast.Ident)
		return ok && id.Name == "len" && info.Types[id].IsBuiltin()
	}
	return false
}

// selected notes the use of a field or method of the pool, and reports whether it is known.
func (p *syncPool) selected(n *ast.SelectorExpr, by ast.Node) bool {
	call, ok := by.(*ast.CallExpr)
	switch {
	case n.Sel.Name == "New":
		if a, ok := by.(*ast.AssignStmt); ok && len(a.Rhs) == 1 {
			p.made = a.Rhs[0]
		}
		return true
	case ok && call.Fun == n && n.Sel.Name == "Get":
		p.gets = append(p.gets, call.Pos())
		return true
	case ok && call.Fun == n && n.Sel.Name == "Put":
		p.puts = append(p.puts, call.Pos())
		return true
	}
	return false
}

// make notes the expression that makes a pool. A pool that is not new there may have other users.
func (p *syncPool) make(info *types.Info, e ast.Expr) {
	p.made = e
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	switch e := e.(type) {
	case *ast.CompositeLit:
		return
	case *ast.CallExpr:
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && (id.Name == "new" || id.Name == "make") && info.Types[id].IsBuiltin() {
			return
		}
	}
	p.escapes = true
}

// keepsSize reports whether the slices of a pool surely stay as they were made.
func (s *source) keepsSize(p *syncPool) bool {
	pkg := s.tracer.prog.Package(p.v.Pkg())
	if p.escapes || pkg == nil {
		return false
	}
	put := false
	for _, fn := range s.functionsOf(pkg) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if mayResize(instr, pkg) {
					return false
				}
				if call, ok := instr.(ssa.CallInstruction); ok && isPoolPut(call) && poolAt(call.Common().Args[0]) == p.v {
					if put = isSlicePointer(unwrap(call.Common().Args[1]).Type()); !put {
						return false
					}
				}
			}
		}
	}
	return put
}

// functionsOf returns the functions, methods and literals of a package.
func (s *source) functionsOf(pkg *ssa.Package) (all []*ssa.Function) {
	for _, m := range pkg.Members {
		if fn, ok := m.(*ssa.Function); ok {
			all = append(all, fn)
		}
	}
	for _, fn := range s.tracer.methods {
		if fn.Pkg == pkg {
			all = append(all, fn)
		}
	}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].AnonFuncs...)
	}
	return all
}

// isSlicePointer reports whether a type is a pointer to a slice of bytes.
func isSlicePointer(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	list, ok := p.Elem().Underlying().(*types.Slice)
	return ok && types.Identical(list.Elem().Underlying(), types.Typ[types.Byte])
}

func isPoolPut(call ssa.CallInstruction) bool {
	fn := call.Common().StaticCallee()
	return fn != nil && runtimeName(fn) == "sync.(*Pool).Put"
}

// mayResize reports whether an instruction may set a slice by a pointer. So does one that makes such a pointer to a slice of
// another size, or gives one to code that is not seen.
func mayResize(instr ssa.Instruction, pkg *ssa.Package) bool {
	if pointsAtGlobal(instr) {
		return true
	}
	switch i := instr.(type) {
	case *ssa.Alloc:
		return isSlicePointer(i.Type()) && isPointedAt(i) && slices.ContainsFunc(storesTo(i), func(v ssa.Value) bool { return !isConstantSlice(v) })
	case *ssa.FieldAddr, *ssa.IndexAddr:
		v := i.(ssa.Value)
		return isSlicePointer(v.Type()) && isPointedAt(v)
	case *ssa.Store:
		switch i.Addr.(type) {
		case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global:
			return false
		}
		return isSlicePointer(i.Addr.Type()) && !isConstantSlice(i.Val)
	case *ssa.Convert:
		return isUnsafe(i.Type()) && isSlicePointer(i.X.Type())
	case *ssa.MakeInterface:
		return isSlicePointer(i.X.Type()) && slices.ContainsFunc(*i.Referrers(), func(r ssa.Instruction) bool {
			call, ok := r.(ssa.CallInstruction)
			_, returned := r.(*ssa.Return)
			return !returned && !(ok && isPoolPut(call))
		})
	case ssa.CallInstruction:
		fn := i.Common().StaticCallee()
		return (fn == nil || fn.Pkg != pkg) && slices.ContainsFunc(i.Common().Args, func(arg ssa.Value) bool { return isSlicePointer(arg.Type()) })
	}
	return false
}

// pointsAtGlobal reports whether an instruction uses the address of a slice that is a variable of a package.
func pointsAtGlobal(instr ssa.Instruction) bool {
	at := -1 // of the operand that is only read or written
	switch instr.(type) {
	case *ssa.UnOp, *ssa.Store:
		at = 0
	}
	for n, v := range instr.Operands(nil) {
		if g, ok := (*v).(*ssa.Global); ok && n != at && isSlicePointer(g.Type()) {
			return true
		}
	}
	return false
}

// isPointedAt reports whether anything but reads and writes of a variable uses its address.
func isPointedAt(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
			return false
		case *ssa.Store:
			return r.Addr != v
		}
		return true
	})
}

// isConstantSlice reports whether a value is a slice that is made with a constant size.
func isConstantSlice(v ssa.Value) bool {
	part, ok := v.(*ssa.Slice)
	if !ok {
		return false
	}
	array, ok := part.X.(*ssa.Alloc)
	return ok && array.Comment == "makeslice"
}
