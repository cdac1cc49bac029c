package advise

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// marked finds the lines of a file that end with a comment, and returns their sites, with the comment's text for each.
// Before a colon, a comment may name the functions of the standard library that allocate there, the outermost first.
func marked(pkg, file, code string) (sites []synthetic, comments []string) {
	fn, start, n := "", 0, 0
	for line := range strings.Lines(code) {
		n++
		if rest, ok := strings.CutPrefix(line, "func "); ok {
			if recv, method, ok := strings.Cut(rest, ") "); ok && strings.HasPrefix(rest, "(") {
				_, typ, _ := strings.Cut(recv, " ")
				rest = "(" + typ + ")." + method
			}
			if method := strings.HasPrefix(rest, "("); method {
				i := strings.Index(rest, ").") + 2
				name, _, _ := strings.Cut(rest[i:], "(")
				fn = rest[:i] + name
			} else {
				fn, _, _ = strings.Cut(rest, "(")
			}
			start = n
		}
		if strings.HasPrefix(line, "var ") {
			fn, start = "init", 0
		}
		if _, comment, ok := strings.Cut(line, " // "); ok {
			std, text, _ := strings.Cut(strings.TrimSpace(comment), ": ")
			sites = append(sites, synthetic{std, escaped(pkg) + "." + fn, file, uint64(start), uint64(n), 100_000, 100_000 << 12, 0, 0})
			comments = append(comments, text)
		}
	}
	return sites, comments
}

// TestOtherModules judges lines of a module that the program requires, by the proof that a patch needs. They have none, and
// no saving where something keeps the memory.
func TestOtherModules(t *testing.T) {
	needGo(t)
	const library = `package library

import (
	"bytes"
	"encoding/json"
	"io"
)

type Part struct {
	Content []byte
	buffer  bytes.Buffer
}

func (p *Part) read(r io.Reader) ([]byte, error) {
	return io.ReadAll(r) // io.ReadAll: needs an owner; The memory leaves (*Part).read: it is returned from (*library.Part).read to (*library.Part).Decode at part.go:19, its only caller. Its last user would have to put it back.
}

func (p *Part) Decode(r io.Reader) (err error) {
	p.Content, err = p.read(r)
	return err
}

func (p *Part) Next(b byte) {
	p.buffer.WriteByte(b) // bytes.(*Buffer).WriteByte: needs an owner; The memory leaves (*Part).Next: it is field Part.buffer. Its last user would have to put it back.
}

func Count(w io.Writer, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave Count. There is no patch: this is in module library.example.
	w.Write(b)
}

func Compress(dst, src []byte) []byte {
	if n := 2 * len(src); cap(dst) < n {
		dst = make([]byte, n) // : needs an owner; The memory leaves Compress: it is returned from library.Compress. Its last user would have to put it back. It takes the place of the argument dst, for which main.main passes nil.
	}
	return dst[:copy(dst, src)]
}

func Extend(dst []byte, src ...byte) []byte {
	return append(dst, src...) // : needs an owner; The memory leaves Extend: it belongs to the caller, who passes it as dst. Its last user would have to put it back. It takes the place of the argument dst, for which main.main passes nil.
}

func Two(first, second []byte) []byte {
	return append(first, second...) // : needs an owner; The memory leaves Two: it belongs to the caller, who passes it as first. Its last user would have to put it back.
}

func Clean(b []byte) []byte {
	if len(b) > 0 {
		b = make([]byte, 2*len(b)) // : needs an owner; The memory leaves Clean: it is returned from library.Clean. Its last user would have to put it back.
	}
	return b
}

func Value(r io.Reader) (v any) {
	json.NewDecoder(r).Decode(&v) // encoding/json.NewDecoder: do not pool; Nothing in basin fits memory that encoding/json.NewDecoder makes.
	return v
}
`
	dir := writeFiles(t, map[string]string{
		"go.mod": goMod(t, "main.example") + "\nrequire library.example v0.0.0\n\nreplace library.example => ./library\n",
		"main.go": "package main\n\nimport (\n\t\"os\"\n\n\t\"library.example/mail\"\n)\n\nfunc main() {\n\tb := make([]byte, len(os.Args))\n\tos.Stdout.Write(b)\n" +
			"\tvar p library.Part\n\tp.Decode(os.Stdin)\n\tp.Next(1)\n\tlibrary.Count(os.Stdout, 1)\n\tlibrary.Value(os.Stdin)\n\tos.Stdout.Write(library.Compress(nil, []byte(\"x\")))\n\tos.Stdout.Write(library.Extend(nil, 1))\n\tlibrary.Two([]byte{}, nil)\n\tlibrary.Clean(nil)\n}\n",
		"library/go.mod":       "module library.example\n\ngo 1.25.0\n",
		"library/mail/part.go": library,
	})
	sites, want := marked("library.example/mail", "/mod/library.example@v0.0.0/mail/part.go", library)
	sites = append(sites, synthetic{"", "main.main", "/src/main.example/main.go", 9, 10, 100_000, 100_000 << 12, 0, 0})
	want = append(want, "pool it; The memory does not leave main.")
	for i := range sites { // so that no two are alike
		sites[i].bytes += uint64(i) * 100_000
	}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-json")
	var r Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
		t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
	}
	got := map[int64]string{}
	for _, s := range r.Sites {
		got[s.Line+int64(len(s.File))<<32] = fmt.Sprintf("%s; %s", s.Verdict, s.Reason)
		if (s.Module == "") != s.Patch && s.Verdict == PoolIt {
			t.Errorf("%s in module %q: patch %v", s.Function, s.Module, s.Patch)
		}
	}
	for i, s := range sites {
		if text := got[int64(s.line)+int64(len(s.file))<<32]; text != want[i] {
			t.Errorf("line %d of %s: %s, want %s", s.line, s.file, text, want[i])
		}
	}
	if r.Gain.Sites != 2 || r.Gain.Elsewhere != 1 || !strings.Contains(strings.Join(r.Summary, " "), ": 1 in other modules.") {
		t.Errorf("the summary has %d sites: %v", r.Gain.Sites, r.Summary)
	}
}

