package advise

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A line may allocate several things, of which a profile tells the sizes only. So a reason speaks of the thing that has the
// size of most bytes, if that is known.

// sizes are those of a machine with 64 bits, on which most profiles are taken.
var sizes = types.SizesFor("gc", "amd64")

// ofMostBytes returns the allocation of a line of whose size most bytes of the site are, in place of another that does not fit.
// Memory that may come from a pool stays.
func ofMostBytes(site *Site, best *allocation, instrs []ssa.Instruction) *allocation {
	most := site.mostBytes()
	if beside := besideGrown(best, instrs, most.Size); beside != nil && 2*most.Bytes > site.Bytes {
		return beside
	}
	if best != nil && best.kind == kindAppend && most.Bytes > 0.6*site.Bytes { // that grows has several sizes, the others of a line need not
		if inner := innerAppend(instrs); inner != nil {
			return inner
		}
	}
	if table := mapOfMostBytes(site, instrs); table != nil && isMostlyTable(table, best, site) {
		return table
	}
	if best != nil && best.mayBePooled() && (best.kind != kindAppend || most.Bytes < site.Bytes) {
		return best
	}
	mostly := 2*most.Bytes > site.Bytes
	if mostly && best != nil && (takes(sizeOf(best.instr), most.Size) || isGeneric(best.instr)) {
		return best
	}
	fits := mapOfMostBytes(site, instrs)
	if fits == nil && mostly {
		fits = ofSize(instrs, most.Size)
	}
	if fits == nil {
		return best
	}
	return fits
}

// mostBytes returns the size that most bytes have.
func (s *Site) mostBytes() (most Size) {
	for _, size := range s.Sizes {
		if size.Bytes > most.Bytes {
			most = size
		}
	}
	return most
}

// bytesOf is the number of bytes of a site in pieces that fit a value of a size.
func (s *Site) bytesOf(value int64) (bytes float64) {
	for _, size := range s.Sizes {
		if takes(value, size.Size) {
			bytes += size.Bytes
		}
	}
	return bytes
}

// mayGrowTo reports false if memory is that of an append that makes no array of a size. One of a single element to a slice of
// unknown length doubles small arrays.
func mayGrowTo(a *allocation, size int64) bool {
	if a == nil || a.kind != kindAppend {
		return true
	}
	call, ok := a.instr.(*ssa.Call)
	if !ok || !isAppend(call) || variadic(call.Call.Args[1]) == nil {
		return true
	}
	grown := sizeOfType(call.Call.Args[1].Type().Underlying().(*types.Slice).Elem())
	const doubles = 256 // elements
	for n := 0; grown > 0 && grown < size && n < doubles; n++ {
		grown *= 2
	}
	return grown <= 0 || takes(grown, size)
}

// innerAppend returns an append whose result another append of the line gets as an element, or nil.
func innerAppend(instrs []ssa.Instruction) *allocation {
	for _, instr := range instrs {
		call, ok := instr.(*ssa.Call)
		if !ok || !isAppend(call) {
			continue
		}
		for _, r := range *call.Referrers() {
			st, ok := r.(*ssa.Store)
			if !ok {
				continue
			}
			if at, ok := st.Addr.(*ssa.IndexAddr); ok && slices.ContainsFunc(instrs, func(outer ssa.Instruction) bool {
				o, ok := outer.(*ssa.Call)
				return ok && o != call && isAppend(o) && variadic(o.Call.Args[1]) == at.X
			}) {
				return &allocation{kind: kindAppend, instr: call}
			}
		}
	}
	return nil
}

// appendedOfMostBytes returns the struct whose address an append adds, if most bytes of the site are of its size, or nil. Each run of the
// line makes one, and an array at most. So even if an array has that size now and then, more structs have it.
func appendedOfMostBytes(site *Site, grown *allocation) *allocation {
	call, ok := grown.instr.(*ssa.Call)
	if !ok || !isAppend(call) {
		return nil
	}
	list := variadic(call.Call.Args[1])
	if list == nil {
		return nil
	}
	for _, e := range elementsOf(list) {
		made, ok := e.(*ssa.Alloc)
		if ok && made.Heap && made.Block() == call.Block() && isStructPointer(made.Type()) && 2*site.bytesOf(sizeOf(made)) > site.Bytes && inSameLine(made, call) {
			return &allocation{kind: kindPointer, instr: made}
		}
	}
	return nil
}

