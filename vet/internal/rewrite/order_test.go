package rewrite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const otherSource = `package other

type T int

const Constant T = 1

var Counter T

type failure struct{}

func (failure) New(string) error { Counter++; return nil }

func New(n T) *T      { return &T2{n: n} }
func Next() T         { Counter++; return Counter }
func Read() T         { return Counter }
func ReadToo() T      { return Read() }
func Hidden(errors failure) error { return errors.New("text") }
func Changed(p *T) T  { return *p }
`

const helpers = `
type failure struct{ text string }

func newError(text string) error { return &failure{text: text} }

var own int

func readOwn() int { return own }

func call(f func() int) int { return f() }

var table [256]uint32

var names = []string{"a", "b"}

var ids = map[string]int{}

var handlers map[string]func() int

var others = errors.ErrIterator

var given = errors.ErrList

var pointer = &own

var pointerTo = &call

var settings struct {
	list  []int
	parts []struct{ list []int }
}

func step(x uint32) uint32 {
	for range 8 {
		x = x>>1 ^ 0xedb88320
	}
	return x
}

func stepOf(x uint32) uint32 {
	x += uint32(other.Next())
	return x
}

func filled() []int {
	all := make([]int, 0, 10)
	for i := range 10 {
		all = append(all, i)
	}
	return all
}

func filledFrom(all []uint32) int {
	all[0] = 1
	return 1
}

`

