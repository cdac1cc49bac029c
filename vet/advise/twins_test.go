package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfTwins has functions that files for other systems declare, too, and that keep nothing there.
func TestReasonsOfTwins(t *testing.T) {
	const here = "//go:build !elsewhere\n\npackage p\n\n"
	const shared = `package p

import (
	_ "bytes"
	"encoding/binary"
	_ "slices"
	_ "strings"
)

type pair struct{ name, value string }

type own struct{ n int }

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

var words int
`
	good := `//go:build elsewhere

package p

import (
	"bytes"
	"slices"
	"strings"
)

func hash(b []byte) (h uint64) {
	n := len(b)
	for len(b) >= 32 {
		h += word(b[0:8:len(b)])
		b = b[8:len(b):len(b)]
	}
	for ; len(b) > 0; b = b[1:] {
		h += uint64(b[0])
	}
	return h + uint64(n)
}

func (o *own) add(n int, b []byte) {
	rest := b[n:]
	var whole = rest
	whole[0]++
	b[1], b[2] = b[2], b[1]
	copy(rest, "abc")
	for i, c := range whole {
		o.n += int(c) + i
	}
	if bytes.HasPrefix(b, []byte(string(rest))) || leftOut(0, whole) > 1 {
		o.n++
	}
	func() { o.n++ }()
}

func leftOut(n int, b []byte) int { return len(append([]byte(nil), b...)) + n }

func pairs(all ...pair) []pair {
	slices.SortFunc(all, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	set := make([]pair, 0, len(all))
	set = append(set, all...)
	first = all[0].name
	return set[:names(1, all...)]
}

func names(n int, all ...pair) int {
	for _, p := range all {
		n += len(p.name[1:]) + len(p.value)
	}
	return n
}

var first string
`
	code := `package p

import "io"

func hashed(w io.Writer, in byte, n int) uint64 {
	b := make([]byte, n) // : pool it; The memory does not leave hashed.$
	b[0] = in
	w.Write(b)
	return hash(b)
}

func added(w io.Writer, o *own, in byte, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave added.$
	b[0] = in
	o.add(1, b)
	w.Write(b)
}

func sorted(in string, n int) {
	all := make([]pair, n) // : pool it; The memory does not leave sorted.$
	all[0].name = in
	pairs(all...)
}
`
	const loaded = "func hash(b []byte) uint64 { return uint64(b[0]) }\n\nfunc (o *own) add(n int, b []byte) { o.n += len(b) + n }\n\nfunc pairs(all ...pair) []pair { return append([]pair(nil), all...) }\n"
	judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/here.go": here + loaded, "p/there.go": good, "p/shared.go": shared}, code, nil)
}

