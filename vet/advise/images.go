package advise

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Functions that filter images make some for themselves: copies with a margin, and the first of two passes. Their pixels can
// come from basin.

// imaged has an image made by a function of the file, which takes the pixels from basin.
func (m *mend) imaged() error {
	fn := m.funcName(m.call.Fun)
	if f := m.a.fate; f.sized || f.grows || f.forked {
		return refusal("its pixels may be extended, or asked for their capacity")
	}
	stmt, v, basin, err := m.constructor(fn)
	if err != nil {
		return err
	}
	if err := m.needs("math"); err != nil {
		return err
	}
	size, typ := images[fn], "PKG."+strings.TrimPrefix(fn, "image.New")
	pkg, _, _ := strings.Cut(m.text(m.call.Fun), ".")
	text := strings.NewReplacer("TYPE", typ, "SIZE", size, "BASIN", basin, "SHORT", unqualified(fn)).Replace(`
// NAME is SHORT with pixels from basin.
func NAME(r PKG.Rectangle) *TYPE {
	w, h := r.Dx(), r.Dy()
	if w <= 0 || h <= 0 || w > math.MaxInt/SIZE/h {
		return PKG.SHORT(r)
	}
	return &TYPE{Pix: BASIN.GetZeroed(SIZE * w * h), Stride: SIZE * w, Rect: r}
}
`)
	text = strings.ReplaceAll(text, "PKG.", pkg+".")
	name, err := m.declareText(v, func(name string) string { return strings.ReplaceAll(text, "NAME", name) })
	if err != nil {
		return err
	}
	m.replace(m.call.Fun.Pos(), m.call.Fun.End(), name)
	if len(m.a.fate.late) > 0 { // and the image may have others by then
		pixels := m.newName("pixels")
		return m.after(stmt, append(m.put("defer "+basin+".Put("+pixels+")"), pixels+" := "+v.Name+".Pix")...)
	}
	return m.after(stmt, m.put("defer "+basin+".Put("+v.Name+".Pix)")...)
}

// pixels returns the text of the pixels of an image that a variable has, which is an interface or a pointer.
func (m *mend) pixels(name string, v types.Object, made ssa.Value) (string, error) {
	if !types.IsInterface(v.Type()) {
		return name + ".Pix", nil
	}
	typ := types.TypeString(made.Type(), (*types.Package).Name)
	if err := m.needs("image"); err != nil {
		return "", err
	}
	return name + ".(" + typ + ").Pix", nil
}

// isMade reports whether a value is surely an image that has just been made, or an interface's value that has it.
func isMade(v, made ssa.Value) bool {
	if x, ok := v.(*ssa.MakeInterface); ok {
		v = x.X
	}
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return v == made
	}
	variable, ok := load.X.(*ssa.Alloc) // that a function literal has, too
	if !ok || load.Op != token.MUL {
		return false
	}
	stored, known := storedIn(variable)
	return known && len(stored) == 1 && stored[0] == made && slices.ContainsFunc(*variable.Referrers(), func(r ssa.Instruction) bool {
		_, ok := r.(*ssa.Store)
		return ok && runsBefore(r, load)
	})
}
