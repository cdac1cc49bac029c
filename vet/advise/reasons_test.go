package advise

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// judged runs basin advise on a package of these lines, of which each that ends with a comment allocates. It compares the
// verdicts and reasons with the comments, which may end before them unless they end with $.
func judged(t *testing.T, code string, change func(i int, s *synthetic)) {
	t.Helper()
	judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, code, change)
}

// judgedWith does so with other files of the module.
func judgedWith(t *testing.T, files map[string]string, code string, change func(i int, s *synthetic)) (r Report) {
	t.Helper()
	needGo(t)
	files["p/p.go"] = code
	dir := writeFiles(t, files)
	sites, want := marked("a.example/p", "/src/a.example/p/p.go", code)
	for i := range sites {
		if change != nil {
			change(i, &sites[i])
		}
	}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-json")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
		t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
	}
	got := map[string]string{}
	for _, s := range r.Sites {
		for _, place := range append(slices.Concat(s.Lines, s.First), fmt.Sprintf("%s:%d", base(s.File), s.Line)) {
			got[place] = fmt.Sprintf("%s; %s", s.Verdict, s.Reason)
		}
	}
	for i, s := range sites {
		if text := got[fmt.Sprintf("%s:%d", base(s.file), s.line)]; !strings.HasPrefix(text+"$", want[i]) {
			t.Errorf("line %d: %s, want %s", s.line, text, want[i])
		}
	}
	return r
}

// TestReasonsOfInit has memory that init statements set. An else after a condition is evaluated only then.
func TestReasonsOfInit(t *testing.T) {
	judged(t, `package p

import "io"

func read(r io.Reader, w io.Writer) {
	if b, err := io.ReadAll(r); err == nil { // io.ReadAll: pool it; The memory does not leave read. There is no patch: it is in the init statement of an if or the like: give it a line before that.
		w.Write(b)
	}
}

func sized(w io.Writer, n func() int) {
	if b := make([]byte, n()); len(b) > 1 { // : pool it; The memory does not leave sized. There is no patch: it is in the init statement of an if or the like: give it a line before that.
		w.Write(b)
	}
}

func switched(w io.Writer, n func() int) {
	switch b := make([]byte, n()); len(b) { // : pool it; The memory does not leave switched. There is no patch: it is in the init statement of an if or the like: give it a line before that.
	case 1:
		w.Write(b)
	}
}

func other(w io.Writer, n int) {
	if n < 0 {
		w.Write(nil)
	} else if _, err := w.Write(make([]byte, n)); err != nil { // : pool it; The memory does not leave other. There is no patch: it is a part of a larger expression, which may not evaluate it, or not first: give it a variable.
		panic(err)
	}
}
`, nil)
}

// TestReasonsOfStores has memory that is stored by the address of the variable that has it.
func TestReasonsOfStores(t *testing.T) {
	judged(t, `package p

type inner struct{ b []byte }

func with(b []byte) inner { return inner{b} }

type outer struct {
	in   *inner
	list []*inner
}

func (o *outer) field(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves (*outer).field: it is stored in field outer.in.
	in := with(b)
	o.in = &in
}

func (o *outer) element(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves (*outer).element: it is stored in an element of field outer.list.
	in := with(b)
	o.list[0] = &in
}

var last *inner

func global(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves global: it is stored in the variable last of the package.
	in := with(b)
	last = &in
}
`, nil)
}

// TestReasonsOfRounds has loops whose rounds store their memory in something that outlives them.
func TestReasonsOfRounds(t *testing.T) {
	judged(t, `package p

import (
	"container/list"
	"io"
)

func pushed(w io.Writer, n int) {
	all := list.New()
	for range n {
		b := make([]byte, n) // : needs an owner; The memory leaves pushed: it is passed to (*list.List).PushBack, which keeps it.
		all.PushBack(b)
	}
	for e := all.Front(); e != nil; e = e.Next() {
		w.Write(e.Value.([]byte))
	}
}

func zero(n int) {
	var all list.List
	for range n {
		b := make([]byte, n) // : do not pool; Each round stores its memory in a list.List that outlives the round, so that one variable is not enough.
		all.PushBack(b)
	}
}

func appended(w io.Writer, n int) {
	var all [][]byte
	for range n {
		b := make([]byte, n) // : needs an owner; The memory leaves appended: it is stored in all.
		all = append(all, b)
	}
	for _, b := range all {
		w.Write(b)
	}
}

func elements(w io.Writer, n int) {
	all := make([][]byte, n)
	for i := range n {
		b := make([]byte, n) // : do not pool; Each round stores its memory in a slice that outlives the round, so that one variable is not enough.
		w.Write(b)
		all[i] = b[:1]
	}
	for _, b := range all {
		w.Write(b)
	}
}

func previous(w io.Writer, n int) {
	var last []byte
	for range n {
		b := make([]byte, n) // : do not pool; A round of the loop may still use the memory of the round before
		w.Write(last)
		last = b
	}
}
`, nil)
}

// TestReasonsOfMade has code that tools have made: a parser, whose lines are those of the grammar or of the tool's own
// template, and the compiler's function for a large map. Neither says that the source is of another version.
func TestReasonsOfMade(t *testing.T) {
	judged(t, `package p

var table = map[string][]int{"a": make([]int, 100)} // : do not pool; It is made once, when the program starts.

func parse(n int) []byte {
	return make([]byte, n) // : not judged; The profile does not say how this line allocates, and yaccpar is no Go file: a tool has made this code from it.
}
`, func(i int, s *synthetic) {
		if i == 0 {
			s.name = "a.example/p.map.init.0"
		} else {
			s.file = "yaccpar"
		}
	})
}

// TestReasonsOfReuse has things that the rounds of a loop can share, each in its own way, and some that they cannot.
func TestReasonsOfReuse(t *testing.T) {
	judged(t, `package p

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
)

func zip(w io.Writer, n int) {
	for range n {
		z := gzip.NewWriter(w)
		z.Write(nil) // compress/gzip.(*Writer).Write: reuse a variable; It does not leave the loop: make it before the loop, and Reset it in each round.
		z.Close()
	}
}

func write(w io.Writer, n int) {
	for range n {
		var b bytes.Buffer
		b.WriteByte(1) // bytes.(*Buffer).WriteByte: reuse a variable; It does not leave the loop: make it before the loop, and Reset it in each round.
		w.Write(b.Bytes())
	}
}

func scan(r io.Reader, n int) (lines int) {
	for range n {
		s := bufio.NewScanner(r)
		for s.Scan() { // bufio.(*Scanner).Scan: reuse a variable; It does not leave the loop: make one slice before the loop, and give it to the Scanner of each round by its method Buffer.
			lines++
		}
	}
	return lines
}

func cut(w io.Writer, n int) {
	for range n {
		b := make([]byte, n) // : reuse a variable; It does not leave the loop: declare it before the loop, and cut it to length 0 in each round.
		w.Write(b)
	}
}

func decode(r io.Reader, n int) (v int) {
	for range n {
		json.NewDecoder(r).Decode(&v) // encoding/json.NewDecoder: do not pool; Nothing in basin fits memory that encoding/json.NewDecoder makes.
	}
	return v
}
`, nil)
}

