package pooled

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/places"
	"github.com/basin-go/basin/vet/internal/shape"
)

// packageInfo has the facts of the analyzed package.
type packageInfo struct {
	pass       *analysis.Pass
	ssa        *ssa.Package
	funcs      []*ssa.Function
	explore    func(*ssa.Function) *Fact // follows the paths of a function
	setOnce    map[*ssa.Global]*ssa.Function
	resliced   map[*types.Var]bool    // fields that are emptied with [:0] or with Reset
	limited    map[string]bool        // pools with MaxInUse
	distinct   map[string]bool        // variables that point at a pool of their own
	companions map[*ssa.Function]bool // methods of types that put their own memory
	placesOf   func() *places.Index

	summaries memo[*ssa.Function, *Fact]
	facts     memo[*types.Func, *Fact] // of functions of other packages
	models    memo[*types.Func, *effects.Effect]
	puts      memo[*ssa.Function, bool] // results of mayPut
	shares    memo[*ssa.Function, bool] // results of mayShare
	failing   memo[*ssa.Function, bool] // results of alwaysFails
	effect    memo[*ssa.Function, *writes]
	loops     memo[*ssa.Function, shape.Loops]
	sole      memo[*types.Named, types.Type] // the only implementations of interfaces
}

// A memo keeps what a function returned.
type memo[K comparable, V any] map[K]V

// of returns find(k). If find asks for k again, it gets meanwhile.
func (m memo[K, V]) of(k K, meanwhile V, find func(K) V) V {
	v, known := m[k]
	if !known {
		m[k] = meanwhile
		v = find(k)
		m[k] = v
	}
	return v
}

// newPackageInfo finds the variables of a package that are set once, the fields that are emptied
// and the pools with MaxInUse.
func newPackageInfo(pass *analysis.Pass, pkg *ssa.Package, funcs []*ssa.Function) *packageInfo {
	p := &packageInfo{pass: pass, ssa: pkg, funcs: funcs,
		setOnce: map[*ssa.Global]*ssa.Function{}, resliced: map[*types.Var]bool{}, limited: map[string]bool{}, distinct: map[string]bool{}, companions: map[*ssa.Function]bool{},
		summaries: memo[*ssa.Function, *Fact]{}, facts: memo[*types.Func, *Fact]{}, models: memo[*types.Func, *effects.Effect]{},
		puts: memo[*ssa.Function, bool]{}, shares: memo[*ssa.Function, bool]{}, failing: memo[*ssa.Function, bool]{},
		effect: memo[*ssa.Function, *writes]{}, loops: memo[*ssa.Function, shape.Loops]{}, sole: memo[*types.Named, types.Type]{}}
	p.placesOf = sync.OnceValue(func() *places.Index {
		return places.NewIndex(pkg, funcs, func(f *types.Func) bool { e := effects.Of(f); return e != nil && (e.OfPool() || e.Go != effects.None) })
	})
	c := census{p, map[*ssa.Global]int{}, map[*types.Var]bool{}, map[*types.Var]bool{}}
	for _, fn := range funcs {
		c.read(fn)
	}
	if init := pkg.Func("init"); init != nil {
		c.read(init)
	}
	c.judge()
	for _, i := range pass.TypesInfo.InitOrder {
		if len(i.Lhs) == 1 && hasCeiling(i.Rhs) {
			p.limited["g"+pass.Pkg.Path()+"."+i.Lhs[0].Name()] = true
		}
	}
	return p
}

// find finds the facts of all functions and exports them. explore follows the paths of one function.
func (p *packageInfo) find(explore func(*ssa.Function) *Fact) {
	p.explore = explore
	p.findCompanions()
	for _, fn := range p.funcs {
		if len(fn.Blocks) == 0 {
			continue
		}
		fact := p.summary(fn)
		if o, ok := fn.Object().(*types.Func); ok && fact != nil && o.Pkg() == p.pass.Pkg {
			p.pass.ExportObjectFact(o, fact)
		}
	}
	for f := range p.resliced {
		if f.Pkg() == p.pass.Pkg && f.Exported() {
			p.pass.ExportObjectFact(f, &Reused{})
		}
	}
	p.loops, p.effect, p.explore = nil, nil, func(*ssa.Function) *Fact { return nil }
}

