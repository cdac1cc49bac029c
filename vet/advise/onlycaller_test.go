package advise

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestReasonsOfOnlyCaller has functions that return memory to few callers, to many, or to callers of which not all are known.
func TestReasonsOfOnlyCaller(t *testing.T) {
	const leaves = "needs an owner; The memory leaves "
	judged(t, `package p

var last, other []byte

func one(n int) []byte {
	return make([]byte, n) // : `+leaves+`one: it is returned from p.one to p.First at p.go:9, its only caller. Its last user would have to put it back.$
}

func First(n int) { last = one(n); other = one(n) }

func two(n int) []byte {
	return make([]byte, n) // : `+leaves+`two: it is returned from p.two to its only callers, p.Second at p.go:15 and p.Third at p.go:17. Its last user
}

func Second(n int) { last = two(n) }

func Third(n int) { last = two(n) }

func Exported(n int) []byte {
	return make([]byte, n) // : `+leaves+`Exported: it is returned from p.Exported. Its last user
}

func Fourth(n int) { last = Exported(n) }

func many(n int) []byte {
	return make([]byte, n) // : `+leaves+`many: it is returned from p.many. Its last user
}

func A(n int) { last = many(n) }

func B(n int) { last = many(n) }

func C(n int) { last = many(n) }

func D(n int) { last = many(n) }

func again(n int) []byte {
	if n > 1 {
		return again(n / 2)
	}
	return make([]byte, n) // : `+leaves+`again: it is returned from p.again. Its last user
}

func E(n int) { last = again(n) }

func value(n int) []byte {
	return make([]byte, n) // : `+leaves+`value: it is returned from p.value. Its last user
}

func Fifth(n int, set func(func(int) []byte)) { last = value(n); set(value) }

type maker interface{ make(n int) []byte }

type made struct{}

func (m *made) make(n int) []byte {
	return make([]byte, n) // : `+leaves+`(*made).make: it is returned from (*p.made).make. Its last user
}

func Sixth(m maker, n int) { last = m.make(n); last = (&made{}).make(n) }
`, nil)
	const code = "package p\n\nvar last []byte\n\nfunc one(n int) []byte {\n\treturn make([]byte, n) // : " + leaves + "one: it is returned from p.one. Its last user\n}\n\nfunc First(n int) { last = one(n) }\n"
	judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/x_plan9.go": "package p\n\nfunc second(n int) { last = one(n) }\n"}, code, nil)
}

// TestReasonsOfDone has an exported function, one caller of which lets the memory go nowhere. The report says so if that one has
// the most.
func TestReasonsOfDone(t *testing.T) {
	needGo(t)
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": `package p

var last []byte

func Make(n int) []byte {
	b := make([]byte, n)
	b[0] = 1
	return b
}

func First(n int) byte { return Make(n)[0] }

func Keep(n int) { last = Make(n) }

func Both(n int) byte {
	last = Make(n)
	return Make(n)[0]
}
`})
	for _, test := range []struct{ callers, want string }{
		{"First", " All of it is for First, which is done with it when it returns."},
		{"Keep", ""},
		{"Both", ""},
		{"First First First Keep", " Of its callers, First has the most: 75 %, and is done with it when it returns."},
		{"Keep Keep Keep First", " Of its callers, Keep has the most: 75 %."},
		{strings.Repeat("First ", 300) + "Keep", " Almost all of it is for First, which is done with it when it returns."},
	} {
		count := map[string]uint64{}
		for _, name := range strings.Fields(test.callers) {
			count[name]++
		}
		var sites []synthetic
		for name, n := range count {
			sites = append(sites, synthetic{"", "a.example/p.Make by a.example/p." + name, "/src/a.example/p/p.go", 5, 6, n * 100_000, n * 100_000 << 12, 0, 0})
		}
		var r Report
		stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-json")
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 || len(r.Sites) != 1 {
			t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
		}
		if want := "it is returned from p.Make. Its last user would have to put it back." + test.want; !strings.HasSuffix(r.Sites[0].Reason, want) {
			t.Errorf("%s: %s, want %s", test.callers, r.Sites[0].Reason, want)
		}
	}
}