// TestReasonsOfLargest has lines that allocate several things, of which the reason names that of most bytes.
func TestReasonsOfLargest(t *testing.T) {
	const inside = ", or a function that it calls, makes this memory, and has no argument for it."
	objects := map[string]uint64{"list": 64, "box": 208, "string": 100, "struct": 640, "literal": 48, "small": 16, "call": 512, "map": 4096}
	judged(t, `package p

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"regexp"
	"strconv"
	"strings"
)

var (
	words    = regexp.MustCompile("[a-z]+")
	replacer = strings.NewReplacer("<", "(", ">", ")")
	keep     *large
)

var table = make(map[string]int, 100) // map: not judged; This is a map, and maps are judged only if they surely stay

type large struct{ values [80]int64 }

type pair struct{ values [25]int64 }

func replaced(s string) string {
	return words.ReplaceAllString(s, "x") // regexp.(*Regexp).ReplaceAllString, regexp.(*Regexp).replaceAll: do not pool; regexp.(*Regexp).ReplaceAllString`+inside+`
}

func encoded(b []byte) string {
	return base64.StdEncoding.EncodeToString(b) // encoding/base64.(*Encoding).EncodeToString: do not pool; encoding/base64.(*Encoding).EncodeToString`+inside+` If bytes will do, AppendEncode writes to a slice, which can come from a pool.
}

func escaped(s string) string {
	return replacer.Replace(s) // strings.(*Replacer).Replace, strings.(*genericReplacer).Replace: do not pool; strings.(*Replacer).Replace`+inside+` WriteString of a Replacer writes to a Buffer, which can come from a pool.
}

func media(s string) (string, map[string]string, error) {
	return mime.ParseMediaType(s) // mime.ParseMediaType: do not pool; mime.ParseMediaType`+inside+`
}

type caller struct{ f func() }

func called(f func()) {
	c := &caller{f} // call: could stay on the stack; It does not leave called
	c.f()
}

func quoted(s string) string {
	return strconv.QuoteToASCII(s) // strconv.QuoteToASCII: do not pool; strconv.QuoteToASCII`+inside+` If bytes will do, AppendQuoteToASCII writes to a slice, which can come from a pool.
}

type pipe struct {
	buf *bytes.Buffer
	w   io.Writer
	out *bufio.Writer
}

func (p *pipe) flushed(b []byte) {
	p.out.Write(b) // bufio.(*Writer).Write, bytes.(*Buffer).Write, bytes.growSlice: needs an owner; The memory leaves (*pipe).flushed: it belongs to a Buffer that this line does not show.
}

func (p *pipe) emptied() {
	p.buf.WriteTo(p.w) // bytes.(*Buffer).WriteTo, bytes.(*Buffer).Write, bytes.growSlice: needs an owner; The memory leaves (*pipe).emptied: it belongs to the value of field pipe.w.
}

func (p *pipe) text(s string) {
	io.WriteString(p.out, s) // io.WriteString, bytes.(*Buffer).Write, bytes.growSlice: needs an owner; The memory leaves (*pipe).text: it belongs to a Buffer that this line does not show.
}

func written(w io.Writer, s string) {
	buf := w.(io.StringWriter)
	buf.WriteString(s) // bytes.(*Buffer).WriteString: needs an owner; The memory leaves written: it belongs to a Buffer that this line does not show.
}

func upper(s string) string {
	return strings.ToUpper(s) // strings.ToUpper, strings.(*Builder).Grow, internal/bytealg.MakeNoZero: not judged; Strings cannot be written to, so nothing can reuse them.
}

func number(n int) string {
	return strconv.Itoa(n) // strconv.Itoa, internal/strconv.Itoa: not judged; Strings cannot be written to, so nothing can reuse them.
}

func zipped(w *zip.Writer) (io.Writer, error) {
	return w.Create("x") // archive/zip.(*Writer).Create: do not pool; archive/zip.(*Writer).Create`+inside+` RegisterCompressor has it take compressors from elsewhere, such as a pool.
}

func printed(s string) string {
	return fmt.Sprintf("%q", s) // fmt.Sprintf: not judged; Strings cannot be written to, so nothing can reuse them.
}

func texts(r io.Reader) (n int) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		n += len(lines.Text()) // bufio.(*Scanner).Text: not judged; Strings cannot be written to, so nothing can reuse them.
	}
	return n
}

func line(r *bufio.Reader) (string, error) {
	return r.ReadString('\n') // bufio.(*Reader).ReadString: not judged; Strings cannot be written to, so nothing can reuse them.
}

func listed(a, b, c, d int, format string) error {
	return fmt.Errorf(format, a, b, c, d) // list: not judged; This is the list of arguments of a variadic function, which is no buffer to reuse.
}

func boxed(p pair) error {
	return fmt.Errorf("%v", p) // box: not judged; This is an interface value, which is no buffer to reuse.
}

func joined(a, b string, c, d, e, f int) error {
	return fmt.Errorf(a+b, c, d, e, f) // list: not judged; This is the list of arguments of a variadic function, which is no buffer to reuse.
}

func wrapped(a, b string) string {
	return a + b // string: not judged; Strings cannot be written to, so nothing can reuse them.
}

func stored(f func(func() int), a, b, c, d, e int) {
	keep = new(large); f(func() int { return a + b + c + d + e }) // literal: not judged; This is a function literal, which is no buffer to reuse.
}

func literal(a int) func() int {
	return func() int { return a } // small: not judged; This is a function literal, which is no buffer to reuse.
}

func kept(f func(func() int), a int) {
	keep = new(large); f(func() int { return a }) // struct: needs an owner; The memory leaves kept: it is stored in the variable keep of the package.
}
`, func(i int, s *synthetic) {
		if n := objects[s.std]; n > 0 {
			s.std, s.objects = "", s.bytes/n
			s.bytes = s.objects * n
		}
	})
}

// TestReasonsOfCopies has a function literal that is inlined into several functions, of which some allocate little. Its line
// has one row.
func TestReasonsOfCopies(t *testing.T) {
	needGo(t)
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": `package p

import "io"

func with(next func(io.Writer, []byte)) func(io.Writer, int) {
	return func(w io.Writer, n int) {
		b := make([]byte, n)
		w.Write(b)
		next(w, nil)
	}
}
`})
	var sites []synthetic
	for i, name := range []string{"routes.with.func3", "with.func1", "routes.more.with.func2"} {
		objects := uint64(10) + 100_000*uint64(i)
		sites = append(sites, synthetic{"", "a.example/p." + name, "/src/a.example/p/p.go", 6, 7, objects, objects << 12, 0, 0})
	}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...))
	if status != 0 || strings.Count(stdout, " at p.go:7") != 1 ||
		!strings.Contains(joined(stdout), "pool it with.func1 at p.go:7, make([]byte); the line is compiled into 3 functions The memory does not leave with.func1. ") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
}

// TestReasonsOfCaptured has writers that a deferred function literal closes, and uses. All of their lines are one site.
func TestReasonsOfCaptured(t *testing.T) {
	const leaves = "pool it; The memory does not leave "
	judged(t, `package p

import (
	"bytes"
	"compress/gzip"
	"io"
)

func zipped(w io.Writer, b []byte) {
	z := gzip.NewWriter(w) // compress/gzip.NewWriter: `+leaves+`zipped.$
	defer func() { _ = z.Close() }() // compress/gzip.(*Writer).Close, compress/flate.(*Writer).Close: `+leaves+`zipped.$
	z.Write(b) // compress/gzip.(*Writer).Write: `+leaves+`zipped.$
}

func buffered(w io.Writer, b []byte) {
	buf := new(bytes.Buffer)
	defer func() { w.Write(buf.Bytes()) }()
	buf.Write(b) // bytes.(*Buffer).Write: `+leaves+`buffered.$
}

func exchanged(w io.Writer, b []byte, more bool) {
	z := gzip.NewWriter(w)
	if more {
		z = gzip.NewWriter(io.Discard)
	}
	defer func() { _ = z.Close() }()
	z.Write(b) // compress/gzip.(*Writer).Write: needs an owner; The memory leaves exchanged: it is in a variable that others have too.
}

func given(z *gzip.Writer, b []byte) {
	defer func() { _ = z.Close() }()
	z.Write(b) // compress/gzip.(*Writer).Write: needs an owner; The memory leaves given: it belongs to the caller, who passes it as z.
}

func kept(w io.Writer, b []byte) func() error {
	z := gzip.NewWriter(w)
	z.Write(b) // compress/gzip.(*Writer).Write: needs an owner; The memory may leave kept: it is captured by a function literal.
	return func() error { return z.Close() }
}
`, nil)
}

// TestReasonsOfDecoders has decoders of JSON and XML. Those of JSON copy input that is in memory already, which Unmarshal
// does not, if they decode all of it at once.
func TestReasonsOfDecoders(t *testing.T) {
	const (
		inside   = "do not pool; encoding/json.(*Decoder).Decode, or a function that it calls, makes this memory. Most of it is the Decoder's own buffer, for which it has no argument."
		fits     = "do not pool; Nothing in basin fits memory that encoding/json.NewDecoder makes."
		unlike   = " Unlike Decode, it rejects data behind the value, and has other errors for input that ends early."
		bytes    = " A Decoder copies its input, which is in memory already: json.Unmarshal reads that as it is." + unlike
		text     = " A Decoder copies its input, which is in memory already, to a buffer that grows: json.Unmarshal needs one copy of the right size." + unlike
		refilled = "encoding/json.(*Decoder).Decode, encoding/json.(*Decoder).refill"
		filled   = ", or a function that it calls, makes this memory. It uses slices, maps and pointers that its target has already, and those that it makes stay there."
	)
	judged(t, `package p

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
)

type large struct{ A, B string }

func read(b []byte) (v large, err error) {
	err = json.NewDecoder(bytes.NewReader(b)).Decode(&v) // `+refilled+`: `+inside+bytes+`
	return v, err
}

func made(b []byte) (v large, err error) {
	err = json.NewDecoder(bytes.NewBuffer(b)).Decode(&v) // encoding/json.NewDecoder: `+fits+bytes+`
	return v, err
}

func text(s string) (v large, err error) {
	d := json.NewDecoder(strings.NewReader(s))
	err = d.Decode(&v) // `+refilled+`: `+inside+text+`
	return v, err
}

func values(b []byte) (v large, err error) {
	err = json.NewDecoder(bytes.NewReader(b)).Decode(&v) // encoding/json.(*Decoder).Decode, reflect.New: do not pool; encoding/json.(*Decoder).Decode`+filled+`$
	return v, err
}

func strict(b []byte) (v large, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	err = d.Decode(&v) // `+refilled+`: `+inside+`$
	return v, err
}

func several(b []byte) (all []large) {
	d := json.NewDecoder(bytes.NewReader(b))
	for {
		var v large
		if d.Decode(&v) != nil { // `+refilled+`: `+inside+`$
			return all
		}
		all = append(all, v)
	}
}

func each(list [][]byte) (v large) {
	for _, b := range list {
		json.NewDecoder(bytes.NewReader(b)).Decode(&v) // `+refilled+`: `+inside+bytes+`
	}
	return v
}

func rest(b []byte) (v large, n int) {
	r := bytes.NewReader(b)
	json.NewDecoder(r).Decode(&v) // `+refilled+`: `+inside+`$
	return v, r.Len()
}

func stream(r io.Reader) (v large, err error) {
	err = json.NewDecoder(r).Decode(&v) // `+refilled+`: `+inside+`$
	return v, err
}

func given(r *bytes.Reader) (v large, err error) {
	err = json.NewDecoder(r).Decode(&v) // `+refilled+`: `+inside+`$
	return v, err
}

func markup(b []byte) (v large, err error) {
	err = xml.NewDecoder(bytes.NewReader(b)).Decode(&v) // encoding/xml.(*Decoder).Decode: do not pool; encoding/xml.(*Decoder).Decode, or a function that it calls, makes this memory, and has no argument for it.$
	return v, err
}
`, nil)
}

// TestReasonsOfResults has functions that append their result to an argument, which is nil. So the result is the memory, and
// not the encoder that has made it.
func TestReasonsOfResults(t *testing.T) {
	const (
		zstd  = "github.com/klauspost/compress/zstd.(*Encoder)"
		unzip = "github.com/klauspost/compress/zstd.(*Decoder)"
		s2    = "github.com/klauspost/compress/s2."
		back  = ". Its last user would have to put it back. "
		isNil = " makes it because its argument dst is nil."
	)
	r := judgedWith(t, map[string]string{
		"go.mod": goMod(t, "a.example") + `
require (
	github.com/klauspost/compress v1.0.0
)

