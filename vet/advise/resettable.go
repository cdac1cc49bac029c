package advise

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// A resettable is a value that a pool of its own can hold, because Reset makes it like a new one. In its texts, PKG is
// the name of the package, ARGS are the arguments behind the first, VAR is the variable and FROM the first argument.
type resettable struct {
	typ   string
	make  string
	reset string // the statement of the pool's Reset function, or nothing if begin resets the value
	begin string // a statement that has VAR begin on FROM, or nothing
	fails bool   // begin returns an error
	drop  string // the statement of the pool's Drop function by which a value z gives up more than memory, or nothing
}

// resettables are known by the functions that make them. They are reset once, when they are taken: Reset takes a compressor
// an eighth of the time for 4 KiB, and a reader reads a header then. While they are idle, they refer to their last writer
// or reader.
var resettables = map[string]resettable{
	"bufio.NewReaderSize": {"*PKG.Reader", "PKG.NewReaderSize(nilARGS)", "z.Reset(nil)", "VAR.Reset(FROM)", false, ""},
	"bufio.NewWriterSize": {"*PKG.Writer", "PKG.NewWriterSize(nilARGS)", "z.Reset(nil)", "VAR.Reset(FROM)", false, ""},
	"bufio.NewReader":     {"*PKG.Reader", "PKG.NewReader(nil)", "z.Reset(nil)", "VAR.Reset(FROM)", false, ""},
	"bufio.NewWriter":     {"*PKG.Writer", "PKG.NewWriter(nil)", "z.Reset(nil)", "VAR.Reset(FROM)", false, ""},
	"gzip.NewWriter":      {"*PKG.Writer", "PKG.NewWriter(nil)", "", "VAR.Reset(FROM)", false, ""},
	"gzip.NewWriterLevel": {"*PKG.Writer", "PKG.NewWriterLevel(nilARGS)", "", "VAR.Reset(FROM)", false, ""},
	"zlib.NewWriter":      {"*PKG.Writer", "PKG.NewWriter(nil)", "", "VAR.Reset(FROM)", false, ""},
	"zlib.NewWriterLevel": {"*PKG.Writer", "PKG.NewWriterLevel(nilARGS)", "", "VAR.Reset(FROM)", false, ""},
	"flate.NewWriter":     {"*PKG.Writer", "PKG.NewWriter(nilARGS)", "", "VAR.Reset(FROM)", false, ""},
	"zstd.NewWriter":      {"*PKG.Encoder", "PKG.NewWriter(nilARGS)", "", "VAR.Reset(FROM)", false, "z.Close()"},
	"gzip.NewReader":      {"*PKG.Reader", "new(PKG.Reader)", "", "VAR.Reset(FROM)", true, ""},
	"flate.NewReader":     {"io.ReadCloser", "PKG.NewReader(nil)", "", "VAR.(PKG.Resetter).Reset(FROM, nil)", false, ""},

	"lzw.NewWriter": {"io.WriteCloser", "PKG.NewWriter(nilARGS)", "", "VAR.(*PKG.Writer).Reset(FROMARGS)", false, ""},
	"lzw.NewReader": {"io.ReadCloser", "PKG.NewReader(nilARGS)", "", "VAR.(*PKG.Reader).Reset(FROMARGS)", false, ""},

	"s2.NewWriter":             {"*PKG.Writer", "PKG.NewWriter(nilARGS)", "", "VAR.Reset(FROM)", false, ""},
	"s2.NewReader":             {"*PKG.Reader", "PKG.NewReader(nilARGS)", "", "VAR.Reset(FROM)", false, ""},
	"snappy.NewWriter":         {"*PKG.Writer", "PKG.NewWriter(nil)", "", "VAR.Reset(FROM)", false, ""},
	"snappy.NewBufferedWriter": {"*PKG.Writer", "PKG.NewBufferedWriter(nil)", "", "VAR.Reset(FROM)", false, ""},
	"snappy.NewReader":         {"*PKG.Reader", "PKG.NewReader(nil)", "", "VAR.Reset(FROM)", false, ""},
	"brotli.NewWriter":         {"*PKG.Writer", "PKG.NewWriter(nil)", "", "VAR.Reset(FROM)", false, ""},
	"brotli.NewWriterLevel":    {"*PKG.Writer", "PKG.NewWriterLevel(nilARGS)", "", "VAR.Reset(FROM)", false, ""},
	"brotli.NewReader":         {"*PKG.Reader", "new(PKG.Reader)", "", "VAR.Reset(FROM)", false, ""}, // its error is nil
	"lz4/v4.NewWriter":         {"*PKG.Writer", "PKG.NewWriter(nil)", "", "VAR.Reset(FROM)", false, ""},
	"lz4/v4.NewReader":         {"*PKG.Reader", "PKG.NewReader(nil)", "", "VAR.Reset(FROM)", false, ""},
}