// TestUnseen has no source, so that nothing is known to be fit for a pool.
func TestUnseen(t *testing.T) {
	for _, tt := range []struct{ std, want string }{
		{"io.ReadAll", "not judged; If nothing keeps the memory, use basin.ReadAll and basin.Put. Only the source shows that: "},
		{"encoding/json.Marshal", "not judged; If nothing keeps the memory, use an encoder that writes into basin.GetBuffer. Only the source shows that: "},
		{"encoding/json.NewDecoder", "do not pool; Nothing in basin fits memory that encoding/json.NewDecoder makes."},
		{"encoding/json.(*Decoder).Decode", "do not pool; Nothing in basin fits memory that encoding/json.(*Decoder).Decode makes."},
		{"encoding/xml.NewDecoder", "do not pool; Nothing in basin fits memory that encoding/xml.NewDecoder makes."},
		{"compress/gzip.NewReader", "not judged; If nothing keeps the memory, use a basin.Pool of *gzip.Reader, with Reset. Only the source shows that: "},
		{"bufio.(*Scanner).Scan", "not judged; If nothing keeps the memory, use basin.Get, and Scanner.Buffer. Only the source shows that: "},
		{"net/textproto.(*Reader).ReadLine", "not judged; The profile says only that net/textproto.(*Reader).ReadLine allocates here, and "},
		{"", "not judged; The profile does not say how this line allocates, and "},
	} {
		site := buffers
		site.std = tt.std
		stdout, stderr, status := command(t, "-json", heapProfile(t, 100, "a", site))
		var r Report
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
			t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
		}
		if text := fmt.Sprintf("%s; %s", r.Sites[0].Verdict, r.Sites[0].Reason); !strings.HasPrefix(text, tt.want) {
			t.Errorf("%s: %s, want %s", tt.std, text, tt.want)
		}
		if r.Gain.Sites != 0 || r.Gain.Bytes != 0 {
			t.Errorf("%s: a gain of %v", tt.std, r.Gain)
		}
		if fits := strings.Contains(tt.want, "If nothing keeps"); (r.Unseen == 1) != fits || strings.Contains(strings.Join(r.Summary, " "), "which only the source shows") != fits {
			t.Errorf("%s: %v, unseen %v", tt.std, r.Summary, r.Unseen)
		}
	}
}