// TestReasonsOfTwinKeepers has functions for other systems that are almost like those that keep nothing.
func TestReasonsOfTwinKeepers(t *testing.T) {
	const fails = " // : needs an owner; The memory may leave caller: it is passed to p.use, where it may be kept by the function of that name for other systems."
	const stays = " // : pool it; The memory does not leave caller"
	const slice, named = "[]byte", "[]pair"
	for _, test := range []struct{ name, elems, there, more, want string }{
		{"control", slice, "func use(b []byte) int { return len(b) }", "", stays},
		{"unused", slice, "func use(_ []byte) int { return 1 }", "", stays},
		{"stored", slice, "func use(b []byte) int { kept = b; return 0 }\n\nvar kept []byte", "", fails},
		{"stored part", slice, "func use(b []byte) int { kept = b[1:]; return 0 }\n\nvar kept []byte", "", fails},
		{"stored by variable", slice, "func use(b []byte) int { c := b[1:]; kept = c; return 0 }\n\nvar kept []byte", "", fails},
		{"in a literal", slice, "func use(b []byte) int { kept = box{b}; return 0 }\n\ntype box struct{ b []byte }\n\nvar kept box", "", fails},
		{"shadowed", slice, "func use(b []byte) int { { b := 1; return b } }", "", stays},
		{"address", slice, "func use(b []byte) int { kept = &b[0]; return 0 }\n\nvar kept *byte", "", fails},
		{"address of variable", slice, "func use(b []byte) int { kept = &b; return 0 }\n\nvar kept *[]byte", "", fails},
		{"part of element", named, "func use(b []pair) int { kept = b[0].sum[:]; return 0 }\n\nvar kept []byte", "", fails},
		{"field of element", named, "func use(b []pair) int { kept = b[0].sum; return int(b[0].sum[1]) }\n\nvar kept [4]byte", "", stays},
		{"method of element", named, "func use(b []pair) int { b[0].keep(); return 0 }", "", fails},
		{"method value", named, "func use(b []pair) int { kept = b[0].keep; return 0 }\n\nvar kept func()", "", fails},
		{"text is written", named, "func use(b []pair) int { b[0].name = text; return 0 }\n\nvar text string", "", fails},
		{"other type there", "[]alike", "func use(b []alike) int { return b[0].n }\n\ntype alike struct{ n int; next *alike }", "type alike struct{ n int }", fails},
		{"leads to memory", "[]*int", "func use(b []*int) int { return *b[0] }", "", fails},
		{"goroutine", slice, "func use(b []byte) int { go println(); return len(b) }", "", fails},
		{"sent", slice, "func use(b []byte) int { sent <- b; return 0 }\n\nvar sent chan []byte", "", fails},
		{"sent element", slice, "func use(b []byte) int { sent <- b[0]; return 0 }\n\nvar sent chan byte", "", fails},
		{"closure", slice, "func use(b []byte) int { kept = func() int { return len(b) }; return 0 }\n\nvar kept func() int", "", fails},
		{"deferred closure", slice, "func use(b []byte) int { defer func() { println(len(b)) }(); return 0 }", "", fails},
		{"appended to", slice, "func use(b []byte) int { return len(append(b, 1)) }", "", fails},
		{"appended as element", slice, "func use(b []byte) int { kept = append(kept, b); return 0 }\n\nvar kept [][]byte", "", fails},
		{"range over lists", slice, "func use(b []byte) int { for _, b = range lists { b[0]++ }; return 0 }\n\nvar lists [][]byte", "", fails},
		{"compared", slice, "func use(b []byte) int { if b == nil { return 1 }; return 0 }", "", fails},
		{"named result", slice, "func use(b []byte) (n int) { n, c := got(b); return n + len(c) }\n\nfunc got(b []byte) (n int, c []byte) { c = b; return }", "", fails},
		{"returned by another", slice, "func use(b []byte) int { kept = same(b); return 0 }\n\nvar kept []byte\n\nfunc same(b []byte) []byte { return b }", "", fails},
		{"interface", slice, "func use(b []byte) int { var a any = b; _ = a; return 0 }", "", fails},
		{"conversion", slice, "func use(b []byte) int { kept = list(b); return 0 }\n\ntype list []byte\n\nvar kept list", "", fails},
		{"function value", slice, "func use(b []byte) int { return keep(b) }\n\nvar keep = func(b []byte) int { return 0 }", "", fails},
		{"own method", slice, "func use(b []byte) int { return sink{}.put(b) }\n\ntype sink struct{}\n\nfunc (sink) put(b []byte) int { return 0 }", "", fails},
		{"shadowed builtin", slice, "func use(b []byte) int { return len(b) }\n\nfunc len(b []byte) int { kept = b; return 0 }\n\nvar kept []byte", "", fails},
		{"shadowed in another file", slice, "func use(b []byte) int { return cap(b) }", "func cap(b []byte) int { kept = b; return 0 }\n\nvar kept []byte", fails},
		{"shadowed locally", slice, "func use(b []byte) int { len := keep; return len(b) }\n\nfunc keep(b []byte) int { kept = b; return 0 }\n\nvar kept []byte", "", fails},
		{"dot import", slice, "import . \"strings\"\n\nfunc use(b []byte) int { return len(b) + Count(\"\", \"\") }", "", fails},
		{"library result", slice, "import \"bytes\"\n\nfunc use(b []byte) int { kept = bytes.TrimSpace(b); return 0 }\n\nvar kept []byte", "", fails},
		{"library keeper", slice, "import \"bytes\"\n\nfunc use(b []byte) int { kept = bytes.NewReader(b); return 0 }\n\nvar kept *bytes.Reader", "", fails},
		{"library callback", slice, "import \"slices\"\n\nfunc use(b []byte) int { i, _ := slices.BinarySearchFunc([]int{1}, b, keep); return i }\n\nvar kept []byte\n\nfunc keep(i int, b []byte) int { kept = b; return 0 }", "", fails},
		{"library interface", slice, "import \"encoding/binary\"\n\nfunc use(b []byte) int { binary.Encode(b, order, 1); return 0 }\n\nvar order binary.ByteOrder", "", fails},
		{"other library", slice, "import bytes \"a.example/q\"\n\nfunc use(b []byte) int { return bytes.Count(b, nil) }", "", fails},
		{"library", slice, "import \"bytes\"\n\nfunc use(b []byte) int { return bytes.Count(b, nil) }", "", stays},
		{"variable as library", slice, "import \"bytes\"\n\nfunc use(b []byte) int { bytes.MinRead++; var bytes sink; return bytes.Count(b, nil) }\n\ntype sink struct{}\n\nfunc (sink) Count(a, b []byte) int { return 0 }", "", fails},
		{"generic", slice, "func use[T byte](b []T) int { return len(b) }", "", fails},
		{"assembly", slice, "func use(b []byte) int", "", fails},
		{"safe assembly", slice, "//go:noescape\nfunc use(b []byte) int", "", stays},
		{"linked", slice, "import _ \"unsafe\"\n\n//go:linkname use other.use\n//go:noescape\nfunc use(b []byte) int", "", fails},
		{"inner assembly", slice, "func use(b []byte) int { return inner(b) }\n\nfunc inner(b []byte) int", "", fails},
		{"inner there", slice, "func use(b []byte) int { return inner(b) }\n\nfunc inner(b []byte) int { kept = b; return 0 }\n\nvar kept []byte", "func inner(b []byte) int { return 0 }", fails},
		{"inner here", slice, "func use(b []byte) int { return inner(b) }\n\nfunc inner(b []byte) int { return 0 }", "func inner(b []byte) int { kept = b; return 0 }\n\nvar kept []byte", fails},
		{"stored in another file's", slice, "func use(b []byte) int { shared = b; return 0 }", "", fails},
		{"set later in a loop", slice, "func use(b []byte) int { var c []byte; for range 2 { kept = c; c = b }; return 0 }\n\nvar kept []byte", "", fails},
		{"variable as function", slice, "func use(b []byte) int { inner := keep; return inner(b) }\n\nfunc inner(b []byte) int { return 0 }\n\nvar keep func([]byte) int", "", fails},
		{"too deep", slice, "func use(b []byte) int { return use(b[1:]) }", "", fails},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			files := map[string]string{
				"go.mod":      goMod(t, "a.example"),
				"p/here.go":   "//go:build !elsewhere\n\npackage p\n\nfunc use(b " + test.elems + ") int { return len(b) }\n\n" + test.more + "\n",
				"p/there.go":  "//go:build elsewhere\n\npackage p\n\n" + test.there + "\n",
				"p/there.s":   "//go:build elsewhere\n",
				"p/both.go":   "package p\n\ntype pair struct { name string; sum [4]byte }\n\nfunc (p *pair) keep() {}\n\nvar shared []byte\n",
				"p/useful.go": "package p\n\nimport (\n\t_ \"bytes\"\n\t_ \"encoding/binary\"\n\t_ \"slices\"\n)\n",
				"q/q.go":      "package q\n\nfunc Count(b, c []byte) int { kept = b; return 0 }\n\nvar kept []byte\n",
			}
			code := "package p\n\nimport \"io\"\n\nfunc caller(w io.Writer, in " + test.elems[2:] + ", n int) {\n\tb := make(" + test.elems + ", n)" + test.want + "\n\tb[0] = in\n\tuse(b)\n\tif n > 1 {\n\t\tw.Write(b)\n\t}\n}\n"
			if test.elems != slice {
				code = strings.Replace(code, "w.Write(b)", "w.Write(nil)", 1)
			}
			judgedWith(t, files, code, nil)
		})
	}
}

