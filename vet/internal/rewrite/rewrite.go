// Package rewrite changes the source files of a package: all of them, or none.
//
// Touch it for how patches are written, tried and checked, and how the command runs. It knows no pools.
package rewrite

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// An Edit replaces the bytes from Start to End of a file.
type Edit struct {
	Start, End int
	New        string
}

// A File is a source file as it was analyzed, and its edits.
type File struct {
	Name  string // absolute
	Old   []byte // when it was analyzed
	Edits []Edit

	New []byte // with the edits; Prepare sets it
}

// A Package is the unit of change: the edited files of one directory, tests included.
type Package struct {
	Dir    string
	Module string // directory of the module that has it, or empty if that must not be changed
	Files  []*File
}

// A Refusal says why a package stays as it is.
type Refusal struct {
	File   string // which causes it
	Reason string // a predicate: "is read-only"
}

func (r *Refusal) Error() string { return r.File + " " + r.Reason }

// Prepare makes the new contents of all files. It returns a *Refusal if one of them
// must not be changed.
func (p *Package) Prepare() error {
	for _, f := range p.Files {
		if reason := f.untouchable(p.Module); reason != "" {
			return &Refusal{f.Name, reason}
		}
		if err := f.Apply(); err != nil {
			return &Refusal{f.Name, "would not be valid: " + err.Error()}
		}
	}
	return nil
}

// Apply sets New, whether or not the file may be changed.
func (f *File) Apply() (err error) {
	f.New, err = f.apply()
	return err
}

// untouchable says why a file must not be changed, or nothing.
func (f *File) untouchable(module string) string {
	if reason := f.protected(); reason != "" {
		return reason
	}
	if reason := outside(f.Name, module); reason != "" {
		return reason
	}
	if reason := f.changed(); reason != "" {
		return reason
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Old, parser.PackageClauseOnly|parser.ParseComments)
	switch {
	case err != nil:
		return "does not parse: " + err.Error()
	case IsGenerated(parsed):
		return "is generated"
	}
	return ""
}

// protected says why a file must not be replaced, whatever its contents, or nothing.
func (f *File) protected() string {
	info, err := os.Lstat(f.Name)
	switch {
	case err != nil:
		return "cannot be read: " + err.Error()
	case info.Mode()&os.ModeSymlink != 0:
		return "is a symbolic link"
	case !info.Mode().IsRegular():
		return "is not a regular file"
	case info.Mode().Perm()&0o200 == 0:
		return "is read-only"
	}
	return ""
}

// outside says in which way a file is not the module's own, or nothing. Links are
// followed.
func outside(name, module string) string {
	if module == "" {
		return "is outside the module"
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	root, err := filepath.EvalSymlinks(module)
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	rel, err := filepath.Rel(root, dir)
	parts := strings.Split(filepath.ToSlash(rel), "/")
	switch {
	case err != nil || parts[0] == "..":
		return "is outside the module"
	case slices.Contains(parts, "vendor"):
		return "is vendored"
	}
	for ; dir != root; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return "is in another module"
		}
	}
	return ""
}

// changed says whether the file is not the one that was analyzed.
func (f *File) changed() string {
	switch now, err := os.ReadFile(f.Name); {
	case err != nil:
		return "cannot be read: " + err.Error()
	case !bytes.Equal(now, f.Old):
		return "has changed since it was analyzed; run the command again"
	}
	return ""
}

// apply returns the contents with the edits. They are formatted if they were before,
// and each line keeps its end.
func (f *File) apply() ([]byte, error) {
	edits := slices.Clone(f.Edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	var edited bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(f.Old) {
			return nil, errors.New("edits overlap, or are not in the file")
		}
		edited.Write(f.Old[at:e.Start])
		edited.WriteString(e.New)
		at = e.End
	}
	edited.Write(f.Old[at:])
	before, after := unix(f.Old), unix(edited.Bytes())
	formatted, err := format.Source(after)
	if err != nil {
		return nil, err
	}
	if old, err := format.Source(before); err == nil && bytes.Equal(old, before) {
		after = formatted
	}
	return withEnds(f.Old, before, after), nil
}

