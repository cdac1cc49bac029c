package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Package bufio returns its argument if that is a Reader or Writer already, and large enough. Functions such as csv.NewReader
// pass theirs to it, and others take any reader with a method ReadByte as it is. Where the type of the argument is not known,
// the patch asks for it in the same way. It takes a Reader or Writer of a pool only if the function would make one.

// defaultBufio is the size of bufio.NewReader and bufio.NewWriter.
const defaultBufio = "4096"

// bufioOf are the functions of package bufio that make a Reader or Writer.
var bufioOf = map[string]string{"bufio.NewReader": "Reader", "bufio.NewReaderSize": "Reader", "bufio.NewWriter": "Writer", "bufio.NewWriterSize": "Writer"}

// asksOnce are those functions of takesBufio that ask their argument for nothing else.
var asksOnce = map[string]bool{"encoding/csv.NewReader": true, "encoding/csv.NewWriter": true, "encoding/xml.NewDecoder": true,
	"encoding/xml.NewEncoder": true, "encoding/gob.NewDecoder": true, "mime/quotedprintable.NewReader": true,
	"compress/bzip2.NewReader": true, "archive/zip.NewWriter": true}

// buffered takes a bufio.Reader or Writer from a pool of its own.
func (m *mend) buffered() error {
	fn := m.funcName(m.call.Fun)
	if bufioOf[fn] == "" {
		return refusal("it is not made by a function of package bufio")
	}
	if _, _, _, err := m.constructor(fn); err != nil && !(isPart(err) && m.evaluatedFirst() != nil) {
		return err
	}
	arg := unwrap(m.a.instr.(*ssa.Call).Call.Args[0]).Type()
	own := m.a.instr.(*ssa.Call).Type()
	if types.Identical(arg, own) {
		return refusal("it may be made of a bufio." + bufioOf[fn] + ", which bufio returns as it is")
	}
	s, err := m.originOf()
	if err != nil {
		return err
	}
	face, ok := arg.Underlying().(*types.Interface)
	if !ok || !types.Implements(own, face) {
		pool, err := m.declarePool(s)
		if err != nil {
			return err
		}
		return m.getInfallible(s, pool)
	}
	size := defaultBufio
	if len(m.call.Args) > 1 {
		size = m.text(m.call.Args[1])
	}
	return m.getUnlessGiven(s, size)
}

// getUnlessGiven replaces a call that returns its argument if that is large enough.
func (m *mend) getUnlessGiven(s *origin, size string) error {
	from := m.call.Args[0]
	if err := m.canAsk(from); err != nil {
		return err
	}
	indent, err := m.indentation(s.stmt)
	if err != nil {
		return err
	}
	lines := []string{}
	given, set := m.newName(s.variable+"Given"), " := "
	if !s.part {
		assign, ok := s.stmt.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) > 1 {
			return refusal("its statement sets more than its variable: give it one of its own")
		}
		if assign.Tok == token.ASSIGN {
			lines, set = append(lines, "var "+given+" bool"), " = "
		}
	}
	pool, err := m.declarePool(s)
	if err != nil {
		return err
	}
	lines = append(lines, s.variable+", "+given+set+m.text(from)+".("+s.typ+")", "if !"+given+" || "+s.variable+".Size() < "+size+" {",
		"\t"+s.variable+" = "+pool+".Get()", "\tdefer "+pool+".Put("+s.variable+")", "\t"+s.begin, "}")
	if s.part {
		m.insert(s.stmt, strings.Join(append(lines, ""), "\n"+indent))
		m.replaceCall(s.variable)
		return nil
	}
	m.replace(s.stmt.Pos(), s.stmt.End(), strings.Join(lines, "\n"+indent))
	return nil
}

// canAsk returns nil if a patch may ask for the type of an argument, and pass memory of a pool to it whatever its type is.
func (m *mend) canAsk(from ast.Expr) error {
	switch {
	case !isPath(ast.Unparen(from)):
		return refusal("its argument is no variable: give it one")
	case !isPlainInterface(m.file.pkg.TypesInfo.TypeOf(from)):
		return refusal("its argument may be of a type that is taken as it is")
	case m.breaks():
		return refusal("a Write or Read method of the program keeps its argument")
	}
	return nil
}

// lendUnlessGiven gives a function a bufio.Reader or Writer of a pool unless it takes its argument as it is.
func (m *mend) lendUnlessGiven(stmt ast.Stmt, pool, v, typ, unless string) error {
	from := m.call.Args[0]
	if err := m.canAsk(from); err != nil {
		return err
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	if err := m.needs("io"); err != nil {
		return err
	}
	text := m.text(from)
	given := m.newName(v + "Given")
	ask := given + ", ok := " + text + ".(*" + unless + "); !ok || " + given + ".Size() < " + defaultBufio
	if unless == "ReadByte" {
		ask = "_, " + given + " := " + text + ".(io.ByteReader); !" + given
	} else if mentionsName(from, "ok") {
		return refusal("the name ok is taken")
	}
	own := m.newName("pooled" + typ)
	lines := []string{"var " + v + " io." + typ + " = " + text, "if " + ask + " {", "\t" + own + " := " + pool + ".Get()", "\tdefer " + pool + ".Put(" + own + ")",
		"\t" + own + ".Reset(" + text + ")", "\t" + v + " = " + own, "}", ""}
	m.insert(stmt, strings.Join(lines, "\n"+indent))
	m.replace(from.Pos(), from.End(), v)
	return nil
}

// isPlainInterface reports whether a type is an interface, and no type parameter.
func isPlainInterface(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return !param && types.IsInterface(t)
}

// ofConnection are the methods of net.Conn.
var ofConnection = []string{"Read", "Write", "Close", "LocalAddr", "RemoteAddr", "SetDeadline", "SetReadDeadline", "SetWriteDeadline"}

// mayBeConnection reports whether a reader or writer may be a net.Conn: its type has all methods of that or, if it is an
// interface, no others.
func mayBeConnection(t types.Type) bool {
	if face, ok := t.Underlying().(*types.Interface); ok {
		for m := range face.Methods() {
			if !slices.Contains(ofConnection, m.Name()) {
				return false
			}
		}
		return true
	}
	return !slices.ContainsFunc(ofConnection, func(name string) bool {
		m, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		_, isMethod := m.(*types.Func)
		return !isMethod
	})
}

// ofBufio are the methods of bufio.Reader and bufio.Writer.
var ofBufio = map[string][]string{
	"bufio.Reader": {"Read", "ReadByte", "UnreadByte", "ReadRune", "UnreadRune", "ReadLine", "ReadSlice", "ReadString", "ReadBytes", "Peek", "Discard",
		"Buffered", "Size", "Reset", "WriteTo"},
	"bufio.Writer": {"Write", "WriteByte", "WriteRune", "WriteString", "ReadFrom", "Flush", "Available", "AvailableBuffer", "Buffered", "Size", "Reset"},
}

// neverBufio reports whether an expression is of an interface type with a method that the Reader or Writer lacks which a function
// takes as it is.
func (m *mend) neverBufio(e ast.Expr, typ string) bool {
	t := m.file.pkg.TypesInfo.TypeOf(e)
	if ofBufio[typ] == nil || !isPlainInterface(t) {
		return false
	}
	face := t.Underlying().(*types.Interface)
	for method := range face.Methods() {
		if !slices.Contains(ofBufio[typ], method.Name()) {
			return true
		}
	}
	return false
}