// inSameLine reports whether a literal begins in the line of a call.
func inSameLine(made *ssa.Alloc, call *ssa.Call) bool {
	fset := call.Parent().Prog.Fset
	return fset.Position(made.Pos()).Line == fset.Position(call.Pos()).Line
}

// mayBePooled reports whether memory is of a kind that pools have, but for structs.
func (a *allocation) mayBePooled() bool {
	return a.other == "" && a.kind != kindString && a.kind != kindPointer
}

// ofSize returns an allocation whose size is known to be this one, or nil.
func ofSize(instrs []ssa.Instruction, size int64) *allocation {
	for _, instr := range instrs {
		if a, _ := allocationOf(instr); a != nil && a.kind != kindSlice && a.kind != kindMake && takes(sizeOf(instr), size) {
			return a
		}
		if a := inlinedVariable(instr, size); a != nil {
			return a
		}
		if i := slices.IndexFunc(conversions(instr), func(c conversion) bool { return takes(c.size, size) }); i >= 0 {
			return &allocation{kind: kindOther, instr: instr, other: conversions(instr)[i].text}
		}
	}
	return nil
}

// inlinedVariable returns a parameter that a function has on the heap, in the line of its call if it is inlined there. If the
// function returns the address, that is the memory.
func inlinedVariable(instr ssa.Instruction, size int64) *allocation {
	call, ok := instr.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return nil
	}
	fn := call.Call.StaticCallee()
	for _, p := range fn.Params {
		for _, r := range *p.Referrers() {
			st, ok := r.(*ssa.Store)
			if !ok {
				continue
			}
			if v, ok := st.Addr.(*ssa.Alloc); ok && v.Heap && takes(sizeOf(v), size) && !isCapturedByValue(v) {
				if types.Identical(call.Type(), v.Type()) && returns(fn, v) {
					return &allocation{kind: kindPointer, instr: call}
				}
				return &allocation{kind: kindOther, instr: call, other: "the variable " + p.Name() + " of " + name(fn) + ", which is inlined here"}
			}
		}
	}
	return nil
}

// returns reports whether a function may return a value as its first result.
func returns(fn *ssa.Function, v ssa.Value) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		r, ok := lastOf(b).(*ssa.Return)
		return ok && len(r.Results) > 0 && r.Results[0] == v
	})
}

// mapOfMostBytes returns a map that the line sets elements of, if most bytes of the site are of the sizes to which it grows.
func mapOfMostBytes(site *Site, instrs []ssa.Instruction) *allocation {
	for _, instr := range instrs {
		set, ok := instr.(*ssa.MapUpdate)
		if !ok {
			continue
		}
		table, ok := set.Map.Type().Underlying().(*types.Map)
		if !ok { // of a type parameter's type
			continue
		}
		var bytes float64
		for _, s := range site.Sizes {
			if isTable(table, s.Size) {
				bytes += s.Bytes
			}
		}
		if a, _ := allocationOf(set); 2*bytes > site.Bytes {
			return a
		}
	}
	return nil
}

// isMostlyTable reports whether most bytes of a line are those of a map that it lets grow, and not of the memory that it makes otherwise.
func isMostlyTable(table, other *allocation, site *Site) bool {
	return !mayGrowTo(other, site.mostBytes().Size) || hasSmallerLists(table, other, site)
}

// hasSmallerLists reports whether a line extends a list in a map, as in m[k] = append(m[k], list...), and at least half of its pieces are
// smaller than tables. An array may have any size, but short lists are more often in a map.
func hasSmallerLists(table, grown *allocation, site *Site) bool {
	set, ok := table.instr.(*ssa.MapUpdate)
	if !ok || grown == nil {
		return false
	}
	if list, ok := grown.instr.(ssa.Value); !ok || set.Value != list {
		return false
	}
	most := site.mostBytes()
	smaller := 0.0
	for _, s := range site.Sizes {
		if s.Size < most.Size {
			smaller += s.Objects
		}
	}
	return smaller >= most.Objects
}