// above matches the part of a package's path that is left out of the names of these functions.
var above = regexp.MustCompile(`^(compress|` + strings.TrimSuffix(klauspost, "/") + `|github.com/golang|github.com/andybalholm|github.com/pierrec)/`)

// resettable takes a value from a pool of its own.
func (m *mend) resettable() error {
	s, err := m.originOf()
	if err != nil {
		return err
	}
	pool, err := m.declarePool(s)
	if err != nil {
		return err
	}
	if s.fallible {
		return m.getFallible(s, pool)
	}
	return m.getInfallible(s, pool)
}

// An origin is a call that makes a resettable value, with its replacement.
type origin struct {
	resettable
	basin    string // the name of package basin in the file
	stmt     ast.Stmt
	v        *ast.Ident // the variable that the statement sets
	variable string     // the one that has the value's own type: v, or a new one if the type of v is an interface
	fallible bool       // the call returns an error too
	part     bool       // the call is a part of the statement, which evaluates it first
}

// originOf returns the call of the site, if a pool can take its place.
func (m *mend) originOf() (*origin, error) {
	sel, ok := ast.Unparen(m.call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil, refusal("it is made by a function of the program")
	}
	fn := m.funcName(sel)
	result := m.file.pkg.TypesInfo.TypeOf(m.call)
	tuple, fallible := result.(*types.Tuple)
	if fallible {
		result = tuple.At(0).Type()
	}
	st, err := m.knownReset(sel, fn, result, fallible)
	if err != nil {
		return nil, err
	}
	s := &origin{fallible: fallible}
	if err := m.placeOf(s, st.typ); err != nil {
		return nil, err
	}
	s.variable = s.v.Name
	if !s.part && !types.Identical(m.file.pkg.TypesInfo.ObjectOf(s.v).Type(), result) {
		a, ok := s.stmt.(*ast.AssignStmt)
		if s.variable += unqualified(st.typ); !ok || a.Tok != token.ASSIGN || len(a.Rhs) > 1 || m.isTaken(s.variable) {
			return nil, refusal("its variable is of an interface type: give it one of its own type first")
		}
	}
	if path, _, ok := strings.Cut(strings.TrimPrefix(st.typ, "*"), "."); ok && path != "PKG" {
		if err := m.needs(path); err != nil {
			return nil, err
		}
	}
	from, args, err := m.settings(s, fn)
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("PKG", m.text(sel.X), "ARGS", args, "VAR", s.variable, "FROM", from).Replace
	s.resettable = resettable{fill(st.typ), fill(st.make), st.reset, fill(st.begin), st.fails, st.drop}
	return s, nil
}

