package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfMethods has memory that is an argument of a method of an interface, whose types are known by where its value
// comes from, or by all conversions.
func TestReasonsOfMethods(t *testing.T) {
	const back = " Its last user would have to put it back."
	judged(t, strings.ReplaceAll(`package p

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

type Packet interface {
	Unpack(r io.Reader) error
}

type first struct{ n byte }

func (f *first) Unpack(r io.Reader) error {
	var b [1]byte
	_, err := io.ReadFull(r, b[:])
	f.n = b[0]
	return err
}

type second struct{ text string }

func (s second) Unpack(r io.Reader) error {
	_, err := fmt.Fscan(r, &s.text)
	return err
}

type keeper struct{ r io.Reader }

func (k *keeper) Unpack(r io.Reader) error {
	k.r = r
	return nil
}

func packet(kind byte) (Packet, error) {
	switch kind {
	case 0:
		return &first{}, nil
	case 1:
		return second{}, nil
	}
	return nil, errors.New("unknown")
}

func packetOrKeeper(kind byte) Packet {
	if p, err := packet(kind); err == nil {
		return p
	}
	return &keeper{}
}

func read(r io.Reader, kind byte, n int) (Packet, error) {
	p, err := packet(kind)
	if err != nil {
		return nil, err
	}
	b := make([]byte, n) // : pool it; The memory does not leave read.
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	return p, p.Unpack(bytes.NewReader(b))
}

func kept(r io.Reader, n int) Packet {
	p := packetOrKeeper(byte(n))
	b := make([]byte, n) // : needs an owner; The memory leaves kept: it is passed to (*p.keeper).Unpack, where it is stored in field keeper.r.BACK
	p.Unpack(bytes.NewReader(b))
	return p
}

func given(p Packet, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave given: it is passed to method Unpack of an interface, which may keep it.BACK
	p.Unpack(bytes.NewReader(b))
}

func setLater(n int) {
	var p Packet = &first{}
	func() { p = packetOrKeeper(2) }()
	b := make([]byte, n) // : needs an owner; The memory leaves setLater: it is passed to (*p.keeper).Unpack, where it is stored in field keeper.r.BACK
	p.Unpack(bytes.NewReader(b))
}

func either(p Packet, n int) {
	if n > 10 {
		p = &first{}
	}
	b := make([]byte, n) // : needs an owner; The memory may leave either: it is passed to method Unpack of an interface, which may keep it.BACK
	p.Unpack(bytes.NewReader(b))
}

func asserted(kind byte, n int) {
	p := any(packetOrKeeper(kind))
	q, ok := p.(interface{ Unpack(io.Reader) error })
	b := make([]byte, n) // : needs an owner; The memory leaves asserted: it is passed to (*p.keeper).Unpack, where it is stored in field keeper.r.BACK
	if ok {
		q.Unpack(bytes.NewReader(b))
	}
}

func helper(p Packet, n int) {
	b := make([]byte, n) // : pool it; The memory does not leave helper.
	p.Unpack(bytes.NewReader(b))
}

func calls(n int) {
	helper(&first{}, n)
	helper(second{}, n)
}

type spread interface {
	all(list ...[]byte) []byte
}

type joining struct{}

func (joining) all(list ...[]byte) []byte { return append(list[0], list[1]...) }

func grown(n int) int {
	var s spread = joining{}
	b := make([]byte, n) // : pool it; The memory does not leave grown.
	return len(s.all(b, b))
}

func returned(n int) []byte {
	var s spread = joining{}
	b := make([]byte, n) // : needs an owner; The memory leaves returned: it is returned from p.returned.BACK
	return s.all(b, nil)
}
`, "BACK", back), nil)
}