replace (
	github.com/klauspost/compress => ./compress
)
`,
		"compress/go.mod": "module github.com/klauspost/compress\n\ngo 1.25.0\n",
		"compress/zstd/zstd.go": `package zstd

type Encoder struct{ b []byte }

func (e *Encoder) EncodeAll(src, dst []byte) []byte { return append(dst, src...) }

func (e *Encoder) MaxEncodedSize(n int) int { return n }

type Decoder struct{ b []byte }

func (d *Decoder) DecodeAll(input, dst []byte) ([]byte, error) { return append(dst, input...), nil }
`,
		"compress/s2/s2.go": `package s2

func MaxEncodedLen(n int) int { return n }

func Encode(dst, src []byte) []byte { return append(dst, src...) }
`,
	}, `package p

import (
	"encoding/hex"
	"hash"
	"io"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

var (
	encoder *zstd.Encoder
	decoder *zstd.Decoder
)

type codec struct{ d *zstd.Decoder }

func returned(b []byte) ([]byte, error) {
	return decoder.DecodeAll(b, nil) // `+unzip+`.DecodeAll: needs an owner; The memory leaves returned: it is returned from p.returned`+back+unzip+`.DecodeAll`+isNil+`
}

func (c *codec) field(b []byte) ([]byte, error) {
	raw, err := c.d.DecodeAll(b, nil) // `+unzip+`.DecodeAll: needs an owner; The memory leaves (*codec).field: it is returned from (*p.codec).field`+back+unzip+`.DecodeAll`+isNil+`
	if err != nil {
		return nil, err
	}
	return raw, nil
}

func written(w io.Writer, b []byte) error {
	raw, err := decoder.DecodeAll(b, nil) // `+unzip+`.DecodeAll: pool it; The memory does not leave written. There is no patch: the length of its result is not known before: guess one, give it a slice of that capacity, and put that slice.$
	if err == nil {
		_, err = w.Write(raw)
	}
	return err
}

func grown(w io.Writer, b []byte) error {
	raw, err := decoder.DecodeAll(b, nil) // `+unzip+`.DecodeAll, `+unzip+`.init: needs an owner; The memory leaves grown: it is in a variable that others have too.
	if err == nil {
		_, err = w.Write(raw)
	}
	return err
}

func encoded(w io.Writer, b []byte) {
	out := encoder.EncodeAll(b, nil) // `+zstd+`.EncodeAll: pool it; The memory does not leave encoded.$
	w.Write(out)
}

func rounds(w io.Writer, list [][]byte) {
	for _, b := range list {
		out := encoder.EncodeAll(b, nil) // `+zstd+`.EncodeAll: reuse a variable; It does not leave the loop: pass the result of the round before as dst, cut to length 0.
		w.Write(out)
	}
}

func shortRounds(w io.Writer, list [][]byte) {
	for _, b := range list {
		w.Write(s2.Encode(nil, b)) // `+s2+`Encode: reuse a variable; It does not leave the loop: pass the result of the round before as dst, extended to its capacity.
	}
}

func given(w io.Writer, b, dst []byte) {
	w.Write(encoder.EncodeAll(b, dst)) // `+zstd+`.EncodeAll: needs an owner; The memory leaves given: it is in a variable that others have too.
}

func short(w io.Writer, b []byte) {
	w.Write(s2.Encode(nil, b)) // `+s2+`Encode: pool it; The memory does not leave short.$
}

func kept(b []byte) []byte {
	return s2.Encode(nil, b) // `+s2+`Encode: needs an owner; The memory leaves kept: it is returned from p.kept`+back+s2+`Encode`+isNil+`
}

func digits(w io.Writer, b []byte) {
	w.Write(hex.AppendEncode(nil, b)) // encoding/hex.AppendEncode: pool it; The memory does not leave digits.
}

func stamp(at time.Time) []byte {
	return at.AppendFormat(nil, time.RFC3339Nano) // time.Time.AppendFormat: needs an owner; The memory leaves stamp: it is returned from p.stamp`+back+`time.Time.AppendFormat makes it because its argument b is nil.
}

func sum(w io.Writer, h hash.Hash) {
	w.Write(h.Sum(nil)) // crypto/sha512.(*Digest).Sum: too small; 64 B each: a pool costs as much as the allocator.
}
`, func(_ int, s *synthetic) {
		if strings.Contains(s.std, "sha512") {
			s.objects = s.bytes / 64
		}
	})
	for function, want := range map[string]string{
		"encoded": "buf := basin.Get(encoder.MaxEncodedSize(len(b)))[:0]\n+\tdefer basin.Put(buf)\n+\tout := encoder.EncodeAll(b, buf) // ",
		"short":   "buf2 := basin.Get(s2.MaxEncodedLen(len(b)))\n+\tdefer basin.Put(buf2)\n+\tw.Write(s2.Encode(buf2, b)) // ",
	} {
		if !slices.ContainsFunc(r.Sites, func(s *Site) bool { return s.short() == function && strings.Contains(s.Diff, want) }) {
			t.Errorf("%s lacks the patch %s", function, want)
		}
	}
}

// TestReasonsOfBuilders has Builders behind interfaces, of which the functions that write to them cannot call Grow.
func TestReasonsOfBuilders(t *testing.T) {
	const (
		becomes = "preallocate; Its memory becomes the string, so nothing can reuse it; "
		written = "strings.(*Builder).WriteString"
	)
	judged(t, `package p

import (
	"io"
	"strings"
)

type writer interface {
	io.Writer
	WriteString(string) (int, error)
}

func escape(w writer, s string) {
	w.WriteString(s) // `+written+`: `+becomes+`p.First and p.Second make the Builder, and can call Grow first if they know the length.$
}

func First(s string) string {
	var b strings.Builder
	escape(&b, s)
	return b.String()
}

func Second(s string) string {
	var b strings.Builder
	escape(&b, s)
	return b.String()
}

func inner(w writer, s string) {
	w.WriteString(s) // `+written+`: `+becomes+`p.Third makes the Builder, and can call Grow first if it knows the length.$
}

func Render(w io.Writer, s string) {
	if x, ok := w.(writer); ok {
		inner(x, s)
	}
}

func Third(s string) string {
	b := new(strings.Builder)
	Render(b, s)
	return b.String()
}

func Open(w writer, s string) {
	w.WriteString(s) // `+written+`: `+becomes+`Grow can be called only where the Builder is made, which this function does not show.$
}

type holder struct{ w io.StringWriter }

func (h *holder) put(s string) {
	h.w.WriteString(s) // `+written+`: `+becomes+`Grow can be called only where the Builder is made, which this function does not show.$
}

func known(b *strings.Builder, s string) {
	b.WriteString(s) // `+written+`: `+becomes+`if you know the length, call Grow first.$
}

func own(s string) string {
	var b strings.Builder
	b.WriteString(s) // `+written+`: do not pool; Its memory becomes the string, and one call of WriteString makes it in one piece already, so nothing can reuse it.$
	return b.String()
}
`, nil)
}

// TestReasonsOfStructs has structs that a pool would hand out with their fields set, unless a method clears these.
func TestReasonsOfStructs(t *testing.T) {
	const (
		back  = " Its last user would have to put it back.$"
		clear = " Its last user would have to clear it and put it back: "
		as    = " has no method Reset of its own, and a pool hands out fields such as "
	)
	judged(t, `package p

import (
	"encoding/json"
	"io"
)

type Renderer struct {
	closeTag string
	ids      map[string]int
	level    [64]int
}

func NewRenderer(tag string) *Renderer {
	return &Renderer{closeTag: tag, ids: map[string]int{}} // : needs an owner; The memory leaves NewRenderer: it is returned from p.NewRenderer.`+clear+`Renderer`+as+`ids as they were.$
}

type Plain struct{ values [80]int64 }

func NewPlain(n int64) *Plain {
	p := &Plain{} // : needs an owner; The memory leaves NewPlain: it is returned from p.NewPlain.`+clear+`Plain`+as+`values as they were.$
	p.values[0] = n
	return p
}

type Table struct{ rows [80]string }

func (t *Table) Reset() { *t = Table{} }

func NewTable() *Table {
	return &Table{} // : needs an owner; The memory leaves NewTable: it is returned from p.NewTable.`+back+`
}

func encodedPlain(w io.Writer) {
	v := new(Plain) // : pool it; The memory does not leave encodedPlain. Clear it before the Put: Plain`+as+`values as they were.
	json.NewEncoder(w).Encode(v)
}

type outer struct {
	*Table
	n [80]int
}

func newOuter(t *Table) *outer {
	return &outer{Table: t} // : needs an owner; The memory leaves newOuter: it is returned from p.newOuter.`+clear+`outer`+as+`Table as they were.$
}

func list(n int) []int {
	return make([]int, n, 2*n) // : needs an owner; The memory leaves list: it is returned from p.list.`+back+`
}
`, nil)
}

// TestReasonsOfLiterals has memory that a function literal captures, and that leaves otherwise, too, which says more.
func TestReasonsOfLiterals(t *testing.T) {
	judged(t, `package p

type renderer struct {
	callbacks [20]func(text []byte) int
	level     int
}

func (r *renderer) dash(text []byte) int { return r.level }

func newRenderer() *renderer {
	var r renderer // : needs an owner; The memory leaves newRenderer: it is returned from p.newRenderer.
	r.callbacks[0] = func([]byte) int { return r.level }
	r.callbacks[1] = r.dash
	return &r
}

var last *renderer

func stored() {
	r := new(renderer) // : needs an owner; The memory leaves stored: it is stored in the variable last of the package.
	r.callbacks[0] = func([]byte) int { return r.level }
	last = r
}

func nested() *renderer {
	r := new(renderer) // : needs an owner; The memory leaves nested: it is returned from p.nested.
	hook(r)
	return r
}

func hook(r *renderer) {
	r.callbacks[0] = func([]byte) int { return r.level }
}

func captured() func() int {
	r := new(renderer) // : needs an owner; The memory may leave captured: it is captured by a function literal.
	return func() int { return r.level }
}

func shared(done chan bool) *renderer {
	r := new(renderer) // : needs an owner; The memory leaves shared: it is captured by a goroutine.
	go func() {
		r.level++
		done <- true
	}()
	return r
}
`, nil)
}

// TestReasonsOfScans has strings that come from a database, and become bytes. If they are nothing else, bytes can be scanned.
func TestReasonsOfScans(t *testing.T) {
	const (
		scanned = " The string s is scanned from a database, and only its bytes are used: scan into a []byte, which saves a copy if the driver has bytes, and is nil for NULL, in place of an error"
		raw     = ", or into an sql.RawBytes, which needs no copy, if nothing writes to it, and nothing needs it after the next call of Next, Scan or Close"
		back    = " Its last user would have to put it back."
		only    = " It is only written: io.WriteString(w, s) does so without a copy, if the writer has WriteString.$"
	)
	judged(t, `package p

import (
	"database/sql"
	"io"
)

func returned(row *sql.Row) ([]byte, error) {
	var s string
	if err := row.Scan(&s); err != nil {
		return nil, err
	}
	return []byte(s), nil // : needs an owner; The memory leaves returned: it is returned from p.returned.`+back+scanned+`.$
}

func written(w io.Writer, rows *sql.Rows) error {
	for rows.Next() {
		var id int
		var s string
		if err := rows.Scan(&id, &s); err != nil {
			return err
		}
		b := []byte(s) // : reuse a variable; It does not leave the loop: declare it before the loop, and cut it to length 0 in each round.`+scanned+raw+`.
		w.Write(b)
	}
	return rows.Err()
}

func counted(w io.Writer, row *sql.Row) (int, error) {
	s := ""
	err := row.Scan(&s)
	w.Write([]byte(s)) // : pool it; The memory does not leave counted.`+scanned+`.
	return len(s), err
}

func compared(w io.Writer, row *sql.Row) error {
	var s string
	err := row.Scan(&s)
	if s == "x" {
		return nil
	}
	w.Write([]byte(s)) // : pool it; The memory does not leave compared.`+only+`
	return err
}

func preset(w io.Writer, row *sql.Row) error {
	s := "x"
	err := row.Scan(&s)
	w.Write([]byte(s)) // : pool it; The memory does not leave preset.`+only+`
	return err
}

func given(w io.Writer, row *sql.Row, s string) {
	w.Write([]byte(s)) // : pool it; The memory does not leave given.`+only+`
}

func other(w io.Writer, set func(...any)) {
	var s string
	set(&s)
	w.Write([]byte(s)) // : pool it; The memory does not leave other.`+only+`
}

func twice(w io.Writer, row *sql.Row, set func(...any)) {
	var s string
	set(&s)
	row.Scan(&s)
	w.Write([]byte(s)) // : pool it; The memory does not leave twice.`+only+`
}
`, nil)
}

// TestReasonsOfGenerics has lines of generic functions, whose types have no size before they are instances: of structs, arrays,
// interfaces' values, lists of arguments and function literals.
func TestReasonsOfGenerics(t *testing.T) {
	const isReturned = "needs an owner; The memory leaves "
	judged(t, `package p

import "fmt"

type entry[K comparable, V any] struct {
	next *entry[K, V]
	key  K
	val  [2]V
}

type list[K comparable, V any] struct {
	head *entry[K, V]
	all  []any
}

func (l *list[K, V]) push(k K, v V) {
	l.head = &entry[K, V]{l.head, k, [2]V{v}} // 400: `+isReturned+`(*list).push: it is stored in field list.head.
}

func (l *list[K, V]) both(k K, v V) error {
	l.head = &entry[K, V]{next: l.head, key: k}; return fmt.Errorf("a", 1, 2, 3, 4, 5, 6, 7, 8, 9) // 144: `+isReturned+`(*list).both: it is stored in field list.head.
}

func (l *list[K, V]) array(v V) {
	l.all[0] = any([3]V{v}) // 400: not judged; This is an interface value, which is no buffer to reuse.
}

func pointer[T any](v T) *T {
	p := new(T) // 400: `+isReturned+`pointer: it is returned from p.pointer.
	*p = v
	return p
}

func literal[T any](v T) func() T {
	return func() T { return v } // 400: not judged; This is a function literal, which is no buffer to reuse.
}

func passed[T any](f func(func() [2]T), v [2]T) {
	f(func() [2]T { return v }) // 400: not judged; This is a function literal, which is no buffer to reuse.
}

func listed[T any](v T, n int) error {
	return fmt.Errorf("%v", v, n, entry[string, T]{}) // 400: not judged; This is 
}

func made[T any](n int, f func(T)) {
	all := make([]entry[int, T], n) // 4096: pool it; The memory does not leave made. There is no patch: its type is not known outside of the function
	for _, e := range all {
		f(e.val[0])
	}
}

func grown[T any](each []T, f func(T)) {
	var all []T
	for _, e := range each {
		if all = append(all, e); len(all) > 3 { // 4096: pool it; The memory does not leave grown.
			all = all[1:]
		}
	}
	for _, e := range all {
		f(e)
	}
}

func looped[T any](n int, f func(T)) {
	for range n {
		all := make([]T, n) // 4096: reuse a variable; It does not leave the loop
		f(all[0])
	}
}

func converted[S ~[]byte](s string) S {
	return S(s) // 4096: needs an owner; The memory leaves converted: it is returned from p.converted.
}

func extended[S ~[]E, E any](s S, e E) S {
	return append(s, e) // 4096: needs an owner; The memory leaves extended: it belongs to the caller, who passes it as s.
}
`, func(_ int, s *synthetic) {
		n := uint64(0)
		fmt.Sscan(s.std, &n)
		s.std, s.objects = "", s.bytes/n
		s.bytes = s.objects * n
	})
}

// TestReasonsOfCopied has values that are read out of the memory: a copy of a Time or an address never has that. A copy of a
// struct with other pointers may.
func TestReasonsOfCopied(t *testing.T) {
	judged(t, `package p

import (
	"database/sql"
	"net/netip"
	"time"
)

type span struct{ from, to time.Time }

type row struct {
	at    time.Time
	addr  netip.Addr
	null  sql.NullTime
	times [2]time.Time
	sum   int64
	next  *row
	in    inner
}

type inner struct{ of *row }

var (
	last  time.Time
	times []time.Time
	rows  []inner
)

func (r *row) old() bool { return r.at.IsZero() }

func (r *row) local() bool { return r.addr.IsPrivate() }

func methods(n int) (sum int64) {
	rows := make([]row, n) // : pool it; The memory does not leave methods.
	for i := range rows {
		if rows[i].old() || rows[i].local() {
			sum++
		}
	}
	return sum
}

func (r *row) keep() {
	last = r.at.UTC()
	last = r.times[1]
	last = r.null.Time
	s := span{r.at, last}
	last = s.to
}

func kept(n int) {
	rows := make([]row, n) // : pool it; The memory does not leave kept.
	rows[0].keep()
}

func (r *row) following() *row { return r.next }

func linked(n int) *row {
	rows := make([]row, n) // : needs an owner; The memory leaves linked: it is stored in field row.next.
	rows[0].next = &rows[1]
	return rows[0].following()
}

func (r *row) inside() inner { return r.in }

func nested(n int) {
	all := make([]row, n) // : needs an owner; The memory leaves nested: it is stored in field row.in.
	all[0].in = inner{&all[0]}
	rows[0] = all[0].inside()
}

func appended(n int) {
	all := make([]time.Time, n) // : pool it; The memory does not leave appended.
	all[0] = last
	times = append(times, all...)
}

func listed(n int) {
	all := make([]*row, n) // : pool it; The memory does not leave listed.
	all[0] = first
	more = append(more, all...)
}

var (
	first *row
	more  []*row
)

func held(n int) {
	all := make([]row, n) // : needs an owner; The memory leaves held: it is stored in the variable more of the package.
	more = append(more, &all[0])
}

func heldByList(n int) {
	all := make([]row, n) // : needs an owner; The memory leaves heldByList: it is stored in the variable more of the package.
	list := []*row{&all[0]}
	more = append(more, list...)
}

func zone(at time.Time) time.Time {
	loc := new(time.Location) // : needs an owner; The memory may leave zone: it is passed to (time.Time).In, which may keep it.
	return at.In(loc)
}

func pointer() *time.Time {
	at := new(row) // : needs an owner; The memory leaves pointer: it is returned from p.pointer.
	return &at.at
}

func started(key string) *row {
	r := &row{sum: 1} // : needs an owner; The memory leaves started: it is returned from p.started.
	if r.old() {
		return nil
	}
	return r
}
`, nil)
}

// TestReasonsOfSizes has lines whose pieces are of several sizes. The mean is the size of none.
func TestReasonsOfSizes(t *testing.T) {
	needGo(t)
	var code strings.Builder
	code.WriteString("package p\n")
	var sites []synthetic
	cases := []struct {
		name         string
		pieces       []uint64 // sizes and numbers
		size, reason string
	}{
		{"encoded", []uint64{16, 600_000, 160, 600_000}, " 160 B ", "needs an owner encoded at p.go:2, make([]byte)"},
		{"large", []uint64{96, 1000, 4 << 20, 1000}, " 4.0 MiB ", "needs an owner large at p.go:3, make([]byte)"},
		{"small", []uint64{16, 600_000, 64, 1_500_000, 4096, 5000}, " 64 B ",
			"too small small at p.go:4, make([]byte) Half of the bytes or more are in pieces of at most 64 B: a pool costs as much as the allocator."},
		{"single", []uint64{64, 1_500_000}, " 64 B ", "too small single at p.go:5, make([]byte) 64 B each: a pool costs as much as the allocator."},
	}
	for i, c := range cases {
		fmt.Fprintf(&code, "func %s(n int) []byte { return make([]byte, n) }\n", c.name)
		for ; len(c.pieces) > 0; c.pieces = c.pieces[2:] {
			n := c.pieces[1]
			sites = append(sites, synthetic{"", "a.example/p." + c.name, "/src/a.example/p/p.go", uint64(i + 2), uint64(i + 2), n, n * c.pieces[0], 0, 0})
		}
	}
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code.String()})
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...))
	for _, c := range cases {
		if text := joined(stdout); status != 0 || !strings.Contains(text, c.size+"below one GC "+c.reason) {
			t.Errorf("exit status %d, %s%s, want %s", status, stdout, stderr, c.size+c.reason)
		}
	}
}

// TestReasonsOfConnections has Readers and Writers that are kept. One of package basinio fits those of connections, which
// may live long and wait. For others, the reason names the field and the methods that may end its use.
func TestReasonsOfConnections(t *testing.T) {
	const (
		waits = ` If it lives as long as a connection, take one of package basinio: it holds no memory while the connection waits.$`
		back  = " Its last user would have to put it back."
		made  = "bufio.NewReaderSize: needs an owner; The memory leaves "
		wrote = "bufio.NewWriterSize: needs an owner; The memory leaves "
	)
	judged(t, `package p

import (
	"bufio"
	"compress/gzip"
	"io"
	"net"
	"os"
)

type fileWriter struct {
	file *os.File
	bw   *bufio.Writer
}

func (fw *fileWriter) Close() error { return fw.bw.Flush() }

func (fw *fileWriter) Cancel() error { return fw.file.Close() }

func newFileWriter(f *os.File) *fileWriter {
	return &fileWriter{file: f, bw: bufio.NewWriterSize(f, 4096)} // `+wrote+`newFileWriter: it is returned from p.newFileWriter.`+back+` It is in field fileWriter.bw, and fileWriter has Cancel and Close, which may end its use.$
}

type fileReader struct {
	rc  io.ReadCloser
	brd *bufio.Reader
	of  *bufio.Reader
}

func (fr *fileReader) reader() {
	fr.brd = bufio.NewReaderSize(fr.rc, 4096) // short `+made+`(*fileReader).reader: it is stored in field fileReader.brd.`+back+` It is in field fileReader.brd, which is set to nil in closeWithErr: a Put may go there.$
}

func (fr *fileReader) Close() { fr.closeWithErr() }

func (fr *fileReader) closeWithErr() { fr.brd = nil }

func (fr *fileReader) another() {
	fr.brd = bufio.NewReaderSize(fr.rc, 4096) // long `+made+`(*fileReader).another: it is stored in field fileReader.brd.`+back+waits+`
}

func (fr *fileReader) unzipped(z *gzip.Reader) {
	fr.of = bufio.NewReaderSize(z, 4096) // long `+made+`(*fileReader).unzipped: it is stored in field fileReader.of.`+back+` It is in field fileReader.of, and fileReader has Close, which may end its use.$
}

func seeking(f io.ReadSeeker) *bufio.Reader {
	return bufio.NewReaderSize(f, 4096) // long `+made+`seeking: it is returned from p.seeking.`+back+`$
}

func connected(c net.Conn) *bufio.Reader {
	return bufio.NewReaderSize(c, 4096) // long `+made+`connected: it is returned from p.connected.`+back+waits+`
}

func overTCP(c *net.TCPConn) *bufio.Reader {
	return bufio.NewReaderSize(c, 4096) // long `+made+`overTCP: it is returned from p.overTCP.`+back+waits+`
}
`, func(_ int, s *synthetic) {
		age, std, long := strings.Cut(s.std, " ")
		if !long {
			return
		}
		if s.std = std; age == "long" { // 2 to 3 s each
			s.live, s.held = 4000, 4000<<12
		}
	})
}

// TestReasonsOfMadeInside has standard functions that take memory in another way than by an argument: in a value to fill, or
// by a method of a writer.
func TestReasonsOfMadeInside(t *testing.T) {
	const (
		filled = ", or a function that it calls, makes this memory. It uses slices, maps and pointers that its target has already, and those that it makes stay there.$"
		copied = ", or a function that it calls, makes this memory. Most of it is the buffer of io.Copy, which makes none for a writer with ReadFrom or a reader with WriteTo.$"
		inside = ", or a function that it calls, makes this memory, and has no argument for it.$"
	)
	judged(t, `package p

import (
	"encoding/gob"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

type manifest struct{ Layers []string }

func (m *manifest) unmarshal(b []byte) error {
	return json.Unmarshal(b, m) // encoding/json.Unmarshal, reflect.growslice: do not pool; encoding/json.Unmarshal`+filled+`
}

func decoded(d *gob.Decoder, m *manifest) error {
	return d.Decode(m) // encoding/gob.(*Decoder).Decode: do not pool; encoding/gob.(*Decoder).Decode`+filled+`
}

func served(w http.ResponseWriter, r *http.Request, f io.ReadSeeker) {
	http.ServeContent(w, r, "", time.Time{}, f) // net/http.ServeContent, io.CopyN, io.copyBuffer: do not pool; net/http.ServeContent`+copied+`
}

func header(w http.ResponseWriter, r *http.Request, f io.ReadSeeker) {
	http.ServeContent(w, r, "", time.Time{}, f) // net/http.ServeContent, net/http.serveContent: do not pool; net/http.ServeContent`+inside+`
}
`, nil)
}

// TestKinds has things that need the same proof, but have other names.
func TestKinds(t *testing.T) {
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, `package p

import "net/http"

type plain struct{ a [80]int }

func literal() []byte {
	return []byte{1, 2, 3} // : needs an owner
}

func array() []byte {
	b := [34]byte{} // : needs an owner
	return b[:]
}

func made(n int) []int {
	return make([]int, n) // : needs an owner
}

func runes(s string) []rune {
	return []rune(s) // : needs an owner
}

func octets(s string) []byte {
	return []byte(s) // : needs an owner
}

func pointer() *plain {
	return &plain{} // : needs an owner
}

func variable(n int) *int {
	v := n // : needs an owner
	return &v
}

func method(w http.ResponseWriter, f func(func() http.Header)) {
	m := w.Header // : not judged; This is a method value, which is no buffer to reuse.
	f(m)
}

func passed(w http.ResponseWriter, f func(func() http.Header)) {
	f(w.Header) // : not judged; This is a method value, which is no buffer to reuse.
}

func closure(n int) func() int {
	return func() int { return n } // : not judged; This is a function literal, which is no buffer to reuse.
}
`, nil)
	want := map[string]string{"literal": "slice literal", "array": "array", "made": "make of a slice", "runes": "slice of a string", "octets": "[]byte of a string",
		"pointer": "pointer to a struct", "variable": "variable", "method": "a method value", "passed": "a method value", "closure": "a function literal"}
	for _, s := range r.Sites {
		if kind := want[s.short()]; kind != "" && s.Kind != kind {
			t.Errorf("%s has %q, want %q", s.short(), s.Kind, kind)
		}
	}
}

// TestReasonsOfGrowth has slices whose first array could be on the stack, and slices that are made anew whenever they need
// more, with exactly that.
func TestReasonsOfGrowth(t *testing.T) {
	const (
		stack = "64: could stay on the stack; It does not leave "
		exact = " Its last user would have to put it back. It grows to exactly what is needed, and so again at each step: append grows it by a share of its size, and outgrows fewer arrays.$"
		back  = " Its last user would have to put it back.$"
		owner = "needs an owner; The memory leaves "
	)
	judged(t, `package p

import (
	"fmt"
	"io"
	"path"
)

func pathFor(name, id string) string {
	root := []string{"/", "v2"}
	return path.Join(append(root, "repositories", name, id)...) // `+stack+`pathFor: if its first slice has a constant capacity, such as that of make([]string, 0, 4), that one could stay on the stack.$
}

func nothing(name, id string) string {
	var all []string
	all = append(all, name, id) // `+stack+`nothing: if its first slice
	return path.Join(all...)
}

func printed(w io.Writer, a, b byte) {
	var all []byte
	all = append(all, a, b) // 64: too small; 64 B each
	w.Write(all)
}

func boxed(a, b string) {
	var all []string
	all = append(all, a, b) // 64: too small; 64 B each
	fmt.Println(all)
}

func returned(name, id string) []string {
	root := []string{"/", "v2"}
	return append(root, name, id) // 64: too small; 64 B each
}

func given(root []string, name string) string {
	return path.Join(append(root, name)...) // 64: too small; 64 B each
}

type writer struct {
	buffer []byte
	size   int
}

func (w *writer) Write(p []byte) (int, error) {
	if cap(w.buffer) < len(p)+w.size {
		data := make([]byte, len(w.buffer), len(p)+w.size) // 4096: `+owner+`(*writer).Write: it is stored in field writer.buffer.`+exact+`
		copy(data, w.buffer)
		w.buffer = data
	}
	w.buffer = w.buffer[:w.size+len(p)]
	return copy(w.buffer[w.size:], p), nil
}

func grown(b []byte, n int) []byte {
	if n+len(b) > cap(b) {
		c := make([]byte, len(b)+n) // 4096: `+owner+`grown: it is returned from p.grown.`+exact+`
		copy(c, b)
		return c
	}
	return b
}

func doubled(b []byte, n int) []byte {
	if len(b)+n > cap(b) {
		c := make([]byte, len(b), 2*(len(b)+n)) // 4096: `+owner+`doubled: it is returned from p.doubled.`+back+`
		copy(c, b)
		return c
	}
	return b
}

func fresh(b []byte, n int) []byte {
	if cap(b) < n {
		b = make([]byte, n) // 4096: `+owner+`fresh: it is returned from p.fresh.`+back+`
	}
	return b[:n]
}
`, func(_ int, s *synthetic) {
		n := uint64(0)
		fmt.Sscan(s.std, &n)
		s.std, s.objects = "", s.bytes/n
	})
}

// TestReasonsOfOnce has memory in a struct with a sync.Once and a counter, which keep nothing.
func TestReasonsOfOnce(t *testing.T) {
	judged(t, `package p

import (
	"io"
	"sync"
	"sync/atomic"
)

type part struct {
	once  sync.Once
	count atomic.Int64
	old   uint32
	b     []byte
}

func own(w io.Writer, n int) {
	p := &part{b: make([]byte, n)} // : pool it; The memory does not leave own.
	p.once.Do(func() { p.b[0] = 1 })
	p.count.Add(1)
	atomic.AddUint32(&p.old, 1)
	w.Write(p.b)
}

var last atomic.Pointer[part]

func published(n int) {
	p := &part{b: make([]byte, n)} // : needs an owner; The memory leaves published
	last.Store(p)
}

func kept(w io.Writer, all map[int][]byte, n int) {
	p := &part{b: make([]byte, n)} // : needs an owner; The memory leaves kept
	p.once.Do(func() { all[n] = p.b })
}

func started(c chan int, n int) {
	p := &part{b: make([]byte, n)} // : needs an owner; The memory leaves started
	p.once.Do(func() { go func() { p.b[0] = byte(<-c) }() })
}
`, nil)
}

// TestReasonsOfCompressorInField has one that a field has, by a variable.
func TestReasonsOfCompressorInField(t *testing.T) {
	judged(t, `package p

import (
	"compress/gzip"
	"io"
)

type conn struct{ z *gzip.Writer }

func (c *conn) write(w io.Writer, b []byte) {
	z := c.z
	if z == nil {
		c.z = gzip.NewWriter(w)
		z = c.z
	} else {
		z.Reset(w)
	}
	z.Write(b) // compress/gzip.(*Writer).Write: needs an owner; The memory leaves (*conn).write: it is field conn.z.
	z.Flush()
}
`, nil)
}

// TestAdviceOnMarshalIndent: an encoder that indents would make a buffer of its own.
func TestAdviceOnMarshalIndent(t *testing.T) {
	needGo(t)
	const code = `package p

import (
	"encoding/json"
	"io"
)

func show(w io.Writer, x any) {
	b, _ := json.MarshalIndent(x, "", " ") // encoding/json.MarshalIndent: pool it
	w.Write(b)
}
`
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code})
	sites, _ := marked("a.example/p", "/src/a.example/p/p.go", code)
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-top", "0")
	if status != 0 || !strings.Contains(joined(stdout), "Use an encoder that writes into basin.GetBuffer, and json.Indent into a pooled bytes.Buffer.") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
}

// TestLargestCaller has a function that several others get memory from: the largest is named.
func TestLargestCaller(t *testing.T) {
	needGo(t)
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": `package p

func clone(b []byte) []byte {
	dst := make([]byte, len(b))
	copy(dst, b)
	return dst
}

type conn struct{ b []byte }

func (c *conn) set(b []byte) { c.b = clone(b) }

func Twice(b []byte) ([]byte, []byte) { return clone(b), clone(b) }
`})
	for _, test := range []struct{ callers, want string }{
		{"a.example/p.(*conn).set 3 a.example/p.Twice 1", " Of its callers, (*conn).set has the most: 75 %."},
		{"a.example/p.(*conn).set 1 a.example/other%2ego.Twice 1 a.example/other%2ego.Twice 1", " Of its callers, other.go.Twice has the most: 67 %."},
		{"a.example/p.Twice 999 a.example/p.(*conn).set 1", " Almost all of it is for Twice."},
		{"a.example/p.Twice 1", ""},
		{"", ""},
	} {
		var sites []synthetic
		fields := strings.Fields(test.callers + " ")
		for i := 0; i < len(fields); i += 2 {
			n, _ := strconv.ParseUint(fields[i+1], 10, 64)
			sites = append(sites, synthetic{"", "a.example/p.clone by " + fields[i], "/src/a.example/p/p.go", 3, 4, n * 100_000, n * 100_000 << 12, 0, 0})
		}
		if len(sites) == 0 {
			sites = []synthetic{{"", "a.example/p.clone", "/src/a.example/p/p.go", 3, 4, 100_000, 100_000 << 12, 0, 0}}
		}
		var r Report
		stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-json")
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 || len(r.Sites) != 1 {
			t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
		}
		if want := "it is returned from p.clone to its only callers, (*p.conn).set at p.go:11 and p.Twice at p.go:13. Its last user would have to put it back." + test.want; !strings.HasSuffix(r.Sites[0].Reason, want) {
			t.Errorf("%s: %s, want %s", test.callers, r.Sites[0].Reason, want)
		}
	}
}

// TestReasonsOfMaps has lines that set an element of a map under a new string. The sizes of the map's tables tell which of the
// two has most of the memory: groups of 8 keys and elements, of 200 bytes here. An append of one string makes arrays of powers of two.
func TestReasonsOfMaps(t *testing.T) {
	code := `package p

func set(t map[string]int, b []byte, v int) {
	t[string(b)] = v // : not judged; This is a map, and maps are judged only if they surely stay
}

func long(t map[string]int, b []byte, v int) {
	t[string(b)] = v // : not judged; Strings cannot be written to, so nothing can reuse them.
}

type large struct{ numbers [20]int }

func keep(m map[int64]*large, v int64) {
	m[v] = &large{} // : needs an owner; The memory leaves keep: it is stored in a map.
}

func grow(m map[int64]*large, v int64) {
	m[v] = &large{} // : not judged; This is a map, and maps are judged only if they surely stay
}

func behind(m map[string]large, b []byte, v large) {
	m[string(b)] = v // : not judged; This is a map, and maps are judged only if they surely stay
}

func generic[K comparable](m map[K][]byte, k K, b []byte) {
	m[k] = append([]byte(nil), b...) // : needs an owner; The memory leaves generic: it is stored in a map.
}

func header(m map[string][]string, k, v string) {
	m[k] = append(m[k], v) // : not judged; This is a map, and maps are judged only if they surely stay
}

func longer(m map[string][]string, k, v string) {
	m[k] = append(m[k], v) // : needs an owner; The memory leaves longer: it is stored in a map.
}
`
	size := []uint64{200 << 4, 5000, 160, 136 << 6, 200 << 2, 4096, 352, 512}
	judged(t, code, func(i int, s *synthetic) { s.objects = s.bytes / size[i] })
}

// TestReasonsOfMisses has memory that is made if a free list is empty, and other memory beside.
func TestReasonsOfMisses(t *testing.T) {
	judged(t, `package p

import "sync"

type pool struct {
	p    sync.Pool
	size int
	free chan []byte
	done chan bool
}

func (p *pool) assert() *[]byte {
	buf, ok := p.p.Get().(*[]byte)
	if !ok {
		buf := make([]byte, p.size) // : do not pool; It is pooled already, by pool.p (p.go:6); these are the Gets that its pool cannot serve.
		return &buf
	}
	return buf
}

func (p *pool) early() *[]byte {
	if buf, ok := p.p.Get().(*[]byte); ok {
		return buf
	}
	buf := make([]byte, p.size) // : do not pool; It is pooled already
	return &buf
}

func (p *pool) null() *[]byte {
	v := p.p.Get()
	if v == nil {
		buf := make([]byte, p.size) // : do not pool; It is pooled already
		return &buf
	}
	return v.(*[]byte)
}

func (p *pool) large(size int) *[]byte {
	bs, ok := p.p.Get().(*[]byte)
	if ok && cap(*bs) >= size {
		return bs
	}
	if ok {
		p.p.Put(bs)
	}
	b := make([]byte, size) // : do not pool; It is pooled already
	return &b
}

func (p *pool) direct(size int) []byte {
	b, ok := p.p.Get().([]byte)
	if ok && cap(b) >= size {
		return b[:0]
	}
	list := make([]byte, size) // : do not pool; It is pooled already
	if size > 10 {
		return list
	}
	return nil
}

func (p *pool) hit() (*[]byte, []byte) {
	v, ok := p.p.Get().(*[]byte)
	if ok {
		return v, make([]byte, p.size) // : needs an owner; The memory leaves (*pool).hit: it is returned
	}
	return nil, nil
}

func (p *pool) after() (*[]byte, []byte) {
	v, ok := p.p.Get().(*[]byte)
	if !ok {
		v = new([]byte)
	}
	return v, make([]byte, p.size) // : needs an owner; The memory leaves (*pool).after: it is returned
}

func (p *pool) list() []byte {
	select {
	case b := <-p.free:
		return b
	default:
		return make([]byte, p.size) // : do not pool; It is pooled already, by pool.free (p.go:8); these
	}
}

func (p *pool) fixed() (b []byte) {
	select {
	case b = <-p.free:
	default:
		b = make([]byte, 4096) // : do not pool; It is pooled already
	}
	return b
}

func (p *pool) unless() []byte {
	select {
	case <-p.done:
		return nil
	default:
	}
	return make([]byte, p.size) // : needs an owner; The memory leaves (*pool).unless: it is returned
}

func (p *pool) waits() []byte {
	select {
	case b := <-p.free:
		return b
	case <-p.done:
		return make([]byte, p.size) // : needs an owner; The memory leaves (*pool).waits: it is returned
	}
}
`, nil)
}

// TestReasonsOfCertain has memory that surely leaves by one way, and may leave by another before that. The certain way is told.
func TestReasonsOfCertain(t *testing.T) {
	judged(t, `package p

import "io"

type marshaler interface{ MarshalTo(b []byte) (int, error) }

func marshal(m marshaler, n int) ([]byte, error) {
	b := make([]byte, n) // : needs an owner; The memory leaves marshal: it is returned from p.marshal.
	n, err := m.MarshalTo(b)
	return b[:n], err
}

type conn struct{ last []byte }

func (c *conn) read(f func([]byte) error, n int) error {
	b := make([]byte, n) // : needs an owner; The memory leaves (*conn).read: it is stored in field conn.last.
	err := f(b)
	c.last = b
	return err
}

func only(f func([]byte) error, w io.Writer, n int) error {
	b := make([]byte, n) // : needs an owner; The memory may leave only: it is passed to a function value, which may keep it.
	w.Write(b)
	return f(b)
}
`, nil)
}

// TestReasonsOfReturns has slices that begin on the stack, and move to the heap where they are returned. That line is one of the
// slice's, beside those that append to it.
func TestReasonsOfReturns(t *testing.T) {
	judged(t, `package p

func pair(next func() int) (a, b []int) {
	for v := next(); v > 0; v = next() {
		a = append(a, v+1)
		b = append(b, v)
	}
	return a, b // : too small; 24 B each: a pool costs as much as the allocator.
}

func one(next func() string) []string {
	var list []string
	for s := next(); s != ""; s = next() {
		list = append(list, s) // : too small
	}
	return list // : too small
}

func known(all []string) (list []string) {
	for _, s := range all {
		list = append(list, s+s)
	}
	return list // : preallocate; It grows in a loop over all, whose length is known: make it with that capacity before the loop.
}

func none(all []string) []string {
	return all // : not judged; The profile does not say how this line allocates, and line
}
`, func(i int, s *synthetic) { s.objects = s.bytes / 24 })
}

// TestReasonsOfBehind has compressors behind writers, which nothing here makes.
func TestReasonsOfBehind(t *testing.T) {
	judged(t, `package p

import (
	"bufio"
	"io"
)

func text(out io.Writer) error {
	w, ok := out.(*bufio.Writer)
	if !ok {
		return io.ErrShortWrite
	}
	return w.Flush() // bufio.(*Writer).Flush, compress/gzip.(*Writer).Write, compress/flate.NewWriter: do not pool; A Writer or Reader of package gzip makes this memory behind bufio.(*Writer).Flush, and keeps it. Its maker could take it from a pool, if it does not.$
}
`, nil)
}

// TestReasonsOfPooled has memory of values that come from a pool: by Get, by functions that wrap it, in fields, and behind
// the values. A New of a pool may be a closure, a function with a name, or behind a wrapper of sync.Pool.
func TestReasonsOfPooled(t *testing.T) {
	got := func(pool string) string {
		return "do not pool; It belongs to a value from a pool" + pool + ": it is made or grows here if the pool has no value, or none so large.$"
	}
	miss := func(pool string) string {
		return "do not pool; It is pooled already" + pool + "; these are the Gets that its pool cannot serve.$"
	}
	judged(t, `package p

import (
	"bytes"
	"compress/gzip"
	"io"
	"sync"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBuffer() *bytes.Buffer {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

type body struct {
	*bytes.Buffer
	io.Closer
}

func read(r io.ReadCloser) (io.ReadCloser, error) {
	buf := buffers.Get().(*bytes.Buffer)
	_, err := io.Copy(buf, r) // io.Copy, bytes.(*Buffer).ReadFrom, bytes.growSlice: `+got(", buffers (p.go:10)")+`
	return body{buf, r}, err
}

func wrapped(r io.Reader) (*bytes.Buffer, error) {
	buf := getBuffer()
	_, err := buf.ReadFrom(r) // bytes.(*Buffer).ReadFrom, bytes.(*Buffer).grow, bytes.growSlice: `+got(", buffers (p.go:10)")+`
	return buf, err
}

type encoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

type response struct {
	pools map[string]*sync.Pool
	w     encoder
	out   *bytes.Buffer
}

func (r *response) begin(name string, w io.Writer) {
	r.w = r.pools[name].Get().(encoder)
	r.w.Reset(w)
	r.out = new(bytes.Buffer)
}

func (r *response) end(name string) {
	r.w.Reset(nil)
	r.pools[name].Put(r.w)
	r.w = nil
}

func (r *response) write(b []byte) {
	r.w.Write(b) // compress/gzip.(*Writer).Write, compress/flate.NewWriter: `+got(", one of response.pools (p.go:41)")+`
}

func (r *response) note(b []byte) {
	r.out.Write(b) // bytes.(*Buffer).Write, bytes.(*Buffer).grow, bytes.growSlice: needs an owner; The memory leaves (*response).note: it is field response.out.
}

type scratch struct {
	b    []byte
	list []int
}

var scratches sync.Pool

func scratched(n int) *scratch {
	s, _ := scratches.Get().(*scratch)
	if s == nil {
		s = new(scratch) // : `+miss(", by scratches (p.go:71)")+`
	}
	if cap(s.b) < n {
		s.b = make([]byte, n) // : `+got(", scratches (p.go:71)")+`
	}
	s.list = append(s.list[:0], n) // : `+got(", scratches (p.go:71)")+`
	return s
}

type collector struct{ all []int }

var collectors = sync.Pool{New: func() any { return new(collector) }}

func collect(n int) []int {
	c := collectors.Get().(*collector)
	defer collectors.Put(c)
	c.all = append(c.all, n) // : needs an owner; The memory leaves collect: it is stored in field collector.all.
	all := c.all
	c.all = nil
	return all
}

var lists = sync.Pool{New: newList}

func newList() any {
	b := make([]byte, 0, 4096) // : `+miss(", by lists (p.go:98)")+`
	return &b
}

func line(f func([]byte)) {
	p := lists.Get().(*[]byte)
	*p = append((*p)[:0], "line"...) // : `+got(", lists (p.go:98)")+`
	f(*p)
	lists.Put(p)
}

func leveled(level int) *sync.Pool {
	return &sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(nil, level) // compress/gzip.NewWriterLevel: `+miss("")+`
		return z
	}}
}

type typed[T any] struct{ p sync.Pool }

func newTyped[T any](f func() T) *typed[T] {
	return &typed[T]{sync.Pool{New: func() any { return f() }}}
}

func (p *typed[T]) Get() T { return p.p.Get().(T) }

var pages = newTyped(func() *scratch {
	return &scratch{b: make([]byte, 0, 1024)} // : `+miss(", by pages (p.go:127)")+`
})

func newPage() *scratch {
	return &scratch{b: make([]byte, 0, 1024)} // : `+miss(", by others (p.go:135)")+`
}

var others = sync.Pool{New: func() any { return newPage() }}

func newShared() *scratch {
	return &scratch{b: make([]byte, 0, 1024)} // : needs an owner; The memory leaves newShared: it is returned from p.newShared
}

var shared = sync.Pool{New: func() any { return newShared() }}

func beside() *scratch { return newShared() }
`, func(i int, s *synthetic) {
		if strings.Contains(s.name, "init") {
			s.name = strings.Replace(s.name, ".init", ".init.func1", 1)
		}
	})
}

// TestReasonsOfOneSize has appends in lines that allocate something else: all memory has the size of that.
func TestReasonsOfOneSize(t *testing.T) {
	judged(t, `package p

import "net/http"

type route struct{ numbers [35]int64 }

type middleware func(http.Handler) http.Handler

func wrap(r route) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { // : not judged; This is a function literal, which is no buffer to reuse.
			w.Write([]byte{byte(r.numbers[0])})
			next.ServeHTTP(w, q)
		})
	}
}

