package facts

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

// New finds the variables of a package that are set once, the fields that are emptied
// and the pools with MaxInUse.
func New(pass *analysis.Pass, pkg *ssa.Package, funcs []*ssa.Function) *Package {
	p := &Package{Pass: pass, SSA: pkg, Funcs: funcs,
		SetOnce: map[*ssa.Global]*ssa.Function{}, resliced: map[*types.Var]bool{}, Limited: map[string]bool{}, Distinct: map[string]bool{}, companions: map[*ssa.Function]bool{}, changed: map[*types.Var]bool{}}
	p.Places = sync.OnceValue(func() *places.Index {
		return places.NewIndex(pkg, funcs, func(f *types.Func) bool { e := effects.Of(f); return e != nil && (e.OfPool() || e.Go != effects.None) })
	})
	p.lists = freeLists(funcs)
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
			p.Limited["g"+pass.Pkg.Path()+"."+i.Lhs[0].Name()] = true
		}
	}
	return p
}

// Find finds the facts of all functions and exports them. explore follows the paths of one function.
func (p *Package) Find(explore func(*ssa.Function) *Fact) {
	p.explore = explore
	p.findCompanions()
	for _, fn := range p.Funcs {
		if len(fn.Blocks) == 0 {
			continue
		}
		fact := p.Local(fn)
		if o, ok := fn.Object().(*types.Func); ok && fact != nil && o.Pkg() == p.Pass.Pkg {
			p.Pass.ExportObjectFact(o, fact)
		}
	}
	for f := range p.resliced {
		if f.Pkg() == p.Pass.Pkg && f.Exported() {
			p.Pass.ExportObjectFact(f, &Reused{})
		}
	}
	p.loops.forget()
	p.effect.forget()
	p.explore = func(*ssa.Function) *Fact { return nil }
}

// A census counts the ways in which a package uses its variables and fields.
type census struct {
	*Package
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
		c.change(i)
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

// change notes fields that an instruction may set in a struct that is not new.
func (c *census) change(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.FieldAddr:
		for _, r := range *i.Referrers() {
			switch r := r.(type) {
			case *ssa.DebugRef, *ssa.UnOp, *ssa.FieldAddr:
			case *ssa.Store:
				if r.Val == i || !isNewStruct(i) {
					c.changed[shape.FieldOf(i)] = true
				}
			default:
				c.changed[shape.FieldOf(i)] = true
			}
		}
	case *ssa.Store:
		if _, isNew := i.Addr.(*ssa.Alloc); !isNew {
			c.changeAll(i.Val.Type())
		}
	case *ssa.Convert:
		c.changeAll(pointee(i.Type()))
	case *ssa.ChangeType:
		c.changeAll(pointee(i.Type()))
	}
}

func pointee(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// changeAll notes that all fields of a struct may be set.
func (c *census) changeAll(t types.Type) {
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			c.changed[f.Origin()] = true
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
		c.Distinct["g"+g.String()] = true
	case *ssa.Function:
		c.SetOnce[g] = f
	case *ssa.MakeClosure:
		if len(f.Bindings) == 0 {
			c.SetOnce[g] = f.Fn.(*ssa.Function)
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
			delete(c.Distinct, "g"+g.String())
		}
	}
	for g := range c.SetOnce {
		if changes(g) {
			delete(c.SetOnce, g)
		}
	}
}

// findCompanions finds the types with a method that puts, and the other methods of those types.
func (p *Package) findCompanions() {
	p.putters = map[string]bool{}
	for range 2 {
		for _, fn := range p.Funcs {
			if r := fn.Signature.Recv(); r != nil {
				if t := r.Type().String(); p.putters[t] {
					p.companions[fn] = small(fn)
				} else if small(fn) && p.mayPut(fn) {
					p.putters[t] = true
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