// TestPlaces has functions and files of the same name in several packages, and one of another module. Their rows say so.
func TestPlaces(t *testing.T) {
	needGo(t)
	const made = "\n\nfunc %s(n int) []byte { return make([]byte, n) }\n"
	write := func(pkg, function string) string { return "package " + pkg + fmt.Sprintf(made, function) }
	dir := writeFiles(t, map[string]string{
		"go.mod":              goMod(t, "a.example") + "\nrequire library.example v0.0.0\n\nreplace library.example => ./library\n",
		"p/driver.go":         write("p", "Read"),
		"q/driver.go":         write("q", "Write"),
		"p/one.go":            write("p", "Open"),
		"q/two.go":            write("q", "Open"),
		"p/alone.go":          "package p\n\nimport _ \"library.example/mail\"" + fmt.Sprintf(made, "Alone"),
		"library/go.mod":      "module library.example\n\ngo 1.25.0\n",
		"library/mail/own.go": write("mail", "Part"),
	})
	var sites []synthetic
	for place, name := range map[string]string{"a.example/p/driver.go": "Read", "a.example/q/driver.go": "Write", "a.example/p/one.go": "Open",
		"a.example/q/two.go": "Open", "a.example/p/alone.go": "Alone", "library.example/mail/own.go": "Part"} {
		line := uint64(3)
		if name == "Alone" {
			line = 5
		}
		sites = append(sites, synthetic{"", escaped(place[:strings.LastIndexByte(place, '/')]) + "." + name, "/src/" + place, line, line, 100_000, 100_000 << 12, 0, 0})
	}
	page := filepath.Join(t.TempDir(), "page.html")
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-html", page)
	text, err := os.ReadFile(page)
	if err != nil || status != 0 {
		t.Fatalf("exit status %d, %v: %s", status, err, stderr)
	}
	for _, want := range []string{"Read at driver.go:3 in a.example/p, make", "Write at driver.go:3 in a.example/q, make", "Open at one.go:3 in a.example/p, make",
		"Open at two.go:3 in a.example/q, make", "Alone at alone.go:5, make", "Part at own.go:3 in library.example/mail (another module), make"} {
		if !strings.Contains(joined(stdout), want) || !strings.Contains(string(text), want) {
			t.Errorf("%s%s lacks %s", stdout, stderr, want)
		}
	}
}

// TestReasonsOfContracts has methods of another module with the contracts of package io, which are trusted to keep nothing, as
// they are where an interface has them. A method of the program that keeps its argument could be behind them.
func TestReasonsOfContracts(t *testing.T) {
	files := func() map[string]string {
		return map[string]string{
			"go.mod":       goMod(t, "a.example") + "\nrequire b.example v1.0.0\n\nreplace b.example => ./b\n",
			"b/go.mod":     "module b.example\n\ngo 1.25.0\n",
			"b/hash/a.go":  "package hash\n\ntype Digest struct{ n int }\n\nfunc (d *Digest) Write(b []byte) (int, error) { d.n += len(b); return len(b), nil }\n\nfunc (d *Digest) WriteAll(b []byte) (int, error) { return d.Write(b) }\n",
			"b/other/a.go": "package other\n",
		}
	}
	code := `package p

import "b.example/hash"

func sum(d *hash.Digest, n int) {
	b := make([]byte, n) // : VERDICT
	d.Write(b)
}

func all(d *hash.Digest, n int) {
	b := make([]byte, n) // : ALL
	d.WriteAll(b)
}
`
	judgedWith(t, files(), strings.NewReplacer("VERDICT", "pool it; The memory does not leave sum.$",
		"ALL", "pool it; The memory does not leave all. This relies on the source of b.example v1.0.0.").Replace(code), nil)
	judgedWith(t, files(), strings.NewReplacer("VERDICT", "needs an owner; The memory leaves sum: it may be passed to (*p.kept).Write, which keeps it.",
		"ALL", "needs an owner; The memory leaves all: it is passed to (*hash.Digest).WriteAll, where it may be passed to (*p.kept).Write, which keeps it.").Replace(code)+`
type kept struct{ b []byte }

func (k *kept) Write(b []byte) (int, error) { k.b = b; return len(b), nil }
`, nil)
}

