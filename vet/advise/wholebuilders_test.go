package advise

import "testing"

// TestReasonsOfWholeBuilders has Builders whose Grow makes all of their memory, or a part of it.
func TestReasonsOfWholeBuilders(t *testing.T) {
	const (
		grow  = "strings.(*Builder).Grow, internal/bytealg.MakeNoZero"
		write = "strings.(*Builder).WriteString"
		whole = "do not pool; Its memory becomes the string, and Grow makes it in one piece already, so nothing can reuse it.$"
		once  = "do not pool; Its memory becomes the string, and one call of "
		piece = " makes it in one piece already, so nothing can reuse it.$"
		steps = "preallocate; Its memory becomes the string, so nothing can reuse it; if you know the length, call Grow first.$"
		first = "preallocate; Its memory becomes the string, so nothing can reuse it; if you know the length, call Grow first.$"
	)
	judged(t, `package p

import (
	"bytes"
	"fmt"
	"strings"
)

func known(a, b string) string {
	var w strings.Builder
	w.Grow(len(a) + len(b)) // `+grow+`: `+whole+`
	w.WriteString(a)
	w.WriteString(b)
	return w.String()
}

func rounds(all []string) (list []string) {
	for _, s := range all {
		var w strings.Builder
		w.Grow(2 * len(s)) // `+grow+`: `+whole+`
		w.WriteString(s)
		list = append(list, w.String())
	}
	return list
}

func some(a, b string) string {
	var w strings.Builder
	if a != "" {
		w.Grow(len(a)) // `+grow+`: `+first+`
	}
	w.WriteString(a)
	w.WriteString(b) // `+write+`: `+first+`
	return w.String()
}

func copied(r *bytes.Reader) (string, error) {
	var w strings.Builder
	_, err := r.WriteTo(&w) // bytes.(*Reader).WriteTo, strings.(*Builder).Write: `+once+`WriteTo`+piece+`
	return w.String(), err
}

func printed(a, b string) string {
	var w strings.Builder
	fmt.Fprintf(&w, "%s=%s", a, b) // fmt.Fprintf, strings.(*Builder).Write: `+once+`Fprintf`+piece+`
	return w.String()
}

func twice(r *bytes.Reader, a string) (string, error) {
	var w strings.Builder
	fmt.Fprint(&w, a)
	fmt.Fprint(&w, ":") // fmt.Fprint, strings.(*Builder).Write: `+steps+`
	return w.String(), nil
}

func looped(all []string) string {
	var w strings.Builder
	for _, s := range all {
		fmt.Fprint(&w, s) // fmt.Fprint, strings.(*Builder).Write: `+steps+`
	}
	return w.String()
}

func again(all []string) string {
	var w strings.Builder
	for _, s := range all {
		w.Grow(len(s)) // `+grow+`: `+first+`
		w.WriteString(s)
	}
	return w.String()
}
`, nil)
}
