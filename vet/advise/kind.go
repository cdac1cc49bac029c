package advise

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A kind is a manner of allocating, in the words of the report.
type kind string

const (
	kindLine    kind = "" // by the line itself: the source tells how
	kindOther   kind = "another standard function"
	kindMake    kind = "make([]byte)"
	kindSlice   kind = "make of a slice"
	kindAppend  kind = "append"
	kindPointer kind = "pointer to a struct"
	kindBuffer  kind = "bytes.Buffer"
	kindReadAll kind = "io.ReadAll"
	kindBuilder kind = "strings.Builder"
	kindCopy    kind = "io.Copy"
	kindProxy   kind = "ReverseProxy"
	kindString  kind = "string"
	kindHash    kind = "hash state"
	kindPNG     kind = "png"
	kindCipher  kind = "result of a cipher"
	kindResult  kind = "appended result"
	kindImage   kind = "image"
	kindClone   kind = "clone"
	kindMap     kind = "map"
	kindNumber  kind = "big.Int"
)

// images are the functions of package image that make one, with the bytes of a pixel.
var images = map[string]string{"image.NewRGBA": "4", "image.NewNRGBA": "4", "image.NewRGBA64": "8", "image.NewNRGBA64": "8", "image.NewGray": "1",
	"image.NewGray16": "2", "image.NewAlpha": "1", "image.NewAlpha16": "2", "image.NewCMYK": "4"}

// makers are the packages whose types keep the memory that their functions allocate, with the kind.
var makers = map[string]kind{
	"bufio": "bufio", "compress/gzip": "gzip", "compress/zlib": "zlib", "compress/flate": "flate", "compress/lzw": "lzw",
	klauspost + "gzip": "gzip", klauspost + "zlib": "zlib", klauspost + "flate": "flate", klauspost + "zstd": "zstd", klauspost + "s2": "s2",
	klauspost + "snappy": "s2", "github.com/golang/snappy": "snappy", "github.com/andybalholm/brotli": "brotli", "github.com/pierrec/lz4/v4": "lz4",
}

// codecs match functions of modules that the report takes for a part of the standard library.
const (
	klauspost = "github.com/klauspost/compress/"
	codecs    = klauspost + `.*|github.com/golang/snappy\b.*|github.com/andybalholm/brotli\b.*|github.com/pierrec/lz4/v4\b.*`
)

var codec = regexp.MustCompile(`^(` + codecs + `)$`)

// kinds of other functions, by the first prefix that matches.
var kinds = []struct {
	prefix string
	kind   kind
}{
	{"bytes.(*Buffer).String", kindString},
	{"bytes.(*Buffer).ReadString", kindString},
	{"strings.(*Builder).", kindBuilder},
	{"C.GoString", kindString},
	{"encoding/json.", "json"},
	{"encoding/xml.", "xml"},
	{"crypto.Hash.New", kindHash},
	{"crypto/sha", kindHash},
	{"crypto/md5.", kindHash},
	{"crypto/hmac.", kindHash},
	{"hash/", kindHash},
	{"fmt.Sprint", kindString},
	{"strings.New", kindOther},
	{"strings.Split", kindOther},
	{"strings.Fields", kindOther},
	{"strings.", kindString},
	{"strconv.", kindString},
}

// results are methods of types that keep memory, which return memory of their own.
var results = map[string]kind{
	"bufio.(*Scanner).Text": kindString, "bufio.(*Reader).ReadString": kindString, "bufio.(*Reader).ReadBytes": kindOther,
}

// takesBufio are functions that make a bufio.Reader or Writer, unless their argument is one or, for some, has a method.
var takesBufio = map[string]string{
	"encoding/csv.NewReader": "bufio.Reader", "encoding/csv.NewWriter": "bufio.Writer", "encoding/xml.NewDecoder": "ReadByte",
	"encoding/xml.NewEncoder": "bufio.Writer", "encoding/gob.NewDecoder": "ReadByte", "mime/quotedprintable.NewReader": "bufio.Reader",
	"compress/bzip2.NewReader": "ReadByte",
	"archive/zip.NewWriter":    "bufio.Writer",
}

// ownPools are functions that take memory from a pool that their caller may give them.
var ownPools = map[string]bool{"image/png.Encode": true, "image/png.(*Encoder).Encode": true}