// TestReasonsOfSealed has an interface whose values are elements of a list, so that all conversions count, also those of other
// code. Each case adds some lines to the package.
func TestReasonsOfSealed(t *testing.T) {
	const (
		sealed   = "pool it; The memory does not leave put."
		unsealed = "needs an owner; The memory may leave put: it is passed to method Put of an interface, which may keep it."
		keeps    = "needs an owner; The memory leaves put: it is passed to (*p.keeper).Put, where it is stored in field keeper.b."
		keeper   = "type keeper struct{ b []byte }\n\nfunc (k *keeper) Put(w io.Writer, b []byte) { k.b = b }\n\n"
		putter   = "type putter interface{ Put(w io.Writer, b []byte) }\n\n"
		exported = "type Putter interface{ Put(w io.Writer, b []byte) }\n\n"
	)
	for what, c := range map[string]struct{ code, reason string }{
		"the package alone":                         {"", sealed},
		"an exported alias":                         {"type Item = item", unsealed},
		"a parameter of an exported function":       {"func Add(i item) { items = append(items, i) }", unsealed},
		"a slice that an exported function returns": {"func Items() []item { return items }", unsealed},
		"a result of an exported function":          {"func First() item { return items[0] }", sealed},
		"an exported field":                         {"type list struct{ Items []item }", unsealed},
		"a field of an exported type":               {"type List struct{ items []item }", sealed},
		"an exported variable":                      {"var Items []item", unsealed},
		"an exported type":                          {"type Items []item", unsealed},
		"an assertion":                              {"func add(x any) { items = append(items, x.(item)) }", unsealed},
		"an assertion of a known value":             {"func add() {\n\tvar x any = word{}\n\titems = append(items, x.(item))\n}", sealed},
		"an assertion in a switch":                  {"func add(x any) {\n\tswitch x := x.(type) {\n\tcase item:\n\t\titems = append(items, x)\n\t}\n}", unsealed},
		"an exported interface":                     {exported + "func Add(p Putter) { items = append(items, p) }", unsealed},
		"another interface":                         {putter + "func add(p putter) { items = append(items, p) }", sealed},
		"another interface that is offered":         {putter + "func Add(p putter) { items = append(items, p) }", unsealed},
		"interfaces that become each other":         {putter + "func add(p putter, i item) (putter, item) { return i, p }", sealed},
		"an interface that becomes one of others":   {putter + "func add(p putter, i item) (putter, item) { return i, p }\n\nfunc Put(p putter) {}", unsealed},
		"a pointer to another interface":            {exported + "func Add(p *Putter) { items = append(items, *(*item)(p)) }", unsealed},
		"a target of errors.As":                     {"func add(err error) {\n\tvar i item\n\tif errors.As(err, &i) {\n\t\titems = append(items, i)\n\t}\n}", unsealed},
		"generic code":                              {"func each[T any](all []T, f func(T)) {\n\tfor _, x := range all {\n\t\tf(x)\n\t}\n}\n\nfunc all() { each(items, func(item) {}) }", sealed},
		"generic code that asserts":                 {"func as[T any](x any) T { return x.(T) }\n\nfunc add(x any) { items = append(items, as[item](x)) }", unsealed},
		"generic code of another package":           {"var current atomic.Pointer[item]", unsealed},
		"generic code that calls another package":   {"type cell[T any] struct{ v atomic.Pointer[T] }\n\nvar current cell[item]", unsealed},
		"generic code that only moves":              {"func sorted() { slices.SortFunc(items, func(a, b item) int { return 0 }) }", sealed},
		"a type parameter":                          {"func add[T item](x T) { items = append(items, x) }", unsealed},
		"a type that keeps it":                      {keeper + "var other item = &keeper{}", keeps},
		"a type that keeps it, and only tests have": {keeper, keeps},
		"a generic type that is never an item":      {"type keeper[T any] struct{ b []byte }\n\nfunc (k *keeper[T]) Put(w io.Writer, b []byte) { k.b = b }", sealed},
		"an embedded type that keeps it":            {keeper + "type outer struct{ *keeper }\n\nvar other item = outer{}", keeps},
		"an embedded interface":                     {"type outer struct{ item }\n\nfunc add(i item) { items = append(items, outer{i}) }", sealed},
	} {
		t.Run(what, func(t *testing.T) {
			judged(t, strings.NewReplacer("REASON", c.reason, "CODE", c.code).Replace(`package p

import (
	"errors"
	"io"
	"slices"
	"sync/atomic"
)

var (
	_ = errors.As
	_ = slices.Max[[]int]
	_ atomic.Bool
)

type item interface{ Put(w io.Writer, b []byte) }

type word struct{}

func (word) Put(w io.Writer, b []byte) { w.Write(b) }

var items = []item{word{}}

func put(w io.Writer, n int) {
	b := make([]byte, n) // : REASON
	for _, i := range items {
		i.Put(w, b)
	}
}

CODE
`), nil)
		})
	}
}

// TestReasonsOfSealedMethods has methods with unexported names, of an interface that others can embed.
func TestReasonsOfSealedMethods(t *testing.T) {
	judged(t, `package p

import (
	"bytes"
	"io"
)

type Item interface {
	put(w *bytes.Buffer)
	keep(w io.Writer)
	generic(w io.Writer)
	Offer(w io.Writer)
}

type Word struct{ kept io.Writer }

func (Word) put(w *bytes.Buffer) { w.WriteByte(1) }
func (w *Word) keep(k io.Writer) { w.kept = k }
func (Word) generic(w io.Writer) {}
func (Word) Offer(w io.Writer)   {}

type list[T any] struct{ kept T }

func (l *list[T]) generic(w T) { l.kept = w }

type other struct{ kept *bytes.Buffer }

func (o *other) put(w *bytes.Buffer, n int) { o.kept = w }

func put(items []Item, n int) int {
	b := bytes.NewBuffer(make([]byte, n)) // : pool it; The memory does not leave put.
	for _, i := range items {
		i.put(b)
	}
	return b.Len()
}

func keep(items []Item, n int) int {
	b := bytes.NewBuffer(make([]byte, n)) // : needs an owner; The memory leaves keep: it is passed to (*p.Word).keep, where it is stored in field Word.kept.
	items[0].keep(b)
	return b.Len()
}

func generic(items []Item, n int) int {
	b := bytes.NewBuffer(make([]byte, n)) // : needs an owner; The memory may leave generic: it is passed to method generic of an interface, which may keep it.
	items[0].generic(b)
	return b.Len()
}

func offer(items []Item, n int) int {
	b := bytes.NewBuffer(make([]byte, n)) // : needs an owner; The memory may leave offer: it is passed to method Offer of an interface, which may keep it.
	items[0].Offer(b)
	return b.Len()
}
`, nil)
}