// isTable reports whether memory of a size can be a table of a map: a power of two of groups, each of 8 keys and elements with
// a byte for each. Those larger than 128 bytes are behind pointers.
func isTable(m *types.Map, size int64) bool {
	const slots, direct = 8, 128
	if !isSized(m.Key()) || !isSized(m.Elem()) {
		return false
	}
	slot := func(t types.Type) types.Type {
		if sizeOfType(t) > direct {
			return types.Typ[types.Uintptr]
		}
		return t
	}
	pair := types.NewStruct([]*types.Var{types.NewField(0, nil, "k", slot(m.Key()), false), types.NewField(0, nil, "v", slot(m.Elem()), false)}, nil)
	group := slots + slots*sizeOfType(pair)
	for group < size && !takes(group, size) {
		group *= 2
	}
	return takes(group, size)
}

// allocationOf tells the kind of an instruction, and its rank among those of a line.
func allocationOf(instr ssa.Instruction) (*allocation, int) {
	switch instr := instr.(type) {
	case *ssa.MakeSlice:
		if extendsOnly(instr) {
			return nil, 0
		}
		if isBytes(instr.Type()) {
			return &allocation{kind: kindMake, instr: instr}, 9
		}
		return &allocation{kind: kindSlice, instr: instr}, 8
	case *ssa.Alloc:
		return allocationOfVariable(instr)
	case *ssa.Call:
		if isAppend(instr) {
			return &allocation{kind: kindAppend, instr: instr}, 7
		}
	case *ssa.Convert:
		if isString(instr.Type()) {
			return &allocation{kind: kindString, instr: instr}, 6
		}
		return &allocation{kind: kindSlice, instr: instr}, 6
	case *ssa.BinOp:
		return &allocation{kind: kindString, instr: instr}, 6
	case *ssa.MakeMap, *ssa.MapUpdate:
		return &allocation{kind: kindOther, instr: instr, other: "a map"}, 3
	case *ssa.MakeChan:
		return &allocation{kind: kindOther, instr: instr, other: "a channel"}, 3
	case *ssa.MakeInterface:
		if boxed := boxText(instr); boxed != "" {
			return &allocation{kind: kindOther, instr: instr, other: boxed}, 2
		}
	case *ssa.MakeClosure:
		return &allocation{kind: kindOther, instr: instr, other: closureText(instr)}, 2
	case *ssa.Go:
		return &allocation{kind: kindOther, instr: instr, other: "the function of a goroutine, with its variables"}, 2
	case *ssa.Return:
		if grown := returnsGrown(instr); grown != nil {
			return &allocation{kind: kindAppend, instr: grown}, 1
		}
	}
	return nil, 0
}

// returnsGrown returns the append of a slice that a function returns, or nil. Its first array may be on the stack, from where
// it moves to the heap when the function returns.
func returnsGrown(r *ssa.Return) *ssa.Call {
	for _, v := range r.Results {
		for _, e := range merged(settled(v)) {
			if call, ok := e.(*ssa.Call); ok && isAppend(call) {
				return call
			}
		}
	}
	return nil
}

// allocationOfVariable does the same for a variable or literal.
func allocationOfVariable(v *ssa.Alloc) (*allocation, int) {
	switch t := v.Type().Underlying().(*types.Pointer).Elem().Underlying().(type) {
	case *types.Array:
		k := kindSlice
		if types.Identical(t.Elem(), types.Typ[types.Byte]) {
			k = kindMake
		}
		switch v.Comment {
		case "makeslice":
			if extendsOnly(v) {
				return nil, 0
			}
			return &allocation{kind: k, instr: v, constant: true}, 8
		case "varargs":
			return nil, 0
		}
		return &allocation{kind: kindSlice, instr: v, constant: true}, 4
	case *types.Struct:
		return &allocation{kind: kindPointer, instr: v}, 5
	}
	return &allocation{kind: kindPointer, instr: v}, 1
}

// closureText tells a function literal from a method value, such as w.Header without a call.
func closureText(made *ssa.MakeClosure) string {
	if strings.HasPrefix(made.Fn.(*ssa.Function).Synthetic, "bound method") {
		return "a method value"
	}
	return "a function literal"
}

// text names the thing that is made, where its kind has others too.
func (a *allocation) text() string {
	switch v := a.instr.(type) {
	case *ssa.Convert:
		switch {
		case a.kind == kindSlice && isBytes(v.Type()):
			return "[]byte of a string"
		case a.kind == kindSlice:
			return "slice of a string"
		}
	case *ssa.Alloc:
		_, isStruct := v.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		switch {
		case a.kind == kindPointer && !isStruct:
			return "variable"
		case a.kind == kindSlice && v.Comment == "slicelit":
			return "slice literal"
		case a.kind == kindSlice && v.Comment != "makeslice":
			return "array"
		}
	}
	return string(a.kind)
}

