package rewrite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrLibrary is the reason of packages whose module cannot get the library.
var ErrLibrary = errors.New("the module does not require " + Library + ", and the go command cannot add it")

// A Builder compiles packages with changes that are not written yet.
type Builder struct {
	Flags []string // of the go command, such as -tags

	// Emptied has the packages that may see whether a collection empties their pools. They must not be in a program with a
	// package that collects.
	Emptied map[*Package]bool
}

// Check compiles the packages, with their tests and their changes, and returns those
// that do not compile, each with the reason.
func (b *Builder) Check(ctx context.Context, pkgs []*Package) (failed map[*Package]error, err error) {
	byModule := map[string][]*Package{}
	var modules []string
	for _, p := range pkgs {
		if byModule[p.Module] == nil {
			modules = append(modules, p.Module)
		}
		byModule[p.Module] = append(byModule[p.Module], p)
	}
	failed = map[*Package]error{}
	for _, module := range modules {
		if err := b.module(ctx, module, byModule[module], failed); err != nil {
			return nil, err
		}
	}
	return failed, nil
}

func (b *Builder) module(ctx context.Context, module string, pkgs []*Package, failed map[*Package]error) error {
	tmp, err := os.MkdirTemp("", "basin")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	g := goCommand{module, b.Flags, nil}
	if err := g.findLibrary(ctx, tmp); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, p := range pkgs {
			failed[p] = err
		}
		return nil
	}
	adding := func(p *Package) bool { return slices.ContainsFunc(p.Files, (*File).addsLibrary) }
	if len(b.Emptied) > 0 || slices.ContainsFunc(pkgs, adding) {
		all, err := g.list(ctx)
		if err != nil {
			return err
		}
		maps.Copy(failed, collected(all, slices.DeleteFunc(slices.Clone(pkgs), func(p *Package) bool { return !b.Emptied[p] })))
		maps.Copy(failed, reordered(all, slices.DeleteFunc(slices.Clone(pkgs), func(p *Package) bool { return !adding(p) })))
	}
	pkgs = slices.DeleteFunc(slices.Clone(pkgs), func(p *Package) bool { return failed[p] != nil })
	if len(pkgs) == 0 {
		return nil
	}
	if err := g.compiles(ctx, tmp, pkgs); err == nil || ctx.Err() != nil {
		return ctx.Err()
	} else if len(pkgs) == 1 {
		failed[pkgs[0]] = err
		return nil
	}
	for _, p := range pkgs {
		if err := g.compiles(ctx, tmp, []*Package{p}); err != nil {
			failed[p] = err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// compiles builds the packages with their tests, and with the new contents in place of
// the old.
func (g *goCommand) compiles(ctx context.Context, tmp string, pkgs []*Package) error {
	replaced, err := writeOverlay(tmp, pkgs)
	if err != nil {
		return err
	}
	args := slices.Concat([]string{"list", "-export", "-test", "-overlay=" + overlayFile(tmp)}, g.flags, []string{"--"})
	for _, p := range pkgs {
		rel, err := filepath.Rel(g.dir, p.Dir)
		if err != nil {
			return err
		}
		args = append(args, "./"+filepath.ToSlash(rel))
	}
	if _, err = g.run(ctx, args...); err == nil {
		return nil
	}
	text := err.Error()
	for name, changed := range replaced {
		text = strings.ReplaceAll(text, changed, name)
		if short, err := filepath.Rel(g.dir, changed); err == nil { // as the go command shortens names
			text = strings.ReplaceAll(text, short, name)
		}
	}
	return errors.New(text)
}

func overlayFile(tmp string) string { return filepath.Join(tmp, "overlay.json") }

// writeOverlay writes the new contents into tmp, with a list of which files they replace.
func writeOverlay(tmp string, pkgs []*Package) (replaced map[string]string, err error) {
	replaced = map[string]string{}
	for _, p := range pkgs {
		for _, f := range p.Files {
			name := filepath.Join(tmp, fmt.Sprint(len(replaced), ".go"))
			if err := os.WriteFile(name, f.New, 0o600); err != nil {
				return nil, err
			}
			replaced[f.Name] = name
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	return replaced, os.WriteFile(overlayFile(tmp), data, 0o600)
}

// findLibrary has the go command find the library that the changes import. If the
// module does not require it yet, it is added to a copy of its go.mod in tmp.
func (g *goCommand) findLibrary(ctx context.Context, tmp string) error {
	if flags, err := g.run(ctx, "env", "GOFLAGS"); err != nil {
		return err
	} else if strings.Contains(flags, "-mod=mod") {
		g.flags = append(slices.Clone(g.flags), "-mod=readonly") // or it would change go.mod
	}
	if _, err := g.run(ctx, slices.Concat([]string{"list"}, g.flags, []string{"--", Library})...); err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(g.dir, name))
		if errors.Is(err, os.ErrNotExist) && name == "go.sum" {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(tmp, name), data, 0o600); err != nil {
			return err
		}
	}
	g.env = []string{"GOWORK=off"} // go.work allows no other go.mod
	modfile := "-modfile=" + filepath.Join(tmp, "go.mod")
	if _, err := g.run(ctx, "get", modfile, Library); err != nil {
		return fmt.Errorf("%w: %w", ErrLibrary, err)
	}
	g.flags = append(slices.DeleteFunc(slices.Clone(g.flags), func(flag string) bool { return flag == "-mod=readonly" }), modfile, "-mod=mod")
	return nil
}

// Requirement returns the changes of go.mod and go.sum that make a module require the library, or none if it already does.
func Requirement(ctx context.Context, module string) (files []*File, err error) {
	tmp, err := os.MkdirTemp("", "basin")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	g := goCommand{module, nil, nil}
	if err := g.findLibrary(ctx, tmp); err != nil {
		return nil, err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		now, err := os.ReadFile(filepath.Join(tmp, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		f := &File{Name: filepath.Join(module, name), New: now}
		if f.Old, err = os.ReadFile(f.Name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}