// A census counts the ways in which a package uses its variables and fields.
type census struct {
	*packageInfo
	stores  map[*ssa.Global]int // at least 2 if somebody has the address
	scratch map[*types.Var]bool // fields that are read into
	renewed map[*types.Var]bool // fields that get new slices
}

// read adds the instructions of a function.
func (c *census) read(fn *ssa.Function) {
	for i := range shape.Instructions(fn) {
		for _, f := range filled(i) {
			c.scratch[f] = true
		}
		switch i := i.(type) {
		case *ssa.Store:
			c.store(fn, i)
			continue // it sets a variable, and does not take its address
		case *ssa.Call:
			if f := i.Call.StaticCallee(); f != nil && len(i.Call.Args) > 0 && strings.HasPrefix(f.Name(), "Reset") && f.Signature.Recv() != nil {
				c.emptied(i.Call.Args[0])
			}
		case *ssa.Slice:
			if h, ok := i.High.(*ssa.Const); ok && h.Value != nil && h.Value.ExactString() == "0" && i.Low == nil && i.Max == nil {
				c.emptied(i.X)
			}
		}
		for _, op := range i.Operands(nil) {
			if g, ok := (*op).(*ssa.Global); ok {
				if u, ok := i.(*ssa.UnOp); !ok || u.Op != token.MUL {
					c.stores[g] += 2 // somebody has its address
				}
			}
		}
	}
}

// store notes a field that gets a new slice, and a variable of the package that gets a function
// or a pool of its own.
func (c *census) store(fn *ssa.Function, i *ssa.Store) {
	if f := shape.FieldOf(i.Addr); f != nil && isNew(i.Val) && !isNewStruct(i.Addr) && !measuresField(fn, f) {
		c.renewed[f] = true
	}
	g, ok := i.Addr.(*ssa.Global)
	if !ok {
		return
	}
	c.stores[g]++
	switch f := i.Val.(type) {
	case *ssa.Alloc:
		c.distinct["g"+g.String()] = true
	case *ssa.Function:
		c.setOnce[g] = f
	case *ssa.MakeClosure:
		if len(f.Bindings) == 0 {
			c.setOnce[g] = f.Fn.(*ssa.Function)
		}
	}
}

// emptied notes that the slice or buffer v is emptied, if v is the value of a field.
func (c *census) emptied(v ssa.Value) {
	if l, ok := v.(*ssa.UnOp); ok && l.Op == token.MUL {
		if f := shape.FieldOf(l.X); f != nil {
			c.resliced[f] = true
		}
	}
}

// judge draws the conclusions, when all functions are read.
func (c *census) judge() {
	for f := range c.scratch {
		if !c.renewed[f] {
			c.resliced[f] = true
		}
	}
	changes := func(g *ssa.Global) bool { return c.stores[g] != 1 || g.Object() != nil && g.Object().Exported() }
	for g := range c.stores {
		if changes(g) {
			delete(c.distinct, "g"+g.String())
		}
	}
	for g := range c.setOnce {
		if changes(g) {
			delete(c.setOnce, g)
		}
	}
}

// findCompanions finds the types with a method that puts, and the other methods of those types.
func (p *packageInfo) findCompanions() {
	putters := map[string]bool{}
	for range 2 {
		for _, fn := range p.funcs {
			if r := fn.Signature.Recv(); r != nil {
				if t := r.Type().String(); putters[t] {
					p.companions[fn] = small(fn)
				} else if small(fn) && p.mayPut(fn) {
					putters[t] = true
				}
			}
		}
	}
}

