package advise

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
)

// A model describes how a function of another module uses its arguments. A function without a model may keep them.
type model struct {
	fresh bool // its results are new memory
	keeps bool // its receiver keeps the other arguments

	decodes bool // it passes parts of its arguments to Unmarshal methods
}

// extends are functions that may write behind the end of a slice, such as that of the extra fields of a header.
var extends = regexp.MustCompile("Append|NewBuffer|Expand|Grow|^CreateHeader$|^CreateRaw$")

// modelOf returns the model of a function, or nil. Of a pool, the functions have none: they end the life of memory.
func modelOf(f *types.Func) *model {
	f = f.Origin()
	if m, ok := modelOfRow(f); ok {
		return m
	}
	sig := f.Signature()
	if synchronizes(f, sig.Recv()) {
		return &model{}
	}
	if !effects.Lends(f.Pkg()) {
		return nil
	}
	for p := range sig.Params().Variables() {
		if called, ok := p.Type().Underlying().(*types.Signature); ok && (!callers[f.Pkg().Path()] || givesFunction(sig) || takesMemory(called)) {
			return nil // which may pass it to a function of the program
		}
	}
	if sig.Recv() != nil && (f.Name() == "Reset" || strings.HasPrefix(f.Name(), "Set") || f.Name() == "Funcs" || f.Name() == "Option") {
		return &model{keeps: true}
	}
	return &model{}
}

// synchronizes reports whether a function, or a method if it has a receiver, uses nothing but a lock or a number.
func synchronizes(f *types.Func, recv *types.Var) bool {
	if recv != nil {
		return locks[types.TypeString(recv.Type(), nil)] && f.Name() != "Go" && f.Name() != "RLocker"
	}
	return f.Pkg() != nil && f.Pkg().Path() == "sync/atomic" && !strings.Contains(f.Name(), "Pointer")
}

// modelOfRow returns the model of a function by its row in the table of effects, and reports whether that says enough.
func modelOfRow(f *types.Func) (m *model, ok bool) {
	e := effects.Of(f)
	switch {
	case e == nil:
		return nil, false
	case e.Opaque || e.OfPool() || e.Global != effects.None || e.Go != effects.None || e.Adopt != effects.None:
		return nil, true
	case e.Fresh || e.Keeps() || e.Holds != effects.None || f.Pkg() != nil && !effects.Lends(f.Pkg()):
		return &model{fresh: e.Fresh, keeps: e.Keeps() || e.Decode != effects.None && !e.Fresh, decodes: e.Decode != effects.None}, true
	}
	return nil, false
}

// takesMemory reports whether a parameter of a function may lead to memory.
func takesMemory(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		if mayAlias(p.Type()) {
			return true
		}
	}
	return false
}

// copied are types of the standard library whose values lead only to memory of their package: a time zone, or the zone of an
// address. A program can give a Time a Location of its own, but only by functions of package time that have no model. So a
// copy of such a value does not have the memory that it was read from.
var copied = map[string]bool{"time.Time": true, "net/netip.Addr": true, "net/netip.AddrPort": true, "net/netip.Prefix": true}

