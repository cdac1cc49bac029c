// Package effects has one table of the effects that library functions have on memory: which they keep, put, return and
// read. All tools of basin read it: vet, staledefer, migrate and advise. Each has its own idea of a function that is not
// there: vet believes that it may use and change its arguments, the others that it may keep them.
//
// Touch effects.txt to teach the tools a function or a pool, and effects_test.go to prove the row, if it is a row of the
// standard library. Touch this file for a new role only: a word that no row can say yet.
package effects

import (
	_ "embed"
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An Effect is a row of the table: the roles of a function and of its arguments. Arguments are counted from 0, the receiver
// included; None stands for a role that no argument has. The table explains the roles.
type Effect struct {
	Get, Strict, Calm, Ignore, Forget        bool
	Fresh, Fails, Joins, Back, Opaque, Idle  bool
	Put, TryPut, Grow, Free, Retain, Release int
	Leave, View, Part, Holds, Adopt, Detach  int
	Stale, Keep, Reset, Fill, Go             int
	Prints, Writes, Decode, Global, Error    int
}

// None is the number of no argument.
const None = -1

// Puts reports whether the function may end the life of an argument.
func (e *Effect) Puts() bool {
	return e.Put != None || e.TryPut != None || e.Grow != None || e.Free != None || e.Release != None
}

// OfPool reports whether the function gets memory or takes it back.
func (e *Effect) OfPool() bool { return e.Get || e.Leave != None || e.Puts() }

// Keeps reports whether the function's receiver, its package or a goroutine has an argument afterwards.
func (e *Effect) Keeps() bool {
	return e.Keep != None || e.Reset != None || e.Global != None || e.Go != None || e.Adopt != None
}

type table struct {
	funcs    map[string]*Effect
	owned    map[string]bool // TYPE.FIELD
	handlers map[string]bool // types of arguments
	pools    map[string]bool // packages that have a function that puts
	known    map[string]bool // packages that have any row
	calm     map[string]bool // packages
	lends    map[string]bool // packages
}

//go:embed effects.txt
var text string

var rows = parse(text)

func parse(text string) *table {
	t := &table{funcs: map[string]*Effect{}, owned: map[string]bool{}, handlers: map[string]bool{},
		pools: map[string]bool{}, known: map[string]bool{}, calm: map[string]bool{}, lends: map[string]bool{}}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := t.add(line); err != nil {
			panic(fmt.Sprintf("effects.txt:%d: %v", i+1, err))
		}
	}
	return t
}

// add adds a row.
func (t *table) add(line string) error {
	name, roles, _ := strings.Cut(line, " ")
	roles = strings.TrimSpace(roles)
	switch name {
	case "owned":
		t.owned[roles] = true
		return nil
	case "handler":
		t.handlers[roles] = true
		t.pools[PackageOf(roles)] = true
		return nil
	case "calm", "lends":
		for _, path := range strings.Fields(roles) {
			map[string]map[string]bool{"calm": t.calm, "lends": t.lends}[name][path] = true
		}
		return nil
	}
	if t.funcs[name] != nil {
		return fmt.Errorf("%s has two rows", name)
	}
	e := &Effect{}
	args := e.args()
	for _, arg := range args {
		*arg = None
	}
	flags := map[string]*bool{"get": &e.Get, "strict": &e.Strict, "calm": &e.Calm, "ignore": &e.Ignore,
		"forget": &e.Forget, "fresh": &e.Fresh, "fails": &e.Fails, "joins": &e.Joins, "back": &e.Back, "opaque": &e.Opaque, "idle": &e.Idle}
	for role := range strings.SplitSeq(roles, ";") {
		word := strings.Fields(role)
		switch {
		case len(word) == 1 && flags[word[0]] != nil:
			*flags[word[0]] = true
		case len(word) == 2 && args[word[0]] != nil:
			n, err := strconv.Atoi(word[1])
			if err != nil {
				return err
			}
			*args[word[0]] = n
		default:
			return fmt.Errorf("%q is no role", role)
		}
	}
	t.funcs[name] = e
	t.known[PackageOf(name)] = true
	if e.Puts() {
		t.pools[PackageOf(name)] = true
	}
	return nil
}