// TestReasonsOfOthers passes memory to functions of other modules, which are read, and so are those that these call.
func TestReasonsOfOthers(t *testing.T) {
	files := func() map[string]string {
		return map[string]string{
			"go.mod":   goMod(t, "a.example") + "\nrequire b.example v1.0.0\n\nrequire c.example v1.2.0 // indirect\n\nreplace (\n\tb.example => ./b\n\tc.example => ./c\n)\n",
			"b/go.mod": "module b.example\n\ngo 1.25.0\n\nrequire c.example v1.2.0\n",
			"b/b.go": `package b

import (
	"io"

	"c.example"
)

var kept []byte

func Keep(p []byte) { kept = p }

func Sum(p []byte) int { return c.Sum(p) }

func Part(p []byte) []byte { return p[1:] }

func All(w io.Writer, p []byte) { w.Write(p) }

type Pipe struct{ last []byte }

func (p *Pipe) Write(b []byte) (int, error) { p.last = b; return len(b), nil }

type Sizer struct{ n int }

func (s *Sizer) Write(b []byte) (int, error) { s.n += c.Sum(b); return len(b), nil }

type Doer interface{ Do([]byte) }
`,
			"c/go.mod": "module c.example\n\ngo 1.25.0\n",
			"c/c.go":   "package c\n\nfunc Sum(p []byte) (n int) {\n\tfor _, c := range p {\n\t\tn += int(c)\n\t}\n\treturn n\n}\n",
		}
	}
	judgedWith(t, files(), `package p

import (
	"io"

	"b.example"
)

var last []byte

func keep(n int) {
	buf := make([]byte, n) // : needs an owner; The memory leaves keep: it is passed to b.Keep, where it is stored in the variable kept of the package.
	b.Keep(buf)
}

func sum(r io.Reader, n int) int {
	buf := make([]byte, n) // : pool it; The memory does not leave sum. This relies on the source of b.example v1.0.0 and c.example v1.2.0.$
	r.Read(buf)
	return b.Sum(buf)
}

func part(n int) []byte {
	buf := make([]byte, n) // : needs an owner; The memory leaves part: it is returned from p.part.
	return b.Part(buf)
}

func local(w io.Writer, n int) {
	buf := make([]byte, n) // : pool it; The memory does not leave local. This relies on the source of b.example v1.0.0.$
	w.Write(b.Part(buf))
}

func pipe(p *b.Pipe, n int) {
	buf := make([]byte, n) // : needs an owner; The memory leaves pipe: it may be passed to (*b.Pipe).Write, which keeps it.
	p.Write(buf)
}

func sizer(s *b.Sizer, n int) {
	buf := make([]byte, n) // : pool it; The memory does not leave sizer.$
	s.Write(buf)
}

func do(d b.Doer, n int) {
	buf := make([]byte, n) // : needs an owner; The memory may leave do: it is passed to method Do of an interface, which may keep it.
	d.Do(buf)
}
`, nil)
}

