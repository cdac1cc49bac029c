package advise

import (
	"encoding/json"
	"math"
	"testing"
)

// TestReasonsOfMarshaling has functions that encode and return the bytes: to callers that keep it or not, and to encoding/json.
func TestReasonsOfMarshaling(t *testing.T) {
	judged(t, `package p

import (
	"encoding/json"
	"io"
)

type one struct{ A int }

func (r *one) bytes() []byte {
	b, _ := json.Marshal(r) // encoding/json.Marshal: needs an owner; The memory leaves (*one).bytes: it is returned from (*p.one).bytes to p.write at p.go:15, its only caller. Its last user would have to put it back. The caller, p.write, does not keep it, and could pass a Buffer of a pool, to which json.NewEncoder writes.$
	return b
}

func write(w io.Writer, r *one) { w.Write(r.bytes()) }

type two struct {
	A    int
	text []byte
}

func (r *two) bytes() []byte {
	b := r.text
	if b == nil {
		b, _ = json.Marshal(r) // encoding/json.Marshal: needs an owner; The memory leaves (*two).bytes: it is returned from (*p.two).bytes to its only callers, p.length at p.go:32 and p.writeTwo at p.go:30. Its last user would have to put it back. The callers, p.length and p.writeTwo, do not keep it, and could pass a Buffer of a pool, to which json.NewEncoder writes.$
	}
	return b
}

func writeTwo(w io.Writer, r *two) { w.Write(r.bytes()) }

func length(r *two) int { return len(r.bytes()) }

type laid struct{ A int }

func (r *laid) bytes() []byte {
	b, _ := json.MarshalIndent(r, "", " ") // encoding/json.MarshalIndent: needs an owner; The memory leaves (*laid).bytes: it is returned from (*p.laid).bytes to p.writeLaid at p.go:41, its only caller. Its last user would have to put it back. The caller, p.writeLaid, does not keep it, and could pass a Buffer and a bytes.Buffer of pools: json.NewEncoder writes to the first, and json.Indent from that to the second. SetIndent would cost more, as each Encoder makes a buffer for it.$
	return append(b, '\n')
}

func writeLaid(w io.Writer, r *laid) { w.Write(r.bytes()) }

type held struct{ A int }

func (r *held) bytes() []byte {
	b, _ := json.MarshalIndent(r, "", " ") // encoding/json.MarshalIndent: needs an owner; The memory leaves (*held).bytes: it is returned from (*p.held).bytes to p.hold at p.go:50, its only caller. Its last user would have to put it back.$
	return b
}

func hold(all [][]byte, r *held) { all[0] = r.bytes() }

type three struct{ A int }

func (r *three) bytes() []byte {
	b, _ := json.Marshal(r) // encoding/json.Marshal: needs an owner; The memory leaves (*three).bytes: it is returned from (*p.three).bytes to its only callers, p.keep at p.go:61 and p.writeThree at p.go:59. Its last user would have to put it back.$
	return b
}

func writeThree(w io.Writer, r *three) { w.Write(r.bytes()) }

func keep(all [][]byte, r *three) { all[0] = r.bytes() }

func (r *three) MarshalJSON() ([]byte, error) {
	b := make([]byte, r.A) // : do not pool; The memory leaves (*three).MarshalJSON, which encoding/json calls: that copies the result and drops it, so that nobody can put it back.$
	return b, nil
}

type four struct{ three }

func (r *four) MarshalText() ([]byte, error) {
	b := make([]byte, r.A) // : needs an owner; The memory leaves (*four).MarshalText: it is returned from
	return b, nil
}

func direct(r *four) ([]byte, error) { return r.MarshalText() }

type five struct{ list [][]byte }

func (r *five) MarshalJSON() ([]byte, error) {
	b := make([]byte, 10_000) // : needs an owner; The memory leaves (*five).MarshalJSON: it is stored in
	r.list[0] = b
	return b, nil
}

func (r *five) MarshalBinary(n int) []byte {
	b := make([]byte, n) // : needs an owner; The memory leaves (*five).MarshalBinary: it is returned from
	return b
}
`, nil)
}

// TestSavedOfMarshal has a call of json.Marshal of whose bytes the result is a quarter, and one of which nobody knows.
func TestSavedOfMarshal(t *testing.T) {
	needGo(t)
	const code = `package p

import (
	"encoding/json"
	"io"
)

func write(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Write(b)
	return nil
}
`
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code})
	for std, want := range map[string]struct {
		gain float64
		text string
	}{
		"encoding/json.Marshal":                         {0.25, " Of its bytes, 25 % are the result. An encoder makes the others, too."},
		"encoding/json.Marshal, encoding/json.makeCopy": {1, ""},
	} {
		site := synthetic{std, "a.example/p.write", "/src/a.example/p/p.go", 8, 9, 100_000, 100_000 << 12, 0, 0}
		rest := site
		rest.std, rest.objects, rest.bytes = "encoding/json.Marshal, encoding/json.(*encodeState).marshal", 3*site.objects, 3*site.bytes
		stdout, stderr, status := advise(t, dir, twoProfiles(t, site, rest), "-json")
		var r Report
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
			t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
		}
		if reason := r.Sites[0].Reason; reason != "The memory does not leave write."+want.text || math.Abs(r.Gain.Bytes-want.gain) > 0.01 {
			t.Errorf("%s: %s; a gain of %v", std, reason, r.Gain.Bytes)
		}
	}
}