// TestReasonsOfGiven has methods that let a Buffer grow, which functions make that call them through an interface.
func TestReasonsOfGiven(t *testing.T) {
	judged(t, `package p

import (
	"bytes"
	"io"
)

type object interface{ encode(out *bytes.Buffer) }

type part struct{ text []byte }

var known object = &part{}

func (p *part) encode(out *bytes.Buffer) {
	out.Write(p.text) // bytes.(*Buffer).Write: pool it; Callers pass different Buffers, of which some do not leave their functions, such as (p.list).encode.
}

type list []object

var lists object = list{}

func (l list) encode(out *bytes.Buffer) {
	inner := new(bytes.Buffer)
	for _, o := range l {
		o.encode(inner)
	}
	out.Write(inner.Bytes())
}

func encoded(o object) []byte {
	out := new(bytes.Buffer)
	o.encode(out)
	return out.Bytes()
}

type item interface{ put(w io.Writer) }

type word struct{ text []byte }

var other item = &word{}

func (i *word) put(w io.Writer) {
	w.Write(i.text) // bytes.(*Buffer).Write: pool it; Callers pass different Buffers, of which some do not leave their functions, such as p.size.
}

func size(i item) int {
	var b bytes.Buffer
	i.put(&b)
	return b.Len()
}

type Open interface{ Put(w io.Writer) }

func (i *word) Put(w io.Writer) {
	w.Write(i.text) // bytes.(*Buffer).Write: needs an owner; The memory leaves (*word).Put: it belongs to the caller, who passes it as w.
}

func openSize(i Open) int {
	var b bytes.Buffer
	i.Put(&b)
	return b.Len()
}
`, nil)
}

// TestReasonsOfUnsafe has an interface that gets values of others by package unsafe.
func TestReasonsOfUnsafe(t *testing.T) {
	judged(t, `package p

import "unsafe"

type taker interface{ Take(b []byte) }

type counter struct{ n int }

func (c *counter) Take(b []byte) { c.n += len(b) }

type Taker interface{ Take(b []byte) }

func take(o Taker, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave take: it is passed to method Take of an interface, which may keep it. Its last user would have to put it back.
	t := *(*taker)(unsafe.Pointer(&o))
	t.Take(b)
}
`, nil)
}

// TestReasonsOfMethodValues has methods that are called by values and by expressions, and named as methods.
func TestReasonsOfMethodValues(t *testing.T) {
	judged(t, `package p

type keeper struct{ b []byte }

func (k *keeper) set(b []byte) { k.b = b }

func value(k *keeper, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves value: it is passed to (*p.keeper).set, where it is stored in field keeper.b. Its last user would have to put it back.
	set := k.set
	set(b)
}

func expression(k *keeper, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves expression: it is passed to (*p.keeper).set, where it is stored in field keeper.b. Its last user would have to put it back.
	(*keeper).set(k, b)
}
`, nil)
}

// TestReasonsOfSealedElsewhere has a method with an unexported name in a package with files for other systems, which may have another.
func TestReasonsOfSealedElsewhere(t *testing.T) {
	for other, want := range map[string]string{
		"func (f file) unpack(b []byte) { kept = b }":                     "pool it; The memory does not leave F.",
		"func pack(b []byte) { kept = b }":                                "pool it; The memory does not leave F.",
		"type other struct{}\n\nfunc (other) pack(b []byte) { kept = b }": "needs an owner; The memory may leave F: it is passed to method pack of an interface",
		"func (": "needs an owner; The memory may leave F: it is passed to method pack of an interface",
	} {
		judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p_plan9.go": "package p\n\nvar kept []byte\n\n" + other + "\n"}, `package p

type Packer interface{ pack(b []byte) }

type file struct{ n int }

func (f *file) pack(b []byte) { f.n = copy(b, "x") }

func F(p Packer, n int) {
	b := make([]byte, n) // : `+want+`
	p.pack(b)
}
`, nil)
	}
}