// mayHold reports whether a value of a type that is read from memory can lead to that.
func mayHold(t types.Type) bool {
	if pkg, name := named(t); copied[pkg+"."+name] {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if mayHold(f.Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return mayHold(u.Elem())
	}
	return mayAlias(t)
}

// locks are types whose methods use nothing but their receiver, which may be a field of the memory. So are atomic numbers.
var locks = map[string]bool{"*sync.Mutex": true, "*sync.RWMutex": true, "*sync.WaitGroup": true, "*sync.Once": true,
	"*sync/atomic.Bool": true, "*sync/atomic.Int32": true, "*sync/atomic.Int64": true,
	"*sync/atomic.Uint32": true, "*sync/atomic.Uint64": true, "*sync/atomic.Uintptr": true}

// isModeled reports whether the uses of arguments by a function, which may be nil, are known.
func isModeled(fn *ssa.Function) bool {
	if fn == nil {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	return ok && modelOf(obj) != nil
}

// A contract is the signature of a method whose documentation forbids to keep the argument, or says that it is copied from or
// to. If of is a package, it holds only for that package's interfaces.
type contract struct{ signature, of string }

var contracts = map[string]contract{
	"Write":   {"func([]byte) (int, error)", ""},
	"Read":    {"func([]byte) (int, error)", ""},
	"ReadAt":  {"func([]byte, int64) (int, error)", ""},
	"WriteAt": {"func([]byte, int64) (int, error)", ""},

	"AppendText":      {"func([]byte) ([]byte, error)", ""},
	"AppendBinary":    {"func([]byte) ([]byte, error)", ""},
	"UnmarshalText":   {"func([]byte) error", ""},
	"UnmarshalBinary": {"func([]byte) error", ""},
	"UnmarshalJSON":   {"func([]byte) error", ""},

	"ReadFrom": {"func([]byte) (int, net.Addr, error)", "net"},
	"WriteTo":  {"func([]byte, net.Addr) (int, error)", "net"},
	"Sum":      {"func([]byte) []byte", "hash"},

	"PutUint16":    {"func([]byte, uint16)", "encoding/binary"},
	"PutUint32":    {"func([]byte, uint32)", "encoding/binary"},
	"PutUint64":    {"func([]byte, uint64)", "encoding/binary"},
	"Uint16":       {"func([]byte) uint16", "encoding/binary"},
	"Uint32":       {"func([]byte) uint32", "encoding/binary"},
	"Uint64":       {"func([]byte) uint64", "encoding/binary"},
	"AppendUint16": {"func([]byte, uint16) []byte", "encoding/binary"},
	"AppendUint32": {"func([]byte, uint32) []byte", "encoding/binary"},
	"AppendUint64": {"func([]byte, uint64) []byte", "encoding/binary"},

	"Seal":         {"func([]byte, []byte, []byte, []byte) []byte", "crypto/cipher"},
	"Open":         {"func([]byte, []byte, []byte, []byte) ([]byte, error)", "crypto/cipher"},
	"XORKeyStream": {"func([]byte, []byte)", "crypto/cipher"},
	"CryptBlocks":  {"func([]byte, []byte)", "crypto/cipher"},
	"Encrypt":      {"func([]byte, []byte)", "crypto/cipher"},
	"Decrypt":      {"func([]byte, []byte)", "crypto/cipher"},
}

// isLikeReader reports whether a method is like those of io.Reader and io.Writer, but for elements of another type: its name begins
// with Read or Write, it gets one slice, which is of this type, and returns a number and an error.
func isLikeReader(m *types.Func, list types.Type) bool {
	name, ok := strings.CutPrefix(m.Name(), "Read")
	if !ok {
		name, ok = strings.CutPrefix(m.Name(), "Write")
	}
	sig := m.Signature()
	return ok && (name == "" || ast.IsExported(name)) && !sig.Variadic() && sig.Params().Len() == 1 && isSliceType(list) &&
		types.Identical(sig.Params().At(0).Type(), list) && sig.Results().Len() == 2 &&
		types.Identical(sig.Results().At(0).Type(), types.Typ[types.Int]) && types.Identical(sig.Results().At(1).Type(), types.Universe.Lookup("error").Type())
}

// isHandler reports whether a signature is that of a handler of HTTP requests. The documentation of net/http forbids to use
// the ResponseWriter after the handler has returned, or while it returns.
func isHandler(sig *types.Signature) bool {
	return sig.Params().Len() == 2 && sig.Results().Len() == 0 && !sig.Variadic() &&
		types.TypeString(sig.Params().At(0).Type(), nil) == "net/http.ResponseWriter" &&
		types.TypeString(sig.Params().At(1).Type(), nil) == "*net/http.Request"
}

// handles reports whether a call is that of a handler: a function value, or a method ServeHTTP of an interface or another module.
func handles(c *ssa.CallCommon) bool {
	if !isHandler(c.Signature()) {
		return false
	}
	fn := c.StaticCallee()
	return c.IsInvoke() && c.Method.Name() == "ServeHTTP" || !c.IsInvoke() && (fn == nil || fn.Name() == "ServeHTTP" && len(fn.Blocks) == 0)
}

// extendsFirst are methods that append to their first argument.
var extendsFirst = map[string]bool{"Seal": true, "Open": true, "Sum": true, "AppendText": true, "AppendBinary": true,
	"AppendUint16": true, "AppendUint32": true, "AppendUint64": true}

// isContract reports whether a method of the program has one of these contracts, or is an Unmarshal method.
func isContract(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && fn.Signature.Recv() != nil && (hasContract(obj) || isUnmarshaler(fn))
}

func isUnmarshaler(fn *ssa.Function) bool { return isUnmarshal(fn.Name()) }

// isUnmarshal reports whether a name is that of a method for decoding.
func isUnmarshal(name string) bool {
	return name == "UnmarshalJSON" || name == "UnmarshalText" || name == "UnmarshalBinary"
}

// keepsNothing reports whether a method of an interface has one of the contracts.
func keepsNothing(m *types.Func) bool {
	of := contracts[m.Name()].of
	return hasContract(m) && (of == "" || m.Pkg().Path() == of)
}

// isOfAny reports whether a method has one of the contracts that hold for any type, such as those of package io. Those of other
// modules are trusted to observe it, as they are where an interface has them.
func isOfAny(m *types.Func) bool {
	return m.Signature().Recv() != nil && hasContract(m) && contracts[m.Name()].of == ""
}

// hasContract reports whether a method has the name and the signature of a contract.
func hasContract(m *types.Func) bool {
	sig := m.Signature()
	var params, results []*types.Var
	for v := range sig.Params().Variables() {
		params = append(params, types.NewParam(0, nil, "", v.Type()))
	}
	for v := range sig.Results().Variables() {
		results = append(results, types.NewParam(0, nil, "", v.Type()))
	}
	bare := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(results...), false)
	return contracts[m.Name()].signature == strings.ReplaceAll(types.TypeString(bare, nil), "uint8", "byte")
}
