package pools

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/shape"
)

// A Flow tells the effects of calls, for LostInChannel.
type Flow struct {
	Gets func(*ssa.Call) bool           // the first result is memory of a pool
	Ends func(ssa.CallInstruction) bool // the call keeps and puts none of its arguments
}

// LostInChannel returns the first Send of pooled memory to each channel whose receivers neither put it nor pass it to code
// that may. A channel is known if it is a variable or a field of the package, or made in a function, and nothing but this
// package has it.
func LostInChannel(funcs []*ssa.Function, flow Flow) (lost []token.Pos) {
	c := &channels{flow: flow, funcs: map[*ssa.Function]bool{}, calls: map[*ssa.Function][]ssa.CallInstruction{},
		closures: map[*ssa.Function]*ssa.MakeClosure{}, sends: map[any]token.Pos{}, received: map[any]bool{}, open: map[any]bool{}}
	for _, fn := range funcs {
		c.funcs[fn] = true
	}
	for i := range shape.Instructions(funcs...) {
		if m, ok := i.(*ssa.MakeClosure); ok {
			c.closures[m.Fn.(*ssa.Function)] = m
		}
		if call, ok := i.(ssa.CallInstruction); ok {
			if f := call.Common().StaticCallee(); f != nil {
				c.calls[f] = append(c.calls[f], call)
			}
		}
	}
	for i := range shape.Instructions(funcs...) {
		c.read(i)
	}
	for place, pos := range c.sends {
		if c.received[place] && !c.open[place] {
			lost = append(lost, pos)
		}
	}
	slices.Sort(lost)
	return lost
}

// channels has the channels of a package: by variable, by field, or by the instruction that makes one.
type channels struct {
	flow     Flow
	funcs    map[*ssa.Function]bool
	calls    map[*ssa.Function][]ssa.CallInstruction
	closures map[*ssa.Function]*ssa.MakeClosure
	sends    map[any]token.Pos // the first Send of pooled memory
	received map[any]bool
	open     map[any]bool // others have it, or its values may be put
}

// read notes the channels that an instruction uses.
func (c *channels) read(i ssa.Instruction) {
	c.send(i)
	switch i := i.(type) {
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			c.receive(c.place(i.X, 6), i, i.CommaOk)
		}
		return
	case *ssa.Select:
		n := 2
		for _, s := range i.States {
			if s.Dir == types.RecvOnly {
				c.receiveAt(c.place(s.Chan, 6), i, n)
				n++
			}
		}
		return
	case *ssa.Send:
		c.leaves(i.X)
		return
	case *ssa.DebugRef, *ssa.MakeClosure, *ssa.BinOp, *ssa.ChangeType, *ssa.FieldAddr:
		return
	case *ssa.Store:
		if at := c.target(i.Addr, 6); isChannel(i.Val) && c.place(i.Val, 6) != at && !shape.IsNil(i.Val) {
			c.open[at] = true
			c.leaves(i.Val)
		}
		if !isChannel(i.Val) {
			c.leaves(i.Val)
		}
		return
	case ssa.CallInstruction:
		if b, ok := i.Common().Value.(*ssa.Builtin); ok && b.Name() != "append" {
			return
		}
		if f := i.Common().StaticCallee(); f != nil && c.funcs[f] {
			return // its parameters stand for the arguments
		}
	}
	for _, op := range i.Operands(nil) {
		c.leaves(*op)
	}
}

// leaves notes that a channel, or the address of a variable that has one, is used in a way that is not followed.
func (c *channels) leaves(v ssa.Value) {
	switch a := v.(type) {
	case nil:
	case *ssa.FieldAddr, *ssa.Global, *ssa.Alloc:
		c.open[c.target(a, 6)] = true
	default:
		if isChannel(v) {
			c.open[c.place(v, 6)] = true
		}
	}
}

func isChannel(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Chan)
	return ok
}

// send notes the channels to which an instruction sends pooled memory.
func (c *channels) send(i ssa.Instruction) {
	add := func(ch, x ssa.Value, pos token.Pos) {
		if p := c.place(ch, 6); p != nil && c.pooled(x, 6) && !c.sends[p].IsValid() {
			c.sends[p] = pos
		}
	}
	switch i := i.(type) {
	case *ssa.Send:
		add(i.Chan, i.X, i.Pos())
	case *ssa.Select:
		for _, s := range i.States {
			if s.Dir == types.SendOnly {
				add(s.Chan, s.Send, s.Pos)
			}
		}
	}
}

