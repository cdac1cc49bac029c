package effects

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http/httputil"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// A keeper is a function of the standard library that keeps an io.Writer. It returns a function that makes it write.
type keeper func(w io.Writer) (write func())

// keepers proves rows of writers: the library itself writes to the argument later.
var keepers = map[string]keeper{
	"log.New": func(w io.Writer) func() { l := log.New(w, "", 0); return func() { l.Print("x") } },
	"(*log.Logger).SetOutput": func(w io.Writer) func() {
		l := log.New(io.Discard, "", 0)
		l.SetOutput(w)
		return func() { l.Print("x") }
	},
	"log.SetOutput": func(w io.Writer) func() {
		old := log.Writer()
		log.SetOutput(w)
		return func() { log.Print("x"); log.SetOutput(old) }
	},
	"text/tabwriter.NewWriter": func(w io.Writer) func() {
		t := tabwriter.NewWriter(w, 0, 8, 1, ' ', 0)
		return func() { io.WriteString(t, "x"); t.Flush() }
	},
	"(*text/tabwriter.Writer).Init": func(w io.Writer) func() {
		t := new(tabwriter.Writer).Init(w, 0, 8, 1, ' ', 0)
		return func() { io.WriteString(t, "x"); t.Flush() }
	},
	"bufio.NewWriter": func(w io.Writer) func() { b := bufio.NewWriter(w); return func() { b.WriteString("x"); b.Flush() } },
	"(*bufio.Writer).Reset": func(w io.Writer) func() {
		b := bufio.NewWriter(nil)
		b.Reset(w)
		return func() { b.WriteString("x"); b.Flush() }
	},
	"compress/gzip.NewWriter":       func(w io.Writer) func() { z := gzip.NewWriter(w); return func() { z.Close() } },
	"(*compress/gzip.Writer).Reset": func(w io.Writer) func() { z := gzip.NewWriter(nil); z.Reset(w); return func() { z.Close() } },
	"encoding/csv.NewWriter":        func(w io.Writer) func() { c := csv.NewWriter(w); return func() { c.Write([]string{"x"}); c.Flush() } },
	"encoding/json.NewEncoder":      func(w io.Writer) func() { e := json.NewEncoder(w); return func() { e.Encode(1) } },
	"encoding/hex.NewEncoder":       func(w io.Writer) func() { e := hex.NewEncoder(w); return func() { io.WriteString(e, "x") } },
	"encoding/hex.Dumper":           func(w io.Writer) func() { d := hex.Dumper(w); return func() { io.WriteString(d, "x"); d.Close() } },
	"io.MultiWriter":                func(w io.Writer) func() { m := io.MultiWriter(w); return func() { io.WriteString(m, "x") } },
	"mime/multipart.NewWriter":      func(w io.Writer) func() { m := multipart.NewWriter(w); return func() { m.Close() } },
	"mime/quotedprintable.NewWriter": func(w io.Writer) func() {
		q := quotedprintable.NewWriter(w)
		return func() { io.WriteString(q, "x"); q.Close() }
	},
	"net/http/httputil.NewChunkedWriter": func(w io.Writer) func() { c := httputil.NewChunkedWriter(w); return func() { io.WriteString(c, "x") } },
	"log/slog.NewTextHandler":            func(w io.Writer) func() { l := slog.New(slog.NewTextHandler(w, nil)); return func() { l.Info("x") } },
	"log/slog.NewJSONHandler":            func(w io.Writer) func() { l := slog.New(slog.NewJSONHandler(w, nil)); return func() { l.Info("x") } },
}

func TestKeepers(t *testing.T) {
	for name, keep := range keepers {
		e := rows.funcs[name]
		if e == nil || !e.Keeps() && e.Holds == None {
			t.Errorf("%s has no row that says that it keeps its argument", name)
			continue
		}
		var b bytes.Buffer
		write := keep(&b)
		b.Reset()
		if write(); b.Len() == 0 {
			t.Errorf("%s does not keep its argument", name)
		}
	}
}

func TestScannerKeepsItsBuffer(t *testing.T) {
	e := rows.funcs["(*bufio.Scanner).Buffer"]
	b := make([]byte, 8)
	s := bufio.NewScanner(strings.NewReader("abc"))
	s.Buffer(b, 8)
	if s.Scan(); string(b[:3]) != "abc" || e.Keep != 1 {
		t.Errorf("Scan has read into other memory than that of Buffer: %q, %+v", b, e)
	}
}

