package vet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// applyFixes changes the files, those of a package together or not at all, and returns
// the findings that are left. Of fixes that overlap, the first wins. If a package stays
// as it is, the reason is printed to stderr. The findings may be from the go command's
// cache, so applyFixes reads the files and then calls again, which analyzes them anew.
func applyFixes(ctx context.Context, findings []Finding, tags string, stderr io.Writer, again func() ([]Finding, error)) ([]Finding, error) {
	contents := map[string][]byte{}
	for _, f := range findings {
		for _, fix := range f.Fixes {
			for _, e := range fix.Edits {
				if contents[e.Filename] == nil {
					contents[e.Filename], _ = os.ReadFile(e.Filename) // or the package is refused below
				}
			}
		}
	}
	if len(contents) == 0 {
		return findings, nil
	}
	findings, err := again()
	if err != nil {
		return nil, err
	}
	modules, err := mainModules(ctx)
	if err != nil {
		return nil, err
	}
	change := newChange(modules)
	for _, f := range findings {
		if len(f.Fixes) > 0 {
			change.take(f.Fixes[0], contents)
		}
	}
	builder := rewrite.Builder{}
	if tags != "" {
		builder.Flags = []string{"-tags=" + tags}
	}
	refused, err := change.check(ctx, &builder)
	if err != nil {
		return nil, err
	}
	for _, p := range change.packages() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := write(p, refused[p], stderr); err != nil {
			return nil, err
		}
	}
	return again()
}

// take adds the edits of a fix, if they are all in one package and none overlaps with another fix.
func (c *change) take(fix Fix, contents map[string][]byte) {
	var p *rewrite.Package
	for _, e := range fix.Edits {
		if contents[e.Filename] == nil || p != nil && p.Dir != filepath.Dir(e.Filename) || c.overlaps(e) {
			return
		}
		p = c.pkg(e.Filename)
	}
	for _, e := range fix.Edits {
		c.add(e, contents[e.Filename])
	}
}

// write writes the files of a package, unless it is refused, and prints the outcome.
func write(p *rewrite.Package, refused error, stderr io.Writer) error {
	err := refused
	if err == nil {
		err = p.Write()
	}
	if err != nil {
		if r := (*rewrite.Refusal)(nil); refused == nil && !errors.As(err, &r) {
			return err
		}
		fmt.Fprintf(stderr, "basin vet: nothing in %s is changed: %s\n", short(p.Dir), explain(err))
		return nil
	}
	for _, f := range p.Files {
		fmt.Fprintf(stderr, "fixed %s\n", short(f.Name))
	}
	return nil
}

// explain says why a package stays as it is, with a short name of the file.
func explain(err error) string {
	if r := (*rewrite.Refusal)(nil); errors.As(err, &r) {
		return short(r.File) + " " + r.Reason
	}
	return err.Error()
}

// mainModules returns the directories of the modules whose files may be changed.
func mainModules(ctx context.Context) ([]string, error) {
	out, err := rewrite.Command(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' || r == '\r' }), nil
}

// A change has the edits of all packages.
type change struct {
	modules []string                    // directories of the main modules
	byDir   map[string]*rewrite.Package // by the directory of the package
	byName  map[string]*rewrite.File
}

func newChange(modules []string) *change {
	return &change{modules, map[string]*rewrite.Package{}, map[string]*rewrite.File{}}
}

func (c *change) pkg(file string) *rewrite.Package {
	dir := filepath.Dir(file)
	p := c.byDir[dir]
	if p == nil {
		p = &rewrite.Package{Dir: dir}
		for _, m := range c.modules {
			if len(m) > len(p.Module) && (dir == m || strings.HasPrefix(dir, m+string(filepath.Separator))) {
				p.Module = m
			}
		}
		c.byDir[dir] = p
	}
	return p
}

// packages returns the packages in the order of their directories.
func (c *change) packages() (pkgs []*rewrite.Package) {
	for _, dir := range slices.Sorted(maps.Keys(c.byDir)) {
		pkgs = append(pkgs, c.byDir[dir])
	}
	return pkgs
}

// overlaps reports whether there is an edit of the same place.
func (c *change) overlaps(e Edit) bool {
	f := c.byName[e.Filename]
	return f != nil && slices.ContainsFunc(f.Edits, func(o rewrite.Edit) bool {
		return e.Start < o.End && o.Start < e.End || e.Start == o.Start
	})
}

// add adds an edit of a file that has the given contents.
func (c *change) add(e Edit, contents []byte) {
	f := c.byName[e.Filename]
	if f == nil {
		f = &rewrite.File{Name: e.Filename, Old: contents}
		c.byName[e.Filename] = f
		p := c.pkg(e.Filename)
		p.Files = append(p.Files, f)
	}
	f.Edits = append(f.Edits, rewrite.Edit{Start: e.Start, End: e.End, New: e.New})
}

// check prepares the packages and compiles them. It returns those that must not be
// written, each with the reason.
func (c *change) check(ctx context.Context, b *rewrite.Builder) (refused map[*rewrite.Package]error, err error) {
	var ready []*rewrite.Package
	refused = map[*rewrite.Package]error{}
	for _, p := range c.packages() {
		if err := p.Prepare(); err != nil {
			refused[p] = err
		} else {
			ready = append(ready, p)
		}
	}
	failed, err := b.Check(ctx, ready)
	if err != nil {
		return nil, err
	}
	maps.Copy(refused, failed)
	return refused, nil
}