// knownReset returns how the result of a function is reset.
func (m *mend) knownReset(sel *ast.SelectorExpr, fn string, result types.Type, fallible bool) (resettable, error) {
	st, known := resettables[above.ReplaceAllString(fn, "")]
	if m.a.kind == kindHash && len(m.call.Args) == 0 && !fallible && isHash(result) {
		name := types.TypeString(result, (*types.Package).Name)
		st, known = resettable{typ: name, make: "PKG." + sel.Sel.Name + "()", reset: "z.Reset()"}, true
	}
	if fn == "(crypto.Hash).New" && !(isConstant(m.file.pkg.TypesInfo, sel.X) && m.isOfFile(sel.X)) {
		return st, refusal("its crypto.Hash is no constant that the whole file knows, and each needs a pool of its own")
	}
	if _, ok := sel.X.(*ast.Ident); !ok && fn != "(crypto.Hash).New" || !known {
		return st, refusal("nothing resets the result of " + sel.Sel.Name + " to its beginning")
	}
	return st, nil
}

// placeOf finds the statement that has the call, and the variable for its result.
func (m *mend) placeOf(s *origin, typ string) (err error) {
	s.stmt, s.v, s.basin, err = m.statement()
	if !isPart(err) || s.fallible {
		return err
	}
	if s.stmt = m.evaluatedFirst(); s.stmt == nil {
		return err
	}
	s.part, s.v = true, ast.NewIdent(m.newName(strings.ToLower(unqualified(typ))))
	s.basin, err = m.basin(s.stmt.Pos())
	return err
}

// settings returns the first argument of the call, and the text of the others, which must mean the same everywhere.
func (m *mend) settings(s *origin, fn string) (from, others string, err error) {
	for i, arg := range m.call.Args {
		switch {
		case i > 0 && !m.isStatic(arg, fn):
			return "", "", refusal("its settings are no constants")
		case i > 0:
			others += ", " + m.text(arg)
		case !s.part && m.mentions(arg, s.stmt):
			return "", "", refusal("the statement sets a variable that it reads")
		default:
			from = m.text(arg)
		}
	}
	return from, others, nil
}

// declarePool declares the pool of a value, and returns its name.
func (m *mend) declarePool(s *origin) (string, error) {
	made := " return " + s.make + " "
	if s.fallible && !s.fails {
		made = "\n\t\tz, _ := " + s.make + "\n\t\treturn z\n\t"
	}
	text := s.basin + ".Pool[" + s.typ + "]{\n\tNew: func() " + s.typ + " {" + made + "},\n"
	if s.reset != "" {
		text += "\tReset: func(z " + s.typ + ") " + s.typ + " {\n\t\t" + s.reset + "\n\t\treturn z\n\t},\n"
	}
	if s.drop != "" {
		text += "\tDrop: func(z " + s.typ + ") { " + s.drop + " },\n"
	}
	return m.declare(s.v, text+"}")
}

// getInfallible replaces a call that returns no error.
func (m *mend) getInfallible(s *origin, pool string) error {
	lines := []string{"defer " + pool + ".Put(" + s.variable + ")"}
	if s.begin != "" {
		lines = append(lines, s.begin)
	}
	if s.variable == s.v.Name && !s.part {
		m.replaceCall(pool + ".Get()")
		return m.after(s.stmt, lines...)
	}
	indent, err := m.indentation(s.stmt)
	if err != nil {
		return err
	}
	if s.part {
		lines = slices.Concat([]string{s.variable + " := " + pool + ".Get()"}, lines, []string{""})
		m.insert(s.stmt, strings.Join(lines, "\n"+indent))
		m.replaceCall(s.variable)
		return nil
	}
	lines = slices.Concat([]string{s.variable + " := " + pool + ".Get()"}, lines, []string{s.v.Name + " = " + s.variable})
	m.replace(s.stmt.Pos(), s.stmt.End(), strings.Join(lines, "\n"+indent))
	return nil
}