// typeText is the type of a slice as its package writes it.
func (a *allocation) typeText() string {
	return types.TypeString(a.instr.(ssa.Value).Type(), func(p *types.Package) string {
		if p == a.instr.Parent().Pkg.Pkg {
			return ""
		}
		return p.Name()
	})
}

// most is the number of elements of a slice in its largest array in the profile, or 0 if that is not known.
func (a *allocation) most() int64 {
	list, ok := a.instr.(ssa.Value).Type().Underlying().(*types.Slice)
	if !ok {
		return 0
	}
	size := sizeOfType(list.Elem())
	if size <= 0 {
		return 0
	}
	return a.largest / size
}

// extendsOnly reports whether a slice is only appended to another, so that the compiler does not make it: append(b,
// make([]byte, n)...). If the length is constant, v is the array of the slice.
func extendsOnly(v ssa.Value) bool {
	if array, ok := v.(*ssa.Alloc); ok {
		list := wholeOf(array)
		return list != nil && extendsOnly(list)
	}
	return len(*v.Referrers()) > 0 && !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		call, ok := r.(*ssa.Call)
		return !ok || !isAppend(call) || call.Call.Args[0] == v || call.Call.Args[1] != v
	})
}

// wholeOf returns the slice that make with a constant size makes of an array.
func wholeOf(array *ssa.Alloc) ssa.Value {
	if array.Comment != "makeslice" || len(*array.Referrers()) != 1 {
		return nil
	}
	s, _ := (*array.Referrers())[0].(*ssa.Slice)
	if s == nil {
		return nil
	}
	return s
}

// takes reports whether the allocator gives memory of one size to a value of another: that of its class, before which it may
// have 8 bytes for itself.
func takes(value, size int64) bool {
	const classes, header = 8, 8 // classes are an eighth apart, or less, from 128 bytes on
	return value > 0 && value <= size && size <= max(value+value/classes+header, value+16)
}

// sizeOf is the size of memory that an instruction makes, or 0 if that is not constant.
func sizeOf(instr ssa.Instruction) int64 {
	switch v := instr.(type) {
	case *ssa.Alloc:
		return sizeOfType(v.Type().Underlying().(*types.Pointer).Elem())
	case *ssa.MakeInterface:
		return boxOf(v)
	case *ssa.MakeClosure:
		return sizeOfClosure(v)
	}
	return 0
}

// isCapturedByValue reports whether function literals have the value of a variable, of which nothing else takes the address.
func isCapturedByValue(variable *ssa.Alloc) bool {
	const most = 128 // bytes, as the compiler has it
	if size := sizeOfType(variable.Type().Underlying().(*types.Pointer).Elem()); size == 0 || size > most {
		return false
	}
	stored, known := storedIn(variable)
	return known && len(stored) <= 1
}

// sizeOfClosure is the size of a function literal with its variables: the values of small ones that nothing sets again, the addresses of others. It is 0 if that differs between the instances of a generic function.
func sizeOfClosure(made *ssa.MakeClosure) int64 {
	fields := []*types.Var{types.NewField(0, nil, "_", types.Typ[types.Uintptr], false)}
	isLiteral := made.Fn.(*ssa.Function).Parent() != nil // and no method value, which has its receiver
	for _, b := range made.Bindings {
		typ := b.Type()
		if v, ok := captured(b).(*ssa.Alloc); isLiteral && ok && isCapturedByValue(v) {
			typ = typ.Underlying().(*types.Pointer).Elem()
		}
		if !isSized(typ) {
			return 0
		}
		fields = append(fields, types.NewField(0, nil, "_", typ, false))
	}
	return sizeOfType(types.NewStruct(fields, nil))
}

// sizeOfType is the size of a type's values, or 0 if that differs between the instances of a generic function.
func sizeOfType(t types.Type) int64 {
	if !isSized(t) {
		return 0
	}
	return sizes.Sizeof(t)
}

// isSized reports whether all values of a type have one size: none has a value of a type parameter in it, for which package
// types has no size, and panics.
func isSized(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return isSized(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !isSized(f.Type()) {
				return false
			}
		}
	}
	return true
}

// isGeneric reports whether an instruction makes a variable whose size differs between the instances of a generic function.
func isGeneric(instr ssa.Instruction) bool {
	v, ok := instr.(*ssa.Alloc)
	return ok && !isSized(v.Type().Underlying().(*types.Pointer).Elem())
}