// fillsTarget are functions that write to memory that their target leads to, as far as it has some.
var fillsTarget = map[string]bool{"encoding/json.Unmarshal": true, "encoding/json.(*Decoder).Decode": true, "encoding/gob.(*Decoder).Decode": true,
	"runtime/debug.ReadGCStats": true, "runtime/metrics.Read": true}

// hints name another way for functions that make memory inside.
var hints = map[string]string{
	"encoding/base64.(*Encoding).EncodeToString": " If bytes will do, AppendEncode writes to a slice, which can come from a pool.",
	"encoding/base32.(*Encoding).EncodeToString": " If bytes will do, AppendEncode writes to a slice, which can come from a pool.",
	"encoding/hex.EncodeToString":                " If bytes will do, AppendEncode writes to a slice, which can come from a pool.",
	"archive/zip.(*Writer).Create":               " RegisterCompressor has it take compressors from elsewhere, such as a pool.",
	"archive/zip.(*Writer).CreateHeader":         " RegisterCompressor has it take compressors from elsewhere, such as a pool.",
	"strconv.Quote":                              " If bytes will do, AppendQuote writes to a slice, which can come from a pool.",
	"strconv.QuoteToASCII":                       " If bytes will do, AppendQuoteToASCII writes to a slice, which can come from a pool.",
	"strings.(*Replacer).Replace":                " WriteString of a Replacer writes to a Buffer, which can come from a pool.",
	"sort.Slice":                                 " slices.SortFunc makes none.",
	"sort.SliceStable":                           " slices.SortStableFunc makes none.",
	"encoding/csv.(*Reader).Read":                " With ReuseRecord it reuses its slice of fields.",
}

// makesBytes matches functions that make bytes first, and a string of them, which is no larger.
var makesBytes = regexp.MustCompile(`^(encoding/(base64|base32|hex)\..*EncodeToString|strconv\.Quote[A-Z]?.*)$`)

// makesStrings matches functions that others call for the memory of a string.
var makesStrings = regexp.MustCompile(`^(strings\.(\(\*Builder\)\..*|[A-Za-z]*)|internal/(bytealg|stringslite|strconv)\..*|strconv\..*|fmt\..*|bytes\.\(\*Buffer\)\.(Read)?String)$`)

// passes are packages whose functions call methods of writers and readers of the program.
var passes = regexp.MustCompile(`^(io|io/ioutil|fmt|bytes|strings|bufio|log|encoding/.*|text/.*|html/template|archive/.*|compress/.*|image/.*|mime/.*|hash/.*|crypto/.*)$`)

// writes are packages whose functions write to writers of the program, and make no codec.
var writes = regexp.MustCompile(`^(io|io/ioutil|fmt|bytes|strings|log|bufio|encoding/(json|xml|csv|binary|hex|base64|gob)|text/template|text/tabwriter|html/template)$`)

// writesOn matches functions that have no Buffer of their own: one that grows is behind the writer that they are given.
var writesOn = regexp.MustCompile(`^((io|fmt|bufio|log|encoding/(csv|hex|base64)|text/tabwriter|compress/[a-z0-9]+)\.[^/]*|encoding/(json|xml)\.\(\*Encoder\)\.[^/]*)$`)

// inner are packages that codecs and bufio call for memory of their own.
var inner = regexp.MustCompile(`^(bufio|compress/.*|hash/.*|bytes|slices|sort|strings|sync|math/.*|encoding/binary|errors|context|runtime|internal/.*|` + codecs + `)$`)

// kindOf tells the kind by the functions of the standard library above the user's line,
// the innermost first.
func kindOf(std []string) kind {
	if len(std) == 0 {
		return kindLine
	}
	outer := std[len(std)-1]
	switch first := std[0]; {
	case first == "io.ReadAll" && (outer == first || outer == "io/ioutil.ReadAll"):
		return kindReadAll
	case first == "io.copyBuffer" && (outer == "io.Copy" || outer == "io.CopyN"):
		return kindCopy
	case strings.HasPrefix(first, "net/http/httputil.(*ReverseProxy).copy"):
		return kindProxy
	case clones[outer]:
		return kindClone
	case results[outer] != "":
		return results[outer]
	case strings.HasPrefix(unqualified(outer), "Append") && packageOf(outer) != "slices", outer == "slices.Grow":
		return kindAppend
	}
	if growsBuffer(std) {
		return kindBuffer
	}
	for i, name := range slices.Backward(std) {
		if k, known := kindAt(std[:i], name); known {
			return k
		}
		if makers[packageOf(name)] == "" && !passes.MatchString(packageOf(name)) {
			break
		}
	}
	return kindOther
}