// args maps roles to the numbers of their arguments.
func (e *Effect) args() map[string]*int {
	return map[string]*int{"put": &e.Put, "tryput": &e.TryPut, "grow": &e.Grow, "free": &e.Free, "leave": &e.Leave,
		"retain": &e.Retain, "release": &e.Release, "view": &e.View, "part": &e.Part, "holds": &e.Holds, "adopt": &e.Adopt,
		"detach": &e.Detach, "stale": &e.Stale, "keep": &e.Keep, "go": &e.Go, "reset": &e.Reset, "fill": &e.Fill,
		"prints": &e.Prints, "writes": &e.Writes, "decode": &e.Decode, "global": &e.Global, "error": &e.Error}
}

// PackageOf returns the package path of a full name such as (*a/b.T).M or a/b.F.
func PackageOf(name string) string {
	name = strings.TrimLeft(name, "(*")
	if versioned := withVersion.FindString(name); versioned != "" {
		return versioned
	}
	slash := strings.LastIndex(name, "/")
	if dot := strings.Index(name[slash+1:], "."); dot >= 0 {
		return name[:slash+1+dot]
	}
	return name
}

// withVersion matches the only paths whose last element has a dot.
var withVersion = regexp.MustCompile(`^gopkg\.in/([^/]+/)?[^/]+\.v[0-9]+`)

var typeArguments = regexp.MustCompile(`\[[^\[\]]*\]`)

// FullName names a function as the table does.
func FullName(f *types.Func) string {
	name := f.Origin().FullName()
	for strings.Contains(name, "[") {
		short := typeArguments.ReplaceAllString(name, "")
		if short == name {
			break
		}
		name = short
	}
	if i := strings.LastIndex(name, "/vendor/"); i >= 0 {
		head := name[:len(name)-len(strings.TrimLeft(name, "(*"))]
		name = head + name[i+len("/vendor/"):]
	}
	return name
}

// path returns the path of a package as its users write it, even if it is vendored.
func path(p *types.Package) string {
	s := p.Path()
	if i := strings.LastIndex(s, "/vendor/"); i >= 0 {
		s = s[i+len("/vendor/"):]
	}
	return s
}

// Of returns the effect of a function, or nil if there is no row for it.
func Of(f *types.Func) *Effect {
	if f.Pkg() == nil || !rows.known[path(f.Pkg())] {
		return nil
	}
	name := FullName(f)
	if e := rows.funcs[name]; e != nil {
		return e
	}
	if dot := strings.LastIndex(name, ")."); dot >= 0 {
		return rows.funcs[name[:dot+2]+"*"]
	}
	return nil
}

// Calm reports whether the functions of a package keep nothing and let no other goroutine go on, if they have no rows.
func Calm(p *types.Package) bool { return p != nil && rows.calm[p.Path()] }

// Lends reports whether the functions of a package keep their arguments at most in results and in receivers, if they have
// no rows.
func Lends(p *types.Package) bool { return p != nil && rows.lends[p.Path()] }

// HasPools reports whether a package has functions that put, or framework values that are reused.
func HasPools(p *types.Package) bool { return rows.pools[path(p)] }

// IsHandled reports whether a framework reuses values of a type as soon as a function that has one returns.
func IsHandled(t types.Type) bool { return rows.handlers[types.TypeString(t, nil)] }

// IsPool reports whether a type has a method that gets memory or puts its argument.
func IsPool(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || !HasPools(n.Obj().Pkg()) {
		return false
	}
	return slices.ContainsFunc(slices.Collect(n.Origin().Methods()), func(m *types.Func) bool {
		e := Of(m)
		return e != nil && (e.Get || e.Put > 0)
	})
}

// IsOwned reports whether the memory that a field points at is reused with the field's struct.
func IsOwned(f *types.Var) bool {
	if f.Pkg() == nil {
		return false
	}
	for name := range rows.owned {
		typ, ok := strings.CutPrefix(name, f.Pkg().Path()+".")
		if !ok {
			continue
		}
		if typ, ok = strings.CutSuffix(typ, "."+f.Name()); !ok {
			continue
		}
		if o, ok := f.Pkg().Scope().Lookup(typ).(*types.TypeName); ok {
			if s, ok := o.Type().Underlying().(*types.Struct); ok && slices.Contains(slices.Collect(s.Fields()), f) {
				return true
			}
		}
	}
	return false
}
