package advise

import (
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
)

// kinds are known by functions of the standard library. The first prefix that matches
// tells.
var kinds = []struct {
	prefix string
	kind   kind
}{
	{"bytes.(*Buffer).String", kindString},
	{"bytes.(*Buffer).ReadString", kindString},
	{"bytes.(*Buffer).", kindBuffer},
	{"strings.(*Builder).", kindBuilder},
	{"bufio.", "bufio"},
	{"compress/gzip.", "gzip"},
	{"compress/zlib.", "zlib"},
	{"compress/flate.", "flate"},
	{"encoding/json.", "json"},
	{"encoding/xml.", "xml"},
	{"net/http/httputil.(*ReverseProxy).copyResponse", kindProxy},
	{"crypto/sha", "hash state"},
	{"crypto/md5.", "hash state"},
	{"hash/", "hash state"},
	{"fmt.Sprint", kindString},
	{"strings.", kindString},
	{"strconv.", kindString},
}

// kindOf tells the kind by the functions of the standard library above the user's line,
// the innermost first.
func kindOf(std []string) kind {
	if len(std) == 0 {
		return kindLine
	}
	switch std[0] { // calls of these have kinds of their own
	case "io.ReadAll":
		return kindReadAll
	case "io.copyBuffer":
		if !slices.Contains(std, "net/http/httputil.(*ReverseProxy).copyResponse") {
			return kindCopy
		}
	}
	if i := slices.IndexFunc(std, func(name string) bool { return name != "bytes.growSlice" }); i >= 0 && isWrite(std[i]) &&
		(i+1 == len(std) || !strings.HasPrefix(std[i+1], "encoding/json.") || std[i+1] == "encoding/json.(*Encoder).Encode") {
		return kindBuffer // which the program passes to others; json has Buffers of its own
	}
	for i := range std {
		name := std[len(std)-1-i]
		for _, k := range kinds {
			if strings.HasPrefix(name, k.prefix) {
				return k.kind
			}
		}
	}
	return kindOther
}

// isWrite reports whether a method of bytes.Buffer has it grow.
func isWrite(name string) bool {
	method, ok := strings.CutPrefix(name, "bytes.(*Buffer).")
	return ok && !strings.HasSuffix(method, "String") || method == "WriteString"
}

// ofReceiver are kinds whose methods allocate memory that the receiver keeps, with its package.
var ofReceiver = map[kind]string{"bufio": "bufio", "gzip": "compress/gzip", "zlib": "compress/zlib", "flate": "compress/flate"}

// pooledBy is the call that serves a kind, where it is not byte slices.
var pooledBy = map[kind]string{
	"bufio":        "basin.GetReader or basin.GetWriter",
	"gzip":         "a basin.Pool of *gzip.Writer, with Reset",
	"zlib":         "a basin.Pool of *zlib.Writer, with Reset",
	"flate":        "a basin.Pool of *flate.Writer, with Reset",
	"json":         "an encoder that writes into basin.GetBuffer",
	"xml":          "an encoder that writes into basin.GetBuffer",
	"ReverseProxy": "httputil.ReverseProxy.BufferPool = basin.Default().Sized(32 << 10)",
	"io.Copy":      "basin.Copy",
	"hash state":   "a basin.Pool of the hash, with Reset",
	kindBuffer:     "basin.GetBuffer and basin.PutBuffer",
	kindReadAll:    "basin.ReadAll and basin.Put",
	kindMake:       "basin.GetZeroed and basin.Put",
	kindPointer:    "a basin.Pool of the type",
	kindSlice:      "a basin.Pool of the slice",
	kindAppend:     "basin.Append and basin.Put",
}

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
	root, _, _ := strings.Cut(pkg, "/")
	if !roots[root] {
		return false
	}
	dir := file[:max(strings.LastIndexByte(file, '/'), 0)]
	return file == "" || dir == pkg || strings.HasSuffix(dir, "/src/"+pkg) || dir == "runtime" || strings.HasSuffix(dir, "/src/runtime") || root == "runtime" || root == "internal"
}

// packageOf returns the package of a function such as a/b.(*T).M. For main it is "main".
func packageOf(name string) string {
	if i := strings.IndexByte(name, '['); i >= 0 { // type arguments have slashes
		name = name[:i]
	}
	slash := strings.LastIndexByte(name, '/') + 1
	if dot := strings.IndexByte(name[slash:], '.'); dot >= 0 {
		return strings.ReplaceAll(name[:slash+dot], "%2e", ".")
	}
	return name
}
