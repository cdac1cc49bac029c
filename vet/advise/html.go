package advise

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed page.html
var pageText string

// page writes the report as one page, which loads nothing.
func (r *Report) page(w io.Writer) error {
	t, err := template.New("").Funcs(template.FuncMap{
		"per":     r.perSecond,
		"percent": percent,
		"bytes":   bytesText,
		"count":   countText,
		"size":    (*Site).pieceSize,
		"age":     (*Site).ageText,
		"where":   (*Site).where,
		"how":     (*Site).how,
		"plural":  plural,
		"float":   func(n int64) float64 { return float64(n) },
		"width":   func(part, all float64) float64 { return 20 * part / max(all, 1) },
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}
