package advise

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// An allocation is a site's instruction in the source.
type allocation struct {
	kind      kind
	instr     ssa.Instruction
	fate      *fate
	apart     bool   // it is a struct that nothing has in a field
	other     string // a map, a channel or the like
	itself    bool   // a standard function makes it, and takes none instead
	borrows   bool   // a standard function makes it unless its argument is a bufio.Reader or Writer
	loop      bool
	outer     int            // line of the outermost loop, if it is in several
	pooled    bool           // by a sync.Pool, whose New or miss makes it
	got       bool           // a part of a value that was got from a pool
	pools     []*types.Var   // of which one has it, if they are known
	inPool    string         // their names and places
	held      ssa.Value      // the parameter, the field or the variable that has it, or nil
	anew      *ssa.Store     // of it in a field of a value from a pool, whatever that had, or nil
	share     float64        // that values from pools have, by the stacks of the profile
	limited   string         // that its pool's users drop most of it, a sentence
	perUse    string         // where structs with that pool are made, a sentence
	kept      string         // the field that keeps it until it is too small
	keptBy    []string       // functions that make the struct of that, as often as they are called
	keptFor   bool           // the program, which has such a struct while it runs
	once      string         // when it is made, if that is once in the life of a program
	constant  bool           // its size
	pointers  bool           // in its elements
	more      []*allocation  // of the same kind in the same line, or that grow there
	several   string         // how more Buffers than one are meant: "Callers pass different Buffers", or nothing
	real      bool           // it must be a bytes.Buffer, and not one of package basin
	largest   int64          // size of the profile
	joins     ssa.Value      // its owner, if that may grow at several lines
	knownEnd  string         // it grows in a loop that ranges over this expression, or counts to it
	counts    bool           // the loop counts
	inField   string         // the field that grows there, if it is one
	begun     bool           // it is a parameter, which may have elements before
	atMost    bool           // a round may end before it grows
	perRound  int            // the elements that a round appends
	each      bool           // each round may append to it
	matrix    *ssa.MakeSlice // it is a row of
	keptAt    string         // the call whose function may keep it, a sentence
	beside    string         // other things that the line makes, a sentence
	closer    string         // the method where a Put of it belongs, a sentence
	only      []string       // the only callers of its function, and their lines, if that returns it
	rows      bool           // it is a row of a matrix whose rows can share an array
	grown     *growth
	emptied   []*ast.AssignStmt // statements that set its variable to a new slice
	cutOnly   bool              // there, and no pool
	visit     *visit            // that it grows in
	copies    []ast.Expr        // results of its function, or the value of an exit, of which others can have copies
	exit      *exit             // where it leaves, if not by results
	owners    []*ssa.Call       // of its function, whose callers can put the memory
	keeping   []*ssa.Call       // calls of the same function whose callers keep the memory, and can have copies
	result    int               // of its function, which owners get
	nils      nilResult         // whether owners may get nil in its place
	begins    bool              // the line makes the first array of a Buffer, which grows elsewhere
	builds    string            // how to extend the string that grows in a loop
	outgrown  string            // the capacity with which it is made on another line, a sentence
	filledMap *ssa.MakeMap      // which a loop over another map fills
	fillsMap  *ssa.MapUpdate    // in each round
	lessMap   string            // how a map could be made with less memory, sentences
	room      string            // of a channel, a sentence
	boxed     string            // the call that it is boxed for, and may drop it, sentences
	reserves  string            // that it has room for a limit, a sentence
	single    bool              // it grows by single elements only
	freed     func() bool       // whether the toolchain frees arrays that such a slice outgrows
	to        string            // an argument that is nil, to which its maker would append it, or whose place it takes
	givers    []string          // callers of its function that pass nil for it, if it is an argument of that; or that make the Builder
	behind    bool              // an interface has the Builder
	written   string            // a call that writes the same without this memory
	encoder   string            // a package that alone calls the function, and drops the result
	lent      []string          // functions that get the result of json.Marshal from this one, and do not keep it
	hint      string            // of another way, a sentence behind the reason
	scratch   []string          // functions with the struct that has it in a field, and does not leave them
	of        string            // the name of the struct

	allScratch bool            // there is no other struct of the name
	done       map[string]bool // callers of its function, as profiles name them: whether they let it go nowhere
	beginnings []*beginning    // structs whose slice can begin with one of a pool
	extended   ssa.Instruction // the first that has the field
	ends       string          // methods that may end the use of the field that has it, a sentence

	joinsField  ssa.Value // the address of a field that grows at several lines: of several such addresses in its function, the first
	wholeWrite  bool      // one write makes the memory of a Builder
	whole       bool      // one call of Grow makes the memory of a Builder
	wholeShare  float64   // of a Builder's bytes, that of the line of this call
	overwritten string    // where its variable gets another value before any use, a sentence
	later       string    // where the slice that a loop fills grows after that
}

