package advise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// prepare makes the new files and compiles them. Packages that do not compile with them, or
// must not be changed, stay as they are.
func (p *patch) prepare(ctx context.Context, b *rewrite.Builder) error {
	var ready []*rewrite.Package
	refused := map[*rewrite.Package]error{}
	for _, pkg := range p.packages {
		if len(pkg.Files) == 0 {
			continue
		}
		if err := pkg.Prepare(); err != nil {
			refused[pkg] = err
			continue
		}
		ready = append(ready, pkg)
	}
	failed, err := b.Check(ctx, ready)
	if err != nil {
		return err
	}
	p.packages = p.packages[:0]
	for _, pkg := range ready {
		if failed[pkg] != nil {
			refused[pkg] = failed[pkg]
		} else {
			p.packages = append(p.packages, pkg)
		}
	}
	for pkg, err := range refused {
		for _, s := range p.sites[pkg] {
			s.Patch, s.Diff = false, ""
			s.Reason += " There is no patch: " + explain(err) + "."
		}
	}
	return nil
}

func explain(err error) string {
	var r *rewrite.Refusal
	var o *rewrite.Reordered
	switch {
	case errors.As(err, &r):
		return base(r.File) + " " + r.Reason
	case errors.As(err, &o):
		return "because of the new import " + o.Error()
	case errors.Is(err, rewrite.ErrLibrary):
		return "the module does not require basin, and go get " + rewrite.Library + " fails; run that first"
	}
	text := err.Error()
	for strings.HasPrefix(text, "# ") { // the package
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _, _ = strings.Cut(text, "\n")
	return "it would not compile: " + text
}

// diff prints the change of all files.
func (p *patch) diff(w io.Writer, dir string) {
	for _, pkg := range p.packages {
		for _, f := range pkg.Files {
			name, err := filepath.Rel(dir, f.Name)
			if err != nil {
				name = f.Name
			}
			io.WriteString(w, f.Diff(filepath.ToSlash(name)))
		}
	}
}

// errUncommitted is why -write changes nothing.
var errUncommitted = errors.New("the tree has uncommitted changes: commit them, so that you can undo this, or add -force")

// write changes the files, and go.mod if it does not require basin yet.
func (p *patch) write(ctx context.Context, dir string, force bool, stderr io.Writer) error {
	if len(p.packages) == 0 {
		fmt.Fprintln(stderr, "No site has a patch, so nothing is changed.")
		return nil
	}
	if !force {
		cmd := rewrite.Command(ctx, "git", "status", "--porcelain", "--", ".")
		cmd.Dir = dir
		if out, err := cmd.Output(); err == nil && len(out) > 0 {
			return errUncommitted
		}
	}
	find := rewrite.Command(ctx, "go", "list", "-mod=readonly", rewrite.Library)
	find.Dir = dir
	if err := find.Run(); err != nil {
		get := rewrite.Command(ctx, "go", "get", rewrite.Library)
		get.Dir = dir
		if out, err := get.CombinedOutput(); err != nil {
			return fmt.Errorf("go get %s fails, and nothing is changed: %s", rewrite.Library, strings.TrimSpace(string(out)))
		}
		fmt.Fprintf(stderr, "go.mod requires %s now\n", rewrite.Library)
		if _, err := os.Stat(filepath.Join(dir, "vendor", "modules.txt")); err == nil {
			fmt.Fprintln(stderr, "run go mod vendor before you build")
		}
	}
	for _, pkg := range p.packages {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := pkg.Write(); err != nil {
			return fmt.Errorf("nothing in %s is changed: %s", pkg.Dir, explain(err))
		}
		for _, f := range pkg.Files {
			name, err := filepath.Rel(dir, f.Name)
			if err != nil {
				name = f.Name
			}
			fmt.Fprintf(stderr, "changed %s\n", name)
		}
	}
	return nil
}

// absolute follows the links of a directory, as the go command does.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}
