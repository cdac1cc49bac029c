package paths

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/facts"
)

// path names a place by the variable and the fields that lead to it, or returns "".
func (st *state) path(r ref) string {
	if strings.Contains(r.sub, "[") {
		return ""
	}
	o := st.objs[r.id]
	switch {
	case o.kind == global || o.kind == param:
		return o.name + r.sub
	case o.kind == local && o.instr != nil:
		return fmt.Sprintf("l%d%s", position(o.instr), r.sub)
	case o.owner != 0:
		if p := st.path(ref{id: o.owner, sub: o.at}); p != "" {
			return p + "*" + r.sub
		}
	}
	return ""
}

// otherPools reports whether two names certainly belong to different pools: to different
// globals, or to different fields of one variable.
func otherPools(a, b string) bool {
	if a == "" || b == "" || a == b {
		return false
	}
	root := func(s string) (string, string) {
		i := strings.LastIndex(s, "/")
		rest := s[i+1:]
		if s[0] == 'g' { // the package and the variable
			if j := strings.IndexByte(rest, '.'); j >= 0 {
				k := strings.IndexAny(rest[j+1:], ".*")
				if k < 0 {
					return s, ""
				}
				return s[:i+1+j+1+k], rest[j+1+k:]
			}
		}
		if k := strings.IndexAny(rest, ".*"); k >= 0 {
			return s[:i+1+k], rest[k:]
		}
		return s, ""
	}
	ra, fa := root(a)
	rb, fb := root(b)
	if ra == rb {
		return fa != fb && strings.HasPrefix(fa, ".") && strings.HasPrefix(fb, ".") && strings.Contains(fa, "*") == strings.Contains(fb, "*")
	}
	return a[0] == 'g' && b[0] == 'g' && a[1:] != "" && strings.Contains(a, ".") && strings.Contains(b, ".") &&
		!strings.Contains(fa, "*") && !strings.Contains(fb, "*") && fa == "" && fb == ""
}

// origin names the call or argument that has brought an object into the function. The
// memory of a buffer has the same origin as the buffer.
func (st *state) origin(o *object) string {
	path := ""
	for range 4 {
		if o.owner == 0 {
			break
		}
		if o.at != "" && !strings.Contains(o.at, "#") {
			path = ">" + o.at + path
		}
		o = st.objs[o.owner]
	}
	switch {
	case o.instr == nil:
		return o.name + path
	case o.kind == unknown && strings.HasPrefix(o.name, "(x "): // a further result, such as an error
		return fmt.Sprint(position(o.instr), o.name) + path
	}
	return fmt.Sprint(position(o.instr)) + path
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

// rootPath tells which parameter leads to an object, and over which fields.
func (st *state) rootPath(o *object) (arg int, path string, ok bool) {
	for range 3 {
		if o.owner == 0 || strings.Contains(o.at, "[") && (o.at != facts.Elements || path != "") {
			return 0, "", false
		}
		if path != "" {
			path = ">" + path
		}
		at := o.at
		if at == "" {
			at = facts.Pointee
		}
		path = at + path
		o = st.objs[o.owner]
		if o.kind == param {
			return o.index, path, o.index >= 0
		}
	}
	return 0, "", false
}

// attached reports whether the owner of an object still has it.
func (st *state) attached(id objID) bool {
	o := st.objs[id]
	c, ok := st.mem[loc{o.owner, o.at}]
	return ok && len(c.v.refs) == 1 && c.v.refs[0].id == id
}

// lost are the fields of an object that have been given something else.
func (st *state) lost(id objID) []string {
	var subs []string
	for _, l := range st.placesIn(id) {
		c := st.mem[l]
		if c.store == nil {
			continue
		}
		own := false
		for _, r := range c.v.refs {
			own = own || st.objs[r.id].owner == id && st.objs[r.id].at == l.sub
		}
		if !own {
			subs = append(subs, l.sub)
		}
	}
	return subs
}

// isOutstanding reports whether an object is from a pool, and nobody else can put it.
func (o *object) isOutstanding() bool {
	return o.kind == pooled && o.dead == nil && !o.given && !o.gone && !o.null && o.owner == 0
}

// elementsOf returns the known elements of a list: values that were stored or appended.
func (st *state) elementsOf(list val) (vs []val) {
	if len(list.refs) != 1 {
		return nil
	}
	for _, l := range st.placesIn(list.refs[0].id) {
		c := st.mem[l]
		if l.sub == "#held" {
			vs = append(vs, c.v.elems...)
		} else if strings.HasPrefix(l.sub, "[") && strings.HasSuffix(l.sub, "]") {
			vs = append(vs, c.v)
		}
	}
	return vs
}

// deadElement returns an element of a list that the function has made, if all its elements were put.
func (st *state) deadElement(list objID) (val, bool) {
	if o := st.objs[list]; o.kind != local && o.kind != made || o.away {
		return val{}, false
	}
	all := st.elementsOf(val{refs: []ref{{id: list}}})
	for _, v := range all {
		if len(v.refs) != 1 || st.objs[v.refs[0].id].dead == nil {
			return val{}, false
		}
	}
	if len(all) == 0 {
		return val{}, false
	}
	return all[0], true
}

// split returns an element of a list that a library function has made of the parts of its argument, such as bytes.Split.
func (st *state) split(list objID, elem types.Type) (val, bool) {
	o := st.objs[list]
	call, ok := o.instr.(*ssa.Call)
	if !ok || o.kind != local {
		return val{}, false
	}
	e := facts.RowOf(call)
	if e == nil || e.Holds == effects.None || !types.Identical(call.Call.Args[e.Holds].Type(), elem) {
		return val{}, false
	}
	held := st.mem[loc{list, "#held"}].v.elems
	if len(held) != 1 {
		return val{}, false
	}
	v := mark(held[0], partial)
	v.sym, v.cst = "", nil
	return v, true
}

// heldBy returns the instruction by which a cell has an object: the one that set it, or one that has passed the object to
// the value of the cell since.
func (st *state) heldBy(c cell, id objID) ssa.Instruction {
	for _, r := range c.v.refs {
		if r.id == id {
			return c.store
		}
		held := st.mem[loc{r.id, "#held"}]
		if held.store == nil || held.store.Parent() != c.store.Parent() || position(held.store) < position(c.store) {
			continue
		}
		for _, e := range held.v.elems {
			if len(e.refs) == 1 && e.refs[0].id == id {
				return held.store
			}
		}
	}
	return c.store
}
