package rewrite

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Reordered is the error of a package that must not import the library: a program of its module would initialize
// packages in another order.
type Reordered struct {
	Path string // of a package that would be later
}

func (r *Reordered) Error() string {
	return r.Path + " would be initialized in another order, because of the new import"
}

// list returns the packages of the module with their tests, all imports of these, and the library.
func (g *goCommand) list(ctx context.Context) (map[string]*listed, error) {
	out, err := g.run(ctx, slices.Concat([]string{"list", "-e", "-deps", "-test", "-json=ImportPath,Name,Dir,Standard,DepOnly,GoFiles,CgoFiles,Imports,Incomplete"}, g.flags, []string{"--", "./...", Library})...)
	if err != nil {
		return nil, err
	}
	all := map[string]*listed{}
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		p := new(listed)
		if err := d.Decode(p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
}

// addsLibrary reports whether a change adds the import of the library to a file.
func (f *File) addsLibrary() bool {
	quoted := []byte(strconv.Quote(Library))
	return bytes.Contains(f.New, quoted) && !bytes.Contains(f.Old, quoted)
}

// adds reports whether a change adds the import of the library to q: the package, its variant with tests, or its
// external test.
func (p *Package) adds(q *listed) bool {
	return q.Dir == p.Dir && slices.ContainsFunc(p.Files, func(f *File) bool {
		return f.addsLibrary() && slices.Contains(q.GoFiles, filepath.Base(f.Name))
	})
}

// reordered finds the packages whose new import of the library would make a main package or a test of the module
// initialize packages in another order. Packages whose initialization nobody can notice do not count.
func reordered(all map[string]*listed, pkgs []*Package) map[*Package]error {
	failed := map[*Package]error{}
	for _, key := range slices.Sorted(maps.Keys(all)) { // so that the same package is named each time
		program := all[key]
		if program.Name != "main" || program.Standard {
			continue
		}
		for _, absent := range []func(*listed) bool{
			func(p *listed) bool { return p.task(all) == noTask },
			func(p *listed) bool { return p.task(all) <= maybeTask },
		} {
			before := initOrder(all, program, absent, nil)
			for _, p := range pkgs {
				if !slices.ContainsFunc(before, p.adds) {
					continue
				}
				if path := later(all, before, initOrder(all, program, absent, p.adds)); path != "" {
					failed[p] = &Reordered{path}
				}
			}
		}
	}
	return failed
}

// initOrder returns the packages of a program in the order of their initialization: next is always the package with the
// first path, of those whose imports are initialized. Absent ones have no turn: they come when they are met. adds tells which ones
// import the library in addition.
func initOrder(all map[string]*listed, program *listed, absent, adds func(*listed) bool) (order []*listed) {
	waits := map[*listed]int{}
	needs := map[*listed][]*listed{} // who waits for it
	var ready []*listed
	path := func(p *listed) string { path, _, _ := strings.Cut(p.ImportPath, " "); return path }
	push := func(p *listed) {
		i, _ := slices.BinarySearchFunc(ready, p, func(a, b *listed) int { return strings.Compare(path(b), path(a)) })
		ready = slices.Insert(ready, i, p) // the first comes last
	}
	var visit func(p *listed)
	visit = func(p *listed) {
		if _, ok := waits[p]; ok {
			return
		}
		waits[p] = 0
		imports := p.Imports
		if adds != nil && adds(p) {
			imports = append(slices.Clone(imports), Library)
		}
		for _, i := range imports {
			if q := all[i]; q != nil {
				if visit(q); !absent(q) {
					waits[p]++
					needs[q] = append(needs[q], p)
				}
			}
		}
		switch {
		case absent(p):
			order = append(order, p)
		case waits[p] == 0:
			push(p)
		}
	}
	visit(program)
	for len(ready) > 0 {
		p := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, p)
		for _, q := range needs[p] {
			if waits[q]--; waits[q] == 0 {
				push(q)
			}
		}
	}
	return order
}

// later returns the path of a package that comes later in the second order, among those that have effects.
func later(all map[string]*listed, before, after []*listed) string {
	was := map[*listed]bool{}
	for _, p := range before {
		was[p] = !p.Standard
	}
	after = slices.DeleteFunc(after, func(p *listed) bool { return !was[p] })
	before = slices.DeleteFunc(slices.Clone(before), func(p *listed) bool { return p.Standard })
	if slices.Equal(before, after) {
		return ""
	}
	silent := func(p *listed) bool { return !p.hasEffects(all) }
	before, after = slices.DeleteFunc(before, silent), slices.DeleteFunc(after, silent)
	for i, p := range before {
		if after[i] != p {
			path, _, _ := strings.Cut(p.ImportPath, " ")
			return path
		}
	}
	return ""
}
