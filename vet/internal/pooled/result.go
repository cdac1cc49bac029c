package pooled

import (
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/noreturn"
	"github.com/basin-go/basin/vet/internal/pools"
	"github.com/basin-go/basin/vet/internal/shape"
	"github.com/basin-go/basin/vet/internal/syntax"
)

// HitKind is the kind of a mistake with pooled memory.
type HitKind uint8

const (
	UseAfterPut      HitKind = iota + 1 // memory that was put is read, written or passed on
	DoublePut                           // memory that was put is put once more
	ReturnedAfterPut                    // memory that was put, or will be by a deferred call, is returned
	StoredAfterPut                      // such memory is kept in a field or a variable
	SentAfterPut                        // such memory is sent
	GoAfterPut                          // such memory is given to a goroutine
	SharedAtPut                         // memory is put while another goroutine has it
	GoInHandler                         // a goroutine has memory that a framework reuses
	StaleView                           // a slice of a buffer is used after the buffer was written to
	CutPut                              // the front of the slice put is missing
	ClippedPut                          // the capacity of the slice put is cut
	GrownPut                            // append may have moved the slice before it is put
	ForeignPut                          // the memory put belongs to no pool
	OtherPool                           // the memory put came from another pool
	MissingPut                          // a path ends without a Put
	HandlerPut                          // memory is put that its framework puts, too
)

// A Hit is one mistake with one piece of memory.
type Hit struct {
	Kind    HitKind
	At      token.Pos // of the use
	Put     token.Pos
	Grow    bool      // the Put is an Append or the like, which puts the memory that it outgrows
	Forget  bool      // the Put is a Forget: the memory stays with its users
	Defer   bool      // the Put is deferred
	Later   bool      // the use is a deferred call
	Callee  string    // the function that puts
	Some    bool      // that function puts it on some returns only
	Inner   token.Pos // of the Put in that function, if it is in the same package
	Again   token.Pos // DoublePut: of the second Put, if At is a call of a function in this package that has it
	By      string    // DoublePut: that function
	Get     token.Pos
	Pool    string // the type of the pool that handed it out
	Func    *ssa.Function
	use     ssa.Instruction
	put     *death
	origin  string // of the memory
	decided bool   // OtherPool: the path depends on conditions
	whole   bool   // StoredAfterPut of an item, and not of a part of it
	since   forks  // between its Get and the use, on the path with the fewest
	Typ     types.Type
	Limited bool        // the pool has MaxInUse
	More    []token.Pos // further uses after the same Put
}

func (x *exploration) hit(st *state, kind HitKind, use ssa.Instruction, o *object, d *death) *Hit {
	k := hitKey{kind, use, d.instr, st.origin(o)}
	if h := x.hits[k]; h != nil {
		h.since = min(h.since, st.sinceGet(o, use))
		return h
	}
	h := &Hit{Kind: kind, At: position(use), Put: position(d.instr), Grow: d.grow, Forget: d.kept, Defer: d.deferred,
		Callee: d.callee, Some: d.sometimes, Inner: d.inner, Func: x.root, use: use, put: d, origin: k.origin, since: st.sinceGet(o, use), Typ: o.typ}
	_, h.Later = use.(*ssa.Defer)
	if o.kind == pooled && o.instr != nil {
		h.Get = position(o.instr)
		if c, ok := o.instr.(ssa.CallInstruction); ok {
			if f := c.Common().StaticCallee(); f != nil {
				h.Pool = f.String()
			}
		}
	}
	h.Limited = x.limited[strings.TrimRight(o.pool, "*")]
	x.hits[k] = h
	return h
}

// certain reports whether h can happen in the program. The path of a hit may not exist, if the condition of its
// Put excludes the condition of its use. So the Put must have happened whenever the use is reached, or no path from the
// Put may avoid a use.
func (x *exploration) certain(h *Hit) bool {
	switch h.Kind {
	case CutPut, ClippedPut, ForeignPut, GoInHandler, GrownPut, HandlerPut:
		return true
	case OtherPool:
		return !h.decided || !x.cutOff && len(x.origins[useAt{h.use, OtherPool}]) == 0
	case MissingPut:
		return !x.cutOff && (!h.put.away || x.putGot[h.use])
	}
	if h.since == dependent && x.elsewhere(h) || h.whole && (x.cutOff || x.alive[h.origin]) {
		return false
	}
	if x.cutOff {
		a, b := h.put.instr.Block(), h.use.Block()
		return h.Kind != SharedAtPut && a.Parent() == b.Parent() && a.Dominates(b) && !h.put.deferred
	}
	return x.onAllPaths(h)
}