// filled returns the fields into whose slices an instruction reads or copies.
func filled(i ssa.Instruction) (fields []*types.Var) {
	c, ok := i.(*ssa.Call)
	if !ok {
		return nil
	}
	name, _ := shape.NameOf(&c.Call)
	switch name {
	case "copy", "Read", "ReadAt", "ReadFull", "ReadAtLeast":
	default:
		return nil
	}
	for n, a := range c.Call.Args {
		if name == "copy" && n > 0 {
			break
		}
		if s, ok := a.(*ssa.Slice); ok {
			a = s.X
		}
		if l, ok := a.(*ssa.UnOp); ok && l.Op == token.MUL && shape.IsSlice(l.Type()) {
			if f := shape.FieldOf(l.X); f != nil {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// isNew reports whether a value may be another slice than a variable had before: it is no
// variable, no constant, and no result of append.
func isNew(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Slice:
		return isNew(v.X)
	case *ssa.UnOp, *ssa.Const:
		return false
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		return !ok || b.Name() != "append"
	}
	return true
}

// isNewStruct reports whether an address is of a field of a literal.
func isNewStruct(addr ssa.Value) bool {
	f, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	_, ok = f.X.(*ssa.Alloc)
	return ok
}

// measuresField reports whether a function looks at the capacity or length of a field.
func measuresField(fn *ssa.Function, field *types.Var) bool {
	for i := range shape.Instructions(fn) {
		if c, ok := i.(*ssa.Call); ok && len(c.Call.Args) == 1 {
			if f, ok := c.Call.Value.(*ssa.Builtin); ok && (f.Name() == "cap" || f.Name() == "len") {
				if l, ok := c.Call.Args[0].(*ssa.UnOp); ok && shape.FieldOf(l.X) == field {
					return true
				}
			}
		}
	}
	return false
}

// small reports whether a function is short enough for a method of a buffer's wrapper.
func small(fn *ssa.Function) bool { return len(fn.Blocks) <= 12 }

// hasCeiling reports whether an expression makes a pool under a limit.
func hasCeiling(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if k, ok := kv.Key.(*ast.Ident); ok && (k.Name == "MaxInUse" || k.Name == "Limit") {
				found = true
			}
		}
		return true
	})
	return found
}

// reused reports whether the memory that a field points at is kept when its struct is
// reused.
func (p *packageInfo) reused(f *types.Var) bool {
	if p.resliced[f] {
		return true
	}
	if f.Pkg() == nil {
		return false
	}
	return f.Pkg() != p.pass.Pkg && p.pass.ImportObjectFact(f, new(Reused)) || effects.IsOwned(f)
}

func (p *packageInfo) inTest(pos token.Pos) bool {
	return strings.HasSuffix(p.pass.Fset.Position(pos).Filename, "_test.go")
}

// imported returns the fact of a function of another package.
func (p *packageInfo) imported(f *types.Func) *Fact {
	return p.facts.of(f.Origin(), nil, func(f *types.Func) *Fact {
		fact := new(Fact)
		if f.Pkg() == nil || f.Pkg() == p.pass.Pkg || !p.pass.ImportObjectFact(f, fact) {
			return nil
		}
		return fact
	})
}

// model returns the model of a function, or nil.
func (p *packageInfo) model(f *types.Func) *effects.Effect { return p.models.of(f, nil, effects.Of) }

// mayPut reports whether a call of the function may put something.
func (p *packageInfo) mayPut(fn *ssa.Function) bool {
	return p.puts.of(shape.Generic(fn), false, func(fn *ssa.Function) (may bool) {
		for i := range shape.Instructions(fn) {
			if c, ok := i.(ssa.CallInstruction); ok && p.callPuts(c) {
				may = true
			}
			if u, ok := i.(*ssa.UnOp); ok {
				if g, ok := u.X.(*ssa.Global); ok && p.setOnce[g] != nil && p.mayPut(p.setOnce[g]) {
					may = true
				}
			}
		}
		for _, a := range fn.AnonFuncs {
			may = p.mayPut(a) || may
		}
		return may
	})
}