// fresh proves rows of functions whose results do not change with their arguments.
var fresh = map[string]func(b []byte) []byte{
	"bytes.Clone":           bytes.Clone,
	"bytes.ToUpper":         bytes.ToUpper,
	"bytes.ToLower":         bytes.ToLower,
	"bytes.Repeat":          func(b []byte) []byte { return bytes.Repeat(b, 1) },
	"bytes.Replace":         func(b []byte) []byte { return bytes.Replace(b, []byte("zz"), nil, -1) },
	"bytes.ReplaceAll":      func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("zz"), nil) },
	"bytes.Join":            func(b []byte) []byte { return bytes.Join([][]byte{b}, nil) },
	"encoding/json.Marshal": func(b []byte) []byte { j, _ := json.Marshal(json.RawMessage(b)); return j },
	"encoding/asn1.Marshal": func(b []byte) []byte { a, _ := asn1.Marshal(asn1.RawValue{FullBytes: b}); return a },
	"crypto/hkdf.Extract":   func(b []byte) []byte { k, _ := hkdf.Extract(sha256.New, b, b); return k },
	"crypto/hkdf.Expand":    func(b []byte) []byte { k, _ := hkdf.Expand(sha256.New, b, "", 9); return k },
	"crypto/pbkdf2.Key":     func(b []byte) []byte { k, _ := pbkdf2.Key(sha256.New, "", b, 1, 9); return k },
}

func TestFresh(t *testing.T) {
	for name, f := range fresh {
		if e := rows.funcs[name]; e == nil || !e.Fresh {
			t.Errorf("%s has no row that says that its result is new", name)
		}
		for _, text := range []string{`"abc"`, `"ABC"`} {
			b := []byte(text)
			got := f(b)
			want := string(got)
			copy(b, "12345")
			if string(got) != want {
				t.Errorf("the result of %s points into its argument", name)
			}
		}
	}
}

func TestKeysAreCopied(t *testing.T) {
	key := []byte("abc")
	h := hmac.New(sha256.New, key)
	want := h.Sum(nil)
	clear(key)
	if h.Reset(); !slices.Equal(h.Sum(nil), want) || !rows.funcs["crypto/hmac.New"].Fresh {
		t.Error("hmac.New keeps its key")
	}
}

func TestRecordsAreNew(t *testing.T) {
	r := bufio.NewReader(strings.NewReader("abc,\"d e\"\nfgh,ijk\n"))
	c := csv.NewReader(r)
	c.ReuseRecord = true
	all, err := c.ReadAll()
	r.Reset(strings.NewReader(strings.Repeat("xyz,xyz\n", 10)))
	if _, next := c.Read(); err != nil || next != nil || strings.Join(append(all[0], all[1]...), ".") != "abc.d e.fgh.ijk" || !rows.funcs["(*encoding/csv.Reader).ReadAll"].Fresh {
		t.Errorf("records %q, errors %v and %v", all, err, next)
	}
}

func TestJoins(t *testing.T) {
	if errors.Join(nil, nil) != nil || errors.Join(nil, io.EOF) == nil || !rows.funcs["errors.Join"].Joins {
		t.Error("errors.Join is not nil if, and only if, an argument is not")
	}
}

func TestRows(t *testing.T) {
	for name, e := range rows.funcs {
		if e.Fresh && (e.View != None || e.Part != None || e.Holds != None) {
			t.Errorf("%s: a result is new, and points into an argument", name)
		}
		if e.Idle && e.Keep == None && e.Reset == None {
			t.Errorf("%s: idle is for functions that keep an argument", name)
		}
		if e.Global != None && e.Calm {
			t.Errorf("%s: a function that keeps its argument is not calm", name)
		}
	}
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{"gopkg.in/yaml.v3.Unmarshal": "gopkg.in/yaml.v3", "(*gopkg.in/a/yaml.v2.Node).Decode": "gopkg.in/a/yaml.v2",
		"go.yaml.in/yaml/v3.Unmarshal": "go.yaml.in/yaml/v3", "(*a/b.T).M": "a/b", "fmt.Print": "fmt"} {
		if got := PackageOf(name); got != want {
			t.Errorf("the package of %s is %s, want %s", name, got, want)
		}
	}
}