// A visit is a slice that grows in function literals, which set its variable.
type visit struct {
	variable *ssa.Alloc
	list     *types.Var
	decl     ast.Stmt // of the variable
	appends  []*ast.CallExpr
	results  []ast.Expr // of its function
	empty    bool       // it may be empty after it was not, or is compared with nil
}

// An exit is the place where memory leaves its function, other than by a return statement.
type exit struct {
	use   ssa.Instruction
	value ssa.Value // that leaves
	expr  ast.Expr  // of the value
	how   string    // "stores it in field conn.buf"
}

// made is the instruction that makes the memory, or the slice that grows to it.
func (a *allocation) made() ssa.Instruction {
	if len(a.beginnings) > 0 {
		return a.extended
	}
	if made, ok := a.joins.(ssa.Instruction); ok && a.kind == kindAppend {
		if s, ok := made.(*ssa.Slice); ok {
			if array, ok := s.X.(*ssa.Alloc); ok {
				return array
			}
		}
		return made
	}
	return a.instr
}

// reusable reports whether the rounds of the loop that makes the memory can share it.
func (a *allocation) reusable() bool {
	return !a.fate.carried && slices.Contains([]kind{kindMake, kindSlice, kindAppend, kindBuffer, kindBuilder, kindClone}, a.kind)
}

// isMadeInRounds reports whether each round of a loop makes a slice, a Buffer or a variable that it alone uses. To share one costs
// less than even the smallest allocation.
func (a *allocation) isMadeInRounds() bool {
	return a.loop && a.fate.way == stays && (a.reusable() || a.isDeclaredInRounds())
}

// isDeclaredInRounds reports whether each round declares a variable that is on the heap because an interface has its address.
func (a *allocation) isDeclaredInRounds() bool {
	_, declared := a.instr.(*ssa.Alloc)
	return declared && a.kind == kindPointer && a.fate.trusted && !a.fate.carried && a.fate.list == ""
}

// fills reports whether a loop fills a slice, and its number of rounds is known. If it only counts, and the slice stays in
// the function, a pool is better.
func (a *allocation) fills() bool { return a.knownEnd != "" && !(a.counts && a.fate.way == stays) }

// root is the value that has the memory first.
func (a *allocation) root() ssa.Value {
	switch a.kind {
	case kindAppend:
		return a.joins
	case kindMake, kindReadAll, kindImage:
		v, _ := a.instr.(ssa.Value)
		return v
	case kindPointer:
		if v, ok := a.instr.(ssa.Value); ok && a.apart {
			return v
		}
	case kindSlice:
		if made, ok := a.instr.(*ssa.MakeSlice); ok {
			return made
		}
	}
	return nil
}

// growing reports whether the patch has appends to the memory take larger arrays from basin.
func (a *allocation) growing() bool {
	return a.kind == kindAppend || (a.kind == kindMake || a.kind == kindSlice) && a.fate.grows && a.fate.way != stays
}