// callPuts reports whether a call may put something that its caller knows.
func (p *packageInfo) callPuts(c ssa.CallInstruction) bool {
	object, callee := p.calleeOf(c.Common())
	if object != nil {
		if m := p.model(object); m != nil {
			return m.Puts()
		}
		if f := p.imported(object); f != nil && callee != nil && len(f.Puts) > 0 {
			return true
		}
	}
	if callee != nil {
		if puts, known := p.bodyPuts(callee); known {
			return puts
		}
	}
	// A closure or a method value that is kept in a variable.
	for _, op := range c.Operands(nil) {
		if m, ok := (*op).(*ssa.MakeClosure); ok && p.mayPut(m.Fn.(*ssa.Function)) {
			return true
		}
	}
	return false
}

// bodyPuts reports whether a function with a body at hand may put something that its caller knows.
func (p *packageInfo) bodyPuts(fn *ssa.Function) (puts, known bool) {
	fn = shape.Generic(fn)
	switch {
	case fn.Parent() != nil:
		return p.mayPut(fn), true
	case fn.Pkg == p.ssa:
		if !p.mayPut(fn) || returnsFunction(fn) { // it may return a function that puts
			return p.mayPut(fn), true
		}
		// Otherwise only Puts of the callee's arguments count.
		f := p.summary(fn)
		return f != nil && len(f.Puts) > 0, true
	case len(fn.FreeVars) > 0 && len(fn.Blocks) > 0:
		return p.mayPut(fn), true
	}
	return false, false
}

// writes are the writes of a function into memory that it did not make.
type writes struct {
	unknown bool // anything
	fields  map[*types.Var]bool
	others  bool // something that is no field
}

func (p *packageInfo) writesOf(fn *ssa.Function) *writes {
	return p.effect.of(shape.Generic(fn), &writes{unknown: true}, func(fn *ssa.Function) *writes {
		w := &writes{fields: map[*types.Var]bool{}, unknown: len(fn.Blocks) == 0}
		for i := range shape.Instructions(fn) {
			switch i := i.(type) {
			case *ssa.Store:
				if f := shape.FieldOf(i.Addr); f != nil {
					w.fields[f] = true
				} else if _, ok := i.Addr.(*ssa.Alloc); !ok {
					w.others = true
				}
			case ssa.CallInstruction:
				w.add(p.writesOfCall(i.Common()))
			}
		}
		return w
	})
}

// writesOfCall returns the writes of the function that is called.
func (p *packageInfo) writesOfCall(c *ssa.CallCommon) *writes {
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return &writes{}
	}
	object, callee := p.calleeOf(c)
	switch {
	case object != nil && (p.model(object) != nil || effects.Calm(object.Pkg())):
		return &writes{}
	case callee == nil || callee.Pkg != p.ssa:
		return &writes{unknown: true}
	}
	return p.writesOf(callee)
}

func (w *writes) add(o *writes) {
	w.unknown = w.unknown || o.unknown
	w.others = w.others || o.others
	for f := range o.fields {
		w.fields[f] = true
	}
}

// none reports whether nothing is written.
func (w *writes) none() bool { return !w.unknown && !w.others && len(w.fields) == 0 }

// pure reports whether a function of the package only looks at its arguments and
// returns a number or a bool: called again, it returns the same.
func (p *packageInfo) pure(fn *ssa.Function) bool {
	fn = shape.Generic(fn)
	if fn.Pkg != p.ssa || len(fn.Blocks) > 6 || fn.Signature.Results().Len() != 1 {
		return false
	}
	if b, _ := fn.Signature.Results().At(0).Type().Underlying().(*types.Basic); b == nil || b.Info()&(types.IsBoolean|types.IsInteger) == 0 {
		return false
	}
	return p.writesOf(fn).none()
}

// loopsOf returns shape.LoopsOf(fn), which it keeps.
func (p *packageInfo) loopsOf(fn *ssa.Function) shape.Loops {
	return p.loops.of(fn, nil, shape.LoopsOf)
}