func compile(routes []route) []middleware {
	mid := make([]middleware, 0, len(routes))
	for _, r := range routes {
		mid = append(mid, wrap(r)) // : not judged; This is the variable r of p.wrap, which is inlined here, which is no buffer to reuse.
	}
	return mid
}

type pair struct{ a, b, c, d [4]int64 }

func pairs(n int, keep func([]*pair)) {
	list := make([]*pair, 0, n)
	for i := range n {
		list = append(list, &pair{a: [4]int64{int64(i)}}) // : needs an owner; The memory leaves pairs: it is stored in list.
	}
	keep(list)
}

func grows(next func() int64, keep func([]*pair)) {
	var list []*pair
	for i := next(); i > 0; i = next() {
		list = append(list, &pair{a: [4]int64{i}}) // : needs an owner; The memory may leave grows: it is passed to a function value
	}
	keep(list)
}
`, func(i int, s *synthetic) { s.objects = s.bytes / []uint64{16, 288, 128, 4096}[i] })
}

// TestReasonsOfOwnBuffers has functions of the standard library that let a Buffer of their own grow, or of io.Copy.
func TestReasonsOfOwnBuffers(t *testing.T) {
	judged(t, `package p

import (
	"bytes"
	"io"
	"net"
)

type idle struct{ io.ReadCloser }