// hasBuffers matches functions that have Buffers of their own.
var hasBuffers = regexp.MustCompile(`^(crypto/tls|encoding/json)\.`)

// growsBuffer reports whether the functions let a Buffer grow that the program passes to others.
func growsBuffer(std []string) bool {
	i := slices.IndexFunc(std, func(name string) bool { return name != "bytes.growSlice" && name != "slices.Grow" })
	for i >= 0 && i+1 < len(std) && isWrite(std[i]) && strings.HasPrefix(std[i+1], "bytes.(*Buffer).") {
		i++
	}
	return i >= 0 && isWrite(std[i]) && (i+1 == len(std) || !hasBuffers.MatchString(std[i+1]) || writesJSON[std[i+1]])
}

// writesJSON are functions of encoding/json that write to a Buffer or a writer of the caller.
var writesJSON = map[string]bool{"encoding/json.(*Encoder).Encode": true, "encoding/json.Indent": true, "encoding/json.Compact": true,
	"encoding/json.HTMLEscape": true}

// kindAt tells the kind by a function and those that it calls, the innermost first, if these are enough.
func kindAt(called []string, name string) (k kind, known bool) {
	if k := makers[packageOf(name)]; k != "" {
		if slices.ContainsFunc(called, func(name string) bool { return !inner.MatchString(packageOf(name)) }) {
			return kindOther, true // of the reader or writer that it calls
		}
		if k == "bufio" && slices.ContainsFunc(called, func(name string) bool { m := makers[packageOf(name)]; return m != "" && m != k }) {
			return "", false // of a compressor that it calls
		}
		return k, true
	}
	if takesBufio[name] != "" && slices.ContainsFunc(called, func(name string) bool { return packageOf(name) == "bufio" }) {
		return "bufio", true
	}
	if images[name] != "" {
		return kindImage, true
	}
	for _, k := range kinds {
		if strings.HasPrefix(name, k.prefix) && (k.kind != kindHash || strings.HasPrefix(unqualified(name), "New")) {
			return k.kind, true
		}
	}
	return "", false
}

