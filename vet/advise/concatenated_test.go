package advise

import "testing"

// TestReasonsOfConcatenation has strings that rounds of loops extend, and some that they do not.
func TestReasonsOfConcatenation(t *testing.T) {
	const (
		text   = "not judged; Strings cannot be written to, so nothing can reuse them."
		copied = " Each round copies the whole text so far: let a strings.Builder, b, have it before the loop; "
		print  = copied + "fmt.Fprintf(&b, ...) does so without these copies.$"
		write  = copied + "b.WriteString does so without these copies.$"
	)
	judged(t, `package p

import "fmt"

func hash(key string, labels []string) (string, string) {
	hash := key
	for i, l := range labels {
		hash += fmt.Sprintf(";%d=%s", i, l) // fmt.Sprintf: `+text+print+`
	}
	return key, hash
}

func flat(labels []string) (all string) {
	for i, l := range labels {
		all += fmt.Sprintf(";%d=%s", i, l) // : `+text+print+`
	}
	return all
}

func list(labels []string) (all string) {
	for _, l := range labels {
		if all != "" {
			all += ","
		}
		all += l // : `+text+write+`
	}
	return all
}

func parts(labels []string) (all string) {
	for _, l := range labels {
		all = all + l + "," // : `+text+write+`
	}
	return all
}

func before(labels []string) (all string) {
	for _, l := range labels {
		all = l + all // : `+text+`$
	}
	return all
}

func each(labels []string, use func(string)) {
	for _, l := range labels {
		use("<" + l) // : `+text+`$
	}
}

func used(labels []string, use func(string)) (all string) {
	for _, l := range labels {
		all += l // : `+text+`$
		use(all)
	}
	return all
}

func once(a string, n int) string {
	a += fmt.Sprintf("%d", n) // fmt.Sprintf: `+text+`$
	return a
}

func afresh(labels [][]string, use func(string)) {
	for _, l := range labels {
		s := "x"
		s += fmt.Sprint(l) // fmt.Sprint: `+text+`$
		use(s)
	}
}

func twice(labels []string) (all string) {
	for _, l := range labels {
		all += l // : `+text+`$
		all += all
	}
	return all
}
`, nil)
}
