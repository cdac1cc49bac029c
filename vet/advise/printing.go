package advise

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Package fmt copies all that it prints into a buffer, which it keeps up to 64 KiB. So to print a document of that size by
// fmt.Fprintf(w, "%s\n", text) makes memory each time, and to write it makes none.

// mostPrinted is the capacity up to which package fmt keeps a buffer.
const mostPrinted = 64 << 10

// hintOfPrint says how to write a text without the buffer of package fmt, if a call prints only that.
func (s *source) hintOfPrint(site *Site, call ssa.CallInstruction) string {
	if !strings.HasPrefix(site.Calls, "fmt.Fprint") || site.pieceSize() <= mostPrinted || !site.isMostlyOfPackage("fmt") {
		return ""
	}
	f, printed, _ := s.callAt(call)
	if printed == nil {
		return ""
	}
	before, text, after := f.printedText(printed, unqualified(site.Calls))
	if text == nil {
		return ""
	}
	w := shortText(printed.Args[0])
	writes := []string{}
	add := func(literal string) {
		if literal != "" {
			writes = append(writes, "io.WriteString("+w+", "+strconv.Quote(literal)+")")
		}
	}
	add(before)
	writes = append(writes, f.writeOfText(w, text))
	add(after)
	do := " does so"
	if len(writes) > 1 {
		do = " do so"
	}
	return " It copies the text into a buffer, which it drops if that is larger than 64 KiB: " + strings.Join(writes, ", then ") + do + " without a copy."
}

// isMostlyOfPackage reports whether most bytes of a site are made by the functions of a package.
func (s *Site) isMostlyOfPackage(path string) bool {
	own := int64(0)
	for name, bytes := range s.tally.makers {
		if packageOf(name) == path {
			own += bytes
		}
	}
	return 2*own > s.tally.bytes
}

// oneVerb matches a format with one verb, and text around it.
var oneVerb = regexp.MustCompile(`^([^%]*)%([sv])([^%]*)$`)

// printedText returns the only value that a call of a function of fmt prints, if that is a text, and the constants around it.
func (f *sourceFile) printedText(call *ast.CallExpr, function string) (before string, text ast.Expr, after string) {
	info := f.pkg.TypesInfo
	verb, values := "s", call.Args[1:]
	switch {
	case call.Ellipsis.IsValid() || len(values) == 0:
		return "", nil, ""
	case function == "Fprintf":
		format := info.Types[values[0]].Value
		if format == nil || format.Kind() != constant.String {
			return "", nil, ""
		}
		parts := oneVerb.FindStringSubmatch(constant.StringVal(format))
		if parts == nil {
			return "", nil, ""
		}
		before, verb, after, values = parts[1], parts[2], parts[3], values[1:]
	case function == "Fprintln":
		verb, after = "v", "\n"
	default:
		verb = "v"
	}
	if len(values) != 1 || info.Types[values[0]].Value != nil {
		return "", nil, ""
	}
	switch typ := info.TypeOf(values[0]); {
	case types.Identical(typ, types.Typ[types.String]), verb == "s" && types.Identical(typ, types.NewSlice(types.Typ[types.Byte])):
		return before, values[0], after
	}
	return "", nil, ""
}

// writeOfText returns the call that writes a text, or the bytes of which it is made.
func (f *sourceFile) writeOfText(w string, text ast.Expr) string {
	info := f.pkg.TypesInfo
	if !isString(info.TypeOf(text)) {
		return w + ".Write(" + shortText(text) + ")"
	}
	if call, ok := ast.Unparen(text).(*ast.CallExpr); ok {
		sel, method := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		switch {
		case len(call.Args) == 1 && info.Types[call.Fun].IsType() && isBytes(info.TypeOf(call.Args[0])):
			return w + ".Write(" + shortText(call.Args[0]) + ")"
		case method && len(call.Args) == 0 && sel.Sel.Name == "String" && isBufferOrPointer(info.TypeOf(sel.X)):
			return w + ".Write(" + shortText(sel.X) + ".Bytes())"
		}
	}
	return "io.WriteString(" + w + ", " + shortText(text) + ")"
}

// isBufferOrPointer reports whether a type is bytes.Buffer, or a pointer to one.
func isBufferOrPointer(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return isBuffer(t)
}