// unqualified is the name of a function without its package and receiver.
func unqualified(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// isWrite reports whether a function is a method of bytes.Buffer that may grow it.
func isWrite(name string) bool {
	method, ok := strings.CutPrefix(name, "bytes.(*Buffer).")
	return ok && !strings.HasSuffix(method, "String") || method == "WriteString"
}

// pooledBy names the calls of basin that serve a kind.
var pooledBy = map[kind]string{
	"bufio":        "a basin.Pool of *bufio.Reader or *bufio.Writer, with Reset",
	"gzip":         "a basin.Pool of *gzip.Writer, with Reset",
	"zlib":         "a basin.Pool of *zlib.Writer, with Reset",
	"flate":        "a basin.Pool of *flate.Writer, with Reset",
	"lzw":          "a basin.Pool of io.WriteCloser, with Reset of its *lzw.Writer",
	"zstd":         "a basin.Pool of *zstd.Encoder, with Reset, and Drop to close it",
	"s2":           "a basin.Pool of *s2.Writer, with Reset",
	"snappy":       "a basin.Pool of *snappy.Writer, with Reset",
	"brotli":       "a basin.Pool of *brotli.Writer, with Reset",
	"lz4":          "a basin.Pool of *lz4.Writer, with Reset",
	"json":         "an encoder that writes into basin.GetBuffer",
	"xml":          "an encoder that writes into basin.GetBuffer",
	kindPNG:        "an image/png.Encoder with a BufferPool",
	"ReverseProxy": "httputil.ReverseProxy.BufferPool = basin.Default().Sized(32 << 10)",
	"io.Copy":      "basinio.Copy",
	kindHash:       "a basin.Pool of the hash, with Reset",
	kindBuffer:     "basin.GetBuffer and basin.PutBuffer",
	kindBuilder:    "basin.GetBuffer and basin.PutBuffer",
	kindReadAll:    "basin.ReadAll and basin.Put",
	kindCipher:     "basin.Get(n)[:0] for its first argument, and basin.Put",
	kindResult:     "basin.Get and basin.Put for its argument ARGUMENT",
	kindMake:       "basin.GetZeroed and basin.Put",
	kindImage:      "basin.GetZeroed and basin.Put for its pixels",
	kindPointer:    "a basin.Pool of the type",
	kindMap:        "a basin.Pool of the map, with clear",
	kindNumber:     "a basin.Pool of *big.Int",
	kindSlice:      "a basin.Pool of the slice",
	kindAppend:     "basin.Append and basin.Put",
	kindClone:      "basin.Append and basin.Put",
}

// readers names those for readers of these kinds.
var readers = map[kind]string{
	"gzip":  "a basin.Pool of *gzip.Reader, with Reset",
	"zlib":  "a basin.Pool of io.ReadCloser, with Reset",
	"flate": "a basin.Pool of io.ReadCloser, with Reset",
	"lzw":   "a basin.Pool of io.ReadCloser, with Reset of its *lzw.Reader",
	"zstd":  "a basin.Pool of *zstd.Decoder, with Reset in place of Close, and Drop to close it",

	"s2":     "a basin.Pool of *s2.Reader, with Reset",
	"snappy": "a basin.Pool of *snappy.Reader, with Reset",
	"brotli": "a basin.Pool of *brotli.Reader, with Reset",
	"lz4":    "a basin.Pool of *lz4.Reader, with Reset",
}

const callOfScanner = "basin.Get, and Scanner.Buffer"

// roots are the first elements of the paths of standard packages.
var roots = map[string]bool{}

func init() {
	for root := range strings.FieldsSeq(`archive arena bufio bytes cmp compress container context crypto
		database debug embed encoding errors expvar flag fmt go hash html image index internal io iter
		log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs
		sync syscall testing text time unicode unique unsafe vendor weak`) {
		roots[root] = true
	}
}

// isStandard reports whether a function is of the standard library: its package begins
// like one, and its file is where that package has it. Functions that the runtime
// implements for others are in files of the runtime.
func isStandard(name, file string) bool {
	pkg := packageOf(name)
	dir := file[:max(strings.LastIndexByte(file, '/'), 0)]
	if isLiteral(name) { // which has the name of where it is inlined
		in := dir
		if i := strings.LastIndex(dir, "/src/"); i >= 0 && isRootOfGo(dir[:i]) {
			in = dir[i+len("/src/"):]
		}
		if isRooted(in) && (isRooted(pkg) || path.Base(in) != path.Base(pkg)) {
			return true
		}
	}
	return isRooted(pkg) && (file == "" || dir == pkg || strings.HasSuffix(dir, "/src/"+pkg) || dir == "runtime" || strings.HasSuffix(dir, "/src/runtime") ||
		strings.HasPrefix(pkg+"/", "runtime/") || strings.HasPrefix(pkg+"/", "internal/"))
}

// isLiteral reports whether a function is a literal, or the body of a range over a function.
func isLiteral(name string) bool {
	return strings.Contains(name, ".func") || strings.Contains(name, "-range")
}

// isRooted reports whether a name begins like that of a standard package.
func isRooted(name string) bool {
	root, _, _ := strings.Cut(name, "/")
	return roots[root]
}

// isRootOfGo reports whether a folder may be one that Go is installed in: /usr/local/go, go1.26.0, toolchain@v0.0.1-go1.26.0.
func isRootOfGo(dir string) bool { return strings.Contains(strings.ToLower(dir), "go") }

// plain leaves the type arguments out of the name of a function.
func plain(name string) string {
	if !strings.Contains(name, "[") {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth = max(depth-1, 0)
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// packageOf returns the package of a function such as a/b.(*T).M. For main it is "main".
func packageOf(name string) string {
	return strings.ReplaceAll(name[:packageEnd(name)], "%2e", ".")
}

// packageEnd is the length of a package's name in that of a function, where the last element has %2e for a dot.
func packageEnd(name string) int {
	slash := strings.LastIndexByte(name, '/') + 1
	if dot := strings.IndexByte(name[slash:], '.'); dot >= 0 {
		return slash + dot
	}
	return len(name)
}

// escaped is the path of a package as it is written in the names of its functions.
func escaped(path string) string {
	slash := strings.LastIndexByte(path, '/') + 1
	return path[:slash] + strings.ReplaceAll(path[slash:], ".", "%2e")
}

// isPackaged reports whether a kind is that of a package.
func isPackaged(k kind) bool {
	return slices.Contains(slices.Collect(maps.Values(makers)), k)
}

// clones are functions whose result is a copy of their arguments.
var clones = map[string]bool{"bytes.Clone": true, "slices.Clone": true, "slices.Concat": true}
