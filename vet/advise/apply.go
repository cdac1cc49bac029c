package advise

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

// prepare makes the new files and compiles them. It leaves out packages that must not be changed, and repairs that do
// not compile, which it finds by trying half of them, and half again.
func (p *patch) prepare(ctx context.Context, b *rewrite.Builder) (err error) {
	if p.repairs, err = p.sound(ctx, b, p.repairs); err != nil {
		return err
	}
	p.build()
	failed, err := p.compile(ctx, b)
	if err != nil || len(failed) == 0 {
		return err
	}
	for _, c := range p.repairs { // they compile, but not together
		c.refuse(p.firstOf(failed, nil))
	}
	p.repairs = nil
	p.build()
	return nil
}

// sound returns the repairs that compile.
func (p *patch) sound(ctx context.Context, b *rewrite.Builder, all []*repair) ([]*repair, error) {
	if len(all) == 0 {
		return nil, nil
	}
	part := &patch{source: p.source, repairs: all}
	part.build()
	failed, err := part.compile(ctx, b)
	if err != nil || len(failed) == 0 {
		return part.repairs, err
	}
	var sound, apart []*repair
	for _, c := range part.repairs {
		why := part.firstOf(failed, c)
		var order *rewrite.Reordered
		var refusal *rewrite.Refusal
		switch {
		case why == nil:
			sound = append(sound, c)
		case len(all) == 1 || errors.As(why, &order) || errors.As(why, &refusal) || errors.Is(why, rewrite.ErrLibrary):
			c.refuse(why)
		default:
			apart = append(apart, c)
		}
	}
	for _, half := range [][]*repair{apart[:len(apart)/2], apart[len(apart)/2:]} {
		part, err := p.sound(ctx, b, half)
		if err != nil {
			return nil, err
		}
		sound = append(sound, part...)
	}
	return sound, nil
}

// firstOf returns the error of the first package that has one and, if c is not nil, a site of that, or nil.
func (p *patch) firstOf(failed map[*rewrite.Package]error, c *repair) error {
	for _, pkg := range p.packages {
		if err := failed[pkg]; err != nil && (c == nil || slices.ContainsFunc(c.sites, func(s *Site) bool { return slices.Contains(p.sites[pkg], s) })) {
			return err
		}
	}
	return nil
}

// compile makes the new files, compiles them and returns the packages that cannot be changed in this way.
func (p *patch) compile(ctx context.Context, b *rewrite.Builder) (failed map[*rewrite.Package]error, err error) {
	var ready []*rewrite.Package
	refused := map[*rewrite.Package]error{}
	for _, pkg := range p.packages {
		if err := pkg.Prepare(); err != nil {
			refused[pkg] = err
			continue
		}
		ready = append(ready, pkg)
	}
	if len(ready) > 0 {
		if failed, err = b.Check(ctx, ready); err != nil {
			return nil, err
		}
		maps.Copy(refused, failed)
	}
	return refused, nil
}

// pools reports whether the patch uses basin. One that only moves arrays out of loops does not.
func (p *patch) pools() bool {
	return len(p.repairs) == 0 || slices.ContainsFunc(p.repairs, func(c *repair) bool {
		return slices.ContainsFunc(c.mends, func(m *mend) bool { return m.pools || m.copies })
	})
}

// diff prints the change of all files, and of go.mod if that does not require basin yet.
func (p *patch) diff(ctx context.Context, w io.Writer, dir string) error {
	var files []*rewrite.File
	if p.pools() {
		var err error
		if files, err = rewrite.Requirement(ctx, p.packages[0].Module); err != nil {
			return err
		}
	}
	for _, pkg := range p.packages {
		files = append(files, pkg.Files...)
	}
	for _, f := range files {
		io.WriteString(w, f.Diff(relative(dir, f.Name)))
	}
	return nil
}

// errUncommitted is why -write changes nothing.
var errUncommitted = errors.New("the tree has uncommitted changes: commit them, so that you can undo this, or add -force")

// isCommitted returns an error if the tree at a directory has uncommitted changes, or may have some. Benchmarks make files of their
// own, so it is asked before they run.
func isCommitted(ctx context.Context, dir string) error {
	cmd := rewrite.Command(ctx, "git", "status", "--porcelain", "--", ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	switch {
	case err == nil && len(out) > 0:
		return errUncommitted
	case err != nil && inRepository(dir): // such as one of another user
		return fmt.Errorf("git status fails in %s, so uncommitted changes cannot be found; mend that, or add -force", dir)
	}
	return nil
}

// write changes the files, and go.mod if it does not require basin yet.
func (p *patch) write(ctx context.Context, dir string, stderr io.Writer) error {
	find := rewrite.Command(ctx, "go", "list", "-mod=readonly", rewrite.Library)
	find.Dir = dir
	if p.pools() && find.Run() != nil {
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
		var r *rewrite.Refusal
		if err := pkg.Write(); errors.As(err, &r) {
			return fmt.Errorf("nothing in %s is changed: %s", pkg.Dir, reasonOf(err))
		} else if err != nil {
			return err // it names the files that are changed nevertheless
		}
		for _, f := range pkg.Files {
			fmt.Fprintf(stderr, "changed %s\n", relative(dir, f.Name))
		}
	}
	return nil
}

// inRepository reports whether a directory, or one above it, has a .git.
func inRepository(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