// TestLiteralsOfOthers has function literals that are inlined: the profile names the function around them, and their own file.
func TestLiteralsOfOthers(t *testing.T) {
	needGo(t)
	const library = `package match

import "io"

func Prefix(n int) func(io.Reader) bool {
	return func(r io.Reader) bool {
		b := make([]byte, n)
		_, err := io.ReadFull(r, b)
		return err == nil
	}
}
`
	dir := writeFiles(t, map[string]string{
		"go.mod":                 goMod(t, "main.example") + "\nrequire library.example v0.0.0\n\nreplace library.example => ./library\n",
		"server/match.go":        "package server\n\nimport (\n\t\"io\"\n\n\t\"main.example/inner\"\n\t\"library.example/match\"\n)\n\nfunc Serve(r io.Reader) bool { return match.Prefix(10)(r) && inner.Prefix(10)(r) }\n",
		"inner/match.go":         strings.Replace(library, "package match", "package inner", 1),
		"library/go.mod":         "module library.example\n\ngo 1.25.0\n",
		"library/match/match.go": library,
	})
	literal := func(file string) synthetic {
		name := "main.example/server.Serve.Prefix.func1"
		if body, ok := strings.CutPrefix(file, "-range1 "); ok {
			name, file = "main.example/server.Serve.Prefix-range1", body
		}
		return synthetic{"", name, file, 6, 7, 100_000, 100_000 << 12, 0, 0}
	}
	for _, test := range []struct{ file, want string }{
		{"/mod/library.example@v0.0.0/match/match.go", "Serve.Prefix.func1 at match.go:7 in library.example/match (another module), make([]byte) The memory does not leave Serve.Prefix.func1."},
		{"library.example@v0.0.0/match/match.go", "Serve.Prefix.func1 at match.go:7 in library.example/match (another module)"},
		{"/src/main.example/inner/match.go", "Serve.Prefix.func1 at match.go:7 in main.example/inner, make([]byte) The memory does not leave Serve.Prefix.func1."},
		{"-range1 /src/main.example/inner/match.go", "Serve.Prefix at match.go:7 in main.example/inner, make([]byte) The memory does not leave Serve.Prefix."},
		{"/elsewhere/match.go", "not judged Serve.Prefix.func1 at match.go:7 The profile does not say how this line allocates, and line 7 of match.go is in no function, " + stale},
	} {
		own := synthetic{"", "main.example/server.Serve", dir + "/server/match.go", 10, 10, 100_000, 100_000 << 11, 0, 0}
		stdout, stderr, status := advise(t, dir, twoProfiles(t, literal(test.file), own))
		if status != 0 || !strings.Contains(joined(stdout), test.want) || strings.Contains(stdout, "does not fit") != strings.Contains(test.want, stale) {
			t.Errorf("%s: exit status %d, %s%s\nlacks %q", test.file, status, stderr, stdout, test.want)
		}
	}
}

// TestReasonsOfSystems has functions that files for other systems declare, too. Those may keep the memory.
func TestReasonsOfSystems(t *testing.T) {
	judgedWith(t, map[string]string{
		"go.mod":          goMod(t, "a.example"),
		"p/use_here.go":   "//go:build !elsewhere\n\npackage p\n\nfunc use(b []byte) int { return int(b[0]) }\n\nfunc (s *sum) add(b []byte) { s.n += len(b) }\n\nfunc both(b []byte) { b[0]++ }\n",
		"p/use_there.go":  "//go:build elsewhere\n\npackage p\n\nvar kept []byte\n\nfunc use(b []byte) int { kept = b; return 0 }\n\nfunc (s *sum) add(b []byte) { kept = b }\n\n//go:noescape\nfunc both(b []byte)\n",
		"p/both.s":        "//go:build elsewhere\n",
		"p/generate.go":   "//go:build ignore\n\npackage main\n\nfunc plain(b []byte) { println(b) }\n\nfunc main() {}\n",
		"p/other_test.go": "//go:build elsewhere\n\npackage p\n\nfunc plain(b []byte) { kept = b }\n",
	}, `package p

import "io"

type sum struct{ n int }

func function(w io.Writer, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave function: it is passed to p.use, where it may be kept by the function of that name for other systems.
	use(b)
	w.Write(b)
}

func method(w io.Writer, s *sum, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave method: it is passed to (*p.sum).add, where it may be kept by the function of that name for other systems.
	s.add(b)
	w.Write(b)
}

func others(w io.Writer, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave others.$
	both(b)
	plain(b)
	w.Write(b)
}

func plain(b []byte) { b[0]-- }
`, nil)
}