func (r *idle) Read(p []byte) (int, error) {
	return r.ReadCloser.Read(p) // crypto/tls.(*Conn).Read, bytes.(*Buffer).Grow, bytes.(*Buffer).grow: do not pool; crypto/tls.(*Conn).Read, or a function that it calls, makes this memory, and has no argument for it.$
}

type given struct{ out *bytes.Buffer }

func (g *given) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(g.out, r) // io.Copy, bytes.(*Buffer).ReadFrom, bytes.growSlice: needs an owner; The memory leaves (*given).ReadFrom: it is field given.out.
}

func send(c *net.TCPConn, r io.Reader) (int64, error) {
	return c.ReadFrom(r) // net.(*TCPConn).ReadFrom, io.Copy, io.copyBuffer: do not pool; net.(*TCPConn).ReadFrom, or a function that it calls, makes this memory. Most of it is the buffer of io.Copy, which it calls unless the reader is a file or a connection.$
}
`, nil)
}

// TestReasonsOfBodies has slices that grow in a loop over a function, whose body is a function of its own.
func TestReasonsOfBodies(t *testing.T) {
	const outside = " There is no patch: it grows in a loop over a function, whose body is a function of its own.$"
	judged(t, `package p

import (
	"io"
	"iter"
)

func all(seq iter.Seq[int]) (list []int) {
	for v := range seq {
		list = append(list, v) // : needs an owner; The memory leaves all: it is returned from p.all.
	}
	return list
}

