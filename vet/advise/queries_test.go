package advise

import "testing"

// TestReasonsOfQueries has queries that a function parses once, or several times.
func TestReasonsOfQueries(t *testing.T) {
	const inside = "do not pool; net/url.(*URL).Query, or a function that it calls, makes this memory, and has no argument for it."
	judged(t, `package p

import (
	"net/http"
	"net/url"
)

func twice(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("a") != "" { // net/url.(*URL).Query: `+inside+` It parses the query at each call, of which p.twice has 2: call it once, and keep the result, unless the URL changes between.$
		w.Write([]byte(r.URL.Query().Get("b")))
	}
}

func looped(r *http.Request, names []string) (n int) {
	for _, name := range names {
		n += len(r.URL.Query().Get(name)) // net/url.(*URL).Query: `+inside+` It parses the query at each call, which p.looped has in a loop: call it before the loop, and keep the result, unless the URL changes in that.$
	}
	return n
}

func each(all []*http.Request) (n int) {
	for _, r := range all {
		n += len(r.URL.Query().Get("a")) // net/url.(*URL).Query: `+inside+`$
	}
	return n
}

func once(r *http.Request) string {
	return r.URL.Query().Get("a") // net/url.(*URL).Query: `+inside+`$
}

func others(a, b *url.URL) bool {
	return a.Query().Get("x") == b.Query().Get("x") // net/url.(*URL).Query: `+inside+`$
}
`, nil)
}
