package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// libraries returns the packages of basin that some mends of a file need and that it does not import.
func libraries(f *ast.File, mends []*mend) (paths []string) {
	for path, needs := range map[string]func(*mend) bool{
		rewrite.Library: func(m *mend) bool { return m.pools },
		copying:         func(m *mend) bool { return m.copies },
	} {
		if slices.ContainsFunc(mends, needs) && !isImported(f, path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// copying has the Copy that takes its memory from basin.
const copying = rewrite.Library + "/basinio"

// imports adds packages of basin to the imports of a file, and removes those that the file needs no more. Those of basin
// may take the line of one of these.
func (s *source) imports(f *rewrite.File, mends []*mend) error {
	file := s.files[f.Name]
	unused, edits := unusedImports(file, mends), len(f.Edits)
	if err := s.importStandard(f, mends); err != nil {
		return err
	}
	paths := libraries(file.File, mends)
	hasBasin := len(paths) == 0
	lines := "\t" + strings.Join(quoted(paths), "\n\t") + "\n"
	single := strings.Join(quoted(paths), "\nimport ")
	var last *ast.ImportSpec
	foreign := false
	if !hasBasin {
		last, foreign = importBefore(file.File)
	}
	offset := func(pos token.Pos) int { return s.fset.PositionFor(pos, false).Offset }
	src := string(f.Old)
	lineOf := func(n ast.Node) (from, to int, alone bool) { return linesOf(src, offset(n.Pos()), offset(n.End())) }
	for _, spec := range unused {
		decl := declOf(file.File, spec)
		instead := !hasBasin && spec == last
		hasBasin = hasBasin || instead
		if !decl.Lparen.IsValid() && instead {
			f.Edits = append(f.Edits, rewrite.Edit{Start: offset(spec.Pos()), End: offset(spec.End()), New: single})
			continue
		}
		var n ast.Node = spec
		if !decl.Lparen.IsValid() {
			n = decl
		}
		from, to, alone := lineOf(n)
		if !alone {
			return errImports
		}
		text := ""
		if instead {
			if text = lines; !foreign {
				text = "\n" + text
			}
		}
		f.Edits = append(f.Edits, rewrite.Edit{Start: from, End: to, New: text})
	}
	if hasBasin {
		return nil
	}
	if len(file.Imports) == 0 {
		return s.importFirst(f, paths)
	}
	if last == nil {
		return errImports
	}
	_, to, _ := lineOf(last)
	if !isBlank(src[offset(last.End()):to]) {
		return errImports
	}
	if !foreign {
		lines = "\n" + lines
	}
	switch alone := len(file.Imports) == 1 && len(f.Edits) == edits; {
	case declOf(file.File, last).Lparen.IsValid():
		f.Edits = append(f.Edits, rewrite.Edit{Start: to, End: to, New: lines})
	case alone:
		f.Edits = append(f.Edits, grouped(src, offset(last.Pos()), to, lines)...)
	default:
		f.Edits = append(f.Edits, rewrite.Edit{Start: to, End: to, New: "import " + single + "\n"})
	}
	return nil
}

// isBlank reports whether the rest of a line is at most a comment.
func isBlank(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest == "" || strings.HasPrefix(rest, "//")
}

// grouped has an import that begins and ends there, with its line, become a group with other lines.
func grouped(src string, begin, end int, lines string) []rewrite.Edit {
	end -= len(src[begin:end]) - len(strings.TrimSuffix(src[begin:end], "\n"))
	return []rewrite.Edit{{Start: begin, End: begin, New: "(\n\t"}, {Start: end, End: end, New: "\n" + lines + ")"}}
}

// linesOf returns the whole lines of a part of a source, and whether only a comment stands beside that.
func linesOf(src string, begin, end int) (from, to int, alone bool) {
	from = strings.LastIndexByte(src[:begin], '\n') + 1
	rest, _, _ := strings.Cut(src[end:], "\n")
	after := strings.TrimSpace(rest)
	return from, min(end+len(rest)+1, len(src)), strings.TrimSpace(src[from:begin]) == "" && (after == "" || strings.HasPrefix(after, "//"))
}

// importStandard adds packages of the standard library to the imports of a file, which gofmt sorts.
func (s *source) importStandard(f *rewrite.File, mends []*mend) error {
	file := s.files[f.Name]
	var paths []string
	for _, m := range mends {
		for _, path := range m.imports {
			if !slices.Contains(paths, path) && !isImported(file.File, path) {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	offset := func(pos token.Pos) int { return s.fset.PositionFor(pos, false).Offset }
	if len(file.Imports) == 0 {
		return s.importFirst(f, paths)
	}
	first := file.Imports[0]
	before := "\t"
	if !declOf(file.File, first).Lparen.IsValid() {
		before = "import "
	}
	at := strings.LastIndexByte(string(f.Old[:offset(first.Pos())]), '\n') + 1
	if first.Path.Value == `"C"` || strings.TrimSpace(string(f.Old[at:offset(first.Pos())])) != strings.TrimSpace(before) {
		return errImports
	}
	text := ""
	for _, path := range quoted(paths) {
		text += before + path + "\n"
	}
	f.Edits = append(f.Edits, rewrite.Edit{Start: at, End: at, New: text})
	return nil
}

// importFirst adds imports to a file without any.
func (s *source) importFirst(f *rewrite.File, paths []string) error {
	end := s.fset.PositionFor(s.files[f.Name].Name.End(), false).Offset
	if rest, _, _ := strings.Cut(string(f.Old[end:]), "\n"); strings.TrimSpace(rest) != "" {
		return errImports
	}
	f.Edits = append(f.Edits, rewrite.Edit{Start: end, End: end, New: "\n\nimport " + strings.Join(quoted(paths), "\nimport ")})
	return nil
}

// isImported reports whether a file imports a package.
func isImported(f *ast.File, path string) bool {
	return slices.ContainsFunc(f.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(path) })
}

func quoted(paths []string) (all []string) {
	for _, path := range paths {
		all = append(all, strconv.Quote(path))
	}
	return all
}

// unusedImports returns the imports that a file does not need after these mends.
func unusedImports(file *sourceFile, mends []*mend) map[types.Object]*ast.ImportSpec {
	info := file.pkg.TypesInfo
	gone := map[*ast.Ident]bool{}
	for _, m := range mends {
		for _, id := range m.gone {
			gone[id] = true
		}
	}
	used := map[types.Object]bool{}
	needed := map[string]bool{}
	for _, m := range mends {
		for _, path := range m.imports {
			needed[path] = true
		}
	}
	ast.Inspect(file.File, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !gone[id] {
			if pn, ok := info.Uses[id].(*types.PkgName); ok {
				used[pn] = true
			}
		}
		return true
	})
	unused := map[types.Object]*ast.ImportSpec{}
	for id := range gone {
		pn, ok := info.Uses[id].(*types.PkgName)
		if !ok || used[pn] || unused[pn] != nil || needed[pn.Imported().Path()] {
			continue
		}
		for _, spec := range file.Imports {
			if info.Implicits[spec] == pn || spec.Name != nil && info.Defs[spec.Name] == pn {
				unused[pn] = spec
			}
		}
	}
	return unused
}

// importBefore returns the import behind which basin's import belongs, or nil: the last of another module (foreign), or
// else the last of all.
func importBefore(f *ast.File) (last *ast.ImportSpec, foreign bool) {
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if path == "C" {
			continue
		}
		first, _, _ := strings.Cut(path, "/")
		if dotted := strings.Contains(first, "."); last == nil || dotted || !foreign {
			last, foreign = spec, foreign || dotted
		}
	}
	return last, foreign
}

const errImports = refusal("the imports of its file are written in a way that this tool does not know; change it by hand")

// declOf returns the declaration that has an import.
func declOf(f *ast.File, spec *ast.ImportSpec) *ast.GenDecl {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Pos() <= spec.Pos() && spec.End() <= g.End() {
			return g
		}
	}
	return nil
}