func find(seq iter.Seq[byte]) []byte {
	var list []byte
	for v := range seq {
		if v > 10 {
			list = append(list, v) // : needs an owner; The memory leaves find: it is returned from p.find.
		}
	}
	return list
}

func within(w io.Writer, seq iter.Seq[byte]) {
	var list []byte
	for v := range seq {
		list = append(list, v) // : pool it; The memory does not leave within.`+outside+`
	}
	w.Write(list)
}

func sent(c chan []byte, seq iter.Seq[byte]) {
	var list []byte
	for v := range seq {
		list = append(list, v) // : needs an owner; The memory leaves sent: it is sent on a channel.
		if v == 0 {
			c <- list
			list = nil
		}
	}
}

func literal(each func(func(byte))) []byte {
	var list []byte
	each(func(b byte) {
		list = append(list, b) // : needs an owner; The memory leaves literal: it is stored in a variable outside of the function literal, list of p.literal.
	})
	return list
}
`, nil)
}

// TestReasonsOfConstants has slices of constant strings, and slices of zeros that extend others, which nothing makes.
func TestReasonsOfConstants(t *testing.T) {
	judged(t, `package p

import "io"

func escape(w io.Writer, s string) {
	var esc []byte
	for _, r := range s {
		switch r {
		case '&':
			esc = []byte("&amp;") // : reuse a variable; It is always the same text: if nothing writes to it, make it once, as a variable of the package.$
		default:
			esc = []byte(string(r))
		}
		w.Write(esc)
	}
}

