package dropin

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/internal/testenv"
)

// TestAPI compares the exported API of the modules in compat with that of their originals.
func TestAPI(t *testing.T) {
	testenv.Tree()
	if testing.Short() {
		t.Skip("compiles modules")
	}
	for _, o := range originals {
		t.Run(o.compat, func(t *testing.T) {
			loaded := load(t, o.path, basin+"/compat/"+o.compat)
			original, ours := loaded[o.path].Types, loaded[basin+"/compat/"+o.compat].Types
			for _, change := range apidiff.Changes(original, ours).Changes {
				if !change.Compatible {
					t.Error(change.Message)
				}
			}
			exported := exportedBy(ours)
			for _, d := range exportedBy(original) {
				receiver, isMethod := strings.CutPrefix(d, "method (")
				if isMethod && token.IsExported(strings.TrimPrefix(receiver, "*")) && !slices.Contains(exported, d) {
					t.Errorf("%s is missing among\n\t%s", d, strings.Join(exported, "\n\t"))
				}
			}
		})
	}
	// The APIs of the other originals, at the versions that were read.
	page, err := os.ReadFile("testdata/api.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{} // by package
	for line := range strings.Lines(string(page)) {
		if name, declaration, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			want[name] = append(want[name], declaration)
		}
	}
	paths := slices.Sorted(maps.Keys(want))
	for i := range paths {
		paths[i] = basin + "/compat/" + paths[i]
	}
	loaded := load(t, paths...)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		t.Run(name, func(t *testing.T) {
			exported := exportedBy(loaded[basin+"/compat/"+name].Types)
			for _, d := range want[name] {
				if !slices.Contains(exported, d) {
					t.Errorf("%s is missing among\n\t%s", d, strings.Join(exported, "\n\t"))
				}
			}
		})
	}
}

func load(t *testing.T, paths ...string) map[string]*packages.Package {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*packages.Package{}
	for _, p := range loaded {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		found[p.PkgPath] = p
	}
	return found
}

// exportedBy returns the declarations of a package, in the format of testdata/api.txt. It
// includes the exported methods of all types, because exported functions may return unexported
// types. A method with a value receiver has the receiver (T), and one with a pointer receiver
// (*T).
func exportedBy(p *types.Package) (all []string) {
	short := func(other *types.Package) string {
		if other == p {
			return ""
		}
		return path.Base(other.Path())
	}
	add := func(form string, args ...any) { all = append(all, fmt.Sprintf(form, args...)) }
	signature := func(f types.Object) string {
		var b bytes.Buffer
		types.WriteSignature(&b, withoutNames(f.Type().(*types.Signature)), short)
		return b.String()
	}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if _, ok := o.(*types.TypeName); !ok && !o.Exported() {
			continue
		}
		switch o := o.(type) {
		case *types.Func:
			add("func %s%s", name, signature(o))
		case *types.Var:
			add("var %s %s", name, types.TypeString(o.Type(), short))
		case *types.TypeName:
			if o.Exported() {
				add("type %s", name)
			}
			typ := types.Unalias(o.Type())
			ofValues := types.NewMethodSet(typ)
			all := ofValues
			if !types.IsInterface(typ) {
				all = types.NewMethodSet(types.NewPointer(typ))
			}
			for i := range all.Len() {
				if m := all.At(i).Obj(); m.Exported() {
					receiver := "*" + name
					if ofValues.Lookup(m.Pkg(), m.Name()) != nil {
						receiver = name
					}
					add("method (%s).%s%s", receiver, m.Name(), signature(m))
				}
			}
			if s, ok := typ.Underlying().(*types.Struct); ok {
				for i := range s.NumFields() {
					if f := s.Field(i); f.Exported() {
						add("field %s.%s %s", name, f.Name(), types.TypeString(f.Type(), short))
					}
				}
			}
		}
	}
	return all
}

// withoutNames returns s without the names of parameters and results, which do not matter.
func withoutNames(s *types.Signature) *types.Signature {
	tuple := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for i := range t.Len() {
			vars = append(vars, types.NewVar(0, nil, "", t.At(i).Type()))
		}
		return types.NewTuple(vars...)
	}
	var parameters []*types.TypeParam
	return types.NewSignatureType(nil, nil, parameters, tuple(s.Params()), tuple(s.Results()), s.Variadic())
}