// pooled reports whether a value comes straight from a Get.
func (c *channels) pooled(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return c.pooled(v.X, depth-1)
	case *ssa.TypeAssert:
		return c.pooled(v.X, depth-1)
	case *ssa.Slice:
		return c.pooled(v.X, depth-1)
	case *ssa.Extract:
		return v.Index == 0 && c.pooled(v.Tuple, depth-1)
	case *ssa.Call:
		return c.flow.Gets(v)
	}
	return false
}

// place returns the channel that a value is, or nil if that is not known. An exported variable or field is not: others can
// receive from it.
func (c *channels) place(v ssa.Value, depth int) any {
	if depth == 0 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.MakeChan:
		for _, r := range *v.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Val == v {
				return c.target(s.Addr, depth-1)
			}
			if t, ok := r.(*ssa.ChangeType); ok {
				for _, r := range *t.Referrers() {
					if s, ok := r.(*ssa.Store); ok && s.Val == t {
						return c.target(s.Addr, depth-1)
					}
				}
			}
		}
		return v
	case *ssa.ChangeType:
		return c.place(v.X, depth-1)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return c.target(v.X, depth-1)
		}
	case *ssa.FreeVar:
		return c.place(c.bound(v), depth-1)
	case *ssa.Parameter:
		return c.argument(v, depth-1)
	}
	return nil
}

// target returns the channel that the variable with an address has.
func (c *channels) target(addr ssa.Value, depth int) any {
	if depth == 0 {
		return nil
	}
	switch a := addr.(type) {
	case *ssa.Global:
		if o := a.Object(); o != nil && !o.Exported() {
			return a
		}
	case *ssa.FieldAddr:
		if f := shape.FieldOf(a); !f.Exported() {
			return f
		}
	case *ssa.Alloc:
		return a
	case *ssa.FreeVar:
		return c.target(c.bound(a), depth-1)
	}
	return nil
}

// bound returns the value that a variable of a function literal stands for, or nil.
func (c *channels) bound(v *ssa.FreeVar) ssa.Value {
	m := c.closures[v.Parent()]
	for i, f := range v.Parent().FreeVars {
		if f == v && m != nil {
			return m.Bindings[i]
		}
	}
	return nil
}

// argument returns the channel that all calls give a parameter, or nil.
func (c *channels) argument(p *ssa.Parameter, depth int) any {
	fn := p.Parent()
	if o := fn.Object(); !c.funcs[fn] || o != nil && o.Exported() {
		return nil
	}
	var place any
	for n, call := range c.calls[fn] {
		for i, q := range fn.Params {
			if q != p {
				continue
			}
			if i >= len(call.Common().Args) {
				return nil
			}
			at := c.place(call.Common().Args[i], depth)
			if at == nil || n > 0 && at != place {
				return nil
			}
			place = at
		}
	}
	return place
}

// receive notes a receive operation, with one result or two.
func (c *channels) receive(place any, v ssa.Value, two bool) {
	if two {
		c.receiveAt(place, v, 0)
		return
	}
	c.received[place] = true
	if !c.forgotten(v, map[ssa.Value]bool{}) {
		c.open[place] = true
	}
}

func (c *channels) receiveAt(place any, tuple ssa.Value, index int) {
	for _, r := range *tuple.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == index {
			c.receive(place, e, false)
		}
	}
}

// forgotten reports whether a value is put or kept by nobody.
func (c *channels) forgotten(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.BinOp, *ssa.Field, *ssa.Index, *ssa.IndexAddr, *ssa.FieldAddr, *ssa.Range, *ssa.Lookup:
			// Memory that the value points at is not the value.
		case *ssa.Store:
			if r.Val == v {
				return false
			}
		case *ssa.Convert:
			// string(b) is a copy.
		case *ssa.UnOp, *ssa.Slice, *ssa.ChangeType, *ssa.TypeAssert, *ssa.Extract, *ssa.Phi, *ssa.MakeInterface:
			if v := r.(ssa.Value); shape.HoldsPointers(v.Type()) && !c.forgotten(v, seen) {
				return false
			}
		case ssa.CallInstruction:
			if !c.dropped(r, v, seen) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// dropped reports whether a call neither puts nor keeps an argument.
func (c *channels) dropped(call ssa.CallInstruction, v ssa.Value, seen map[ssa.Value]bool) bool {
	if b, ok := call.Common().Value.(*ssa.Builtin); ok {
		return b.Name() != "append" || call.Common().Args[0] != v
	}
	if c.flow.Ends(call) {
		return true
	}
	f := call.Common().StaticCallee()
	if f == nil || !c.funcs[f] {
		return false
	}
	if _, ok := call.(*ssa.Call); !ok {
		return false
	}
	for i, a := range call.Common().Args {
		if a == v && !c.forgotten(f.Params[i], seen) {
			return false
		}
	}
	return true
}