// getFallible replaces a call that returns an error too. If beginning anew cannot fail, the check of the error goes.
func (m *mend) getFallible(s *origin, pool string) error {
	info := m.file.pkg.TypesInfo
	indent, err := m.indentation(s.stmt)
	if err != nil {
		return err
	}
	check, err := m.errorCheck(s.stmt, s.v, "the Reader of a pool is never nil")
	if err != nil && s.fails {
		return err
	}
	failure, ok := s.stmt.(*ast.AssignStmt).Lhs[1].(*ast.Ident)
	if !ok {
		return refusal("its error is assigned to more than a variable")
	}
	set := func(v *ast.Ident, name string) string {
		if name != v.Name || info.Defs[v] != nil {
			return name + " := "
		}
		return name + " = "
	}
	lines := []string{set(s.v, s.variable) + pool + ".Get()", "defer " + pool + ".Put(" + s.variable + ")"}
	end := s.stmt.End()
	switch {
	case s.fails:
		lines = append(lines, set(failure, failure.Name)+s.begin)
	default:
		lines = append(lines, s.begin)
	}
	if s.variable != s.v.Name {
		lines = append(lines, s.v.Name+" = "+s.variable)
	}
	if !s.fails {
		if check != nil {
			end = check.End()
			m.forget(check)
		}
		switch used := failure.Name != "_" && m.isUsedOutside(info.ObjectOf(failure), s.stmt.Pos(), end); {
		case used && info.Defs[failure] != nil:
			lines = append(lines, "var "+failure.Name+" error")
		case used:
			lines = append(lines, failure.Name+" = nil")
		}
	}
	m.replace(s.stmt.Pos(), end, strings.Join(lines, "\n"+indent))
	return nil
}

// isUsedOutside reports whether a variable is used outside of a part of the function that has the call.
func (m *mend) isUsedOutside(v types.Object, from, to token.Pos) (used bool) {
	for id, obj := range m.file.pkg.TypesInfo.Uses {
		used = used || obj == v && (id.Pos() < from || id.Pos() >= to)
	}
	return used || m.isNamedResult(v)
}

// settings are functions that return an option which is valid for all constants.
var settings = map[string]bool{"WithEncoderLevel": true, "WithEncoderCRC": true, "WithZeroFrames": true, "WithLowerEncoderMem": true,
	"WithSingleSegment": true, "WithNoEntropyCompression": true, "WithAllLitEntropyCompression": true}

// isStatic reports whether an argument behind the first of a function means the same everywhere in the file, and is valid.
func (m *mend) isStatic(e ast.Expr, fn string) bool {
	if m.isSizeOfBufio(e, fn) {
		return true
	}
	info := m.file.pkg.TypesInfo
	if v := info.Types[e].Value; v != nil && v.Kind() == constant.Int && !strings.HasSuffix(fn, "zstd.NewWriter") {
		least, most := int64(-2), int64(9) // the levels of package flate
		if strings.Contains(fn, "brotli.") {
			least, most = 0, 11
		}
		level, exact := constant.Int64Val(v)
		return exact && level >= least && level <= most && m.isOfFile(e)
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !m.isOfFile(call) || slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return info.Types[arg].Value == nil }) {
		return false
	}
	option, ok := strings.CutPrefix(m.funcName(call.Fun), klauspost)
	if strings.HasPrefix(option, "s2.") {
		return ok // an option that is not valid is kept as an error, which Reset leaves
	}
	option, ok = strings.CutPrefix(option, "zstd.")
	if !ok || len(call.Args) != 1 {
		return false
	}
	v := info.Types[call.Args[0]].Value
	return settings[option] || option == "WithEncoderConcurrency" && v.Kind() == constant.Int && constant.Sign(v) > 0
}

// isSizeOfBufio reports whether an argument of a function of package bufio is a constant that the whole file knows.
func (m *mend) isSizeOfBufio(e ast.Expr, fn string) bool {
	return slices.Contains([]string{"bufio.NewReaderSize", "bufio.NewWriterSize"}, fn) && isConstant(m.file.pkg.TypesInfo, e) && m.isOfFile(e)
}