func TestHasEffects(t *testing.T) {
	for text, want := range map[string]bool{
		"func f() { println() }":             false,
		"func (t T) init() {}":               false,
		"func init() {}":                     false,
		"func init() { own = 3 }":            false,
		"func init() { own = f() }":          true,
		"func init() { other.Counter = 1 }":  true,
		"func init() { own = other.Next() }": true,
		"func init() { println() }":          true,
		"func init() { go f() }":             true,
		"func init() { for i := range 256 { if i&1 == 0 { table[i] = uint32(i) * 3 } else { table[i]++ } } }": false,
		"func init() { for i := range table { table[i] = step(uint32(i)) } }":                                 false,
		"func init() { for i := range table { table[i] = stepOf(uint32(i)) } }":                               true,
		"func init() { for k, v := range names { ids[v] = k } }":                                              false,
		"func init() { for range others { own++ } }":                                                          true,
		"func init() { m := make(map[string]int); m[\"a\"] = 1; own = len(m) }":                               false,
		"func init() { handlers = map[string]func() int{\"a\": readOwn} }":                                    false,
		"func init() { given[0] = 1 }":                                                                        true,
		"func init() { x := errors.ErrUnsupported; x = nil }":                                                 true,
		"func init() { own := other.T{}; own.Name = \"a\" }":                                                  true,
		"func init() { errors := own; own = errors }":                                                         true, // a name that has two meanings
		"func init() { readOwn := func() int { return other.Next() }; own = readOwn() }":                      true,
		"func init() { *pointer = 1 }":                                                                        true,
		"func init() { if own == 0 { panic(1) } }":                                                            false,
		"func init() { defer f() }":                                                                           true,
		"func init() { switch own { case 1: own = 2; case f(): own = 3 } }":                                   true,
		"func init() { switch own { case 1: own = 2; default: own = 3 } }":                                    false,
		"var x = filled()":                                  false,
		"var x = filledFrom(table[:])":                      true,
		"var x = 1 + len(y)":                                false,
		"var x = []T{{1, \"a\"}, {2, \"b\"}}":               false,
		"var x = map[string]*other.T{\"a\": {}}":            false,
		"var x = &other.T{Name: \"a\"}":                     false,
		"var x = make(map[string][]byte, 10)":               false,
		"var x = make(T, f())":                              true,
		"var x = errors.New(\"text\")":                      false,
		"var x = errors.New(f())":                           true,
		"var x = strings.Repeat(\"-\", 10)":                 true, // another package of that name
		"var x = func() { f() }":                            false,
		"var x = func() int { return f() }()":               true,
		"var x = other.Counter":                             true,
		"var x = errors.ErrUnsupported":                     false,
		"var x = <-c":                                       true,
		"var x = f()":                                       true,
		"var x = T{f()}":                                    true,
		"var x, y = 1, t.method()":                          true,
		"const x = len(\"abc\")":                            false,
		"var x int":                                         false,
		"var x = sync.Pool{New: func() any { return f() }}": false,

		"var x = other.Constant":                           false,
		"var x = map[other.T]int{other.Constant: 1}":       false,
		"var x = other.T(1)":                               false,
		"var x = errors.ErrUnsupported.Error()":            false,
		"var x = other.Counter.Error()":                    true,
		"var x = newError(\"text\")":                       false,
		"var x = newError(f())":                            true,
		"var x = other.New(1)":                             false,
		"var x = other.New(other.Counter)":                 true,
		"var x = other.Next()":                             true, // which sets a variable
		"var x = other.Read()":                             true, // a variable that others set
		"var x = other.ReadToo()":                          true,
		"var x = readOwn()":                                false, // nobody sets that before
		"var x = call(func() int { return other.Next() })": true,
		"var x = other.Changed(&own)":                      true,
		"var x = other.Hidden(y)":                          true,
		"var x = other.Unknown":                            true,

		"import . \"example.org/other\"\nvar x = 1":                                                true,
		"func max(a, b int) int { other.Counter++; return a }\nvar x = max(1, 2)":                  true,
		"func init() { len := func([]string) int { return int(other.Next()) }; own = len(names) }": true,
		"func panic(n int) { other.Counter = 1 }\nfunc init() { panic(1) }":                        true,
		"func named() (strings failure) { return strings.New(\"\") }\nvar x = named()":             true,
		"var x = fmt.Sprintf(\"%d %s\", 1, \"a\" + \"b\")":                                         false,
		"var x = fmt.Sprintf(\"%v\", failure{})":                                                   true,
		"var x = fmt.Errorf(\"%w\", newError(\"text\"))":                                           true,
		"var x = errors.Is(newError(\"text\"), nil)":                                               true,
		"var x = flags.New(\"a\")":                                                                 true, // package flag
		"var x = sync.Variable":                                                                    true,
		"var x = sync.Variable[0]":                                                                 true,
		"var x = unicode.ToUpper":                                                                  true, // a variable for all that is known
		"var x = big.NewInt(1).Lsh(big.NewInt(2), 3)":                                              false,
		"var x = big.NewInt(1).Lsh(other.List, 3)":                                                 true,
		"var x = reflect.TypeOf((*error)(nil)).Elem()":                                             false,
		"var x = reflect.TypeOf(own).PkgPath()":                                                    false,
		"var x = reflect.TypeOf([]int(nil)).Elem().String()":                                       false,
		"var x = reflect.TypeOf((*failure)(nil)).Elem()":                                           false,
		"var x = reflect.TypeOf((*sync.Mutex)(nil)).Elem()":                                        false,
		"var x = []byte(f())":                                                                      true,
		"var x = (*pointerTo)(nil)":                                                                true,
		"var x = reflect.TypeOf(f()).Elem()":                                                       true,
		"var x = reflect.TypeFor[int]().Elem()":                                                    true, // which the list has not
		"var x = reflect.ValueOf(&other.Counter).Elem().Interface()":                               true,
		"var x = append(settings.list, 1)":                                                         false,
		"var x = settings.parts[0].list":                                                           false,
		"var x = settings.parts[f()].list":                                                         true,
		"var x = settings.method()":                                                                true,
		"var x = other.List.list":                                                                  true,
		"var x = unicode.ToUpper('a')":                                                             false,
		"var x = unicode.Map(f, own)":                                                              true,
		"var x = unicode.TrimFunc(own, f)":                                                         true,
		"var x = func() int { return own }()":                                                      false,
		"var x = func() int { sum := 0; for _, s := range append(names, \"c\") { sum += len(s) }; return sum }()": false,
		"var x = func() int { sum := 0; for range 3 { sum += f() }; return sum }()":                               true,
		"var x = func(n int) int { other.Counter++; return n }(1)":                                                true,
		"var x = func() int { own := other.List; own[0] = 1; return 1 }()":                                        true,
		"var x = other.New(1).Elem()": true,
	} {
		dir := t.TempDir()
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("other.go", otherSource)
		dot := ""
		if strings.HasPrefix(text, "import") {
			dot, text, _ = strings.Cut(text, "\n")
		}
		write("p.go", "package p\n\n"+dot+"\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\t\"math/big\"\n\tflags \"flag\"\n\t\"reflect\"\n\t\"sync\"\n\t\"unicode\"\n\n\tstrings \"example.org/strings\"\n\t\"example.org/other\"\n)\n\n"+helpers+text+"\n")
		all := map[string]*listed{
			"errors": {ImportPath: "errors", Name: "errors", Standard: true}, "sync": {ImportPath: "sync", Name: "sync", Standard: true},
			"reflect": {ImportPath: "reflect", Name: "reflect", Standard: true}, "flag": {ImportPath: "flag", Name: "flag", Standard: true},
			"math/big":          {ImportPath: "math/big", Name: "big", Standard: true},
			"example.org/other": {ImportPath: "example.org/other", Name: "other", Dir: dir, GoFiles: []string{"other.go"}},
		}
		p := &listed{ImportPath: "p", Name: "p", Dir: dir, GoFiles: []string{"p.go"}}
		if got := p.hasEffects(all); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestInitOrder(t *testing.T) {
	all := map[string]*listed{}
	add := func(path string, imports ...string) { all[path] = &listed{ImportPath: path, Imports: imports} }
	add("std/late")
	add("std/none")
	add("z", "std/late")
	add(Library, "std/late", "z")
	add("a", "std/late")
	add("b", "std/late")
	add("c", "a", "std/none")
	add("main", "a", "b", "c")
	for adds, want := range map[string]string{"": "std/none std/late a b c main ", "a": "std/none std/late b z " + Library + " a c main ", "c": "std/none std/late a b z " + Library + " c main "} {
		got := ""
		for _, p := range initOrder(all, all["main"], func(p *listed) bool { return p.ImportPath == "std/none" }, func(p *listed) bool { return p.ImportPath == adds }) {
			got += p.ImportPath + " "
		}
		if got != want {
			t.Errorf("with the library in %q %s, want %s", adds, got, want)
		}
	}
}

// TestReordered has a package without anything to initialize, which the linker does not see. So it does not keep back the one that
// imports it, whose path comes first, until that imports the library.
func TestReordered(t *testing.T) {
	for text, want := range map[string]bool{"const Name = \"x\"": true, "var Name = \"x\"": true, "func init() {}": false} {
		dir := t.TempDir()
		all := map[string]*listed{}
		add := func(path, text string, imports ...string) {
			name := filepath.Base(path)
			if err := os.WriteFile(filepath.Join(dir, name+".go"), []byte("package "+name+"\n\n"+text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			all[path] = &listed{ImportPath: path, Name: name, Dir: dir, GoFiles: []string{name + ".go"}, Imports: imports}
		}
		const sets = "import \"github.com/a/state\"\n\nfunc init() { state.List = append(state.List, 1) }"
		add("sync", "func init() {}")
		all["sync"].Standard = true
		add(Library, "func init() {}", "sync")
		add("github.com/a/state", "var List []int\n\nfunc init() {}")
		add("github.com/z/names", text)
		add("github.com/a/first", sets, "github.com/a/state", "github.com/z/names")
		add("github.com/c/second", sets, "github.com/a/state")
		add("main", "", "github.com/a/first", "github.com/c/second", "sync")
		p := &Package{Dir: dir, Files: []*File{{Name: "first.go", New: []byte("import \"" + Library + "\"")}}}
		if _, got := reordered(all, []*Package{p})[p]; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