var last []byte

func kept() {
	last = []byte("constant") // : too small
}

func decode(next func() (int, error)) []int {
	data := make([]int, 4096)
	i := 0
	for {
		v, err := next()
		if err != nil {
			return data[:i]
		}
		data[i] = v
		if i++; i == len(data) {
			data = append(data, make([]int, 4096)...) // : needs an owner; The memory leaves decode: it is returned from p.decode.
		}
	}
}
`, func(i int, s *synthetic) {
		if i < 2 {
			s.objects = s.bytes / 8
		}
	})
}

// TestReasonsOfParts has lines that make several things, and methods that decode or compute.
func TestReasonsOfParts(t *testing.T) {
	size := []uint64{0, 16, 192, 192, 576, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	const (
		none = ". Its target is an interface that is nil, so there is no memory to decode into.$"
		held = ". Its target is an interface: only if a pointer is in it, that one's slices, maps and pointers are used, and those that it makes stay there.$"
	)
	judged(t, `package p

import (
	"encoding/json"
	"math/big"
	"sync"
)

type builder struct{ parts [][]byte }

func newBuilder(n int) *builder {
	return &builder{parts: [][]byte{make([]byte, 0, n)}} // : needs an owner; The memory leaves newBuilder: it is returned from p.newBuilder.
}

