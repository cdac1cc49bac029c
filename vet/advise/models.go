package advise

import (
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A model describes how a function of another module uses its arguments. A function without a model may keep them.
type model struct {
	fresh bool // its results are new memory
	keeps bool // its receiver keeps the other arguments

	decodes bool // it passes parts of its arguments to Unmarshal methods
}

// extends are functions that may write behind the end of a slice.
var extends = regexp.MustCompile("Append|NewBuffer|Expand|Grow")

// readers are packages whose functions keep their arguments at most in results, and in receivers as modelOf says.
var readers = map[string]bool{
	"bytes": true, "strings": true, "strconv": true, "fmt": true, "io": true, "bufio": true, "sort": true, "slices": true,
	"unicode/utf8": true, "encoding/binary": true, "encoding/hex": true, "encoding/base64": true, "encoding/base32": true,
	"encoding/json": true, "encoding/xml": true, "encoding/csv": true, "hash/crc32": true, "hash/crc64": true,
	"hash/adler32": true, "hash/fnv": true, "hash/maphash": true, "crypto/sha256": true, "crypto/sha512": true,
	"crypto/sha1": true, "crypto/md5": true, "compress/gzip": true, "compress/zlib": true, "compress/flate": true,
	"math/big": true, "text/template": true, "html/template": true, "regexp": true, "html": true, "log": true,
	"crypto/rand": true, "math/rand": true, "math/rand/v2": true, "crypto/subtle": true, "unicode/utf16": true,
	"net/url": true, "mime": true, "text/tabwriter": true, "mime/quotedprintable": true, "crypto/hmac": true, "crypto/sha3": true,
	codecs + "gzip": true, codecs + "zlib": true, codecs + "flate": true, codecs + "zstd": true,
}

// functions have their own models, which replace that of their package. With nil, a function has no model.
var functions = map[string]*model{
	"(*os.File).Write": {fresh: true}, "(*os.File).WriteAt": {fresh: true}, "(*os.File).Read": {fresh: true},
	"(*os.File).ReadAt": {fresh: true}, "os.WriteFile": {fresh: true}, "net/http.DetectContentType": {fresh: true},
	"net/http.Error": {fresh: true}, "(*net.TCPConn).Write": {fresh: true}, "(*net.TCPConn).Read": {fresh: true},
	"(*net.UDPConn).Write": {fresh: true}, "(*net.UDPConn).Read": {fresh: true}, "(*net.UDPConn).WriteTo": {fresh: true},
	"(*net.UDPConn).ReadFrom": {fresh: true}, "(*net.UDPConn).WriteToUDP": {fresh: true}, "(*net.UDPConn).ReadFromUDP": {fresh: true},
	"(*net.UDPConn).ReadFromUDPAddrPort": {fresh: true}, "(*net.UDPConn).WriteToUDPAddrPort": {fresh: true},
	"(*crypto/tls.Conn).Write": {fresh: true}, "(*crypto/tls.Conn).Read": {fresh: true}, "runtime.KeepAlive": {fresh: true},
	"encoding/json.Marshal": {fresh: true}, "encoding/json.MarshalIndent": {fresh: true}, "encoding/xml.Marshal": {fresh: true},
	"bytes.Clone": {fresh: true}, "slices.Clone": {fresh: true}, "bytes.Join": {fresh: true}, "bytes.Repeat": {fresh: true},
	"bytes.ToUpper": {fresh: true}, "bytes.ToLower": {fresh: true}, "bytes.ReplaceAll": {fresh: true}, "bytes.Replace": {fresh: true},
	"bytes.Runes": {fresh: true}, "bytes.Title": {fresh: true}, "io.ReadAll": {fresh: true},
	"(*bufio.Scanner).Buffer": {keeps: true},

	"(*text/tabwriter.Writer).Init": {keeps: true}, "(*log.Logger).SetOutput": {keeps: true}, "log.SetOutput": nil,
	"(*math/big.Int).SetBits": nil, "log.New": {}, "(*encoding/json.Decoder).Decode": {keeps: true, decodes: true}, "slices.Insert": nil, "slices.Replace": nil, "slices.AppendSeq": nil,
	"encoding/json.Unmarshal": {fresh: true, decodes: true}, "encoding/xml.Unmarshal": {fresh: true, decodes: true}, "io.Pipe": {},
	"strings.NewReplacer": {fresh: true}, "slices.Values": nil, "slices.All": nil, "slices.Chunk": nil, "fmt.Errorf": nil,
	codecs + "zstd.NewWriter": nil, codecs + "zstd.NewReader": nil, // whose goroutines may go on when the function has returned
	"fmt.Append": {}, "(*text/template.Template).Execute": {fresh: true}, "(*html/template.Template).Execute": {fresh: true},
}

// modelOf returns the model of a function, or nil.
func modelOf(f *types.Func) *model {
	f = f.Origin()
	name := f.FullName()
	if m, ok := functions[name]; ok {
		return m
	}
	if f.Pkg() == nil || !readers[f.Pkg().Path()] {
		return nil
	}
	sig := f.Signature()
	for p := range sig.Params().Variables() {
		if _, ok := p.Type().Underlying().(*types.Signature); ok {
			return nil // which may pass it to a function of the program
		}
	}
	if sig.Recv() != nil && (f.Name() == "Reset" || strings.HasPrefix(f.Name(), "Set") || f.Name() == "Funcs" || f.Name() == "Option") {
		return &model{keeps: true}
	}
	return &model{}
}

// isModeled reports whether the uses of arguments by a function, which may be nil, are known.
func isModeled(fn *ssa.Function) bool {
	if fn == nil {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	return ok && modelOf(obj) != nil
}

// contracts are methods of interfaces whose documentation forbids to keep the argument.
var contracts = map[string]string{
	"Write":   "func([]byte) (int, error)",
	"Read":    "func([]byte) (int, error)",
	"ReadAt":  "func([]byte, int64) (int, error)",
	"WriteAt": "func([]byte, int64) (int, error)",
}

// isContract reports whether a method of the program has one of these contracts, or is an Unmarshal method.
func isContract(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && fn.Signature.Recv() != nil && (keepsNothing(obj) || isUnmarshaler(fn))
}

func isUnmarshaler(fn *ssa.Function) bool {
	switch fn.Name() {
	case "UnmarshalJSON", "UnmarshalText", "UnmarshalBinary":
		return true
	}
	return false
}

// keepsNothing reports whether a method has one of the contracts.
func keepsNothing(m *types.Func) bool {
	sig := m.Signature()
	var params, results []*types.Var
	for v := range sig.Params().Variables() {
		params = append(params, types.NewParam(0, nil, "", v.Type()))
	}
	for v := range sig.Results().Variables() {
		results = append(results, types.NewParam(0, nil, "", v.Type()))
	}
	bare := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(results...), false)
	return contracts[m.Name()] == strings.ReplaceAll(types.TypeString(bare, nil), "uint8", "byte")
}