// isConversion reports whether a string becomes bytes.
func isConversion(instr ssa.Instruction) bool {
	c, ok := instr.(*ssa.Convert)
	return ok && isBytes(c.Type()) && isString(c.X.Type())
}

// call is the call of basin that fits.
func (a *allocation) call() string {
	m, ok := a.instr.(*ssa.MakeSlice)
	switch {
	case a.kind == kindMake && ok && isZero(m.Len), isConversion(a.instr):
		return "basin.Get and basin.Put"
	case a.real:
		return "a basin.StdBufferPool"
	case slices.Contains([]kind{kindAppend, kindClone}, a.kind) && a.isOfOwnPool():
		return pooledBy[kindSlice]
	case a.borrows:
		c := a.instr.(*ssa.Call).Call
		t := "Reader"
		if strings.HasSuffix(c.Args[0].Type().String(), "Writer") {
			t = "Writer"
		}
		return "a basin.Pool of *bufio." + t + ", with Reset, for the argument of " + name(c.StaticCallee())
	}
	if v, ok := a.instr.(ssa.Value); ok && (a.kind == "json" || a.kind == "xml") && !isBytes(first(v.Type())) {
		return "" // an encoder or decoder
	}
	if a.indents() {
		return "an encoder that writes into basin.GetBuffer, and json.Indent into a pooled bytes.Buffer"
	}
	if v, ok := a.instr.(ssa.Value); ok && isPackaged(a.kind) {
		return poolOf(types.TypeString(first(v.Type()), (*types.Package).Name))
	}
	if v, ok := a.instr.(ssa.Value); ok && a.kind == kindPointer && isCloser(v.Type()) {
		return pooledBy[kindPointer] + ", with Drop to close it"
	}
	return strings.Replace(pooledBy[a.kind], "ARGUMENT", a.to, 1)
}

// indents reports whether a call lays JSON out. An Encoder that does so has a second buffer, which is new for each Encoder.
func (a *allocation) indents() bool {
	call, ok := a.instr.(*ssa.Call)
	return ok && isCalled(call, "encoding/json.MarshalIndent")
}

// isOfOwnPool reports whether a slice that grows comes from a pool of its own: it has no bytes, or function literals set its variable.
func (a *allocation) isOfOwnPool() bool {
	return a.visit != nil || !isBytes(a.instr.(ssa.Value).Type())
}

// poolOf is the call for a compressor, or another type that can be reset.
func poolOf(name string) string {
	switch name {
	case "*bufio.Scanner":
		return callOfScanner
	case "*zstd.Decoder":
		return readers["zstd"]
	case "io.WriteCloser", "io.ReadCloser": // of a type with Reset
		return "a basin.Pool of " + name + ", with Reset of the type that has it"
	case "*zstd.Encoder":
		return "a basin.Pool of *zstd.Encoder, with Reset, and Drop to close it"
	}
	return "a basin.Pool of " + name + ", with Reset"
}

// unclear says why a struct must be cleared before a Put, or nothing: a method Reset of its own may do so, if it leaves no field.
func (a *allocation) unclear() string {
	if a.kind != kindPointer {
		return ""
	}
	p := a.instr.(ssa.Value).Type()
	elem := p.Underlying().(*types.Pointer).Elem()
	t, ok := elem.Underlying().(*types.Struct)
	if !ok || t.NumFields() == 0 {
		return ""
	}
	typ := "the struct"
	if _, name := named(elem); name != "" {
		typ = name
	}
	if method, at, _ := types.LookupFieldOrMethod(p, true, nil, "Reset"); method != nil && len(at) == 1 {
		return leftByReset(a.instr.Parent().Prog, method, typ, t)
	}
	field := t.Field(0).Name()
	for f := range t.Fields() {
		if mayAlias(f.Type()) {
			field = f.Name()
			break
		}
	}
	return typ + " has no method Reset of its own, and a pool hands out fields such as " + field + " as they were"
}

// isCloser reports whether values of type t have a method Close without arguments.
func isCloser(t types.Type) bool {
	m, _, _ := types.LookupFieldOrMethod(t, true, nil, "Close")
	f, ok := m.(*types.Func)
	return ok && f.Signature().Params().Len() == 0
}

