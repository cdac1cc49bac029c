package advise

import "testing"

// TestReasonsOfOnlyCaller has functions that return memory to one caller, or to callers of which not all are known.
func TestReasonsOfOnlyCaller(t *testing.T) {
	const leaves = "needs an owner; The memory leaves "
	judged(t, `package p

var last, other []byte

func one(n int) []byte {
	return make([]byte, n) // : `+leaves+`one: it is returned from p.one to p.First, its only caller. Its last user would have to put it back.$
}

func First(n int) { last = one(n); other = one(n) }

func two(n int) []byte {
	return make([]byte, n) // : `+leaves+`two: it is returned from p.two. Its last user
}

func Second(n int) { last = two(n) }

func Third(n int) { last = two(n) }

func Exported(n int) []byte {
	return make([]byte, n) // : `+leaves+`Exported: it is returned from p.Exported. Its last user
}

func Fourth(n int) { last = Exported(n) }

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
