package rewrite

import (
	"go/ast"
	"regexp"
	"strings"
)

// header matches a comment by which generators mark their files, in other words than those of Go's convention. The marks of old
// generators are in capitals, or begin a line, unlike the text of a person about generated code.
var header = regexp.MustCompile(`\bDO NOT (EDIT|MODIFY)\b|(?m)^[\s/*#-]*(AUTO-?GENERATED (FILE|CODE)\b|` +
	`(?i:((this|the following) (file|code) (is|was|has been)|code) )?` +
	`(?i:auto-?generated|automatically generated|generated) (?i:by|from|with|using)\b)`)

// made matches a line directive of a file in another language: //line scanner.rl:1.
var made = regexp.MustCompile(`^(//|/\*)line (.+?)(:\d+)+(\*/)?$`)

// IsGenerated reports whether a tool has made a file, by a comment before the package clause. It takes more forms than
// [ast.IsGenerated]: those of goyacc, ragel, Thrift, SWIG and of older versions of msgp, easyjson, protoc-gen-go and go-bindata.
func IsGenerated(f *ast.File) bool {
	if ast.IsGenerated(f) {
		return true
	}
	for _, group := range f.Comments {
		if group.Pos() > f.Package {
			break
		}
		for _, c := range group.List {
			if m := made.FindStringSubmatch(strings.TrimSpace(c.Text)); m != nil && !strings.HasSuffix(m[2], ".go") || m == nil && header.MatchString(c.Text) {
				return true
			}
		}
	}
	return false
}