// boxOf is the size of memory for an interface's value, or 0 if that is a pointer or a constant.
func boxOf(v *ssa.MakeInterface) int64 {
	switch v.X.Type().Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return 0
	}
	if _, ok := v.X.(*ssa.Const); ok {
		return 0
	}
	return sizeOfType(v.X.Type())
}

// Names of things that calls make for their arguments.
const (
	boxed        = "an interface value"
	argumentList = "the list of arguments of a variadic function"
)

// boxText names the memory that an interface's value needs, or a function literal that is the value, or nothing.
func boxText(v *ssa.MakeInterface) string {
	x := v.X
	if change, ok := x.(*ssa.ChangeType); ok { // to a type such as http.HandlerFunc
		x = change.X
	}
	switch x := x.(type) {
	case *ssa.MakeClosure:
		return closureText(x)
	case *ssa.Const:
		return ""
	case *ssa.Convert:
		if isString(x.Type()) {
			return "a string, or the interface value that has it"
		}
	}
	switch x.Type().Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return ""
	}
	return boxed
}

// A conversion is memory of an argument or a result, which has no line of its own.
type conversion struct {
	text string
	size int64
}

// conversions returns the conversions of a call, a statement that returns or sends, or an assignment, the largest first.
func conversions(instr ssa.Instruction) (all []conversion) {
	add := func(v ssa.Value) {
		switch made := v.(type) {
		case *ssa.MakeInterface:
			if boxed := boxText(made); boxed != "" {
				all = append(all, conversion{boxed, boxOf(made)})
			}
		case *ssa.MakeClosure:
			all = append(all, conversion{closureText(made), sizeOf(made)})
		}
	}
	switch instr := instr.(type) {
	case *ssa.Store:
		add(instr.Val)
	case *ssa.Send:
		add(instr.X)
	case *ssa.Return:
		for _, v := range instr.Results {
			add(v)
		}
	case ssa.CallInstruction:
		if _, ok := instr.Common().Value.(*ssa.Builtin); ok {
			return nil
		}
		for _, arg := range instr.Common().Args {
			add(arg)
			if list := variadic(arg); list != nil { // which the compiler has on the stack more often than its elements
				for _, r := range *list.Referrers() {
					if at, ok := r.(*ssa.IndexAddr); ok {
						add(storedAt(at))
					}
				}
				all = append(all, conversion{argumentList, sizeOf(list)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b conversion) int { return int(b.size - a.size) })
	return all
}

// variadic returns the array of arguments that a call passes as a list, or nil.
func variadic(arg ssa.Value) *ssa.Alloc {
	if list, ok := arg.(*ssa.Slice); ok {
		if array, ok := list.X.(*ssa.Alloc); ok && array.Comment == "varargs" {
			return array
		}
	}
	return nil
}

// storedAt returns the value that is stored in an element of such a list, or nil.
func storedAt(element *ssa.IndexAddr) ssa.Value {
	for _, r := range *element.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(element) {
			return st.Val
		}
	}
	return nil
}

// besideGrown returns the thing that a line makes in a size that is too small for the append of the line, or nil.
func besideGrown(best *allocation, instrs []ssa.Instruction, size int64) *allocation {
	if best == nil || size >= leastGrown(best) {
		return nil
	}
	return ofExactSize(instrs, size)
}

// ofExactSize does the same as ofSize, but for slices of constant size too.
func ofExactSize(instrs []ssa.Instruction, size int64) *allocation {
	for _, instr := range instrs {
		if v, ok := instr.(*ssa.Alloc); ok && takes(sizeOf(v), size) {
			if a, _ := allocationOf(v); a != nil {
				return a
			}
		}
	}
	return ofSize(instrs, size)
}

// leastGrown is the size of the smallest array that an append can make, as far as the capacities with which its slice is made
// tell.
func leastGrown(a *allocation) int64 {
	v, ok := a.instr.(ssa.Value)
	if !ok || a.kind != kindAppend {
		return 0
	}
	list, ok := v.Type().Underlying().(*types.Slice)
	if !ok {
		return 0
	}
	var room int64
	for i, made := range makesOf(v) {
		if n := capacityOf(made); i == 0 || n < room {
			room = n
		}
	}
	return (room + 1) * sizeOfType(list.Elem())
}