var crlf, lf = []byte("\r\n"), []byte("\n")

// unix returns text with lines that end in LF.
func unix(text []byte) []byte { return bytes.ReplaceAll(text, crlf, lf) }

// withEnds returns after with the line ends of old. before must be old with lines
// that end in LF. A new line ends like the one in its place, or
// else like the one above it.
func withEnds(old, before, after []byte) []byte {
	if !bytes.Contains(old, crlf) {
		return after
	}
	lines := bytes.SplitAfter(old, lf)
	next := 0 // line of old
	var out []byte
	copyTo := func(line int) {
		for ; next < line; next++ {
			out = append(out, lines[next]...)
		}
	}
	offset, line := 0, 0
	lineAt := func(to int) int {
		line += bytes.Count(before[offset:to], lf)
		offset = to
		return line
	}
	for _, e := range udiff.Lines(string(before), string(after)) {
		start := lineAt(e.Start)
		end := lineAt(e.End)
		if e.End == len(before) && e.End > e.Start && before[e.End-1] != '\n' {
			end++ // the last line has no end
		}
		copyTo(start)
		for l := range strings.Lines(e.New) {
			like := next
			if like >= end && like > 0 {
				like = next - 1
			}
			text, ended := strings.CutSuffix(l, "\n")
			out = append(out, text...)
			switch {
			case !ended:
			case bytes.HasSuffix(lines[like], crlf):
				out = append(out, crlf...)
			default:
				out = append(out, lf...)
			}
			if next < end {
				next++
			}
		}
		next = end
	}
	copyTo(len(lines))
	return out
}

// For tests of failures midway.
var (
	rename = os.Rename
	create = os.CreateTemp
)

// Write replaces the files. If that fails, they are as they were, except those that the error says are changed.
func (p *Package) Write() (err error) {
	type replacement struct{ file, new, old string }
	var all []replacement
	var temporary []string
	defer func() {
		for _, name := range temporary {
			os.Remove(name) // those that were renamed are gone
		}
	}()
	for _, f := range p.Files {
		if bytes.Equal(f.New, f.Old) {
			continue
		}
		r := replacement{file: f.Name}
		// With a copy of the old contents, a renaming can be undone even on a full disk.
		for _, of := range []struct {
			name *string
			data []byte
		}{{&r.new, f.New}, {&r.old, f.Old}} {
			*of.name, err = beside(f.Name, of.data)
			if *of.name != "" {
				temporary = append(temporary, *of.name)
			}
			if err != nil {
				return fmt.Errorf("%s cannot be written: %w", f.Name, err)
			}
		}
		all = append(all, r)
	}
	for _, f := range p.Files {
		reason := f.protected() // it may have become a link since Prepare
		if reason == "" {
			reason = f.changed()
		}
		if reason != "" {
			return &Refusal{f.Name, reason}
		}
	}
	for i, r := range all {
		if err = rename(r.new, r.file); err == nil {
			continue
		}
		err = fmt.Errorf("%s cannot be written: %w", r.file, err)
		for _, done := range slices.Backward(all[:i]) {
			if back := rename(done.old, done.file); back != nil {
				temporary = slices.DeleteFunc(temporary, func(name string) bool { return name == done.old })
				err = errors.Join(err, fmt.Errorf("%s is changed, and its old contents are in %s: %w", done.file, done.old, back))
			}
		}
		return err
	}
	for _, r := range all {
		syncDirectory(filepath.Dir(r.file))
	}
	return nil
}

// beside writes a temporary file into the directory of a file, with that file's mode
// and owner. Its name is one that the go command ignores. The name is returned even
// with an error, for the caller to remove it.
func beside(file string, data []byte) (name string, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	t, err := create(filepath.Dir(file), "."+filepath.Base(file)+".")
	if err != nil {
		return "", err
	}
	_, err = t.Write(data)
	err = cmp.Or(err, own(t, info), t.Chmod(info.Mode()))
	if err == nil {
		err = t.Sync()
	}
	return t.Name(), cmp.Or(err, t.Close())
}

// syncDirectory has renamings survive a crash, where the system can.
func syncDirectory(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
