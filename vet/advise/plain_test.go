package advise

import "testing"

// TestReasonsOfPlain has values that a package of YAML decodes, and keeps here in its body. It is trusted with those without methods.
func TestReasonsOfPlain(t *testing.T) {
	files := func() map[string]string {
		return map[string]string{
			"go.mod": goMod(t, "a.example") + `
require gopkg.in/yaml.v3 v3.0.1

replace gopkg.in/yaml.v3 => ./yaml
`,
			"yaml/go.mod": "module gopkg.in/yaml.v3\n\ngo 1.25.0\n",
			"yaml/yaml.go": `package yaml

var (
	last  any
	bytes []byte
)

func Unmarshal(in []byte, out any) error { last, bytes = out, in; return nil }

func Marshal(in any) ([]byte, error) { last = in; return nil, nil }

func NewDecoder(in []byte) any { bytes = in; return nil }
`,
		}
	}
	judgedWith(t, files(), `package p

import (
	"io"
	"time"

	"gopkg.in/yaml.v3"
)

type plain struct {
	Names []string
	By    map[string]*plain
	At    time.Time
	Pad   [40]int64
}

type leaf struct{ b []byte }

func (l *leaf) UnmarshalYAML(f func(any) error) error { return f(&l.b) }

type mixed struct {
	Leaf leaf
	Pad  [40]int64
}

type open struct {
	Any any
	Pad [40]int64
}

func decoded(r io.Reader, n int) int {
	b := make([]byte, n) // : pool it; The memory does not leave decoded.
	r.Read(b)
	var v plain // : pool it; The memory does not leave decoded.
	yaml.Unmarshal(b, &v)
	return len(v.Names)
}

func rounds(lines [][]byte) (n int) {
	for _, b := range lines {
		var v plain // : reuse a variable; It does not leave the loop: declare it before the loop, and set it to its zero value in each round, because yaml.Unmarshal leaves alone
		yaml.Unmarshal(b, &v)
		n += len(v.Names)
	}
	return n
}

func encoded(w io.Writer, data []byte) {
	v := &plain{} // : pool it; The memory does not leave encoded.
	b, _ := yaml.Marshal(v)
	w.Write(b)
}

func methods(b []byte) int {
	var v mixed // : needs an owner; The memory leaves methods: it is passed to yaml.Unmarshal
	yaml.Unmarshal(b, &v)
	return len(v.Leaf.b)
}

func anything(b []byte) bool {
	var v open // : needs an owner; The memory leaves anything: it is passed to yaml.Unmarshal
	yaml.Unmarshal(b, &v)
	return v.Any != nil
}

func unknown(r io.Reader, n int, v any) {
	b := make([]byte, n) // : needs an owner; The memory leaves unknown: it is passed to yaml.Unmarshal
	r.Read(b)
	yaml.Unmarshal(b, v)
}

func others(r io.Reader, n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves others: it is passed to yaml.NewDecoder
	r.Read(b)
	yaml.NewDecoder(b)
}
`, func(i int, s *synthetic) { s.objects = s.bytes / 512 })
	judgedWith(t, files(), `package p

import "gopkg.in/yaml.v3"

type leaf struct{ b []byte }

func (l *leaf) UnmarshalYAML(f func(any) error) error { return f(&l.b) }

type mixed struct {
	Leaf leaf
	Pad  [40]int64
}

func alone(b []byte) int {
	var v mixed // : needs an owner; The memory leaves alone: it is passed to yaml.Unmarshal
	yaml.Unmarshal(b, &v)
	return len(v.Leaf.b)
}
`, nil)
}