// A growth has the values that a slice has while it grows.
type growth struct {
	seen    map[ssa.Value]bool
	bases   []ssa.Value // that it begins with, other than nil
	phi     *ssa.Phi    // the outermost
	shared  *ssa.Alloc  // a variable that has it, and that function literals read
	appends []*ssa.Call
	first   *ssa.Call         // one that begins with nil
	births  []*ssa.BasicBlock // where it begins in a loop
	outside bool              // it begins outside of loops, too
}

// single reports whether the slice grows by elements that append has as arguments, not by those of another slice.
func (g *growth) single() bool {
	return !slices.ContainsFunc(g.appends, func(c *ssa.Call) bool {
		if _, ok := c.Call.Value.(*ssa.Builtin); !ok {
			return true
		}
		list, ok := c.Call.Args[1].(*ssa.Slice)
		if ok {
			made, isAlloc := list.X.(*ssa.Alloc)
			ok = isAlloc && made.Comment == "varargs"
		}
		return !ok
	})
}

// rounds returns the blocks where the slice of each round of a loop begins, or none if one slice grows in all rounds.
func (g *growth) rounds() []*ssa.BasicBlock {
	if g.outside {
		return nil
	}
	return g.births
}

// begin notes an instruction by which a slice begins.
func (g *growth) begin(v ssa.Value) {
	made, ok := v.(ssa.Instruction)
	if !ok || !inLoop(made) {
		g.outside = true
		return
	}
	g.births = append(g.births, made.Block())
}

// beginAt notes that a slice is nil until a block comes to a value that merges it.
func (g *growth) beginAt(b *ssa.BasicBlock, phi *ssa.Phi) {
	if b != phi.Block() && !reaches(phi.Block(), b, nil) && !isLoopBody(phi.Parent()) {
		g.outside = true
		return
	}
	g.births = append(g.births, b)
}

// base notes a value that a slice begins with.
func (g *growth) base(v ssa.Value) {
	g.bases = append(g.bases, v)
	g.begin(v)
}

// from goes back to the operand of a value.
func (g *growth) from(operand, v ssa.Value) {
	if isEmpty(operand) {
		g.begin(v)
	}
	g.back(operand)
}

func (g *growth) back(v ssa.Value) {
	if g.seen[v] || lacksRoom(v) { // append never writes to the latter
		return
	}
	g.seen[v] = true
	switch x := v.(type) {
	case *ssa.Const:
	case *ssa.Slice:
		if _, ok := x.X.Type().Underlying().(*types.Pointer); ok {
			g.base(x)
			return
		}
		g.from(x.X, x)
	case *ssa.ChangeType:
		g.from(x.X, x)
	case *ssa.UnOp:
		variable, stored := setHere(x)
		if variable == nil || g.shared != nil && g.shared != variable {
			g.base(v)
			return
		}
		g.shared = variable
		g.begin(variable)
		for _, e := range stored {
			g.back(e)
		}
	case *ssa.Phi:
		if g.phi == nil || x.Block().Dominates(g.phi.Block()) {
			g.phi = x
		}
		for i, e := range x.Edges {
			if isNil(e) {
				g.beginAt(x.Block().Preds[i], x)
			}
			g.back(e)
		}
	case *ssa.Call:
		if to := extended(x); to != nil {
			g.appends = append(g.appends, x)
			if isEmpty(to) {
				g.first = x
			}
			g.from(to, x)
			return
		}
		g.base(x)
	default:
		g.base(v)
	}
}

// lacksRoom does the same for a value.
func lacksRoom(v ssa.Value) bool {
	s, ok := v.(*ssa.Slice)
	return ok && s.Max != nil && isZero(s.Max)
}

// isEmpty reports whether a slice is surely nil, or has no room.
func isEmpty(v ssa.Value) bool { return isNil(v) || lacksRoom(v) }