// onAllPaths reports whether the memory of h is always put before it is used, or always used after it was put.
func (x *exploration) onAllPaths(h *Hit) bool {
	switch h.Kind {
	case SharedAtPut:
		return !x.live[useKey{h.put.instr, SharedAtPut, h.origin}] || !x.unsync[h.use]
	case ReturnedAfterPut, StoredAfterPut:
		if !x.alive[h.origin] {
			return true // it is put on all paths, whatever is returned
		}
	}
	return !x.live[useKey{h.use, h.Kind, h.origin}] || !x.clean[h.put.instr]
}

// sinceGet returns the kind of the path's forks between the Get of o's owner and use. It returns
// noFork if use cannot be reached without that Get.
func (st *state) sinceGet(o *object, use ssa.Instruction) forks {
	for range 4 {
		if o.kind == pooled || o.owner == 0 {
			break
		}
		o = st.objs[o.owner]
	}
	if o.instr == nil || o.instr.Parent() != use.Parent() || o.instr.Block().Dominates(use.Block()) {
		return noFork
	}
	return o.since
}

// elsewhere reports whether other paths reach the place of h with other memory of the same type, which is alive.
// A condition between the Get and the use may then decide which memory is used.
func (x *exploration) elsewhere(h *Hit) bool {
	for origin, typ := range x.origins[useAt{h.use, h.Kind}] {
		if origin != h.origin && (shape.IsBytes(typ) && shape.IsBytes(h.Typ) || typ != nil && h.Typ != nil && types.Identical(typ, h.Typ)) {
			return true
		}
	}
	return false
}

// A Result is the input of the checks.
type Result struct {
	*syntax.Source
	Hits     []*Hit
	Funcs    []*ssa.Function
	Failures int // functions that could not be analyzed
	Pools    func() []*pools.Pool
	info     *packageInfo
}

// Analyzer follows pooled memory through functions. It reports nothing itself: the checks read its Result.
var Analyzer = &analysis.Analyzer{
	Name:       "basinpooled",
	Doc:        "follow memory of pools through functions, for the checks of basin vet",
	Run:        run,
	FactTypes:  []analysis.Fact{(*Fact)(nil), (*Reused)(nil), (*noreturn.Fact)(nil)},
	ResultType: reflect.TypeFor[*Result](),
}

// Analyzed reports whether the package has to do with pools. Otherwise there is nothing to find.
func (r *Result) Analyzed() bool { return r.info != nil }

// InTest reports whether a position is in a test file.
func (r *Result) InTest(pos token.Pos) bool { return r.info.inTest(pos) }

// Reused is the fact of a field whose memory is kept when its struct is reused.
type Reused struct{}

// AFact marks Reused as a fact.
func (*Reused) AFact()         {}
func (*Reused) String() string { return "is reused" }

// debugPanics lets a panic of the analysis end a test, which then shows where it was.
var debugPanics = false

func run(pass *analysis.Pass) (_ any, err error) {
	defer func() {
		if r := recover(); r != nil && !debugPanics {
			err = fmt.Errorf("internal error of basin vet, please report it; the package is not analyzed: %v", r)
		}
	}()
	r := &Result{Source: syntax.New(pass)}
	if InStandardLibrary(fileOf(pass)) {
		return r, nil
	}
	neverReturns := noreturn.Find(pass)
	if !worthwhile(pass) {
		return r, nil
	}
	pkg, funcs := build(pass, neverReturns)
	if pkg == nil {
		r.Failures++
		return r, nil
	}
	p := newPackageInfo(pass, pkg, funcs)
	r.Funcs, r.info = funcs, p
	r.Pools = sync.OnceValue(func() []*pools.Pool { return survey(withInit(pkg, funcs)) })
	e, t, hits := newExplorer(p), &trials{packageInfo: p}, map[*ssa.Function][]*Hit{}
	p.find(func(fn *ssa.Function) (fact *Fact) {
		defer func() {
			if cause := recover(); cause != nil {
				if debugPanics {
					panic(cause)
				}
				r.Failures++
			}
		}()
		fact, hits[fn] = e.explore(fn)
		hits[fn] = slices.DeleteFunc(hits[fn], t.intended)
		return fact
	})
	for _, fn := range funcs {
		r.Hits = append(r.Hits, hits[fn]...)
	}
	slices.SortFunc(r.Hits, func(a, b *Hit) int {
		if c := int(a.At - b.At); c != 0 {
			return c
		}
		if c := int(a.Kind) - int(b.Kind); c != 0 {
			return c
		}
		return int(a.Put - b.Put)
	})
	r.Hits = oneForEachPut(r.Hits)
	return r, nil
}