func text(b []byte) any {
	return string(b) // : not judged; This is a string, or the interface value that has it, which is no buffer to reuse.
}

type column struct {
	numbers [24]int64
}

func (c column) clone() *column { return &c }

func columns(all []*column) []*column {
	list := make([]*column, len(all))
	for i, c := range all {
		list[i] = c.clone() // : needs an owner; The memory leaves columns: it is returned from p.columns.
	}
	return list
}

func alone(c *column) *column {
	return c.clone() // : needs an owner; The memory leaves alone: it is returned from p.alone.
}

type group struct{ rows [][]int }

func (g *group) add(row []int, v int) {
	g.rows = append(g.rows, append(row, v)) // : needs an owner; The memory leaves (*group).add: it is stored in an element of field group.rows.
}

type buffer struct{ b []byte }

var buffers = sync.Pool{New: func() any { return &buffer{make([]byte, 64)} }}

func (b *buffer) double() {
	d := make([]byte, 2*len(b.b)) // : do not pool; It belongs to a value from a pool, buffers (p.go:45): it is made or grows here if the pool has no value, or none so large.
	copy(d, b.b)
	b.b = d
}

func (b *buffer) grow(n int) {
	for len(b.b) < n {
		b.double()
	}
}

func handle(n int) {
	b := buffers.Get().(*buffer)
	b.grow(n)
	buffers.Put(b)
}

func decode(b []byte) (v any, err error) {
	err = json.Unmarshal(b, &v) // encoding/json.Unmarshal: do not pool; encoding/json.Unmarshal, or a function that it calls, makes this memory`+none+`
	return v, err
}

func decodePointer(b []byte, v any) error {
	return json.Unmarshal(b, &v) // encoding/json.Unmarshal: do not pool; encoding/json.Unmarshal, or a function that it calls, makes this memory`+held+`
}

func decodeHeld(b []byte, g *group) error {
	var v any = g
	return json.Unmarshal(b, &v) // encoding/json.Unmarshal: do not pool; encoding/json.Unmarshal, or a function that it calls, makes this memory`+held+`
}

func decodeTwice(b, c []byte) (v any) {
	json.Unmarshal(b, &v)
	json.Unmarshal(c, &v) // encoding/json.Unmarshal: do not pool; encoding/json.Unmarshal, or a function that it calls, makes this memory`+held+`
	return v
}

func decodeRounds(all [][]byte) (v any) {
	for _, b := range all {
		json.Unmarshal(b, &v) // encoding/json.Unmarshal: do not pool; encoding/json.Unmarshal, or a function that it calls, makes this memory`+held+`
	}
	return v
}

func decodeEach(all [][]byte) {
	for _, b := range all {
		var v any
		json.Unmarshal(b, &v) // encoding/json.Unmarshal: do not pool; encoding/json.Unmarshal, or a function that it calls, makes this memory`+none+`
	}
}

func decodeAs[T any](b []byte) (*T, error) {
	var v T
	if err := json.Unmarshal(b, &v); err != nil { // encoding/json.Unmarshal: do not pool; encoding/json.Unmarshal, or a function that it calls, makes this memory. It uses slices, maps and pointers that its target has already, and those that it makes stay there.$
		return nil, err
	}
	return &v, nil
}

func decodeInto(b []byte, v *group) error {
	return json.Unmarshal(b, v) // encoding/json.Unmarshal: do not pool; encoding/json.Unmarshal, or a function that it calls, makes this memory. It uses slices, maps and pointers that its target has already, and those that it makes stay there.$
}

func power(x, y *big.Int) *big.Int {
	return new(big.Int).Exp(x, y, nil) // math/big.(*Int).Exp: do not pool; math/big.(*Int).Exp, or a function that it calls, makes this memory, unless its receiver has enough.$
}
`, func(i int, s *synthetic) {
		if size[i] > 0 {
			s.objects = s.bytes / size[i]
		}
	})
}

// TestReasonsOfCallbacks has helpers that pass memory to a function that their callers give. Functions of other callers do not
// get the memory.
func TestReasonsOfCallbacks(t *testing.T) {
	judged(t, `package p

import "io"

type lines struct{ kept [][]byte }

func each(b []byte, f func([]byte) bool) {
	for len(b) > 0 && f(b[:1]) {
		b = b[1:]
	}
}

func over(b []byte, f func([]byte) bool) { each(b, f) }

func write(w io.Writer, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave write.$
	over(b, func(line []byte) bool {
		_, err := w.Write(line)
		return err == nil
	})
}

func (l *lines) keep(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves (*lines).keep: it is passed to p.over, where it is passed to p.each, where it is passed to a function literal in (*p.lines).keep
	over(b, func(line []byte) bool {
		l.kept = append(l.kept, line)
		return true
	})
}

func named(n int) {
	b := make([]byte, n) // : could stay on the stack; It does not leave named
	each(b, isLong)
}

func isLong(line []byte) bool { return len(line) > 10 }

func two(b []byte, f, g func([]byte)) {
	f(b)
	g(b)
}

func both(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves both
	two(b, func(b []byte) { b[0] = 1 }, func(b []byte) { global = b })
}

var global []byte

func unknown(n int, f func([]byte) bool) {
	b := make([]byte, n) // : needs an owner; The memory may leave unknown: it is passed to p.each, where it is passed to a function
	each(b, f)
}

func Unknown(n int, f func([]byte) bool) { unknown(n, f) }

func set(b []byte, f func([]byte)) {
	if len(b) > 10 {
		f = func(b []byte) { global = b }
	}
	f(b)
}

func reset(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves reset: it is passed to p.set
	set(b, func(b []byte) { b[0] = 1 })
}

func recursive(b []byte, f func([]byte)) {
	if len(b) > 10 {
		recursive(b[1:], func(b []byte) { global = b })
	}
	f(b)
}

func recurse(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves recurse: it is passed to p.recursive
	recursive(b, func(b []byte) { b[0] = 1 })
}
`, nil)
}

// TestReasonsOfSignatures has a method that makes more than its result.
func TestReasonsOfSignatures(t *testing.T) {
	judged(t, `package p

import (
	"crypto"
	"crypto/rand"
)

func sign(k crypto.Signer, sum []byte) ([]byte, error) {
	return k.Sign(rand.Reader, sum, crypto.SHA256) // crypto/ecdsa.(*PrivateKey).Sign: do not pool; crypto/ecdsa.(*PrivateKey).Sign, or a function that it calls, makes this memory, and has no argument for it.$
}

func batches(in chan []string, out chan []string) {
	all := []string{}
	for list := range in {
		for _, s := range list {
			if len(all) > 1000 {
				out <- all
				all = []string{}
			}
			all = append(all, s) // : needs an owner; The memory leaves batches: it is sent on a channel.
		}
	}
	out <- all
}
`, nil)
}

// TestReasonsOfMakers has a compressor that a method of an interface makes, which may have a pool.
func TestReasonsOfMakers(t *testing.T) {
	judged(t, `package p

import "io"

type Compressor interface {
	Decompress(r io.Reader) (io.Reader, error)
}

func all(r io.Reader) ([]byte, error) {
	b := make([]byte, 10)
	_, err := r.Read(b) // compress/gzip.(*Reader).Read, compress/flate.NewReader: needs an owner; The memory may leave all: it is made by method Decompress of an interface, which may have a pool.
	return b, err
}

func decompress(c Compressor, in io.Reader, limited bool) ([]byte, error) {
	r, err := c.Decompress(in)
	if err != nil {
		return nil, err
	}
	if limited {
		r = io.LimitReader(r, 100)
	}
	return all(r)
}
`, nil)
}
