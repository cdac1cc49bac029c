package basin_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"text/template"

	"github.com/basin-go/basin"
)

type record struct {
	Name  string
	Count int
	Tags  []string
}

// TestConsumers has the standard library write into Buffers of all origins and
// read from them.
func TestConsumers(t *testing.T) {
	data := record{"a name", 7, []string{"x", "ÿ", strings.Repeat("long ", 1000)}}
	page := template.Must(template.New("").Parse("{{range .Tags}}<{{.}}>\n{{end}}"))
	for _, origin := range []struct {
		name string
		get  func() *basin.Buffer
		put  func(*basin.Buffer)
	}{
		{"zero value", func() *basin.Buffer { return new(basin.Buffer) }, (*basin.Buffer).Free},
		{"small", basin.NewSmallBuffer, (*basin.Buffer).Free},
		{"handle", basin.GetBuffer, basin.PutBuffer},
	} {
		for _, consumer := range []struct {
			name  string
			write func(io.Writer) error
			read  func(io.Reader) error
		}{
			{"encoding/json", func(w io.Writer) error { return json.NewEncoder(w).Encode(data) },
				func(r io.Reader) error {
					var got record
					err := json.NewDecoder(r).Decode(&got)
					return errors.Join(err, same(got, data))
				}},
			{"encoding/xml", func(w io.Writer) error { return xml.NewEncoder(w).Encode(data) },
				func(r io.Reader) error {
					var got record
					err := xml.NewDecoder(r).Decode(&got)
					return errors.Join(err, same(got, data))
				}},
			{"compress/gzip", func(w io.Writer) error {
				z := gzip.NewWriter(w)
				io.WriteString(z, data.Tags[2])
				return z.Close()
			}, func(r io.Reader) error {
				z, err := gzip.NewReader(r)
				if err != nil {
					return err
				}
				got, err := io.ReadAll(z)
				return errors.Join(err, same(string(got), data.Tags[2]))
			}},
			{"text/template, bufio.Scanner", func(w io.Writer) error { return page.Execute(w, data) },
				func(r io.Reader) error {
					var got []string
					lines := bufio.NewScanner(r)
					for lines.Scan() {
						got = append(got, strings.Trim(lines.Text(), "<>"))
					}
					return errors.Join(lines.Err(), same(got, data.Tags))
				}},
			{"bufio", func(w io.Writer) error {
				b := basin.GetWriter(w)
				defer basin.PutWriter(b)
				fmt.Fprint(b, data)
				return b.Flush()
			}, func(r io.Reader) error {
				b := basin.GetReader(r)
				defer basin.PutReader(b)
				got, err := io.ReadAll(b)
				return errors.Join(err, same(string(got), fmt.Sprint(data)))
			}},
			{"io.Copy", func(w io.Writer) error {
				_, err := basin.Copy(w, strings.NewReader(data.Tags[2]))
				return err
			}, func(r io.Reader) error {
				var got strings.Builder
				_, err := io.Copy(&got, r)
				return errors.Join(err, same(got.String(), data.Tags[2]))
			}},
		} {
			t.Run(consumer.name+"/"+origin.name, func(t *testing.T) {
				for range 20 {
					b := origin.get()
					if err := consumer.write(b); err != nil {
						t.Fatal(err)
					}
					if err := consumer.read(b); err != nil {
						t.Fatal(err)
					}
					origin.put(b)
				}
			})
		}
	}
}

func same(got, want any) error {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		return fmt.Errorf("got %.100s, want %.100s", g, w)
	}
	return nil
}

func TestBufferIsAReader(t *testing.T) {
	content := []byte(strings.Repeat("reader ", 500))
	var b basin.Buffer
	b.Write(content)
	if err := iotest.TestReader(&b, content); err != nil {
		t.Error(err)
	}
}

func TestHTTPBodies(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := basin.GetBuffer()
		defer basin.PutBuffer(b)
		if _, err := b.ReadFrom(r.Body); err != nil {
			t.Error(err)
		}
		b.WriteTo(w)
	}))
	defer server.Close()
	for n := range 20 {
		body := strings.Repeat("body ", 1<<(n%16))
		request := basin.GetBuffer()
		request.WriteString(body)
		response, err := http.Post(server.URL, "text/plain", request)
		if err != nil {
			t.Fatal(err)
		}
		answer := basin.GetBuffer()
		if _, err := answer.ReadFrom(response.Body); err != nil {
			t.Error(err)
		}
		response.Body.Close()
		if answer.String() != body {
			t.Errorf("sent %d bytes, got %d", len(body), answer.Len())
		}
		basin.PutBuffer(answer)
		// The transport may read the request after it has answered, so request
		// is not put.
	}
}

// writerToOnly and readerFromOnly tell whether they were used as such.
type writerToOnly struct{ used bool }