// TestReasonsOfTwinRoom has functions for other systems that ask for the room behind a slice.
func TestReasonsOfTwinRoom(t *testing.T) {
	for there, why := range map[string]string{
		"len(b)":          "$",
		"len(b[1:])":      "$",
		"len(b[:len(b)])": "$",
		"len(b[:4])":      " There is no patch: a slice of it may end behind its length",
		"len(b[:2:4])":    " There is no patch: a slice of it may end behind its length",
		"cap(b)":          " There is no patch: cap is called on it",
		"inner(b)":        " There is no patch: cap is called on it",
	} {
		judgedWith(t, map[string]string{
			"go.mod":     goMod(t, "a.example"),
			"p/here.go":  "//go:build !elsewhere\n\npackage p\n\nfunc use(b []byte) int { return len(b) }\n",
			"p/there.go": "//go:build elsewhere\n\npackage p\n\nfunc use(b []byte) int { return " + there + " }\n\nfunc inner(b []byte) int { return cap(b) }\n",
		}, `package p

import "io"

func caller(w io.Writer, r io.ByteReader, n int) {
	var b []byte
	for range n {
		c, _ := r.ReadByte()
		b = append(b, c) // : pool it; The memory does not leave caller.`+why+`
	}
	use(b)
	w.Write(b)
}
`, nil)
	}
}
