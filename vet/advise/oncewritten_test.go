package advise

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCopiesOfOneWrite has Buffers of several sizes. One that a single call writes to has the right size at once, so that a
// copy would be no smaller.
func TestCopiesOfOneWrite(t *testing.T) {
	needGo(t)
	const (
		owner = "needs an owner; The memory leaves "
		copy  = "pool it; It grows in "
		code  = `package p

import (
	"bytes"
	"encoding/json"
)

func once(v any) ([]byte, error) {
	var buf bytes.Buffer
	err := json.NewEncoder(&buf).Encode(v) // encoding/json.(*Encoder).Encode, bytes.(*Buffer).Write: OWNER
	return buf.Bytes(), err
}

func twice(v, w any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.Encode(w)
	err := enc.Encode(v) // encoding/json.(*Encoder).Encode, bytes.(*Buffer).Write: COPY
	return buf.Bytes(), err
}

func often(list []any) []byte {
	var buf bytes.Buffer
	for _, v := range list {
		json.NewEncoder(&buf).Encode(v) // encoding/json.(*Encoder).Encode, bytes.(*Buffer).Write: COPY
	}
	return buf.Bytes()
}

func written(b []byte) []byte {
	var buf bytes.Buffer
	buf.Write(b) // bytes.(*Buffer).Write: OWNER
	return buf.Bytes()
}

func written2(b, c []byte) []byte {
	var buf bytes.Buffer
	buf.Write(b)
	buf.Write(c) // bytes.(*Buffer).Write: COPY
	return buf.Bytes()
}
`
	)
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code})
	sites, want := marked("a.example/p", "/src/a.example/p/p.go", code)
	all := sites
	for _, s := range sites {
		s.bytes *= 2
		all = append(all, s)
	}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, all...), "-json")
	var r Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
		t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
	}
	for i, s := range sites {
		text := strings.NewReplacer("OWNER", owner, "COPY", copy).Replace(want[i])
		found := false
		for _, got := range r.Sites {
			if strings.HasSuffix(s.name, "."+got.short()) {
				found = true
				if answer := fmt.Sprintf("%s; %s", got.Verdict, got.Reason); !strings.HasPrefix(answer, text) {
					t.Errorf("%s: %s, want %s", got.short(), answer, text)
				}
			}
		}
		if !found {
			t.Errorf("%s has no row", s.name)
		}
	}
}

// TestNamesOfC has functions that cgo makes.
func TestNamesOfC(t *testing.T) {
	for name, want := range map[string]string{
		"a.example/p._Cfunc_GoStringN": "C.GoStringN", "main._Cfunc_GoBytes": "C.GoBytes", "a.example/p._Cfunc__CMalloc": "C.Malloc",
		"a.example/p.Cfunc": "", "a.example/p.(*T).M": "",
	} {
		if got := cgoName(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