func (*writerToOnly) Read([]byte) (int, error)           { panic("Read of an io.WriterTo") }
func (w *writerToOnly) WriteTo(io.Writer) (int64, error) { w.used = true; return 5, nil }

type readerFromOnly struct{ used bool }

func (*readerFromOnly) Write([]byte) (int, error)           { panic("Write of an io.ReaderFrom") }
func (r *readerFromOnly) ReadFrom(io.Reader) (int64, error) { r.used = true; return 6, nil }

func TestCopy(t *testing.T) {
	def := withPool(t, basin.Config{})
	from := new(writerToOnly)
	if n, err := basin.Copy(struct{ io.Writer }{io.Discard}, from); n != 5 || err != nil || !from.used {
		t.Errorf("Copy from an io.WriterTo = %d, %v; used as such: %v", n, err, from.used)
	}
	to := new(readerFromOnly)
	if n, err := basin.Copy(to, io.LimitReader(nil, 1)); n != 6 || err != nil || !to.used {
		t.Errorf("Copy to an io.ReaderFrom = %d, %v; used as such: %v", n, err, to.used)
	}
	if s := def.Stats(); s.Gets != 0 {
		t.Errorf("took %d buffers it had no use for", s.Gets)
	}

	text := strings.Repeat("text", 20_000)
	plain := func(r io.Reader) io.Reader { return struct{ io.Reader }{r} }
	var out bytes.Buffer
	sink := struct{ io.Writer }{&out}
	if n, err := basin.Copy(sink, plain(strings.NewReader(text))); n != int64(len(text)) || err != nil || out.String() != text {
		t.Errorf("Copy = %d, %v", n, err)
	}
	out.Reset()
	if n, err := basin.CopyN(sink, plain(strings.NewReader(text)), 10); n != 10 || err != nil || out.String() != text[:10] {
		t.Errorf("CopyN = %d, %v, %q", n, err, &out)
	}
	if n, err := basin.CopyN(sink, plain(strings.NewReader("short")), 10); n != 5 || err != io.EOF {
		t.Errorf("CopyN of too little = %d, %v", n, err)
	}
	for _, n := range []int64{0, -1} {
		got, err := basin.CopyN(sink, plain(strings.NewReader("x")), n)
		want, wantErr := io.CopyN(sink, plain(strings.NewReader("x")), n)
		if got != want || err != wantErr {
			t.Errorf("CopyN of %d = %d, %v, want %d, %v", n, got, err, want, wantErr)
		}
	}
	if n, err := basin.Copy(sink, plain(iotest.ErrReader(errScript))); n != 0 || err != errScript {
		t.Errorf("Copy of an error = %d, %v", n, err)
	}
	if panicOf(func() { basin.Copy(sink, plain(nil)) }) == nil {
		t.Error("Copy from a nil Reader did not panic")
	}
	if s := def.Stats(); s.Gets != s.Puts || s.Gets == 0 {
		t.Errorf("%d gets, %d puts, want all put", s.Gets, s.Puts)
	}
}

func TestBufioIsRecycled(t *testing.T) {
	in := strings.NewReader("")
	if got := testing.AllocsPerRun(100, func() {
		in.Reset("line\nrest")
		r := basin.GetReader(in)
		if line, err := r.ReadSlice('\n'); string(line) != "line\n" || err != nil {
			t.Errorf("read %q, %v", line, err)
		}
		basin.PutReader(r)
		w := basin.GetWriter(io.Discard)
		w.WriteString("unflushed")
		basin.PutWriter(w)
	}); got != 0 {
		t.Errorf("a reader and a writer: %v allocations", got)
	}

	r := basin.GetReader(strings.NewReader("x"))
	basin.PutReader(r)
	if _, err := r.ReadByte(); err == nil {
		t.Error("reading after PutReader gave no error")
	}
	w := basin.GetWriter(io.Discard)
	basin.PutWriter(w)
	w.WriteByte('x')
	if w.Flush() == nil {
		t.Error("flushing after PutWriter gave no error")
	}

	// Of other sizes, nil, and twice.
	basin.PutReader(nil)
	basin.PutWriter(nil)
	large := bufio.NewReaderSize(nil, 1<<20)
	basin.PutReader(large)
	basin.PutWriter(bufio.NewWriterSize(nil, 16))
	if r := basin.GetReader(in); r == large || r.Size() != 4096 {
		t.Errorf("GetReader has a buffer of %d", r.Size())
	}
	if w := basin.GetWriter(io.Discard); w.Size() != 4096 {
		t.Errorf("GetWriter has a buffer of %d", w.Size())
	}
	r = basin.GetReader(in)
	basin.PutReader(r)
	basin.PutReader(r)
	if a, b := basin.GetReader(in), basin.GetReader(in); a == b {
		t.Error("two users have the same reader")
	}
}