// TestReasonsOfOtherTypes has types that files for other systems declare, too, so that they may have other methods there.
func TestReasonsOfOtherTypes(t *testing.T) {
	judgedWith(t, map[string]string{
		"go.mod": goMod(t, "a.example"),
		"p/here.go": "//go:build !elsewhere\n\npackage p\n\ntype use = good\n\ntype embeds struct{ good }\n\ntype own struct{ n int }\n\n" +
			"type promotes struct{ better }\n",
		"p/there.go": "//go:build elsewhere\n\npackage p\n\ntype use = bad\n\ntype embeds struct{ bad }\n\ntype own struct{ n int64 }\n\n" +
			"func (promotes) with(b []byte, f func()) { kept = b }\n",
		"p/both.go": "package p\n\nvar kept []byte\n\ntype good struct{}\n\nfunc (good) put(b []byte) int { return len(b) }\n\ntype bad struct{}\n\nfunc (bad) put(b []byte) int { kept = b; return 0 }\n\n" +
			"type better struct{}\n\nfunc (better) with(b []byte, f func()) { f() }\n\nfunc (o own) size(b []byte) int { return len(b) }\n",
	}, `package p

func alias(in byte, n int) int {
	b := make([]byte, n) // : needs an owner; The memory may leave alias: it is passed to (p.good).put, where it may be kept by the function of that name for other systems.
	b[0] = in
	return use{}.put(b)
}

func embedded(in byte, n int) int {
	b := make([]byte, n) // : needs an owner; The memory may leave embedded: it is passed to (p.good).put, where it may be kept by the function of that name for other systems.
	b[0] = in
	return embeds{}.put(b)
}

func promoted(in byte, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave promoted: it is passed to (p.better).with, where it may be kept by the function of that name for other systems.
	b[0] = in
	promotes{}.with(b, nil)
}

func called(in byte, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave called: it is captured by a function literal.
	b[0] = in
	promotes{}.with(nil, func() { b[0]++ })
}

func ofOwn(in byte, n int) int {
	b := make([]byte, n) // : could stay on the stack; It does not leave ofOwn, 
	b[0] = in
	return own{}.size(b)
}
`, nil)
}

// TestReasonsOfSeenKeepers has methods of other modules that surely break the contract of io.Writer. Their own module may call
// them, in another of its packages, and so does who passes such a value to a function.
func TestReasonsOfSeenKeepers(t *testing.T) {
	judgedWith(t, map[string]string{
		"go.mod":       goMod(t, "a.example") + "\nrequire b.example v1.0.0\n\nreplace b.example => ./b\n",
		"b/go.mod":     "module b.example\n\ngo 1.25.0\n",
		"b/b.go":       "package b\n\nimport (\n\t\"io\"\n\n\t\"b.example/keep\"\n)\n\nvar Out io.Writer = &keep.Keep{}\n\nfunc Write(b []byte) int { Out.Write(b); return keep.Count(b) }\n",
		"b/keep/a.go":  "package keep\n\ntype Keep struct{ b []byte }\n\nfunc (k *Keep) Write(b []byte) (int, error) { k.b = b; return len(b), nil }\n\nfunc Count(b []byte) int { return len(b) }\n",
		"b/plain/a.go": "package plain\n\nimport \"b.example/keep\"\n\nfunc Count(b []byte) int { return keep.Count(b) }\n",
	}, `package p

import (
	"io"

	"b.example"
	"b.example/keep"
	"b.example/plain"
)

func near(n int) int {
	x := make([]byte, n) // : needs an owner; The memory leaves near: it is passed to b.Write, where it may be passed to (*keep.Keep).Write, which keeps it.
	return b.Write(x)
}

func seen(k *keep.Keep, n int) {
	x := make([]byte, n) // : needs an owner; The memory leaves seen: it is passed to p.write, where it may be passed to (*keep.Keep).Write, which keeps it.
	write(k, x)
}

func write(w io.Writer, x []byte) { w.Write(x) }

func trusted(w io.Writer, n int) {
	x := make([]byte, n) // : pool it; The memory does not leave trusted.$
	w.Write(x)
}

func counts(w io.Writer, n int) int {
	x := make([]byte, n) // : pool it; The memory does not leave counts. This relies on the source of b.example v1.0.0.$
	w.Write(x)
	return plain.Count(x)
}
`, nil)
}

// TestKnot has structs that have themselves, or each other, in fields.
func TestKnot(t *testing.T) {
	judged(t, `package p

type base struct{ self interface{ run() } }

type job struct {
	base
	other *job
	b     []byte
}

func (j *job) run() {}

func (b *base) start() { b.self.run() }

func alone(n int) {
	e := &job{b: make([]byte, n)} // : needs an owner; The memory leaves alone: 
	e.self = e
	e.start()
}

func pair(n int) {
	e, o := &job{b: make([]byte, n)}, &job{} // : pool it; The memory does not leave pair.$
	e.other, o.other = o, e
	e.start()
}
`, nil)
}