// oneForEachPut keeps one of the hits with the same cause: the first use after a Put, with the further uses in
// its More. hits must be sorted by position.
func oneForEachPut(hits []*Hit) []*Hit {
	type cause struct {
		put  token.Pos
		kind HitKind
		at   token.Pos
	}
	first := map[cause]*Hit{}
	var kept []*Hit
	for _, h := range hits {
		c := cause{h.Put, h.Kind, h.At}
		switch h.Kind {
		case UseAfterPut, SentAfterPut, GoAfterPut, ReturnedAfterPut, StoredAfterPut, SharedAtPut, StaleView:
			c = cause{put: h.Put}
		}
		f := first[c]
		if f == nil {
			first[c] = h
			kept = append(kept, h)
		} else if f.At != h.At && !slices.Contains(f.More, h.At) {
			f.More = append(f.More, h.At)
		}
	}
	return kept
}

var goroot = gobuild.Default.GOROOT

// InStandardLibrary reports whether a file belongs to the standard library. Its functions are not analyzed:
// the models describe them.
func InStandardLibrary(file string) bool {
	return goroot != "" && strings.HasPrefix(filepath.ToSlash(file), filepath.ToSlash(goroot)+"/src/")
}

func fileOf(pass *analysis.Pass) string {
	if len(pass.Files) == 0 {
		return ""
	}
	return pass.Fset.Position(pass.Files[0].Package).Filename
}

// worthwhile reports whether the package may use a pool. Most packages do not, and need no SSA form.
func worthwhile(pass *analysis.Pass) bool {
	if effects.HasPools(pass.Pkg) {
		return true
	}
	for _, imp := range pass.Pkg.Imports() {
		if imp.Path() == "unsafe" || imp.Path() == "github.com/basin-go/basin/basinscope" || imp.Path() != "sync" && effects.HasPools(imp) {
			return true
		}
	}
	seen := map[types.Object]bool{}
	for _, o := range pass.TypesInfo.Uses {
		if o.Pkg() == nil || o.Pkg() == pass.Pkg || seen[o] {
			continue
		}
		seen[o] = true
		switch o := o.(type) {
		case *types.TypeName:
			if o.Name() == "Pool" && o.Pkg().Path() == "sync" {
				return true
			}
		case *types.Func:
			if m := effects.Of(o); m != nil && (m.Get || m.Puts()) {
				return true
			}
			fact := new(Fact)
			if pass.ImportObjectFact(o.Origin(), fact) && len(fact.Puts)+len(fact.Gets) > 0 {
				return true
			}
		}
	}
	return false
}

// build makes the SSA form of the package. The Analyzer buildssa would make it for all packages, including those
// that are not worthwhile.
func build(pass *analysis.Pass, noReturn func(*types.Func) bool) (pkg *ssa.Package, funcs []*ssa.Function) {
	defer func() {
		if r := recover(); r != nil {
			if debugPanics {
				panic(r)
			}
			pkg, funcs = nil, nil
		}
	}()
	prog := ssa.NewProgram(pass.Fset, ssa.BuilderMode(0))
	prog.SetNoReturn(noReturn)
	// Methods of other packages are made when they are called.
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	pkg = prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if o, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					if f := prog.FuncValue(o); f != nil {
						funcs = append(funcs, shape.WithLiterals(f)...)
					}
				}
			}
		}
	}
	if init := pkg.Func("init"); init != nil {
		for _, a := range init.AnonFuncs {
			funcs = append(funcs, shape.WithLiterals(a)...)
		}
	}
	return pkg, funcs
}
