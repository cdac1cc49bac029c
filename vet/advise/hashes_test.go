package advise

import (
	"strings"
	"testing"
)

// TestHashes has hashes that are made by a crypto.Hash, which is a variable or a constant.
func TestHashes(t *testing.T) {
	const code = `package p

import (
	"crypto"
	_ "crypto/sha256"
	"hash"
)

const mine = crypto.SHA256

type digest struct{ h hash.Hash }

func variable(h crypto.Hash, b []byte) []byte {
	d := h.New() // crypto.Hash.New, crypto/sha256.New: pool it; The memory does not leave variable. There is no patch: its crypto.Hash is no constant that the whole file knows, and each needs a pool of its own.$
	d.Write(b)
	return d.Sum(nil)
}

func each(all []crypto.Hash, b []byte) {
	for _, h := range all {
		d := h.New() // crypto.Hash.New, crypto/sha256.New: pool it; The memory does not leave each. There is no patch: it runs in a loop, and a deferred Put comes only when the function returns: make the body a function.$
		d.Write(d.Sum(b))
	}
}

func constant(b []byte) []byte {
	d := crypto.SHA256.New() // crypto.Hash.New, crypto/sha256.New: pool it; The memory does not leave constant.$
	d.Write(b)
	return d.Sum(nil)
}

func named(b []byte) []byte {
	d := mine.New() // crypto.Hash.New, crypto/sha256.New: pool it; The memory does not leave named.$
	d.Write(b)
	return d.Sum(nil)
}

func local(b []byte) []byte {
	const own = crypto.SHA256
	d := own.New() // crypto.Hash.New, crypto/sha256.New: pool it; The memory does not leave local. There is no patch: its crypto.Hash is no constant that the whole file knows, and each needs a pool of its own.$
	d.Write(b)
	return d.Sum(nil)
}

func kept(h crypto.Hash) *digest {
	return &digest{h.New()} // crypto.Hash.New, crypto/sha256.New: needs an owner; The memory leaves kept: it is returned from p.kept. Its last user would have to put it back.
}

func rounds(all [][]byte) {
	for _, b := range all {
		d := crypto.SHA256.New() // crypto.Hash.New, crypto/sha256.New: reuse a variable; It does not leave the loop: make it before the loop, and Reset it in each round. There is no patch:
		d.Write(d.Sum(b))
	}
}
`
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, code, nil)
	for _, s := range r.Sites {
		switch {
		case s.Verdict != PoolIt:
		case strings.HasSuffix(s.Function, "variable"):
			if want := "a basin.Pool[hash.Hash] for each crypto.Hash, with Reset"; s.Call != want {
				t.Errorf("%s, want %s", s.Call, want)
			}
		case strings.HasSuffix(s.Function, "constant"):
			const want = "+\tdefer constantD.Put(d)\n"
			const pool = "+var constantD = basin.Pool[hash.Hash]{\n+\tNew: func() hash.Hash { return crypto.SHA256.New() },\n+\tReset: func(z hash.Hash) hash.Hash {\n+\t\tz.Reset()\n"
			if !strings.Contains(s.Diff, want) || !strings.Contains(s.Diff, pool) {
				t.Errorf("%s", s.Diff)
			}
		}
	}
}
